// What the learner's controls and a stop do to a simulated device.
#include <gtest/gtest.h>

#include <chrono>
#include <thread>

#include "tests/unit/devices/simulated_rig.h"

namespace headway::devices {
namespace {

using Clock = std::chrono::steady_clock;

TEST(SimulatedControl, AnOpThatTheLearnerLetsBeginDoesSoAtOnce) {
    Rig rig(constant_costs(10, 0, 0));
    trace::Control& control = rig.recording().control();
    control.hold_backend.store(1);
    rig.busy(0, 100);
    rig.device().advance(20);
    const trace::RunningOp& running = rig.recording().header().running_in(0);
    control.backend_steps.store(1);
    EXPECT_EQ(running.op_and_begin.load(), 0u);
    rig.device().attend();
    EXPECT_EQ(running.op_and_begin.load() >> 32, 1u);
    EXPECT_EQ(running.virtual_begin_ns.load(), 30u);
    EXPECT_EQ(control.backend_steps.load(), 0u);
}

TEST(SimulatedControl, AHoldIsRecordedForEachLane) {
    Rig rig(constant_costs(10, 0, 0), 2);
    trace::Control& control = rig.recording().control();
    rig.device().advance(5);
    control.hold_backend.store(1);
    rig.device().attend();
    rig.device().advance(20);
    control.hold_backend.store(0);
    rig.device().attend();
    const auto reader = std::move(*rig.recording().reader());
    reader->poll();
    const auto holds = reader->records<trace::ExecRecord>({trace::StreamKind::holds, 0}, 0);
    ASSERT_EQ(holds.size(), 2u);
    for (std::uint32_t lane = 0; lane < 2; ++lane) {
        expect_record(holds[lane], lane, 5, 25);
    }
    // A hold of no virtual time is not recorded.
    control.hold_backend.store(1);
    rig.device().attend();
    control.hold_backend.store(0);
    rig.device().attend();
    reader->poll();
    EXPECT_EQ(reader->size({trace::StreamKind::holds, 0}), 2u);
}

TEST(SimulatedControl, AStopLeavesOutTheOpsThatFollow) {
    Rig rig(constant_costs(10, 0, 0), 2);
    rig.device().abandon();
    EXPECT_FALSE(rig.device().poison().leaves_out()) << "there was nothing to leave out";
    rig.device().submit(0, Command());
    EXPECT_EQ(rig.completed(0), 1u);
    EXPECT_FALSE(rig.device().poison().left_out(0, 1)) << "it had no op";
    rig.busy(0, 100);
    EXPECT_EQ(rig.completed(0), 2u);
    EXPECT_FALSE(rig.device().poison().left_out(0, 1));
    EXPECT_TRUE(rig.device().poison().left_out(0, 2));
    EXPECT_FALSE(rig.device().poison().left_out(1, 1));
    EXPECT_EQ(rig.device().now(), 10u) << "it was issued";
}

TEST(SimulatedControl, AStopCountsWhatHasCompletedAsRun) {
    Rig rig(constant_costs(10, 0, 0), 2);
    rig.busy(0, 5);
    rig.busy(1, 100);
    rig.device().advance(10);
    rig.device().abandon();
    EXPECT_FALSE(rig.device().poison().left_out(0, 1));
    EXPECT_TRUE(rig.device().poison().left_out(1, 1));
}

// Queued commands run even if the lanes are held; after a stop they do not.
TEST(SimulatedControl, ADeviceRunsWhatIsLeftWhenItEnds) {
    for (const bool stopped : {false, true}) {
        int calls = 0;
        {
            Rig rig(constant_costs(1, 50, 0));
            Command call = rig.op(OpKind::host_call);
            call.in0 = reinterpret_cast<const float*>(&calls);
            call.function = [](const Command&, void* context) { ++*static_cast<int*>(context); };
            rig.device().hold(true);
            rig.device().submit(0, call);
            if (stopped) {
                rig.device().abandon();
            }
        }
        EXPECT_EQ(calls, stopped ? 0 : 1);
    }
}

// --- slow motion: ten microseconds of virtual time take ten milliseconds ---

constexpr std::uint64_t kOpNs = 10'000, kSlowNs = 1'000'000;  // and an issue takes a millisecond instead of 1 µs

TEST(SimulatedControl, SlowMotionTakesRealTimeOnly) {
    Rig rig(constant_costs(1000, 0, 50), 2);
    rig.recording().control().op_delay_ns.store(kSlowNs);
    rig.busy(0, kOpNs);
    rig.busy(0, kOpNs);
    rig.busy(1, 3000);
    const auto begin = Clock::now();
    rig.device().wait(0, 2);
    EXPECT_GE(Clock::now() - begin, std::chrono::nanoseconds(1000 * (1000 + 2 * kOpNs - 3000)));
    rig.device().wait_returned();
    EXPECT_EQ(rig.device().now(), 1000 + 2 * kOpNs + 50);
    expect_record(rig.records(0).at(0), 1, 1000, 1000 + kOpNs);
    expect_record(rig.records(0).at(1), 2, 1000 + kOpNs, 1000 + 2 * kOpNs);
    expect_record(rig.records(1).at(0), 3, 3000, 6000);
}

TEST(SimulatedControl, SlowMotionOfFreeIssuesTakesAMicrosecondForOne) {
    Rig rig(constant_costs(0, 0, 0));
    rig.recording().control().op_delay_ns.store(kSlowNs);
    rig.busy(0, kOpNs);
    const auto begin = Clock::now();
    rig.device().wait(0, 1);
    EXPECT_GE(Clock::now() - begin, std::chrono::nanoseconds(1000 * kOpNs));
    EXPECT_EQ(rig.device().now(), kOpNs);
}

TEST(SimulatedControl, TheLearnerEndsSlowMotionDuringAWait) {
    Rig rig(constant_costs(1000, 0, 0));
    trace::Control& control = rig.recording().control();
    control.op_delay_ns.store(kSlowNs);
    rig.busy(0, 3.6e9);  // would take an hour
    const std::jthread learner = soon(control.op_delay_ns, 0);
    rig.device().wait(0, 1);
    EXPECT_EQ(rig.device().now(), 3'600'001'000u);
}

TEST(SimulatedControl, AStopEndsAWaitInSlowMotion) {
    Rig rig(constant_costs(1000, 0, 0));
    trace::Control& control = rig.recording().control();
    control.op_delay_ns.store(kSlowNs);
    rig.busy(0, 3.6e9);
    rig.busy(0, 10);
    const std::jthread learner = soon(control.stop, 1);
    rig.device().wait(0, 2);
    EXPECT_EQ(rig.completed(0), 2u);
    EXPECT_EQ(rig.device().now(), 2000u) << "since the last issue";
    EXPECT_EQ(rig.records(0).size(), 1u) << "only the first had begun";
}

}  // namespace
}  // namespace headway::devices
