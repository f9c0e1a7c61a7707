// Folding a long run changes no number: each recording is read twice, once with folding and once without.
#include "app/model/run/folding.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <random>
#include <set>
#include <string>
#include <thread>

#include "app/model/analysis/bounded_ops.h"
#include "app/model/analysis/time_range_summary.h"
#include "app/model/numbers/numbers_walk.h"
#include "app/model/report/report.h"
#include "app/model/run/queries.h"
#include "tests/unit/model/long_program.h"

namespace headway::model {
namespace {

constexpr std::size_t kFewOps = 2 * kFoldedItems;

struct Both {
    std::unique_ptr<Run> folded, whole;
};

Both read_both(const LongProgram& program, RecordingBuilder& builder) {
    Both both;
    write(builder, program, [&] {
        if (both.folded == nullptr) {
            both.folded = builder.open();
            both.folded->fold_beyond(kFewOps);
        }
        both.folded->update();
    });
    both.folded->update();
    both.folded->close();
    both.whole = builder.open();
    both.whole->fold_beyond(SIZE_MAX / 2);
    both.whole->update();
    both.whole->close();
    return both;
}

void expect_same(const Spread& a, const Spread& b, const char* name) {
    EXPECT_EQ(a.p10, b.p10) << name;
    EXPECT_EQ(a.median, b.median) << name;
    EXPECT_EQ(a.p90, b.p90) << name;
    EXPECT_EQ(a.most, b.most) << name;
    EXPECT_EQ(a.count, b.count) << name;
}

void expect_same_numbers(const Run& folded, const Run& whole) {
    NumbersWalk a_walk(folded), b_walk(whole);
    a_walk.step(0);
    b_walk.step(0);
    const Numbers &a = a_walk.numbers(), &b = b_walk.numbers();
    EXPECT_EQ(a.ops, b.ops);
    EXPECT_EQ(a.begin_ns, b.begin_ns);
    EXPECT_EQ(a.end_ns, b.end_ns);
    EXPECT_EQ(a.total_ns, b.total_ns);
    EXPECT_EQ(a.warmup_ns, b.warmup_ns);
    EXPECT_EQ(a.blocked_ns, b.blocked_ns);
    EXPECT_EQ(a.backend_busy_ns, b.backend_busy_ns);
    EXPECT_EQ(a.backend_idle_ns, b.backend_idle_ns);
    EXPECT_EQ(a.op_issue_ns, b.op_issue_ns);
    EXPECT_EQ(a.launch_ns, b.launch_ns);
    EXPECT_EQ(a.recorded_work_ns, b.recorded_work_ns);
    EXPECT_EQ(a.headway_max, b.headway_max);
    EXPECT_EQ(a.live_bytes_peak, b.live_bytes_peak);
    EXPECT_EQ(a.pending_bytes_peak, b.pending_bytes_peak);
    EXPECT_EQ(a.frontend.issue_ns, b.frontend.issue_ns);
    EXPECT_EQ(a.frontend.wait_ns, b.frontend.wait_ns);
    EXPECT_EQ(a.frontend.work_ns, b.frontend.work_ns);
    EXPECT_EQ(a.frontend.drop_ns, b.frontend.drop_ns);
    EXPECT_EQ(a.frontend.sum_ns(), b.frontend.sum_ns());
    expect_same(a.t1, b.t1, "t1");
    expect_same(a.t2, b.t2, "t2");
    expect_same(a.t3, b.t3, "t3");
    EXPECT_FALSE(a.predicted);  // the replay needs the dependencies of all ops
    ASSERT_EQ(a_walk.lines().size(), b_walk.lines().size());
    for (std::size_t i = 0; i < a_walk.lines().size(); ++i) {
        const LineCost &mine = a_walk.lines()[i], &other = b_walk.lines()[i];
        EXPECT_EQ(mine.line, other.line);
        EXPECT_EQ(mine.ops, other.ops);
        EXPECT_EQ(mine.issue_ns, other.issue_ns);
        EXPECT_EQ(mine.blocked_ns, other.blocked_ns);
        EXPECT_EQ(mine.recorded_work_ns, other.recorded_work_ns);
    }
    EXPECT_EQ(a_walk.tally().links, b_walk.tally().links);
    EXPECT_EQ(paused_ns_of(folded), paused_ns_of(whole));
    EXPECT_EQ(folded.ended_count(), whole.ended_count());
}

// Sums by kind over all rows, and what is drawn.
void expect_same_sums(const Run& folded, const Run& whole, std::int64_t begin_ns, std::int64_t end_ns) {
    const TimeRangeSummary a = time_range_summary(folded, begin_ns, end_ns);
    const TimeRangeSummary b = time_range_summary(whole, begin_ns, end_ns);
    ASSERT_EQ(a.kinds.size(), b.kinds.size());
    for (std::size_t i = 0; i < a.kinds.size(); ++i) {
        EXPECT_EQ(a.kinds[i].name, b.kinds[i].name);
        EXPECT_EQ(a.kinds[i].sum.count, b.kinds[i].sum.count);
        EXPECT_EQ(a.kinds[i].sum.ns, b.kinds[i].sum.ns);
    }
    EXPECT_EQ(a.issues.count, b.issues.count);
    EXPECT_EQ(a.issues.ns, b.issues.ns);
    EXPECT_EQ(a.works.count, b.works.count);
    EXPECT_EQ(a.works.ns, b.works.ns);
    EXPECT_EQ(a.waits().count, b.waits().count);
    EXPECT_EQ(a.waits().ns, b.waits().ns);
}

void expect_within(const Curve& folded, const Curve& whole, std::int64_t begin_ns, std::int64_t end_ns, bool exact) {
    const Extremes a = folded.extremes(begin_ns, end_ns), b = whole.extremes(begin_ns, end_ns);
    EXPECT_LE(a.least, b.least);
    EXPECT_GE(a.most, b.most);
    if (exact) {
        EXPECT_EQ(a, b) << begin_ns << " to " << end_ns;
    }
}

bool touches_folded(const Run& run, std::int64_t begin_ns, std::int64_t end_ns) {
    // Blocks of a curve are folded as a whole: its changes next to a folded part may be folded with it.
    constexpr std::int64_t kBlock_ns = 100'000;
    return std::any_of(run.folded_parts().begin(), run.folded_parts().end(), [&](const FoldedPart& part) {
        return begin_ns < part.end_ns + kBlock_ns && part.begin_ns - kBlock_ns < end_ns;
    });
}

// The whole report, except for lists and sentences about what is folded. What needs the dependencies of all ops is not
// known any more.
void expect_same_reports(const Run& folded, const Run& whole) {
    using Json = nlohmann::json;
    const Json a = Json::parse(report_json(folded)), b = Json::parse(report_json(whole));
    const std::set<std::string> may_differ{"folded", "waits", "pauses", "explanation"};
    const std::set<std::string> not_known{"idle",   "critical_path", "handover_ns",  "without_barriers_ns",
                                          "regime", "prediction",    "predicted_ns", "without_blockers_ns"};
    ASSERT_EQ(a.size(), b.size());
    for (const auto& [key, value] : b.items()) {
        if (not_known.contains(key)) {
            EXPECT_TRUE(a.at(key).is_null()) << key;
            EXPECT_FALSE(value.is_null()) << key;
        } else if (!may_differ.contains(key)) {
            EXPECT_EQ(a.at(key), value) << key;
        }
    }
}

void expect_same_run(const Both& both, std::uint32_t seed, std::size_t fold_beyond = kFewOps) {
    const Run &folded = *both.folded, &whole = *both.whole;
    ASSERT_FALSE(folded.folded_parts().empty());
    ASSERT_TRUE(whole.folded_parts().empty());
    ASSERT_EQ(folded.op_count(), whole.op_count());
    expect_same_numbers(folded, whole);
    expect_same_sums(folded, whole, 0, whole.now_ns() + 1);
    std::mt19937 random(seed);
    std::size_t exact = 0;
    for (int i = 0; i < 400; ++i) {
        const auto end = static_cast<std::uint64_t>(whole.now_ns());
        std::int64_t from = static_cast<std::int64_t>(random() % end);
        if (i % 2 == 0) {  // near the beginning or the end, where nothing is folded
            from = i % 4 == 0 ? from % 40'000 : static_cast<std::int64_t>(end) - from % 60'000;
        }
        const std::int64_t to = from + static_cast<std::int64_t>(random() % (i % 3 == 0 ? end : 3000)) + 1;
        const bool known = !touches_folded(folded, from, to);
        exact += known ? 1 : 0;
        expect_within(folded.headway(), whole.headway(), from, to, known);
        expect_within(folded.live_bytes(), whole.live_bytes(), from, to, known);
        expect_within(folded.pending_bytes(), whole.pending_bytes(), from, to, known);
        if (known) {
            expect_same_sums(folded, whole, from, to);
        }
    }
    EXPECT_GT(exact, 20u);
    EXPECT_EQ(folded.headway().most(), whole.headway().most());
    EXPECT_EQ(folded.headway().most_at_ns(), whole.headway().most_at_ns());
    // Single ops: the first quarter and the end are there, as they were.
    std::uint64_t known = 0;
    for (OpId id = folded.next_known(1); id <= folded.op_count(); id = folded.next_known(id + 1)) {
        ++known;
        const Op &a = folded.op(id), &b = whole.op(id);
        ASSERT_FALSE(a.folded);
        ASSERT_EQ(a.issue_begin_ns, b.issue_begin_ns);
        ASSERT_EQ(a.begin_ns, b.begin_ns);
        ASSERT_EQ(a.end_ns, b.end_ns);
        ASSERT_EQ(a.signature, b.signature);
        ASSERT_EQ(a.lane, b.lane);
    }
    EXPECT_EQ(known + folded.folded_ops(), folded.op_count());
    EXPECT_FALSE(folded.is_folded(1));
    EXPECT_FALSE(folded.is_folded(kFoldedItems));
    EXPECT_FALSE(folded.is_folded(static_cast<OpId>(folded.op_count())));
    EXPECT_LE(known, 4 * fold_beyond);
    // A folded op stands for its block.
    for (const FoldedPart& part : folded.folded_parts()) {
        const Op& op = folded.op(part.first);
        EXPECT_TRUE(op.folded);
        EXPECT_EQ(op.issue_begin_ns, whole.op(part.first).issue_begin_ns);
        EXPECT_EQ(op.in0 + op.in1 + op.out, 0u);
        std::int64_t issue_end_ns = 0, begin_ns = INT64_MAX, end_ns = 0;
        for (OpId id = part.first; id < part.first + kFoldedItems; ++id) {
            issue_end_ns = std::max(issue_end_ns, whole.op(id).issue_end_ns);
            begin_ns = std::min(begin_ns, whole.op(id).begin_ns);
            end_ns = std::max(end_ns, whole.op(id).end_ns);
        }
        EXPECT_EQ(op.issue_end_ns, issue_end_ns);
        EXPECT_EQ(op.begin_ns, begin_ns);
        EXPECT_EQ(op.end_ns, end_ns);
    }
}

TEST(FoldingTest, ChangesNoNumber) {
    for (std::uint32_t seed = 1; seed <= 6; ++seed) {
        SCOPED_TRACE(seed);
        RecordingBuilder builder;
        LongProgram program;
        program.seed = seed;
        program.lanes = 1 + seed % 3;
        program.ops = 75'000 + 10'000 * seed;
        expect_same_run(read_both(program, builder), seed);
    }
}

TEST(FoldingTest, ChangesNothingElseInTheReport) {
    RecordingBuilder builder;
    LongProgram program;
    program.seed = 9;
    program.waits_every = 20;
    program.wait_kinds = {trace::WaitKind::waitall,     trace::WaitKind::item,      trace::WaitKind::minibatch_barrier,
                          trace::WaitKind::queue_limit, trace::WaitKind::recording, trace::WaitKind::paused};
    const Both both = read_both(program, builder);
    ASSERT_FALSE(both.folded->folded_parts().empty());
    expect_same_reports(*both.folded, *both.whole);
    const Numbers numbers = numbers_of(*both.folded);
    EXPECT_GT(numbers.recording_wait_ns, 0);
    EXPECT_LT(numbers.recording_wait_ns, numbers.blocked_ns);
    EXPECT_GT(numbers.paused_ns, 0);
}

TEST(FoldingTest, WhenAMinibatchRanIsNotKnownOnceAnOpOfItIsFolded) {
    RecordingBuilder builder;
    LongProgram program;
    program.minibatches_every = 5'000;
    const Both both = read_both(program, builder);
    const auto minibatches = [](const model::Run& run) {
        return nlohmann::json::parse(report_json(run))["minibatches"];
    };
    const nlohmann::json folded = minibatches(*both.folded), whole = minibatches(*both.whole);
    ASSERT_EQ(whole.size(), 20u);
    ASSERT_EQ(folded.size(), whole.size());
    std::size_t known = 0;
    for (std::size_t i = 0; i < whole.size(); ++i) {
        const Minibatch& minibatch = both.whole->minibatches()[i];
        bool all = true;
        for (OpId id = minibatch.first; id <= minibatch.last; ++id) {
            all = all && !both.folded->is_folded(id);
        }
        known += all ? 1 : 0;
        for (const char* key : {"execute_begin_ns", "execute_end_ns"}) {
            EXPECT_EQ(folded[i][key], all ? whole[i][key] : nlohmann::json()) << i << " " << key;
        }
    }
    EXPECT_GT(known, 0u);
    EXPECT_LT(known, whole.size());
}

TEST(FoldingTest, ManyWaitsScopesAndMinibatchesAreFoldedToo) {
    RecordingBuilder builder;
    LongProgram program;
    program.ops = 200'000;
    program.waits_every = 2;
    program.scopes_every = 4;
    program.minibatches_every = 4;
    const Both both = read_both(program, builder);
    expect_same_run(both, 7);
    EXPECT_TRUE(both.folded->waits().is_folded(2 * kFoldedItems));
    EXPECT_TRUE(both.folded->scopes().is_folded(kFoldedItems));
    EXPECT_TRUE(both.folded->minibatches().is_folded(kFoldedItems));
    EXPECT_FALSE(both.folded->waits().is_folded(0));
    EXPECT_FALSE(both.folded->waits().is_folded(both.folded->waits().size() - 1));
}

TEST(FoldingTest, TheFrontendsWorkIsFoldedToo) {
    RecordingBuilder builder;
    LongProgram program;
    program.ops = 200'000;
    program.works_every = 3;
    const Both both = read_both(program, builder);
    expect_same_run(both, 10);
    EXPECT_TRUE(both.folded->works().is_folded(2 * kFoldedItems));
}

// The thread that launches may be so far behind that the launches of ops that were not folded are among those of ops
// that were.
TEST(FoldingTest, EachLaunchCountsOnce) {
    for (const auto& [lag, warm_up] : {std::pair{30, 0ul}, {150'000, 0ul}, {150'000, 70'000ul}}) {
        SCOPED_TRACE(std::to_string(lag) + " " + std::to_string(warm_up));
        RecordingBuilder builder;
        LongProgram program;
        program.ops = 150'000;
        program.launches = true;
        program.launch_lag = lag;
        program.warm_up = warm_up;
        const Both both = read_both(program, builder);
        EXPECT_GT(folded_blocks(both.folded->launches()), 0u);
        expect_same_numbers(*both.folded, *both.whole);
        EXPECT_EQ(numbers_of(*both.whole).launch_ns, static_cast<std::int64_t>(program.ops - warm_up));
    }
}

// The recording holds the language's time as a running total: each folded part has its own share of it.
TEST(FoldingTest, TheLanguagesTimeIsNoPartOfTheIssues) {
    for (const std::size_t totals_every : {1ul, 100ul, 1'000ul}) {
        SCOPED_TRACE(totals_every);
        RecordingBuilder builder;
        LongProgram program;
        program.ops = 200'000;
        program.totals_every = totals_every;
        const Both both = read_both(program, builder);
        expect_same_run(both, 8);
        const Numbers numbers = numbers_of(*both.whole);
        EXPECT_EQ(numbers.op_issue_ns - numbers.frontend.issue_ns, 200'000);
    }
}

TEST(FoldingTest, KeepsWhatTheLinksCarried) {
    RecordingBuilder builder;
    LongProgram program;
    program.two_gpus = true;
    program.warm_up = 15'000;
    const Both both = read_both(program, builder);
    ASSERT_FALSE(both.folded->folded_parts().empty());
    EXPECT_TRUE(both.folded->links().empty()) << "their rows would show some copies only";
    expect_same_numbers(*both.folded, *both.whole);
    NumbersWalk walk(*both.whole);
    walk.step(0);
    ASSERT_EQ(walk.tally().links.size(), 4u);
    for (std::size_t i = 2; i < 4; ++i) {  // those between the two GPUs; the bus carries nothing then
        const Tally::OfLink& link = walk.tally().links[i];
        EXPECT_GT(link.copies, 1'000u);
        EXPECT_LE(32 * link.copies, link.bytes);
        EXPECT_GT(link.busy_ns, 0);
    }
}

TEST(FoldingTest, CountsOnlyWhatIsMeasured) {
    for (const std::size_t warm_up : {1'000ul, 15'000ul, 60'000ul}) {
        for (const std::size_t end : {0ul, 75'000ul, 99'000ul}) {
            SCOPED_TRACE(std::to_string(warm_up) + " " + std::to_string(end));
            RecordingBuilder builder;
            LongProgram program;
            program.warm_up = warm_up;
            program.last_mark = end;
            program.second_mark = end == 75'000 ? 90'000 : 0;
            program.drop_costs_every = 10;
            const Both both = read_both(program, builder);
            ASSERT_FALSE(both.folded->folded_parts().empty());
            expect_same_numbers(*both.folded, *both.whole);
            EXPECT_GT(numbers_of(*both.folded).frontend.drop_ns, 1'000);
            // What surrounds the marks is there.
            EXPECT_FALSE(both.folded->is_folded(static_cast<OpId>(warm_up)));
            EXPECT_FALSE(both.folded->is_folded(static_cast<OpId>(warm_up + 1)));
        }
    }
}

// The recording has room for a tenth of the run: its reader folds, gives chunks back, and loses nothing.
TEST(FoldingTest, ARunMayBeLongerThanItsRecording) {
    LongProgram program;
    program.ops = 1'000'000;
    program.waits_every = 2000;
    RecordingBuilder small(std::size_t{24} << 20), large(std::size_t{256} << 20);
    auto folded = small.open();
    folded->fold_beyond(2 * kFewOps);
    folded->reader().will_give_back();
    std::thread writer([&] { write(small, program, [] {}); });
    while (folded->state() != trace::RunState::finished) {
        folded->update();
    }
    writer.join();
    folded->update();
    folded->close();
    write(large, program, [] {});
    auto whole = large.open();
    whole->fold_beyond(SIZE_MAX / 2);
    whole->update();
    whole->close();
    EXPECT_TRUE(folded->reader().gave_back());
    EXPECT_EQ(folded->another(), nullptr);
    EXPECT_EQ(folded->lost_records(), 0u);
    ASSERT_EQ(folded->op_count(), program.ops);
    expect_same_run({std::move(folded), std::move(whole)}, 3, 2 * kFewOps);
}

TEST(FoldingTest, FailedOpsAndOpsWithBoundsAreKept) {
    RecordingBuilder builder;
    LongProgram program;
    program.ops = 100'000;
    std::unique_ptr<model::Run> run;
    const auto look = [&] {
        if (run == nullptr) {
            run = builder.open();
            run->fold_beyond(kFewOps);
        }
        run->update();
    };
    write(builder, program, look);
    trace::StreamWriter<trace::DriverRecord> driver(builder.recording(), {trace::StreamKind::driver, 0});
    driver.add({1'000'080'000, 1, trace::DriverKind::device_taken, 0, 64});
    driver.add({1'000'080'001, 1, trace::DriverKind::bounded_ops, 0, 1});
    const OpId failed = builder.issue({1'000'000'000, 1'000'000'001, 0, 0, 0, 0, false, 1, 1});
    builder.exec(0, failed | trace::kFailedOp, 1'000'000'001, 1'000'000'002);
    std::int64_t now = 1'000'000'010;
    for (std::size_t i = 0; i < 150'000; ++i, now += 2) {
        builder.exec(0, builder.issue({now, now + 1, 0, 0, 0, 0, false, 1, 1}), now, now + 2);
        if (i % 10'000 == 0) {
            look();
        }
    }
    look();
    EXPECT_TRUE(run->is_folded(failed - 2 * kFoldedItems));
    EXPECT_TRUE(run->is_folded(failed + 2 * kFoldedItems));
    ASSERT_FALSE(run->is_folded(failed));
    EXPECT_TRUE(run->op(failed).failed);
    EXPECT_EQ(bounded_ops(*run), 1u);
    EXPECT_EQ(run->driver_events().size(), 1u);  // the other is folded
}

TEST(FoldingTest, AnOpThatHasNotEndedIsNotFolded) {
    RecordingBuilder builder;
    const auto signature = builder.signature(8);
    auto run = builder.open();
    run->fold_beyond(kFewOps);
    std::int64_t now = 0;
    for (std::size_t i = 1; i <= 200'000; ++i, now += 2) {
        const OpId op = builder.issue({now, now + 1, 0, static_cast<BufferId>(i), 0, 0, true, signature, 1});
        if (op <= 40'000) {
            builder.exec(0, op, now + 1, now + 2);
        }
        if (i % 10'000 == 0) {
            run->update();
        }
    }
    for (OpId id = 40'001; id <= 200'000; ++id) {
        ASSERT_FALSE(run->is_folded(id));
    }
}

TEST(FoldingTest, TheReportSaysWhatIsFolded) {
    RecordingBuilder builder;
    LongProgram program;
    const Both both = read_both(program, builder);
    const std::string report = report_json(*both.folded);
    EXPECT_NE(report.find("\"folded\": {\n    \"ops\": " + std::to_string(both.folded->folded_ops())),
              std::string::npos);
    EXPECT_NE(report_json(*both.whole).find("\"folded\": null"), std::string::npos);
}

}  // namespace
}  // namespace headway::model
