#include "app/ui/timeline/hover_card.h"

#include <gtest/gtest.h>

#include "app/render/label_lines.h"
#include "tests/unit/figure/script.h"
#include "tests/unit/model/recording_builder.h"

namespace headway::ui {
namespace {

std::string all_of(const Card& card) {
    std::string text = card.title + "|" + card.detail;
    for (const auto& line : card.lines) {
        text += "|" + line.text;
    }
    return text;
}

TEST(HoverCard, LongLinesGoOnBesideTheirLabel) {
    using Lines = std::vector<std::string>;
    const auto lines = [](const std::string& text, std::size_t most) { return figure::label_lines(text, 9, most); };
    const std::string shares = "spent on matmul ×38 81 %, add ×38 12 %, 2 other kinds 7 %";
    EXPECT_EQ(lines(shares, 57), (Lines{shares})) << "57 characters, more bytes";
    EXPECT_EQ(lines(shares, 56), (Lines{"spent on matmul ×38 81 %, add ×38 12 %,", "         2 other kinds 7 %"}));
    EXPECT_EQ(lines(shares, 34),
              (Lines{"spent on matmul ×38 81 %,", "         add ×38 12 %,", "         2 other kinds 7 %"}));
    EXPECT_EQ(lines("without  the run would take 12.0 ms, no less (computed)", 44),
              (Lines{"without  the run would take 12.0 ms,", "         no less (computed)"}));
    EXPECT_EQ(lines("at       aaaaaaaaaaaaaaaaaaaaaaaa bbb", 20),
              (Lines{"at       aaaaaaaaaaaaaaaaaaaaaaaa", "         bbb"}));
    EXPECT_EQ(lines("", 20), (Lines{""}));
}

TEST(HoverCard, IsPlacedWhereItCoversTheLeast) {
    const figure::Box room{0, 0, 1000, 600};
    const auto place = [&](figure::Point at, std::vector<figure::Box> spare) {
        return place_of_card(at, 200, 100, room, 10, spare);
    };
    EXPECT_EQ(place({500, 300}, {}), (figure::Box{510, 310, 710, 410})) << "right below";
    EXPECT_EQ(place({900, 550}, {}), (figure::Box{690, 440, 890, 540})) << "inside";
    const figure::Box bars{520, 340, 700, 380};
    EXPECT_EQ(place({500, 300}, {bars}), (figure::Box{290, 310, 490, 410})) << "left of it, off the bars";
    const figure::Box row{0, 340, 1000, 380};
    EXPECT_EQ(place({500, 300}, {row}), (figure::Box{510, 190, 710, 290})) << "above";
    const figure::Box all{0, 0, 1000, 600};
    EXPECT_EQ(place({500, 300}, {all}), (figure::Box{510, 310, 710, 410})) << "no side is better";
    EXPECT_EQ(place({100, 300}, {row}), (figure::Box{110, 190, 310, 290})) << "the left has no room";
}

TEST(HoverCard, ListsWhatAnOpWaitedFor) {
    const auto run = figure::test::training({}, 3, true);
    core::OpId with_causes = 0;
    for (core::OpId id = 1; id <= run->op_count() && with_causes == 0; ++id) {
        with_causes = run->dependencies(id).empty() ? 0 : id;
    }
    ASSERT_NE(with_causes, 0u);
    figure::Hit hit;
    hit.op = with_causes;
    const std::string text = all_of(describe(*run, hit));
    EXPECT_NE(text.find("#" + std::to_string(with_causes)), std::string::npos) << text;
    EXPECT_NE(text.find("issued"), std::string::npos);
    EXPECT_NE(text.find("started"), std::string::npos);
}

TEST(HoverCard, NamesTheRacesOfAnOpAndTheWaitThatIsMissing) {
    model::RecordingBuilder builder;
    builder.metadata(R"({"lanes": ["Stream 0", "Stream 1"]})");
    for (core::OpId id = 1; id <= 2; ++id) {
        const auto lane = static_cast<std::uint8_t>(id - 1);
        if (id == 2) {
            builder.order({2, 1, 1, 0, 0, trace::OrderKind::read_write, 1, 0, 0});
        }
        builder.issue({id * 10, id * 10 + 10, lane, id, id - 1, 0, true, 0, 0, false});
        builder.exec(lane, id, id * 10 + 10, id * 10 + 110);
    }
    const auto run = builder.read();
    const auto text_of = [&](core::OpId id) {
        figure::Hit hit;
        hit.op = id;
        return all_of(describe(*run, hit));
    };
    const std::string name = run->signature(0).name,
                      missing = "|missing  Stream 1 waits for Stream 0 (wait_stream, or an event)";
    EXPECT_NE(text_of(2).find("|race     reads what " + name + " #1 on Stream 0 writes" + missing), std::string::npos)
        << text_of(2);
    EXPECT_NE(text_of(1).find("|race     " + name + " #2 on Stream 1 reads what it writes" + missing),
              std::string::npos)
        << text_of(1);
}

// The learner's pause waits for the learner, whatever the backend does meanwhile.
TEST(HoverCard, APauseIsNotAWaitForOps) {
    figure::test::Script script;
    script.issue({"matmul", "(1)", devices::Family::matmul, 4}, 1'000, 50'000'000);
    script.wait(trace::WaitKind::paused, "paused");
    const auto run = script.finish();
    ASSERT_EQ(run->waits().size(), 1u);
    figure::Hit hit;
    hit.wait = 0;
    const std::string text = all_of(describe(*run, hit));
    EXPECT_NE(text.find("paused|you|for "), std::string::npos) << text;
    EXPECT_NE(text.find("not counted as the program's time"), std::string::npos) << text;
    EXPECT_EQ(text.find("nothing"), std::string::npos) << text;
    EXPECT_EQ(text.find("looked up"), std::string::npos) << text;
}

// Inputs that were ready when the op was issued did not delay it.
TEST(HoverCard, SeparatesDelayingInputsFromReadyOnes) {
    const auto run = figure::test::training({}, 3, true);
    int waited = 0, needed = 0, lane = 0;
    for (core::OpId id = 1; id <= run->op_count(); ++id) {
        core::OpId open = 0, there = 0;
        for (const core::OpId other : run->dependencies(id)) {
            core::OpId& first = run->op(other).end_ns > run->op(id).issue_end_ns ? open : there;
            first = first == 0 ? other : first;
        }
        figure::Hit hit;
        hit.op = id;
        const std::string text = all_of(describe(*run, hit));
        // The run has one lane.
        const bool behind = id > 1 && run->op(id - 1).end_ns > run->op(id).issue_end_ns;
        const std::string what = open != 0 ? "#" + std::to_string(open)
                                 : behind  ? "its lane, behind #" + std::to_string(id - 1)
                                           : "nothing";
        EXPECT_NE(text.find("waited for " + what), std::string::npos) << text;
        lane += open == 0 && behind ? 1 : 0;
        EXPECT_EQ(text.find("needed   #" + std::to_string(there)) != std::string::npos, there != 0) << text;
        waited += open != 0 ? 1 : 0;
        needed += there != 0 ? 1 : 0;
    }
    EXPECT_GT(waited, 0);
    EXPECT_GT(needed, 0);
    EXPECT_GT(lane, 0);
}

TEST(HoverCard, OmitsWhatTheTraceDoesNotContain) {
    const auto run = figure::test::spans(3, 2);
    figure::Hit hit;
    hit.op = 4;
    EXPECT_EQ(all_of(describe(*run, hit)), "decode #4||started  1.00 µs   ran 900 ns   on Stream 1");
    // Nor causes of idle times.
    hit.op = 0;
    hit.row = figure::RowKind::lane;
    hit.lane = 1;
    hit.ns = 950;
    EXPECT_EQ(all_of(describe(*run, hit)), "No span|Stream 1|for      100 ns   until decode #4");
}

TEST(HoverCard, CountsTheOpsInASliver) {
    const auto run = figure::test::training({}, 3, true);
    figure::Hit hit;
    hit.op = 1;
    hit.folded = 37;
    EXPECT_NE(all_of(describe(*run, hit)).find("37 ops in this sliver"), std::string::npos);
}

TEST(HoverCard, ShowsTheCauseOfAWait) {
    const auto run = figure::test::training({}, 3, true);
    ASSERT_FALSE(run->waits().empty());
    figure::Hit hit;
    hit.wait = 0;
    EXPECT_NE(all_of(describe(*run, hit)).find("being looked up"), std::string::npos);
    const model::WaitDetails details = model::wait_details(*run, 0);
    CardDetails found;
    found.wait = &details;
    const Card card = describe(*run, hit, found);
    EXPECT_EQ(card.title, run->waits().front().name);
    EXPECT_NE(all_of(card).find("waited"), std::string::npos);
    EXPECT_NE(all_of(card).find("for "), std::string::npos);
}

TEST(HoverCard, ShowsTheNameAndLineOfOwnWork) {
    figure::test::Script script;
    script.work(3'000'000, "NumPy");
    const auto run = script.finish();
    figure::Hit hit;
    hit.work = 0;
    const std::string text = all_of(describe(*run, hit));
    EXPECT_NE(text.find("NumPy|the frontend's own work"), std::string::npos) << text;
    EXPECT_NE(text.find("3.00 ms"), std::string::npos) << text;
    EXPECT_NE(text.find(":42"), std::string::npos) << text;
}

TEST(HoverCard, ListsRetainedBuffersWithTheirDuration) {
    const auto run = figure::test::training({}, 3, true);
    std::size_t own = 0, others = 0;
    for (core::OpId id = 1; id <= run->op_count(); ++id) {
        model::RetainedBuffersWalk walk(*run, id);
        walk.step(0);
        CardDetails found;
        found.retained = &walk.retained();
        figure::Hit hit;
        hit.op = id;
        const std::string text = all_of(describe(*run, hit, found));
        EXPECT_EQ(text.find("makes    ") != std::string::npos, run->op(id).fresh_output) << text;
        EXPECT_EQ(text.find("result "), std::string::npos) << "the result is listed once";
        own += text.find("until this op was done") != std::string::npos ? 1u : 0u;
        for (const model::RetainedBuffer& retained_buffer : walk.retained()) {
            if (retained_buffer.maker != 0 && retained_buffer.maker != id) {
                ++others;
                EXPECT_NE(text.find(" of #" + std::to_string(retained_buffer.maker) + ", alive for"), std::string::npos)
                    << text;
            }
        }
    }
    EXPECT_GT(own, 0u);
    EXPECT_GT(others, 0u);
}

TEST(HoverCard, FindsTheLaunchOfAnOpBehindThoseOfLaterOps) {
    model::RecordingBuilder builder;
    builder.issue({.begin = 0, .end = 10});
    builder.issue({.begin = 10, .end = 20, .lane = 1});
    builder.launch(2, 25, 30);
    builder.launch(1, 30, 37);
    builder.exec(1, 2, 30, 50);
    builder.exec(0, 1, 40, 50);
    const auto run = builder.read();
    figure::Hit hit;
    hit.op = 1;
    EXPECT_NE(all_of(describe(*run, hit)).find("launched +30 ns  took 7 ns"), std::string::npos);
    hit.op = 2;
    EXPECT_NE(all_of(describe(*run, hit)).find("launched +15 ns  took 5 ns"), std::string::npos);
}

TEST(HoverCard, CountsNoPausesBetweenIssueAndStart) {
    model::RecordingBuilder builder;
    builder.issue({.begin = 0, .end = 100, .out = 1, .fresh = true, .signature = builder.signature(400)});
    builder.recording().record_hold(0, 100, 500'000'100);
    builder.exec(0, 1, 500'000'300, 500'001'000);
    builder.drop(500'000'050, 1);
    builder.wait(100, 500'002'000, trace::WaitKind::waitall, 0, 1);
    builder.mark(trace::FrontendKind::program_end, 500'002'000);
    const auto run = builder.read();
    model::RetainedBuffersWalk walk(*run, 1);
    walk.step(0);
    CardDetails found;
    found.retained = &walk.retained();
    figure::Hit hit;
    hit.op = 1;
    const std::string text = all_of(describe(*run, hit, found));
    EXPECT_NE(text.find("started  +300 ns   ran 700 ns"), std::string::npos) << text;
    EXPECT_NE(text.find("alive for 1.00 µs"), std::string::npos) << text;
}

TEST(HoverCard, ComparesWithTheMatchingOp) {
    const auto run = figure::test::training({}, 3, true), other = figure::test::training({}, 3, false);
    figure::Hit hit;
    hit.op = 2;
    CardDetails found;
    found.other = other.get();
    found.other_letter = 'A';
    found.match = 2;
    const std::string text = all_of(describe(*run, hit, found));
    EXPECT_NE(text.find("|in A     #2   ran "), std::string::npos) << text;
    EXPECT_NE(text.find("as long   began "), std::string::npos) << text;
    found.match = 0;
    EXPECT_NE(all_of(describe(*run, hit, found)).find("in A     no such op"), std::string::npos);
}

// A time range in which a lane runs nothing: its length, what ended it, and its causes, which add up to the whole.
TEST(HoverCard, ShowsWhyALaneWasIdle) {
    figure::test::Script script;
    const figure::test::Script::Shape matmul{"matmul", "(8×8)·(8×8)", devices::Family::matmul, 256};
    const auto first = script.issue(matmul, 1'000, 10'000);
    script.wait(trace::WaitKind::waitall, "waitall");
    script.work(5'000'000, "NumPy");
    script.issue(matmul, 1'000, 10'000, first);
    const auto run = script.finish();
    figure::Hit hit;
    hit.row = figure::RowKind::lane;
    hit.lane = 0;
    hit.ns = static_cast<double>(run->op(1).end_ns + 1'000'000 - run->measure_begin_ns());
    const Card card = describe(*run, hit);
    EXPECT_EQ(card.title, "Idle");
    ASSERT_GE(card.lines.size(), 2u) << all_of(card);
    EXPECT_NE(card.lines[0].text.find("5.00 ms   until matmul #2"), std::string::npos) << all_of(card);
    EXPECT_NE(card.lines[1].text.find("the frontend was at work"), std::string::npos) << all_of(card);
    hit.ns = static_cast<double>(run->op(1).begin_ns + 10 - run->measure_begin_ns());
    EXPECT_TRUE(describe(*run, hit).empty()) << "it runs";
}

TEST(HoverCard, ShowsWhatAWaitsTimeWasSpentOn) {
    figure::test::Script script;
    for (int i = 0; i < 3; ++i) {
        script.issue({"matmul", "(8×8)·(8×8)", devices::Family::matmul, 256}, 1'000, 400'000);
        script.issue({"relu", "(8×8)", devices::Family::elementwise, 256}, 1'000, 100'000);
    }
    script.wait(trace::WaitKind::item, "item");
    const auto run = script.finish();
    figure::Hit hit;
    hit.wait = 0;
    const model::WaitDetails details = model::wait_details(*run, 0);
    CardDetails found;
    found.wait = &details;
    const std::string text = all_of(describe(*run, hit, found));
    EXPECT_NE(text.find("spent on matmul ×3 80 %, relu ×3 20 %"), std::string::npos) << text;
    EXPECT_NE(text.find("without  the run would take"), std::string::npos) << "a blocker's, too: " << text;
}

TEST(HoverCard, ShowsTheCurvesValues) {
    const auto run = figure::test::training({}, 3, true);
    figure::Hit hit;
    hit.row = figure::RowKind::headway;
    hit.ns = 1;
    EXPECT_NE(all_of(describe(*run, hit)).find("ops issued and not finished"), std::string::npos);
    hit.row = figure::RowKind::memory;
    EXPECT_NE(all_of(describe(*run, hit)).find("live"), std::string::npos);
}

TEST(HoverCard, ShowsACurvesExtremesWithinAPixel) {
    const auto run = figure::test::training({}, 3, true);
    figure::Hit hit;
    hit.row = figure::RowKind::headway;
    hit.ns = static_cast<double>(run->headway().most_at_ns() - run->measure_begin_ns());
    hit.ns_per_px = 1;
    EXPECT_EQ(all_of(describe(*run, hit)).find("in this pixel"), std::string::npos);
    hit.ns_per_px = 1e9;
    const std::string most = std::to_string(run->headway().most());
    EXPECT_NE(all_of(describe(*run, hit)).find("between  0 and " + most + " in this pixel"), std::string::npos)
        << all_of(describe(*run, hit));
    hit.row = figure::RowKind::memory;
    EXPECT_NE(all_of(describe(*run, hit)).find("in this pixel"), std::string::npos);
}

TEST(HoverCard, PrintsMomentsAtTheViewsResolution) {
    const auto run = figure::test::training({}, 3, true);
    figure::Hit hit;
    hit.row = figure::RowKind::headway;
    hit.ns = 31'412'345;
    hit.ns_per_px = 0.1;
    EXPECT_NE(all_of(describe(*run, hit)).find("31.412345 ms"), std::string::npos);
    hit.ns_per_px = 60'000;
    EXPECT_NE(all_of(describe(*run, hit)).find("31.41 ms"), std::string::npos);
    EXPECT_NE(all_of(describe({31'412'345, 31'412'545, "here"}, 0.1)).find("31.412345 ms"), std::string::npos);
}

// A minibatch's time is more than that of its issues.
TEST(HoverCard, TheTimeOfAMinibatchIsTheFrontends) {
    figure::test::Script script;
    script.minibatch_begin(0);
    script.issue({"add", "(4)", devices::Family::elementwise, 16}, 5'000, 5'000);
    script.work(40'000, "print");
    script.minibatch_end(0);
    const auto run = script.finish();
    figure::Hit hit;
    hit.row = figure::RowKind::scopes;
    hit.minibatch = 0;
    EXPECT_EQ(all_of(describe(*run, hit)), "Minibatch 0||ops      #1 to #1|took     45.0 µs on the frontend");
}

TEST(HoverCard, PausesAreNotPartOfAScope) {
    model::RecordingBuilder builder;
    builder.mark(trace::FrontendKind::scope_begin, 100, 0, "whole");
    builder.wait(200, 5'000'200, trace::WaitKind::paused);
    builder.mark(trace::FrontendKind::scope_end, 5'000'300, 0, "whole");
    const auto run = builder.read();
    figure::Hit hit;
    hit.row = figure::RowKind::scopes;
    hit.scope = 0;
    EXPECT_EQ(all_of(describe(*run, hit)), "whole||took     200 ns");
}

TEST(HoverCard, AWaitForNothingSaysSoWhereItsOpsWouldBe) {
    figure::test::Script script;
    script.issue({"add", "(4)", devices::Family::elementwise, 16}, 5'000, 5'000);
    script.wait(trace::WaitKind::waitall, "waitall");
    script.wait(trace::WaitKind::waitall, "waitall");
    const auto run = script.finish();
    figure::Hit hit;
    hit.wait = 1;
    const model::WaitDetails details = model::wait_details(*run, 1);
    CardDetails found;
    found.wait = &details;
    const std::string text = all_of(describe(*run, hit, found));
    EXPECT_NE(text.find("|for      nothing: all ops had finished"), std::string::npos) << text;
}

TEST(HoverCard, SeparatesTheThousandsOfARate) {
    for (const auto& [flops, rate] :
         {std::pair{std::uint64_t{1'234}, "1.23 GFLOP/s"}, std::pair{std::uint64_t{999'400}, "999 GFLOP/s"},
          std::pair{std::uint64_t{12'712'000}, "12,712 GFLOP/s"}}) {
        model::RecordingBuilder builder;
        trace::SignatureInfo info{};
        info.flops = flops;
        builder.recording().signature(1, info, "(8×8)·(8×8)", "matmul");
        builder.issue({.begin = 0, .end = 10, .signature = 1});
        builder.exec(0, 1, 10, 1'010);
        const auto run = builder.read();
        figure::Hit hit;
        hit.op = 1;
        const std::string text = all_of(describe(*run, hit));
        EXPECT_NE(text.find("|" + std::string(rate)), std::string::npos) << text;
    }
}

TEST(HoverCard, IsEmptyWithoutAHit) {
    const auto run = figure::test::training({}, 1, true);
    figure::Hit hit;
    EXPECT_TRUE(describe(*run, hit).empty());
    hit.op = 1'000'000;
    hit.wait = 1'000'000;
    EXPECT_TRUE(describe(*run, hit).empty());
}

}  // namespace
}  // namespace headway::ui
