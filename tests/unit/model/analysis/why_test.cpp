#include "app/model/analysis/critical_path.h"
#include "app/model/analysis/idle.h"
#include "app/model/analysis/wait_details.h"
#include "app/model/replay/what_if.h"

#include <gtest/gtest.h>

#include <set>

#include "app/model/run/devices.h"
#include "app/model/run/queries.h"
#include "tests/unit/model/recording_builder.h"

namespace headway::model {
namespace {

using trace::FrontendKind;
using trace::WaitKind;

// Three ops of 100 ns on one lane, issued in 10 ns each by lines 1, 1 and 2; line 2 then waits for all.
//   issue:    0-10 10-20 20-30
//   lane:       10-110-210-310
//   wait:                 30-------315
void three_and_a_wait(RecordingBuilder& builder, WaitKind kind = WaitKind::waitall) {
    for (int i = 0; i < 3; ++i) {
        const auto op = builder.issue({.begin = i * 10,
                                       .end = i * 10 + 10,
                                       .out = 1,
                                       .in0 = 1,
                                       .line = core::make_line(1, i < 2 ? 1 : 2),
                                       .in_place = true});
        builder.exec(0, op, 10 + i * 100, 110 + i * 100);
    }
    builder.wait(30, 315, kind, 0, 0, core::make_line(1, 2));
}

TEST(WaitSplit, SeparatesTheLinesOwnOpsFromEarlierOnes) {
    RecordingBuilder builder;
    three_and_a_wait(builder);
    const auto run = builder.read();
    const WaitSplit split = split_of(*run, 0);
    EXPECT_EQ(split.before_ns, 180);  // 30 to 210
    EXPECT_EQ(split.own_ns, 100);
    EXPECT_EQ(split.return_ns, 5);
    EXPECT_EQ(split.before_ops, 2u);
    EXPECT_EQ(split.own_ops, 1u);
}

TEST(WaitSplit, AWaitWithoutUnfinishedOpsIsAllReturn) {
    RecordingBuilder builder;
    three_and_a_wait(builder);
    builder.wait(320, 327, WaitKind::synchronize, 0, 0, core::make_line(1, 3));
    const auto run = builder.read();
    const WaitSplit split = split_of(*run, 1);
    EXPECT_EQ(split.before_ns + split.own_ns, 0);
    EXPECT_EQ(split.return_ns, 7);
    EXPECT_EQ(split.before_ops + split.own_ops, 0u);
}

TEST(WaitSplit, WaitingForATensorCountsWhatItDependsOn) {
    RecordingBuilder builder;
    // Lane 0 makes 1; lane 1 makes 3, which is not waited for; lane 0 makes 2 from 1.
    builder.issue({.begin = 0, .end = 10, .lane = 0, .out = 1, .fresh = true});
    builder.issue({.begin = 10, .end = 20, .lane = 1, .out = 3, .fresh = true});
    builder.issue({.begin = 20, .end = 30, .lane = 0, .out = 2, .in0 = 1, .fresh = true, .line = 7});
    builder.exec(0, 1, 10, 60);
    builder.exec(1, 2, 20, 500);
    builder.exec(0, 3, 60, 90);
    builder.wait(30, 92, WaitKind::item, 2, 0, 7);
    const auto run = builder.read();
    const WaitSplit split = split_of(*run, 0);
    EXPECT_EQ(split.before_ns, 30);
    EXPECT_EQ(split.own_ns, 30);
    EXPECT_EQ(split.return_ns, 2);
    EXPECT_EQ(split.before_ops, 1u);
    EXPECT_EQ(split.own_ops, 1u);
}

TEST(CriticalPath, GoesThroughTheBackendWhereTheFrontendWaits) {
    RecordingBuilder builder;
    three_and_a_wait(builder);
    builder.mark(FrontendKind::program_end, 320);
    const auto run = builder.read();
    const PathTotals path = critical_path(*run);
    EXPECT_EQ(path.frontend_ns, 10 + 5);  // the first issue, and what follows the wait
    EXPECT_EQ(path.execute_ns, 300);
    EXPECT_EQ(path.return_ns, 5);
    EXPECT_EQ(path.handover_ns, 0);
    EXPECT_EQ(path.ops, 3u);
}

TEST(CriticalPath, GoesThroughTheFrontendWhereItIsSlower) {
    RecordingBuilder builder;
    for (int i = 0; i < 3; ++i) {  // issues of 100, executions of 10, 4 later
        const auto op = builder.issue({.begin = i * 100, .end = i * 100 + 100, .out = 1, .fresh = i == 0});
        builder.exec(0, op, i * 100 + 104, i * 100 + 114);
    }
    const auto run = builder.read();
    const PathTotals path = critical_path(*run);
    EXPECT_EQ(path.frontend_ns, 300);
    EXPECT_EQ(path.handover_ns, 4);
    EXPECT_EQ(path.execute_ns, 10);
    const IdleCauses idle = idle_causes(*run);
    EXPECT_EQ(idle.frontend_ns, 100 + 86 + 86);
    EXPECT_EQ(idle.handover_ns, 12);
    EXPECT_EQ(idle.all_ns(), 314 - 30);
}

TEST(IdleCauses, NamesBarriersBlockersLimitsAndDependencies) {
    RecordingBuilder builder;
    // 1 on lane 0 until 100; 2 on lane 1 needs it. Then a barrier until 300, a blocker until 400, a limit until 450.
    builder.issue({.begin = 0, .end = 10, .lane = 0, .out = 1, .fresh = true});
    builder.issue({.begin = 10, .end = 20, .lane = 1, .out = 2, .in0 = 1, .fresh = true});
    builder.exec(0, 1, 10, 100);
    builder.exec(1, 2, 105, 200);
    builder.wait(20, 300, WaitKind::waitall);
    builder.wait(300, 400, WaitKind::item);
    builder.wait(400, 450, WaitKind::queue_limit);
    builder.issue({.begin = 450, .end = 460, .lane = 0, .out = 3, .fresh = true});
    builder.exec(0, 3, 460, 500);
    const auto run = builder.read();
    const IdleCauses idle = idle_causes(*run);
    // Lane 0: 0-10 frontend, 100-300 barrier, 300-400 blocker, 400-450 limit, 450-460 frontend.
    // Lane 1: 0-20 frontend, 20-100 dependency, 100-105 handover, 200-300 barrier, blocker, limit, 450-500 frontend.
    EXPECT_EQ(idle.frontend_ns, 10 + 10 + 20 + 50);
    EXPECT_EQ(idle.barrier_ns, 200 + 100);
    EXPECT_EQ(idle.blocker_ns, 200);
    EXPECT_EQ(idle.limit_ns, 100);
    EXPECT_EQ(idle.dependency_ns, 80);
    EXPECT_EQ(idle.handover_ns, 5);
    EXPECT_EQ(idle.done_ns, 0) << "more may come";
    // After the run has ended: nothing was left for lane 1 when all ops had been issued.
    run->close();
    EXPECT_EQ(idle_causes(*run).done_ns, 500 - 460);
    EXPECT_EQ(idle_causes(*run).frontend_ns, 10 + 10 + 20 + 10);
    EXPECT_EQ(idle_causes(*run).all_ns(), idle.all_ns());
}

// A copy is added to its link only when no earlier one can follow from a lane whose records come later.
TEST(IdleCauses, ALinkHasItsCopiesByTimeInWhateverOrderTheyAreReported) {
    RecordingBuilder builder;
    builder.metadata(
        R"({"lanes": ["a", "b"], "gpus": 2, "links": "pcie", "cost_models": {"links": {"name": "", "source": "",
                        "pcie": {"base_ns": 1}, "nvlink": {"base_ns": 1}}}})");
    const auto copy = builder.signature(8, "copy_to_device");
    const auto make = builder.signature(8, "fill");
    builder.issue({.begin = 0, .end = 1, .lane = 1, .out = 1, .fresh = true, .signature = make});
    builder.exec(1, 1, 1, 5);
    builder.issue({.begin = 1, .end = 2, .lane = 1, .out = 2, .fresh = true, .signature = copy});
    builder.issue({.begin = 2, .end = 3, .lane = 0, .out = 3, .fresh = true, .signature = copy});
    builder.issue({.begin = 3, .end = 4, .lane = 0, .out = 4, .fresh = true, .signature = make});
    builder.exec(0, 3, 60, 90);
    builder.exec(0, 4, 90, 95);
    builder.issue({.begin = 100, .end = 101, .lane = 0, .out = 5, .fresh = true, .signature = make});
    auto run = builder.open();
    while (run->update(5)) {
    }
    ASSERT_FALSE(run->links().empty());
    EXPECT_TRUE(run->links()[0].ops.empty()) << "op 2 has not ended, and may have begun earlier";
    builder.exec(1, 2, 20, 60);
    while (run->update(5)) {
    }
    EXPECT_EQ(run->links()[0].ops, (std::vector<OpId>{2, 3}));
    run->close();
    EXPECT_EQ(run->links()[0].ops, (std::vector<OpId>{2, 3}));
}

TEST(IdleCauses, ACopyWaitsForItsLinks) {
    RecordingBuilder builder;
    builder.metadata(
        R"({"lanes": ["a"], "gpus": 3, "links": "pairs", "cost_models": {"links": {"name": "", "source": "",
                        "pcie": {"base_ns": 1}, "nvlink": {"base_ns": 1}}}})");
    for (const std::uint16_t device : {std::uint16_t{1}, std::uint16_t{2}}) {
        builder.recording().meta(
            trace::MetaType::device, device,
            R"({"kind": "simulated", "first_lane": )" + std::to_string(device) + R"(, "lanes": ["b"]})");
    }
    const auto make = builder.signature(8, "fill"), copy = builder.signature(8, "copy_to_device");
    const auto to_host = builder.signature(8, "copy_to_host");
    builder.issue({.begin = 0, .end = 10, .lane = 2, .out = 1, .fresh = true, .signature = make});
    builder.exec(2, 1, 10, 20);
    builder.issue({.begin = 10, .end = 20, .lane = 0, .out = 2, .fresh = true, .signature = copy});  // from the host
    builder.exec(0, 2, 20, 120);
    builder.issue({.begin = 20, .end = 30, .lane = 1, .out = 3, .in0 = 1, .fresh = true, .signature = copy});
    builder.exec(1, 3, 125, 145);  // from GPU 2: over both directions of the bus
    builder.issue({.begin = 30, .end = 40, .lane = 2, .out = 4, .in0 = 1, .fresh = true, .signature = to_host});
    builder.exec(2, 4, 145, 200);  // waits for the other direction
    builder.issue({.begin = 40, .end = 50, .lane = 0, .out = 5, .in0 = 3, .fresh = true, .signature = copy});
    builder.exec(0, 5, 150, 200);  // NVLink from GPU 1: its link is free
    const auto run = builder.read();
    ASSERT_EQ(gpu_count(*run), 3u);
    ASSERT_EQ(run->links().size(), 4u);
    run->close();
    EXPECT_EQ(run->links()[0].ops, (std::vector<OpId>{2, 3}));
    EXPECT_EQ(run->links()[1].ops, (std::vector<OpId>{3, 4}));
    EXPECT_EQ(run->links()[3].name, "NVLink 1 → 0");
    EXPECT_EQ(run->links()[3].ops, (std::vector<OpId>{5}));
    EXPECT_EQ(run->links()[0].bytes_through, (std::vector<std::uint64_t>{8, 16}));
    EXPECT_EQ(run->op(1).links, 0u);
    const IdleCauses idle = idle_causes(*run);
    EXPECT_EQ(idle.link_ns, (120 - 30) + (145 - 40));
    EXPECT_EQ(idle.handover_ns, 5 + 5);
    EXPECT_EQ(idle.dependency_ns, 145 - 120);
}

// A run without barriers waits once, at its end; lanes that are done by then are not idle because of this wait.
TEST(IdleCauses, AfterTheLastOpCountAsDone) {
    RecordingBuilder builder;
    builder.issue({.begin = 0, .end = 10, .lane = 0, .out = 1, .fresh = true});
    builder.issue({.begin = 10, .end = 20, .lane = 1, .out = 2, .fresh = true});
    builder.exec(0, 1, 10, 50);
    builder.exec(1, 2, 20, 200);
    builder.wait(20, 210, WaitKind::waitall);
    const auto run = builder.read();
    run->close();
    const IdleCauses idle = idle_causes(*run);
    EXPECT_EQ(idle.barrier_ns, 0);
    EXPECT_EQ(idle.done_ns, (210 - 50) + (210 - 200));
    EXPECT_EQ(idle_gap(*run, 0, 100)->causes.done_ns, 210 - 50);
}

// The idle time before an op that begins after the measured part has that op's cause.
TEST(IdleCauses, BeforeAnOpAfterTheMeasuredPartHaveThatOpsCause) {
    RecordingBuilder builder;
    builder.mark(trace::FrontendKind::measure_begin, 0);
    builder.issue({.begin = 0, .end = 3, .lane = 0, .out = 1, .fresh = true});
    builder.issue({.begin = 3, .end = 4, .lane = 1, .out = 2, .fresh = true});
    builder.issue({.begin = 8, .end = 9, .lane = 1, .out = 3, .in0 = 1, .fresh = true});
    builder.mark(trace::FrontendKind::measure_end, 15);
    builder.exec(0, 1, 3, 20);
    builder.exec(1, 2, 4, 6);
    builder.exec(1, 3, 20, 30);
    const auto run = builder.read();
    run->close();
    const IdleCauses idle = idle_causes(*run);
    EXPECT_EQ(idle.done_ns, 0);
    EXPECT_EQ(idle.dependency_ns, 15 - 9);
    EXPECT_EQ(idle.frontend_ns, 3 + 4 + (9 - 6));
}

TEST(IdleCauses, OfFrontendWorkAfterTheLastOpAreTheFrontend) {
    RecordingBuilder builder;
    builder.issue({.begin = 0, .end = 10, .lane = 0, .out = 1, .fresh = true});
    builder.exec(0, 1, 10, 50);
    builder.wait(10, 60, WaitKind::waitall);
    builder.work(70, 170, "NumPy");
    const auto run = builder.read();
    run->close();
    const IdleCauses idle = idle_causes(*run);
    EXPECT_EQ(idle.frontend_ns, 10 + 100);
    EXPECT_EQ(idle.done_ns, 70 - 50);
}

TEST(WhatIfRun, WithoutABarrierTheFrontendGoesOn) {
    RecordingBuilder builder;
    builder.metadata(R"({"barrier": "op"})");
    // Issue 10, run 100, wait; three times. Without the waits: one issue, then three executions.
    for (int i = 0; i < 3; ++i) {
        const std::int64_t at = i * 112;
        const auto op = builder.issue({.begin = at, .end = at + 10, .out = 1, .fresh = i == 0});
        builder.exec(0, op, at + 10, at + 110);
        builder.wait(at + 10, at + 112, WaitKind::op_barrier);
    }
    builder.mark(FrontendKind::program_end, 336);
    const auto run = builder.read();
    EXPECT_EQ(without_waits(*run, [](std::size_t) { return false; }).total_ns, 336);
    const WhatIfRun one = without_wait(*run, 0, true);
    EXPECT_EQ(one.total_ns, 336 - 12);  // the second issue and a return are hidden behind the first execution
    EXPECT_EQ(one.ops[1].begin_ns, 110);
    EXPECT_EQ(without_wait(*run, 2).total_ns, 334);  // its return only
    EXPECT_EQ(without_barriers(*run).total_ns, 312) << "the wait at the end stays";
}

TEST(WhatIfRun, NobodyWakesALaneThatIsBusyWithoutTheBarriers) {
    RecordingBuilder builder;
    builder.metadata(R"({"barrier": "op"})");
    builder.exec(0, builder.issue({.begin = 0, .end = 10}), 30, 130);
    builder.wait(10, 132, WaitKind::op_barrier);
    builder.exec(0, builder.issue({.begin = 132, .end = 142}), 202, 302);
    builder.wait(142, 304, WaitKind::op_barrier);
    builder.exec(0, builder.issue({.begin = 304, .end = 314}), 364, 464);
    builder.wait(314, 466, WaitKind::waitall);
    builder.mark(FrontendKind::program_end, 466);
    const auto run = builder.read();
    EXPECT_EQ(without_waits(*run, [](std::size_t) { return false; }).total_ns, 466) << "each keeps its own";
    const WhatIfRun none = without_barriers(*run, true);
    EXPECT_EQ(none.ops[0].begin_ns, 30);
    EXPECT_EQ(none.ops[1].begin_ns, 150) << "after the first, with its hand-over of 20 and not with 60";
    EXPECT_EQ(none.ops[2].begin_ns, 270);
    EXPECT_EQ(none.total_ns, 372);
}

TEST(WhatIfRun, MeasuredWorkIsDoneBeforeTheEnd) {
    RecordingBuilder builder;
    builder.metadata(R"({"barrier": "op"})");
    builder.exec(0, builder.issue({.begin = 0, .end = 10}), 10, 110);
    builder.wait(10, 112, WaitKind::waitall);  // the warm-up's wait, which is kept
    builder.mark(FrontendKind::measure_begin, 120);
    builder.exec(0, builder.issue({.begin = 120, .end = 130}), 130, 230);
    builder.wait(130, 232, WaitKind::op_barrier);
    builder.exec(0, builder.issue({.begin = 232, .end = 242}), 242, 342);
    builder.wait(242, 344, WaitKind::waitall);
    builder.mark(FrontendKind::measure_end, 350);
    builder.mark(FrontendKind::program_end, 360);
    const auto run = builder.read();
    EXPECT_EQ(without_waits(*run, [](std::size_t) { return false; }).total_ns, 230);
    const WhatIfRun none = without_barriers(*run, true);
    EXPECT_EQ(none.total_ns, 218) << "issued by 140, done at 330, returned after 2, 6 to the mark";
    EXPECT_EQ(none.ops[1].begin_ns, 130);
    EXPECT_EQ(none.ops[2].end_ns, 330);
    EXPECT_EQ(without_wait(*run, 2).total_ns, 222) << "the end needs the work";
}

// A measurement without a wait covers only the issues; the replay gives the same.
TEST(WhatIfRun, KeepsAMeasurementThatDoesNotWaitForItsOps) {
    RecordingBuilder builder;
    builder.mark(FrontendKind::measure_begin, 0);
    builder.wait(0, 5, WaitKind::waitall);
    builder.exec(0, builder.issue({.begin = 5, .end = 15}), 15, 1000);
    builder.mark(FrontendKind::measure_end, 20);
    builder.wait(20, 1002, WaitKind::waitall);
    builder.mark(FrontendKind::program_end, 1010);
    EXPECT_EQ(without_barriers(*builder.read()).total_ns, 15);
}

TEST(WhatIfRun, BlockersStillWait) {
    RecordingBuilder builder;
    builder.issue({.begin = 0, .end = 10, .out = 1, .fresh = true});
    builder.exec(0, 1, 10, 110);
    builder.wait(10, 110, WaitKind::waitall);
    builder.wait(110, 112, WaitKind::item, 1);
    builder.mark(FrontendKind::program_end, 120);
    const auto run = builder.read();
    EXPECT_EQ(without_barriers(*run).total_ns, 120);
}

TEST(Why, InvariantsHoldForRandomPrograms) {
    for (std::uint32_t seed = 1; seed <= 40; ++seed) {
        RecordingBuilder builder;
        RandomProgram program(builder, seed, 1 + seed % 4);
        for (int i = 0; i < 400; ++i) {
            program.step();
        }
        program.end();
        auto run = builder.read();
        run->close();
        SCOPED_TRACE(seed);
        const auto part = run->measured();
        const std::int64_t total_ns = part.end_ns - part.begin_ns;
        // With all waits the replay equals the recording, op by op.
        const WhatIfRun same = without_waits(
            *run, [](std::size_t) { return false; }, true);
        EXPECT_EQ(same.total_ns, total_ns);
        for (OpId id = 1; id <= run->op_count(); ++id) {
            ASSERT_EQ(same.ops[id - 1].begin_ns, run->op(id).begin_ns) << id;
            ASSERT_EQ(same.ops[id - 1].end_ns, run->op(id).end_ns) << id;
        }
        EXPECT_LE(without_barriers(*run).total_ns, total_ns);
        // The path has no gaps.
        std::int64_t at_ns = part.end_ns;
        walk_critical_path(*run, [&](const PathPiece& piece) {
            ASSERT_EQ(piece.end_ns, at_ns);
            ASSERT_LT(piece.begin_ns, piece.end_ns);
            ASSERT_EQ(piece.op != 0, piece.kind == PathPiece::Kind::execute || piece.kind == PathPiece::Kind::handover);
            at_ns = piece.begin_ns;
        });
        EXPECT_EQ(at_ns, part.begin_ns);
        // Time that is not busy is idle, with exactly one cause.
        std::int64_t idle_ns = 0;
        for (const Lane& lane : run->lanes()) {
            std::int64_t busy_ns = 0;
            for (const OpId id : lane.ops) {
                busy_ns += run->op(id).end_ns - run->op(id).begin_ns;
            }
            idle_ns += lane.ops.empty() ? 0 : total_ns - busy_ns;
        }
        const IdleCauses idle = idle_causes(*run);
        EXPECT_EQ(idle.all_ns(), idle_ns);
        // The sum over gaps is the same, whichever time within a gap is requested.
        IdleCauses sum;
        for (std::size_t lane = 0; lane < run->lanes().size(); ++lane) {
            for (std::int64_t ns = part.begin_ns; ns < part.end_ns;) {
                const auto gap = idle_gap(*run, lane, ns);
                if (!gap) {
                    ++ns;
                    continue;
                }
                ASSERT_LE(gap->begin_ns, ns);
                ASSERT_GT(gap->end_ns, ns);
                EXPECT_EQ(gap->causes.all_ns(), gap->end_ns - gap->begin_ns);
                EXPECT_EQ(idle_gap(*run, lane, gap->end_ns - 1)->begin_ns, gap->begin_ns);
                sum.frontend_ns += gap->causes.frontend_ns;
                sum.barrier_ns += gap->causes.barrier_ns;
                sum.blocker_ns += gap->causes.blocker_ns;
                sum.dependency_ns += gap->causes.dependency_ns;
                sum.handover_ns += gap->causes.handover_ns;
                sum.done_ns += gap->causes.done_ns;
                ns = gap->end_ns;
            }
        }
        EXPECT_EQ(sum.frontend_ns, idle.frontend_ns);
        EXPECT_EQ(sum.barrier_ns, idle.barrier_ns);
        EXPECT_EQ(sum.blocker_ns, idle.blocker_ns);
        EXPECT_EQ(sum.dependency_ns, idle.dependency_ns);
        EXPECT_EQ(sum.handover_ns, idle.handover_ns);
        EXPECT_EQ(sum.done_ns, idle.done_ns);
        // An op needs the union of what its dependencies need.
        std::vector<std::set<OpId>> needs(run->op_count() + 1);
        for (OpId id = 1; id <= run->op_count(); ++id) {
            for (const OpId needed : run->dependencies(id)) {
                needs[id].insert(needed);
                needs[id].insert(needs[needed].begin(), needs[needed].end());
            }
            std::set<OpId> found;
            EXPECT_TRUE(walk_needs(*run, id, run->op_count() + 1, [&](OpId needed, OpId by) {
                EXPECT_TRUE(by == id || found.contains(by));
                found.insert(needed);
            }));
            ASSERT_EQ(found, needs[id]) << id;
            EXPECT_EQ(walk_needs(*run, id, needs[id].size(), [](OpId, OpId) {}), false) << "itself, too, is looked at";
        }
        for (std::size_t i = 0; i < run->waits().size(); ++i) {
            const Wait& wait = run->waits()[i];
            const WaitSplit split = split_of(*run, i);
            EXPECT_EQ(split.before_ns + split.own_ns + split.handover_ns + split.return_ns,
                      wait.end_ns - wait.begin_ns);
            std::size_t count = 0;
            static_cast<void>(caused_by(*run, wait, 1, &count));
            EXPECT_EQ(split.before_ops + split.own_ops, count);
            std::int64_t executed_ns = 0, handed_ns = 0, back_ns = wait.end_ns - split.return_ns;
            walk_wait(*run, i, [&](OpId, std::int64_t ready_ns, std::int64_t begin_ns, std::int64_t end_ns) {
                EXPECT_EQ(end_ns, back_ns);
                EXPECT_LE(ready_ns, begin_ns);
                back_ns = ready_ns;
                handed_ns += begin_ns - ready_ns;
                executed_ns += end_ns - begin_ns;
                return true;
            });
            EXPECT_EQ(executed_ns, split.before_ns + split.own_ns);
            EXPECT_EQ(handed_ns, split.handover_ns);
        }
    }
}

}  // namespace
}  // namespace headway::model
