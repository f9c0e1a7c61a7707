// Compares the pieces of a row at any zoom with a count over all ops.
#include "app/timeline/fold.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <random>

#include "app/timeline/timeline_pieces.h"
#include "tests/unit/model/recording_builder.h"

namespace headway::figure {
namespace {

using devices::Family;

// A recording of `count` ops on two lanes: mostly short ones, some long, some of zero duration, with gaps and random
// families.
struct Made {
    model::RecordingBuilder builder;
    std::unique_ptr<model::Run> run;

    Made(std::uint32_t seed, int count, bool ops_fail = true, bool pauses = false) : builder(std::size_t{64} << 20) {
        std::mt19937 random(seed);
        for (std::uint16_t id = 1; id <= 8; ++id) {
            trace::SignatureInfo info{};
            info.family = static_cast<std::uint8_t>(id - 1);
            builder.recording().signature(id, info, "", "op");
        }
        std::array<std::int64_t, 2> free_ns{};
        std::int64_t now_ns = 0;
        for (int i = 0; i < count; ++i) {
            const std::int64_t begin = now_ns;
            now_ns += random() % 4 == 0 ? 0 : random() % 30;
            const auto lane = static_cast<std::uint8_t>(random() % 2);
            const auto op = builder.issue({.begin = begin,
                                           .end = now_ns,
                                           .lane = lane,
                                           .signature = static_cast<std::uint16_t>(1 + random() % 8)});
            const std::int64_t start = std::max(now_ns, free_ns[lane]) + (random() % 50 == 0 ? random() % 3000 : 0);
            const std::int64_t took = random() % 5 == 0 ? 0 : random() % 200 == 0 ? random() % 9000 : random() % 40;
            free_ns[lane] = start + took;
            builder.exec(lane, op | (random() % 500 == 0 && ops_fail ? trace::kFailedOp : 0), start, start + took);
            if (random() % 40 == 0) {
                builder.wait(now_ns, now_ns + 5, trace::WaitKind::item);
                now_ns += 5;
            }
            if (pauses && i % 3000 == 2999) {
                const std::int64_t pause = model::ProgramTime::kLeastCutNs + random() % 5'000'000;
                builder.wait(now_ns, now_ns + pause, trace::WaitKind::paused);
                now_ns += pause;
            }
        }
        run = builder.read();
    }
};

struct Seen {
    std::int64_t begin = 0, end = 0;
    Family family = Family::other;
    bool failed = false;
};

void check(const std::vector<Piece>& pieces, const std::vector<Seen>& all, const FoldOptions& o) {
    const auto left = static_cast<std::int64_t>(std::floor(o.run_ns_from_x_px(o.map.x0())));
    const auto right = static_cast<std::int64_t>(std::ceil(o.run_ns_from_x_px(o.map.x1())));
    // Pieces cover the ops in view in order and without gaps: none is dropped or counted twice.
    std::size_t first = 0;
    while (first < all.size() && all[first].end < left) {
        ++first;
    }
    std::size_t last = all.size();
    while (last > first && all[last - 1].begin > right) {
        --last;
    }
    std::size_t at = first;
    for (const Piece& piece : pieces) {
        ASSERT_EQ(piece.first, at);
        at += piece.count;
        ASSERT_LE(at, last);
        EXPECT_GE(piece.x0, o.map.x0());
        EXPECT_LE(piece.x1, o.map.x1());
        std::array<std::int64_t, kFamilies> time{};
        bool failed = false;
        for (std::size_t i = piece.first; i < at; ++i) {
            time[static_cast<std::size_t>(all[i].family)] += all[i].end - all[i].begin;
            failed = failed || all[i].failed;
        }
        EXPECT_EQ(piece.failed, failed);
        const auto most = std::max_element(time.begin(), time.end());
        if (*most > 0) {
            EXPECT_EQ(time[static_cast<std::size_t>(piece.family)], *most);
        }
        if (piece.count > 1) {
            std::int64_t busy = 0;
            for (const std::int64_t ns : time) {
                busy += ns;
            }
            const double span = static_cast<double>(piece.x1 - piece.x0) * o.map.ns_per_px();
            EXPECT_NEAR(piece.share, std::min(1.0, static_cast<double>(busy) / span), 1e-5);
        }
    }
    EXPECT_EQ(at, last);
}

void check_everywhere(const model::Run& run) {
    std::mt19937_64 random(3);
    const double length = run.program_time().program_ns(run.now_ns());
    for (int round = 0; round < 120; ++round) {
        // Views from the whole run to a few nanoseconds, anywhere, also beyond its ends.
        const double span = length * std::pow(0.5, static_cast<double>(random() % 22)) * 1.2;
        const double begin = (static_cast<double>(random() % 1000) / 1000 * 1.2 - 0.1) * length - span / 2;
        FoldOptions o;
        o.map = TimeMap({begin, begin + span}, 100, 100 + static_cast<float>(50 + random() % 1500));
        o.time = &run.program_time();
        o.column_px = random() % 2 == 0 ? 2.0F : 3.0F;
        SCOPED_TRACE(round);
        for (const model::Lane& lane : run.lanes()) {
            std::vector<Seen> all;
            for (const core::OpId id : lane.ops) {
                const auto& op = run.op(id);
                all.push_back({op.begin_ns, op.end_ns, run.signature(op.signature).family, op.failed});
            }
            check(fold_lane(run, lane, o), all, o);
        }
        std::vector<Seen> issues;
        for (core::OpId id = 1; id <= run.op_count(); ++id) {
            issues.push_back({run.op(id).issue_begin_ns, run.op(id).issue_end_ns});
        }
        check(fold_issues(run, o), issues, o);
        std::vector<Seen> waits;
        for (const auto& wait : run.waits()) {
            waits.push_back({wait.begin_ns, wait.end_ns});
        }
        check(fold_waits(run, o), waits, o);
        if (testing::Test::HasFailure()) {
            return;
        }
    }
}

TEST(Fold, ShowsEveryOpOnceAndItsBusyTimeExactly) {
    const Made made(7, 60'000);
    check_everywhere(*made.run);
}

// The same where the learner's pauses are cut out of the axis.
TEST(Fold, ShowsEveryOpOnceBesideCuts) {
    const Made made(7, 60'000, true, true);
    ASSERT_GT(made.run->program_time().cuts().size(), 10u);
    check_everywhere(*made.run);
}

// Of a long run's middle only sums are left, in blocks. A block is drawn as a whole: no op is dropped or counted twice.
TEST(Fold, FoldedBlocksAreShownAsAWhole) {
    Made made(5, 250'000, false);
    auto folded = made.builder.open();
    folded->fold_beyond(4 * model::kFoldedItems);
    folded->update();
    const model::Run &run = *folded, &whole = *made.run;
    ASSERT_GT(run.folded_ops(), 2 * model::kFoldedItems);
    std::mt19937_64 random(9);
    const double length = static_cast<double>(run.now_ns());
    std::size_t with_blocks = 0;
    for (int round = 0; round < 200; ++round) {
        const double span = length * std::pow(0.5, static_cast<double>(random() % 18)) * 1.2;
        const double begin = (static_cast<double>(random() % 1000) / 1000 * 1.2 - 0.1) * length - span / 2;
        FoldOptions o;
        o.map = TimeMap({begin, begin + span}, 100, 100 + static_cast<float>(50 + random() % 1500));
        o.time = &whole.program_time();
        SCOPED_TRACE(round);
        for (std::size_t lane = 0; lane < 2; ++lane) {
            const model::SpanIndex& index = run.lanes()[lane].index;
            const auto pieces = fold_lane(run, run.lanes()[lane], o);
            const auto exact = fold_lane(whole, whole.lanes()[lane], o);
            if (exact.empty()) {
                continue;  // in a gap; a folded block may span it
            }
            ASSERT_FALSE(pieces.empty());
            // From the first item in view to the last one, without gaps.
            const std::size_t first = exact.front().first, last = exact.back().first + exact.back().count - 1;
            EXPECT_EQ(pieces.front().first, index.item(first).first);
            std::size_t at = pieces.front().first;
            for (const Piece& piece : pieces) {
                ASSERT_EQ(piece.first, at);
                with_blocks += index.is_folded(piece.first) ? 1 : 0;
                at += piece.count;
            }
            EXPECT_EQ(at, index.item(last).end);
        }
        if (HasFailure()) {
            return;
        }
    }
    EXPECT_GT(with_blocks, 100u);
}

TEST(Fold, ParallelFoldingEqualsFoldingEachLane) {
    const Made made(11, 60'000);
    const model::Run& run = *made.run;
    FoldOptions o;
    o.map = TimeMap({0, static_cast<double>(run.now_ns())}, 0, 1700);
    o.time = &run.program_time();
    std::vector<int> lanes;
    for (int i = 0; i < 37; ++i) {
        lanes.push_back(i % 3 == 0 ? 1 : 0);
    }
    LanesFolding folding(run, lanes, o);
    for (std::size_t i = 0; i < lanes.size(); ++i) {
        EXPECT_EQ(folding.pieces(i), fold_lane(run, run.lanes()[static_cast<std::size_t>(lanes[i])], o)) << i;
    }
    EXPECT_NE(folding.pieces(0), folding.pieces(1));
    LanesFolding(run, lanes, o);  // the destructor waits for unused results
}

// Values that do not fit into the index's compact form: long spans, and begins far from their block's.
TEST(Fold, LongSpansAreExact) {
    model::RecordingBuilder builder;
    std::int64_t at = 0;
    std::uint64_t busy = 0;
    for (int i = 0; i < 100; ++i) {
        const std::int64_t took = i % 3 == 0 ? 700'000'000 + i : 10 + i;
        const auto op = builder.issue({.begin = at, .end = at + 1});
        builder.exec(0, op, at + 1, at + 1 + took);
        busy += static_cast<std::uint64_t>(took);
        at += took + (i % 10 == 0 ? 5'000'000'000 : 7);
    }
    const auto run = builder.read();
    FoldOptions o;
    o.map = TimeMap({0, static_cast<double>(at)}, 0, 6);
    o.time = &run->program_time();
    std::vector<Seen> all;
    for (const core::OpId id : run->lanes()[0].ops) {
        all.push_back({run->op(id).begin_ns, run->op(id).end_ns});
        const auto span = run->lanes()[0].index.at(all.size() - 1, [&](std::size_t i) {
            return std::pair{all[i].begin, all[i].end};
        });
        EXPECT_EQ(span.begin_ns, all.back().begin);
        EXPECT_EQ(span.end_ns, all.back().end);
    }
    EXPECT_EQ(run->lanes()[0]
                  .index.first(100, [](std::size_t) { return std::pair<std::int64_t, std::int64_t>{}; })
                  .busy_ns[static_cast<std::size_t>(run->signature(run->op(1).signature).family)],
              busy);
    for (auto& seen : all) {
        seen.family = run->signature(run->op(1).signature).family;
    }
    check(fold_lane(*run, run->lanes()[0], o), all, o);
}

TEST(Fold, TheIndexGrowsWithTheRecording) {
    model::RecordingBuilder builder;
    auto run = builder.open();
    for (int i = 0; i < 1000; ++i) {
        const auto op = builder.issue({.begin = i * 10, .end = i * 10 + 3});
        builder.exec(0, op, i * 10 + 3, i * 10 + 9);
        if (i % 7 == 0) {
            run->update();
        }
    }
    run->update();
    ASSERT_EQ(run->lanes()[0].index.size(), 1000u);
    const auto& index = run->lanes()[0].index;
    const auto times = [&](std::size_t i) {
        const auto& op = run->op(run->lanes()[0].ops[i]);
        return std::pair{op.begin_ns, op.end_ns};
    };
    for (std::size_t i = 0; i <= 1000; ++i) {
        EXPECT_EQ(index.first(i, times).busy_ns.back(), 6 * i);
        EXPECT_EQ(index.first_from(static_cast<std::int64_t>(i) * 10 + 3, times), i);
        EXPECT_EQ(index.first_from(static_cast<std::int64_t>(i) * 10 + 4, times), std::min<std::size_t>(i + 1, 1000));
    }
    // In one query and in single ones: from before the first to after the last.
    std::vector<std::int64_t> asked;
    for (std::int64_t ns = -500; ns < 11'000; ns += 1 + ns * ns % 97) {
        asked.push_back(ns);
    }
    std::vector<std::size_t> blocks;
    index.blocks_near(asked, blocks);
    ASSERT_EQ(blocks.size(), asked.size());
    for (std::size_t i = 0; i < asked.size(); ++i) {
        EXPECT_EQ(index.first_from(asked[i], blocks[i], times), index.first_from(asked[i], times)) << asked[i];
    }
}

// "1,560 issues" stands for all issues under its rail, also for those that are drawn one by one.
TEST(Groups, CountTheSingleItemsThatTheyExtendOver) {
    const std::vector<Piece> pieces{{0, 1, 0, 1}, {1, 3, 1, 3},    {3, 4, 4, 1},
                                    {4, 5, 5, 1}, {5.5F, 8, 6, 4}, {8, 9, 10, 1}};
    const auto ignore = [](const Piece&) {};
    const auto groups = each_piece(pieces, {0, 0, 100, 10}, ignore, ignore, {100, 100});
    ASSERT_EQ(groups.size(), 1u);
    EXPECT_EQ(groups[0].count, 9u);
    EXPECT_EQ(groups[0].box.x0, 1);
    EXPECT_EQ(groups[0].box.x1, 8);
    // Behind a cut begins another group; what is between belongs to neither rail.
    const auto cut = each_piece(pieces, {0, 0, 100, 10}, ignore, ignore, {6, 100});
    ASSERT_EQ(cut.size(), 2u);
    EXPECT_EQ(cut[0].count, 3u);
    EXPECT_EQ(cut[1].count, 4u);
}

}  // namespace
}  // namespace headway::figure
