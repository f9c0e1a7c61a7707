#include <gtest/gtest.h>

#include "app/model/analysis/idle.h"
#include "app/model/analysis/overlap.h"
#include "app/model/numbers/numbers_walk.h"
#include "app/model/run/queries.h"
#include "tests/unit/model/constant_run.h"

namespace headway::model {
namespace {

TEST(Numbers, AreRenewedWithoutAWalk) {
    ConstantRun run(3, 40, 7);
    run.ops(20, kNever);
    auto read = run.builder.read();
    Numbers numbers = numbers_of(*read);
    const auto sums = numbers.op_issue_ns;
    run.ops(30, kNever);
    read->update();
    renew_totals(*read, numbers);
    const Numbers now = numbers_of(*read);
    EXPECT_EQ(numbers.ops, now.ops);
    EXPECT_EQ(numbers.total_ns, now.total_ns);
    EXPECT_EQ(numbers.headway_max, now.headway_max);
    EXPECT_EQ(numbers.op_issue_ns, sums) << "that takes a walk";
    EXPECT_LT(sums, now.op_issue_ns);
}

void expect_same(const Numbers& a, const Numbers& b) {
    EXPECT_EQ(a.ops, b.ops);
    EXPECT_EQ(a.total_ns, b.total_ns);
    EXPECT_EQ(a.paused_ns, b.paused_ns);
    EXPECT_EQ(a.op_issue_ns, b.op_issue_ns);
    EXPECT_EQ(a.blocked_ns, b.blocked_ns);
    EXPECT_EQ(a.recorded_work_ns, b.recorded_work_ns);
    EXPECT_EQ(a.backend_busy_ns, b.backend_busy_ns);
    EXPECT_EQ(a.backend_idle_ns, b.backend_idle_ns);
    EXPECT_EQ(a.backend_open_ns, b.backend_open_ns);
    EXPECT_EQ(a.t1_ns, b.t1_ns);
    EXPECT_EQ(a.t2_ns, b.t2_ns);
    EXPECT_EQ(a.t3_ns, b.t3_ns);
    if (a.predicted && b.predicted) {  // a run that grew meanwhile is not predicted
        EXPECT_EQ(a.handover_ns, b.handover_ns);
        EXPECT_EQ(a.predicted_ns, b.predicted_ns);
        EXPECT_EQ(a.prediction_formula, b.prediction_formula);
        EXPECT_EQ(a.regime, b.regime);
    }
    EXPECT_EQ(a.parts, b.parts);
    EXPECT_EQ(a.launch_ns, b.launch_ns);
    EXPECT_EQ(a.recorder_ns, b.recorder_ns);
}

// A GPU reports ops some time after they have ended.
TEST(Numbers, IncrementalWalkIgnoresOpsReportedLater) {
    constexpr OpId kReported = 5000, kLate = 3000;
    RecordingBuilder builder(std::size_t{64} << 20);
    builder.metadata(R"({"timing": "cupti"})");
    std::int64_t now = 0;
    const auto issue = [&] {
        const OpId id = builder.issue({.begin = now, .end = now + 1});
        ++now;
        return id;
    };
    for (OpId i = 0; i < kReported; ++i) {
        builder.exec(0, issue(), 10'000 + i, 10'001 + i);
    }
    std::vector<OpId> late;
    for (OpId i = 0; i < kLate; ++i) {
        late.push_back(issue());
    }
    builder.mark(trace::FrontendKind::scope_begin, 100'000, 0, "training");
    const auto run = builder.read();
    const Numbers then = numbers_of(*run);
    ASSERT_EQ(then.backend_busy_ns, kReported);
    ASSERT_GT(then.backend_open_ns, 0);

    NumbersWalk walk(*run);
    ASSERT_TRUE(walk.step(1e-9));
    for (const OpId id : late) {
        builder.exec(0, id, 20'000 + 3 * id, 20'002 + 3 * id);
    }
    run->update();
    ASSERT_GT(numbers_of(*run).backend_busy_ns, then.backend_busy_ns);
    walk.step(0);
    expect_same(walk.numbers(), then);
}

TEST(Numbers, RenewingACutOffRunRemovesThePrediction) {
    ConstantRun run(3, 40, 7);
    run.ops(20, [](OpId i) { return i == 20; });
    run.builder.issue({run.now, run.now + 3});
    const auto read = run.builder.read();
    Numbers numbers = numbers_of(*read);
    ASSERT_GT(numbers.predicted_ns, 0);
    ASSERT_TRUE(numbers.handover_ns);
    read->close();
    renew_totals(*read, numbers);
    EXPECT_TRUE(numbers.cut_off);
    EXPECT_FALSE(numbers.handover_ns);
    EXPECT_EQ(numbers.predicted_ns, 0);
    EXPECT_EQ(numbers.prediction_formula, "");
}

// The learner's pauses, parts of which are before the start or after the end of measuring, and one in progress.
TEST(Numbers, TotalAndPausesAreKnownWithoutAWalk) {
    for (const bool ends : {true, false}) {
        RecordingBuilder builder;
        builder.issue({.begin = 0, .end = 10});
        builder.wait(10, 20, trace::WaitKind::paused);
        builder.mark(trace::FrontendKind::measure_begin, 20, 0);
        builder.wait(20, 35, trace::WaitKind::paused);
        builder.issue({.begin = 40, .end = 50});
        builder.wait(50, 60, trace::WaitKind::waitall, 0, 2);
        builder.wait(60, 67, trace::WaitKind::paused);
        if (ends) {
            builder.mark(trace::FrontendKind::measure_end, 65, 0);
            builder.wait(67, 99, trace::WaitKind::paused);
        }
        builder.exec(0, 1, 10, 30);
        builder.exec(0, 2, 50, 58);
        const auto run = builder.read();
        const Numbers numbers = numbers_of(*run);
        EXPECT_EQ(numbers.paused_ns, ends ? 20 : 22);
        EXPECT_EQ(paused_ns_of(*run), numbers.paused_ns);
        EXPECT_EQ(total_ns_of(*run), numbers.total_ns);
    }
}

TEST(Numbers, IncrementalWalkDescribesTheRunAtItsBegin) {
    ConstantRun run(3, 10, 7, 3);
    run.ops(5000, [](OpId i) { return i % 37 == 0; });
    run.builder.wait(run.now, run.now + 1000, trace::WaitKind::paused);
    run.now += 1000;
    run.ops(700, kNever);
    std::vector<OpId> open;
    for (int i = 0; i < 20; ++i) {
        open.push_back(run.builder.issue({run.now, run.now + 3, 0}));
        run.now += 3;
    }
    const auto read = run.builder.read();
    const Numbers then = numbers_of(*read);
    const auto lines = line_costs_of(*read);
    ASSERT_GT(then.paused_ns, 0);
    EXPECT_EQ(paused_ns_of(*read), then.paused_ns);
    EXPECT_EQ(total_ns_of(*read), then.total_ns);

    NumbersWalk walk(*read);
    constexpr double kOnePiece_ms = 1e-9;
    int pieces = 0;
    while (walk.step(kOnePiece_ms)) {
        if (++pieces == 2) {  // the run continues: open items end, more ops are issued, waited for and paused
            for (const OpId id : open) {
                run.builder.exec(0, id, run.now + 10 * id, run.now + 10 * id + 5);
            }
            run.now += 100'000;
            run.ops(3000, [](OpId i) { return i % 2 == 0; });
            run.builder.wait(run.now, run.now + 77, trace::WaitKind::paused);
            run.now += 77;
            read->update();
        }
    }
    EXPECT_GT(pieces, 5);
    expect_same(walk.numbers(), then);
    ASSERT_EQ(walk.lines().size(), lines.size());
    EXPECT_EQ(walk.lines()[0].ops, lines[0].ops);
    EXPECT_EQ(walk.lines()[0].blocked_ns, lines[0].blocked_ns);
    EXPECT_GT(numbers_of(*read).op_issue_ns, then.op_issue_ns);
    EXPECT_GT(numbers_of(*read).paused_ns, then.paused_ns);

    NumbersWalk again(*read);
    while (again.step(kOnePiece_ms)) {
    }
    expect_same(again.numbers(), numbers_of(*read));
}

// An op counts when it has ended; until then its lane is not idle. A GPU reports ops only when they have ended.
TEST(Numbers, ALaneThatMayBeExecutingIsNotIdle) {
    for (const bool reports_late : {false, true}) {
        RecordingBuilder builder;
        builder.metadata(reports_late ? R"({"timing": "cupti"})" : "{}");
        builder.exec(0, builder.issue({.begin = 0, .end = 5}), 5, 15);
        builder.issue({.begin = 5, .end = 10});
        builder.mark(trace::FrontendKind::scope_begin, 1000, 0, "training");
        const auto run = builder.read();
        ASSERT_EQ(numbers_of(*run).total_ns, 1000);
        for (const bool closed : {false, true}) {
            // After a cut-off the reason why the second op did not run is unknown. Before that the lane may be
            // executing it; on a virtual clock, too, ops are reported when they have ended.
            const Numbers numbers = numbers_of(*run);
            EXPECT_EQ(numbers.backend_idle_ns, 5) << closed;
            EXPECT_EQ(numbers.backend_open_ns, 985);
            EXPECT_DOUBLE_EQ(idle_share(numbers).value(), closed ? 5.0 / 15 : 0.005) << "of the known time";
            EXPECT_EQ(idle_causes(*run).all_ns(), numbers.backend_idle_ns);
            EXPECT_FALSE(idle_gap(*run, 0, 900));
            EXPECT_EQ(run->cut_off(), closed);
            EXPECT_EQ(numbers.predicted, !closed);
            run->close();
        }
    }
}

TEST(Numbers, ALaneWithNothingLeftToDoIsIdle) {
    for (const bool reports_late : {false, true}) {
        RecordingBuilder builder;
        builder.metadata(reports_late ? R"({"timing": "cupti"})" : "{}");
        builder.exec(0, builder.issue({.begin = 0, .end = 5}), 5, 15);
        builder.mark(trace::FrontendKind::scope_begin, 1000, 0, "training");
        const auto run = builder.read();
        for (const bool closed : {false, true}) {
            EXPECT_EQ(numbers_of(*run).backend_idle_ns, 990) << closed;
            EXPECT_EQ(numbers_of(*run).backend_open_ns, 0);
            EXPECT_EQ(idle_causes(*run).all_ns(), 990);
            EXPECT_TRUE(idle_gap(*run, 0, 900));
            EXPECT_FALSE(run->cut_off());
            run->close();
        }
    }
}

TEST(Numbers, CountEveryLaneThatATraceMayHave) {
    RecordingBuilder builder(std::size_t{512} << 20);
    // One op of 100 ns in each lane, except for one lane in the middle that is in the trace but unused.
    constexpr std::uint8_t kUnused = 32;
    for (std::uint8_t lane = 0; lane < core::kMaxTraceLanes; ++lane) {
        if (lane != kUnused) {
            builder.exec(lane, builder.issue({0, 0, lane}), 0, 100);
        }
    }
    builder.exec(kUnused + 1, builder.issue({0, 0, kUnused + 1}), 100, 150);
    const auto run = builder.read();
    run->close();
    const Numbers numbers = numbers_of(*run);
    EXPECT_EQ(numbers.ops, core::kMaxTraceLanes);
    EXPECT_EQ(run->lanes().size(), core::kMaxTraceLanes);
    const std::int64_t used = core::kMaxTraceLanes - 1;
    EXPECT_EQ(numbers.backend_busy_ns, 100 * used + 50);
    EXPECT_EQ(numbers.backend_idle_ns, 150 * used - numbers.backend_busy_ns);
    EXPECT_EQ(numbers.predicted_ns, 150);
    EXPECT_EQ(numbers.busiest_lane_ns, 150);
}

TEST(Numbers, ALaneIsNotIdleWhileItExecutesTheWarmUp) {
    RecordingBuilder builder;
    builder.issue({.begin = 0, .end = 5});
    builder.issue({.begin = 5, .end = 10, .lane = 1});
    builder.mark(trace::FrontendKind::measure_begin, 10);
    builder.issue({.begin = 10, .end = 15});
    builder.exec(0, 1, 5, 60);
    builder.exec(1, 2, 10, 40);
    builder.exec(0, 3, 60, 100);
    builder.wait(15, 110, trace::WaitKind::waitall, 0, 3);
    builder.mark(trace::FrontendKind::program_end, 110);
    const auto run = builder.read();
    const Numbers numbers = numbers_of(*run);
    EXPECT_EQ(numbers.backend_busy_ns, 40) << "the measured op's";
    EXPECT_EQ(numbers.backend_idle_ns, 10 + 70) << "behind the last op of each lane";
    EXPECT_EQ(numbers.backend_idle_ns, idle_causes(*run).all_ns());
    EXPECT_DOUBLE_EQ(idle_share(numbers).value(), 80.0 / 200);
}

TEST(Numbers, ALaneThatWasUsedOnlyUntilMeasuringBeganIsNotUsed) {
    RecordingBuilder builder;
    builder.issue({.begin = 0, .end = 5});
    builder.issue({.begin = 5, .end = 10, .lane = 1});
    builder.exec(0, 1, 5, 50);
    builder.exec(1, 2, 10, 60);
    builder.wait(10, 50, trace::WaitKind::wait_to_read, 1, 1);
    builder.mark(trace::FrontendKind::measure_begin, 50);
    builder.mark(trace::FrontendKind::program_end, 80);
    const auto run = builder.read();
    EXPECT_EQ(numbers_of(*run).backend_idle_ns, 20) << "of lane 1";
    EXPECT_EQ(idle_causes(*run).all_ns(), 20);
    EXPECT_EQ(longest_gap(*run).lane, 1u);
}

// What a lane executes in a pause fills no time of the run.
TEST(Numbers, ALaneIsIdleForTheRunsTimeWithoutPauses) {
    RecordingBuilder builder;
    builder.exec(0, builder.issue({.begin = 0, .end = 10}), 10, 70);
    builder.wait(20, 120, trace::WaitKind::paused);
    builder.mark(trace::FrontendKind::program_end, 140);
    const auto run = builder.read();
    const Numbers numbers = numbers_of(*run);
    EXPECT_EQ(numbers.total_ns, 40);
    EXPECT_EQ(numbers.backend_busy_ns, 60);
    EXPECT_EQ(numbers.backend_idle_ns, 10 + 20);
    EXPECT_EQ(numbers.backend_idle_ns, idle_causes(*run).all_ns());
    EXPECT_EQ(idle_causes(*run).paused_ns, 50) << "while the lane was idle";
}

TEST(Numbers, TheLastMarkBeginsMeasuring) {
    RecordingBuilder builder;
    builder.mark(trace::FrontendKind::measure_begin, 0);
    builder.exec(0, builder.issue({.begin = 0, .end = 10}), 10, 20);
    builder.wait(10, 30, trace::WaitKind::waitall, 0, 1);
    builder.mark(trace::FrontendKind::measure_begin, 30);
    builder.exec(0, builder.issue({.begin = 30, .end = 40}), 40, 50);
    builder.mark(trace::FrontendKind::program_end, 60);
    const auto run = builder.read();
    const Numbers numbers = numbers_of(*run);
    EXPECT_EQ(numbers.ops, 1u);
    EXPECT_EQ(numbers.total_ns, 30);
    EXPECT_EQ(numbers.warmup_ns, 30);
    EXPECT_EQ(numbers.blocked_ns, 0);
}

TEST(Numbers, WarmUpContainsNoPauses) {
    RecordingBuilder builder;
    builder.issue({.begin = 0, .end = 10});
    builder.wait(10, 1'000, trace::WaitKind::paused);
    builder.mark(trace::FrontendKind::measure_begin, 1'020);
    builder.mark(trace::FrontendKind::program_end, 1'100);
    EXPECT_EQ(numbers_of(*builder.read()).warmup_ns, 30);
}

TEST(Numbers, AStreamThatRanOpsAtTheSameTimeIsBusyOnce) {
    RecordingBuilder builder;
    builder.metadata(R"({"lane_streams": [0, 0]})");
    builder.exec(0, builder.issue({.begin = 0, .end = 5}), 5, 65);
    builder.exec(1, builder.issue({.begin = 5, .end = 10, .lane = 1}), 25, 85);
    builder.wait(10, 90, trace::WaitKind::waitall, 0, 2);
    builder.mark(trace::FrontendKind::program_end, 90);
    const auto run = builder.read();
    const Numbers numbers = numbers_of(*run);
    EXPECT_EQ(numbers.backend_busy_ns, 80);
    EXPECT_EQ(numbers.busiest_lane_ns, 80);
    EXPECT_EQ(numbers.backend_idle_ns, 10);
}

TEST(Numbers, KeepWarmUpApart) {
    ConstantRun run(3, 10, 7);
    run.ops(50, [](OpId i) { return i == 50; });
    const std::int64_t begin = run.now;
    run.mark(trace::FrontendKind::measure_begin);
    run.ops(10, [](OpId i) { return i == 10; });
    run.mark(trace::FrontendKind::measure_end);
    const std::int64_t end = run.now;
    run.ops(20, kAlways);
    const auto read = run.builder.read();
    const Numbers numbers = numbers_of(*read);
    EXPECT_EQ(numbers.ops, 10u);
    EXPECT_EQ(numbers.warmup_ns, begin);
    EXPECT_EQ(numbers.total_ns, end - begin);
    EXPECT_EQ(numbers.predicted_ns, end - begin);
    EXPECT_EQ(numbers.op_issue_ns, 30);
    EXPECT_EQ(numbers.backend_busy_ns, 100);
    EXPECT_EQ(numbers.backend_idle_ns, end - begin - 100);
    EXPECT_EQ(numbers.blocked_ns, end - begin - 30);
    EXPECT_EQ(numbers.headway_max, 8u);  // 10 issued by 30; the second was done at 26
    EXPECT_EQ(read->measure_begin_ns(), begin);
    const auto lines = line_costs_of(*read);
    ASSERT_EQ(lines.size(), 1u);
    EXPECT_EQ(lines[0].ops, 10u);
    EXPECT_EQ(lines[0].issue_ns, 30);
    EXPECT_EQ(lines[0].blocked_ns, numbers.blocked_ns);
}

TEST(Numbers, WithoutAWaitTheProgramMeasuresOnlyTheIssuing) {
    ConstantRun run(3, 10, 7);
    run.mark(trace::FrontendKind::measure_begin);
    run.ops(10, kNever);
    run.mark(trace::FrontendKind::measure_end);
    const Numbers numbers = numbers_of(*run.builder.read());
    EXPECT_EQ(numbers.total_ns, 30);
    EXPECT_EQ(numbers.predicted_ns, 30);
    EXPECT_EQ(numbers.blocked_ns, 0);

    ConstantRun unmarked(3, 10, 7);
    unmarked.ops(10, kNever);
    unmarked.mark(trace::FrontendKind::program_end);
    const auto read = unmarked.builder.read();
    EXPECT_EQ(numbers_of(*read).total_ns, 103);  // until the backend is done
    EXPECT_EQ(numbers_of(*read).predicted_ns, 103);
    EXPECT_EQ(read->end_ns(), 103);
}

TEST(Numbers, LeaveOutThePause) {
    ConstantRun run(3, 10, 7);
    run.ops(5, kNever);
    run.builder.wait(run.now, run.now + 1000, trace::WaitKind::paused);
    run.now += 1000;
    run.ops(5, [](OpId i) { return i == 5; });
    const auto read = run.builder.read();
    const Numbers numbers = numbers_of(*read);
    EXPECT_EQ(numbers.total_ns, 15 + 15 + 38 + 7);  // 38: the second half ends at 3 + 5 * 10 after its start
    EXPECT_EQ(numbers.blocked_ns, 38 + 7);
    EXPECT_EQ(numbers.t3_ns, 7.0);
    EXPECT_TRUE(caused_by(*read, read->waits()[0]).empty());
    EXPECT_EQ(caused_by(*read, read->waits()[1]).size(), 4u);
}

TEST(Numbers, APartialWaitDoesNotCountAsAFullWait) {
    RecordingBuilder builder;
    const auto size = builder.signature(8);
    builder.issue({0, 2, 0, 1, 0, 0, true, size});
    builder.exec(0, 1, 2, 12);
    builder.issue({2, 4, 1, 2, 0, 0, true, size});
    builder.exec(1, 2, 4, 104);
    builder.wait(4, 15, trace::WaitKind::item, 1);
    builder.wait(15, 107, trace::WaitKind::waitall);
    const auto run = builder.read();
    const Numbers numbers = numbers_of(*run);
    EXPECT_EQ(numbers.prediction_formula, "");
    EXPECT_EQ(numbers.predicted_ns, 2 * 2 + 100 + 3);
    EXPECT_EQ(numbers.total_ns, 107);
    EXPECT_EQ(run->waits()[0].target_op, 1u);
    EXPECT_EQ(caused_by(*run, run->waits()[0]), (std::vector<OpId>{1}));
    EXPECT_EQ(caused_by(*run, run->waits()[1]), (std::vector<OpId>{2}));
}

TEST(Numbers, MemoryPeaksIncludeEarlierAllocations) {
    RecordingBuilder builder;
    const auto size = builder.signature(1000);
    builder.issue({0, 1, 0, 1, 0, 0, true, size});
    builder.exec(0, 1, 1, 2);
    builder.wait(1, 3, trace::WaitKind::waitall);
    builder.mark(trace::FrontendKind::measure_begin, 10);
    builder.issue({10, 11, 0, 2, 0, 0, true, size});
    builder.exec(0, 2, 11, 12);
    builder.drop(11, 2);
    builder.wait(11, 13, trace::WaitKind::waitall);
    builder.mark(trace::FrontendKind::measure_end, 13);
    const Numbers numbers = numbers_of(*builder.read());
    EXPECT_EQ(numbers.live_bytes_peak, 2000u);
    EXPECT_EQ(numbers.pending_bytes_peak, 1000u);
    EXPECT_EQ(numbers.rss_bytes_peak, 0u);  // a virtual clock has no samples
    EXPECT_EQ(numbers.recorder_ns, 0);
}

TEST(Numbers, HandOversOnTheCriticalPathAreSummedUp) {
    RecordingBuilder builder;
    builder.issue({0, 2});
    builder.exec(0, 1, 9, 12);  // woken up after 7
    builder.issue({2, 4});
    builder.exec(0, 2, 14, 16);
    builder.wait(4, 18, trace::WaitKind::waitall);
    builder.issue({18, 20});
    builder.exec(0, 3, 23, 25);  // and after 3
    builder.wait(20, 27, trace::WaitKind::waitall);
    EXPECT_EQ(numbers_of(*builder.read()).handover_ns, 7 + 2 + 3) << "each is on the critical path";
}

TEST(Numbers, AnEmptyRunCostsNothing) {
    RecordingBuilder builder;
    const Numbers numbers = numbers_of(*builder.read());
    EXPECT_EQ(numbers.ops, 0u);
    EXPECT_EQ(numbers.total_ns, 0);
    EXPECT_EQ(numbers.predicted_ns, 0);
}

// Three copies from the host to GPU 0, of which the one with index `failed` failed.
std::unique_ptr<Run> three_copies(int failed) {
    RecordingBuilder builder;
    builder.two_gpus();
    const auto copy = builder.signature(8, "copy_to_device");
    for (int i = 0; i < 3; ++i) {
        const std::int64_t begin = 100 * i;
        const OpId id =
            builder.issue({.begin = begin, .end = begin + 10, .out = 1, .fresh = i == 0, .signature = copy});
        builder.exec(0, i == failed ? id | trace::kFailedOp : id, begin + 10, begin + 50);
    }
    auto run = builder.read();
    run->close();
    return run;
}

TEST(Numbers, CopiesCountOnTheirLinks) {
    const auto run = three_copies(-1);
    ASSERT_EQ(run->op(1).links, 1u) << "the first one, between the host and GPU 0";
    NumbersWalk walk(*run);
    walk.step(0);
    ASSERT_FALSE(walk.tally().links.empty());
    EXPECT_EQ(walk.tally().links[0].copies, 3u);
    EXPECT_EQ(walk.tally().links[0].bytes, 24u);
    EXPECT_EQ(walk.tally().links[0].busy_ns, 120);
}

TEST(Numbers, CopiesThatFailedDoNotCountOnTheirLinks) {
    EXPECT_EQ(three_copies(1)->links()[0].ops, (std::vector<OpId>{1, 3}));
}

}  // namespace
}  // namespace headway::model
