// Idle time, and its causes.
#include "app/model/analysis/idle.h"

#include <gtest/gtest.h>

#include <array>
#include <set>
#include <string>

#include "tests/unit/model/long_program.h"
#include "tests/unit/model/recording_builder.h"

namespace headway::model {
namespace {

using trace::WaitKind;

// The learner's time counts only as paused, whatever the op waited for meanwhile.
TEST(IdleTime, OfALaneThatIsHeldIsPaused) {
    RecordingBuilder builder;
    builder.metadata(
        R"({"lanes": ["a", "b"], "gpus": 2, "links": "pairs", "cost_models": {"links": {"name": "", "source": "",
                        "pcie": {"base_ns": 1}, "nvlink": {"base_ns": 1}}}})");
    builder.recording().meta(trace::MetaType::device, 1, R"({"kind": "simulated", "first_lane": 2, "lanes": ["c"]})");
    const auto make = builder.signature(8, "fill"), copy = builder.signature(8, "copy_to_device");
    builder.issue({.begin = 0, .end = 10, .lane = 0, .out = 1, .fresh = true, .signature = make});
    builder.exec(0, 1, 10, 100);
    builder.issue({.begin = 10, .end = 20, .lane = 0, .out = 2, .fresh = true, .signature = copy});
    builder.exec(0, 2, 100, 300);
    builder.issue({.begin = 20, .end = 30, .lane = 1, .out = 1, .signature = copy});
    builder.recording().record_hold(1, 40, 47);    // while what it overwrites is computed,
    builder.recording().record_hold(1, 150, 163);  // while the other copy uses the bus,
    builder.recording().record_hold(1, 301, 329);  // and when it could begin
    builder.exec(1, 3, 330, 400);
    builder.wait(30, 400, WaitKind::waitall);
    const auto run = builder.read();
    run->close();
    const auto gap = idle_gap(*run, 1, 200);
    ASSERT_TRUE(gap);
    EXPECT_EQ(gap->causes.frontend_ns, 30);
    EXPECT_EQ(gap->causes.dependency_ns, 100 - 30 - 7);
    EXPECT_EQ(gap->causes.link_ns, 300 - 100 - 13);
    EXPECT_EQ(gap->causes.handover_ns, 330 - 300 - 28);
    EXPECT_EQ(gap->causes.paused_ns, 7 + 13 + 28);
    EXPECT_EQ(gap->causes.all_ns() + gap->causes.paused_ns, gap->end_ns - gap->begin_ns);
}

TEST(IdleTime, TheWalkEnds) {
    RecordingBuilder builder;
    for (int i = 0; i < 5; ++i) {
        const std::int64_t begin = 100 * i;
        builder.exec(0, builder.issue({.begin = begin, .end = begin + 10, .out = 1, .in_place = i > 0}), begin + 10,
                     begin + 50);
    }
    const auto run = builder.read();
    run->close();
    IdleWalk walk(*run);
    EXPECT_FALSE(walk.step(0)) << "without a limit of time everything is done at once";
    EXPECT_FALSE(walk.step(0));
    EXPECT_EQ(walk.causes().all_ns(), idle_causes(*run).all_ns());
}

TEST(IdleTime, BehindTheLastOpIsCountedOnceWhereWorkOverlaps) {
    RecordingBuilder builder;
    builder.exec(0, builder.issue({.begin = 0, .end = 10, .out = 1, .fresh = true}), 10, 20);
    builder.work(20, 100, "work");
    builder.work(30, 110, "damaged: it begins before the end of the one before");
    builder.mark(trace::FrontendKind::measure_end, 120);
    const auto run = builder.read();
    run->close();
    const IdleCauses causes = idle_causes(*run);
    EXPECT_EQ(causes.frontend_ns, 10 + 100);
    EXPECT_EQ(causes.done_ns, 0);
}

TEST(IdleTime, IsThatOfLanesWhichTheMeasuredPartUses) {
    RecordingBuilder builder;
    builder.exec(0, builder.issue({.begin = 0, .end = 10, .lane = 0, .out = 1, .fresh = true}), 10, 20);
    builder.exec(1, builder.issue({.begin = 10, .end = 20, .lane = 1, .out = 2, .fresh = true}), 20, 30);
    builder.mark(trace::FrontendKind::measure_begin, 100);
    builder.exec(0, builder.issue({.begin = 100, .end = 110, .lane = 0, .out = 3, .fresh = true}), 110, 150);
    builder.wait(110, 150, WaitKind::waitall);
    builder.mark(trace::FrontendKind::measure_end, 150);
    const auto run = builder.read();
    run->close();
    EXPECT_EQ(idle_causes(*run).frontend_ns, 10);
    EXPECT_EQ(idle_causes(*run).all_ns(), 10);
}

TEST(IdleTime, OfALaneBeginsWithTheFirstIssue) {
    RecordingBuilder builder;
    builder.exec(0, builder.issue({.begin = 5, .end = 10, .lane = 0, .out = 1, .fresh = true}), 10, 15);
    builder.mark(trace::FrontendKind::measure_begin, 20);
    builder.exec(1, builder.issue({.begin = 20, .end = 30, .lane = 1, .out = 2, .fresh = true}), 40, 50);
    const auto run = builder.read();
    const auto gap = idle_gap(*run, 1, 10);
    ASSERT_TRUE(gap);
    EXPECT_EQ(gap->begin_ns, 5);
    EXPECT_EQ(gap->end_ns, 40);
    EXPECT_EQ(gap->before, 0u);
    EXPECT_EQ(gap->causes.handover_ns, 10);
}

TEST(IdleTime, BeforeAnIssueThatTheFrontendHeldBackIsItsWait) {
    RecordingBuilder builder;
    builder.exec(0, builder.issue({.begin = 0, .end = 10, .out = 1, .fresh = true}), 10, 20);
    builder.wait(20, 30, WaitKind::paused);
    builder.wait(30, 50, WaitKind::memory);
    builder.recording().record_hold(0, 60, 65);
    builder.wait(50, 90, WaitKind::waitall);
    builder.exec(0, builder.issue({.begin = 90, .end = 95, .out = 2, .fresh = true}), 95, 99);
    const auto run = builder.read();
    const auto gap = idle_gap(*run, 0, 25);
    ASSERT_TRUE(gap);
    EXPECT_EQ(gap->before, 1u);
    EXPECT_EQ(gap->next, 2u);
    EXPECT_EQ(gap->causes.limit_ns, 20);
    EXPECT_EQ(gap->causes.barrier_ns, 40 - 5);
    EXPECT_EQ(gap->causes.paused_ns, 10 + 5);
    EXPECT_EQ(gap->causes.frontend_ns, 95 - 90);
    EXPECT_FALSE(idle_gap(*run, 0, 15)) << "busy";
    EXPECT_FALSE(idle_gap(*run, 0, 95));
    EXPECT_TRUE(idle_gap(*run, 0, 94));
    EXPECT_FALSE(idle_gap(*run, 1, 25)) << "it had no op";
}

constexpr std::array kCauses{&IdleCauses::frontend_ns, &IdleCauses::barrier_ns,  &IdleCauses::blocker_ns,
                             &IdleCauses::limit_ns,    &IdleCauses::paused_ns,   &IdleCauses::dependency_ns,
                             &IdleCauses::link_ns,     &IdleCauses::handover_ns, &IdleCauses::done_ns};

// The causes in all gaps of all lanes, looked up one by one; `idle_ns`: their time.
IdleCauses causes_of_gaps(const Run& run, std::int64_t begin_ns, std::int64_t& idle_ns) {
    IdleCauses sum;
    idle_ns = 0;
    for (std::size_t lane = 0; lane < run.lanes().size(); ++lane) {
        std::set<std::int64_t> free_from{begin_ns};
        for (const OpId id : run.lanes()[lane].ops) {
            free_from.insert(run.op(id).end_ns);
        }
        for (const std::int64_t ns : free_from) {
            if (const auto gap = idle_gap(run, lane, ns)) {
                EXPECT_EQ(gap->begin_ns, ns);
                EXPECT_EQ(gap->causes.all_ns() + gap->causes.paused_ns, gap->end_ns - gap->begin_ns);
                for (const auto cause : kCauses) {
                    sum.*cause += gap->causes.*cause;
                }
                idle_ns += gap->end_ns - gap->begin_ns;
            }
        }
    }
    return sum;
}

TEST(IdleTime, IsThatOfAllGaps) {
    for (std::uint32_t seed = 1; seed <= 5; ++seed) {
        SCOPED_TRACE(seed);
        RecordingBuilder builder;
        LongProgram program;
        program.seed = seed;
        program.lanes = 2 + seed % 2;
        program.ops = 5'000;
        program.waits_every = 10;
        program.wait_kinds = {WaitKind::waitall, WaitKind::item, WaitKind::queue_limit, WaitKind::paused};
        write(builder, program, [] {});
        const auto run = builder.read();
        run->close();
        std::int64_t idle_ns = 0;
        const IdleCauses sum = causes_of_gaps(*run, run->measured().begin_ns, idle_ns);
        for (const auto ns : kCauses) {
            EXPECT_EQ(idle_causes(*run).*ns, sum.*ns);
            EXPECT_EQ(sum.*ns > 0, ns != &IdleCauses::link_ns) << "each but those of links, of which there are none";
        }
        std::int64_t busy_ns = 0;
        for (OpId id = 1; id <= run->op_count(); ++id) {
            busy_ns += run->op(id).end_ns - run->op(id).begin_ns;
        }
        EXPECT_EQ(idle_ns + busy_ns, program.lanes * (run->end_ns() - run->measured().begin_ns));
    }
}

// In an unfinished run: an op runs in lane 0 and another in lane 1, which has ended none.
TEST(IdleTime, EndsWithAnOpThatIsStillRunning) {
    RecordingBuilder builder;
    builder.metadata(R"({"lanes": ["a", "b"]})");
    builder.exec(0, builder.issue({.begin = 0, .end = 10, .lane = 0, .out = 1, .fresh = true}), 10, 30);
    builder.issue({.begin = 40, .end = 50, .lane = 0, .out = 2, .fresh = true});
    builder.issue({.begin = 50, .end = 55, .lane = 1, .out = 3, .fresh = true});
    builder.work(55, 60, "NumPy");
    const auto runs = [&](std::size_t lane, OpId op, std::uint64_t begin_ns) {
        trace::RunningOp& running = builder.recording().header().running[lane];
        running.virtual_begin_ns = begin_ns;
        running.op_and_begin = trace::pack_running(op, 0);
    };
    runs(0, 2, 56);
    runs(1, 3, 58);
    const auto run = builder.read();
    ASSERT_NE(run->running(0), nullptr);
    ASSERT_NE(run->running(1), nullptr);
    const auto gap = idle_gap(*run, 0, 30);
    ASSERT_TRUE(gap);
    EXPECT_EQ(gap->before, 1u);
    EXPECT_EQ(gap->next, 2u);
    EXPECT_EQ(gap->end_ns, 56);
    EXPECT_EQ(gap->causes.frontend_ns, 50 - 30);
    EXPECT_EQ(gap->causes.handover_ns, 56 - 50);
    const auto first = idle_gap(*run, 1, 0);
    ASSERT_TRUE(first);
    EXPECT_EQ(first->next, 3u);
    EXPECT_EQ(first->end_ns, 58);
    EXPECT_FALSE(idle_gap(*run, 1, 58));
    const IdleCauses causes = idle_causes(*run);
    EXPECT_EQ(causes.frontend_ns, 10 + (50 - 30) + 55);
    EXPECT_EQ(causes.handover_ns, (56 - 50) + (58 - 55));
    EXPECT_EQ(causes.done_ns, 0);
}

}  // namespace
}  // namespace headway::model
