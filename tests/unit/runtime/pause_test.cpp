// Where the learner's controls stop a program, and that the time of a pause is not the program's.
#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <thread>
#include <vector>

#include "engine/devices/simulated/simulated.h"
#include "engine/runtime/runtime.h"
#include "engine/trace/reader.h"
#include "tests/unit/runtime/forked.h"
#include "tests/unit/runtime/hand_device.h"
#include "tests/unit/runtime/records_of.h"

namespace headway::runtime {
namespace {

using trace::LineMode;
using trace::StopPosition;
using trace::WaitKind;

class PauseTest : public testing::Test {
protected:
    void start(const Settings& settings = {}) { rt = std::make_unique<Runtime>(device, *recording, settings); }

    [[nodiscard]] std::vector<trace::FrontendRecord> waits(WaitKind kind) const { return waits_of(*recording, kind); }

    struct Step {
        std::uint32_t line;
        int depth;
    };
    // Runs a program of these lines. The learner's first choice is `modes[0]`; at stop i it chooses `modes[i + 1]`, and
    // only resumes if there is none. Returns the lines before which the program stood.
    std::vector<std::uint32_t> stops(const std::vector<Step>& program, const std::vector<LineMode>& modes) {
        start();
        const auto choose = [&](std::size_t i) {
            if (i < modes.size()) {
                control.line_mode.store(static_cast<std::uint32_t>(modes[i]));
            }
        };
        choose(0);
        std::vector<std::uint32_t> stood;
        std::atomic<bool> done{false};
        std::thread learner([&] {
            core::Line last = 0;
            while (!done.load()) {
                const core::Line line = control.current_line.load();
                if (line == last || control.stop_position.load() == static_cast<std::uint32_t>(StopPosition::no)) {
                    std::this_thread::yield();
                    continue;
                }
                last = control.current_line.load();
                stood.push_back(core::number_of(last));
                choose(stood.size());
                control.pause.store(0);
                control.attention.store(1);
            }
        });
        for (const auto& [line, depth] : program) {
            rt->control.at_line(core::make_line(1, line), depth);
        }
        done.store(true);
        learner.join();
        EXPECT_EQ(waits(WaitKind::paused).size(), stood.size());
        return stood;
    }

    std::unique_ptr<trace::Recording> recording = std::move(*trace::Recording::create(std::size_t{64} << 20));
    trace::Control& control = recording->control();
    HandDevice device{2};
    std::unique_ptr<Runtime> rt;
};

using Lines = std::vector<std::uint32_t>;

TEST_F(PauseTest, AStepStopsBeforeTheNextLine) {
    EXPECT_EQ(stops({{1, 0}, {2, 0}, {3, 1}, {4, 0}}, {LineMode::step, LineMode::step, LineMode::step}),
              (Lines{1, 2, 3}));
}

TEST_F(PauseTest, AStepOverACallDoesNotStopInIt) {
    EXPECT_EQ(stops({{1, 3}, {20, 4}, {21, 5}, {22, 4}, {2, 3}, {3, 3}}, {LineMode::step, LineMode::over}),
              (Lines{1, 2}));
}

TEST_F(PauseTest, AStepOverALineMayEndInTheCaller) {
    EXPECT_EQ(stops({{1, 3}, {2, 2}, {3, 2}}, {LineMode::step, LineMode::over}), (Lines{1, 2}));
}

TEST_F(PauseTest, RunsUntilTheLine) {
    control.until_line.store(3);
    EXPECT_EQ(stops({{1, 0}, {2, 0}, {3, 0}, {4, 0}, {5, 0}}, {LineMode::until}), Lines{3});
}

TEST_F(PauseTest, BreakpointsOfTheFirstAndTheLastLine) {
    control.breakpoints[0].store(std::uint64_t{1} << 1);
    control.breakpoints[1].store(std::uint64_t{1} << 0);
    control.breakpoints[63].store(std::uint64_t{1} << 63);
    control.breakpoint_count.store(3);
    EXPECT_EQ(stops({{1, 0}, {2, 0}, {63, 0}, {64, 0}, {65, 0}, {4095, 0}, {4096, 0}, {4097, 0}}, {}),
              (Lines{1, 64, 4095}));
}

TEST_F(PauseTest, APauseIsNotTheProgramsTime) {
    constexpr std::int64_t kPausedNs = 5'000'000;
    start();
    control.pause.store(1);
    control.attention.store(1);
    std::thread learner([&] {
        while (control.stop_position.load() == static_cast<std::uint32_t>(StopPosition::no)) {
            std::this_thread::yield();
        }
        for (const auto since_ns = core::monotonic_ns(); core::monotonic_ns() < since_ns + kPausedNs;) {
            std::this_thread::yield();
        }
        control.pause.store(0);
        control.attention.store(1);
    });
    const auto begin_ns = core::monotonic_ns();
    const double begin_s = rt->control.program_seconds();
    static_cast<void>(rt->ones({2}));
    const double passed_s = rt->control.program_seconds() - begin_s;
    const auto all_ns = core::monotonic_ns() - begin_ns;
    learner.join();
    EXPECT_LT(passed_s, static_cast<double>(all_ns - kPausedNs) * 1e-9 + 1e-6);
    EXPECT_GE(passed_s, 0.0);
    EXPECT_EQ(control.stop_position.load(), static_cast<std::uint32_t>(StopPosition::no));
}

TEST_F(PauseTest, SlowMotionOfLinesIsAPause) {
    constexpr std::int64_t kDelayNs = 5'000'000;
    start();
    control.line_delay_ns.store(kDelayNs);
    control.attention.store(1);
    const auto begin_ns = core::monotonic_ns();
    const double begin_s = rt->control.program_seconds();
    rt->control.at_line(core::make_line(1, 7), 0);
    const double passed_s = rt->control.program_seconds() - begin_s;
    const auto all_ns = core::monotonic_ns() - begin_ns;
    EXPECT_GE(all_ns, kDelayNs);
    EXPECT_LT(passed_s, static_cast<double>(all_ns - kDelayNs) * 1e-9 + 1e-6);
    ASSERT_EQ(waits(WaitKind::paused).size(), 1u);
    EXPECT_EQ(waits(WaitKind::paused)[0].line, core::make_line(1, 7));
}

// Otherwise the learner could not end it.
TEST_F(PauseTest, SlowMotionOfALineEndsWhenTheLearnerChangesSomething) {
    start();
    control.line_delay_ns.store(std::uint64_t{3'600} * 1'000'000'000);
    control.attention.store(1);
    std::atomic<bool> done{false};
    std::thread learner([&] {
        while (!done.load()) {
            control.attention.store(1);
            std::this_thread::yield();
        }
    });
    rt->control.at_line(core::make_line(1, 7), 0);
    done.store(true);
    learner.join();
    EXPECT_EQ(waits(WaitKind::paused).size(), 1u);
}

TEST_F(PauseTest, SlowMotionOfOpsSlowsTheLanesAsWell) {
    constexpr std::int64_t kDelayNs = 2'000'000;
    start();
    control.op_delay_ns.store(kDelayNs);
    control.attention.store(1);
    for (std::size_t op = 1; op <= 5; ++op) {
        const auto begin_ns = core::monotonic_ns();
        const double begin_s = rt->control.program_seconds();
        static_cast<void>(rt->ones({2}));
        const double passed_s = rt->control.program_seconds() - begin_s;
        const auto all_ns = core::monotonic_ns() - begin_ns;
        EXPECT_GE(all_ns, kDelayNs);
        EXPECT_LT(passed_s, static_cast<double>(all_ns - kDelayNs) * 1e-9 + 1e-6);
        EXPECT_EQ(waits(WaitKind::paused).size(), op);
        // An op without the delay counts as 0.5 to 100 µs.
        EXPECT_GE(device.slow_factor(), 20.0f);
        EXPECT_LE(device.slow_factor(), 4000.0f);
    }
    control.op_delay_ns.store(0);
    control.attention.store(1);
    static_cast<void>(rt->ones({2}));
    EXPECT_EQ(waits(WaitKind::paused).size(), 5u);
    EXPECT_EQ(device.slow_factor(), 0.0f);
}

TEST_F(PauseTest, AStopLeavesOutWhatHasNotRun) {
    const auto own = std::move(*trace::Recording::create(std::size_t{64} << 20));
    devices::SimulatedDevice simulated(devices::constant_costs(100, 1000, 50), 1, *own);
    Runtime program(simulated, *own, {});
    std::vector<Tensor> kept;
    for (int i = 0; i < 5; ++i) {
        kept.push_back(program.ones({2}));
    }
    own->control().stop.store(1);
    own->control().attention.store(1);
    EXPECT_THROW(static_cast<void>(program.ones({2})), ProgramError);
    EXPECT_EQ(program.lanes.unfinished_commands(), 0u) << "nothing is left to wait for";
    const auto reader = std::move(*own->reader());
    reader->poll();
    EXPECT_EQ(reader->size({trace::StreamKind::lane, 0}), 1u) << "the first one had begun";
}

TEST_F(PauseTest, AWaitForAnOpThatWasLeftOutFails) {
    for (int earlier = 0; earlier < 3; ++earlier) {  // also for the first op of its lane
        HandDevice own(1);
        Runtime program(own, *recording, {});
        for (int i = 0; i < earlier; ++i) {
            static_cast<void>(program.ones({2}));
        }
        const Tensor x = program.ones({2});
        own.poison().leave_out(0, static_cast<std::uint32_t>(earlier) + 1);
        EXPECT_THROW(program.waits.to_host(x, WaitKind::numpy, "numpy"), ProgramError) << earlier;
    }
}

TEST_F(PauseTest, TheQueueLimitWaitsForTheOpThatMakesRoom) {
    constexpr core::OpId kLimit = 4;
    Settings settings;
    settings.queue_limit = kLimit;
    start(settings);
    std::vector<Tensor> kept;
    for (std::size_t i = 0; i < 10; ++i) {
        kept.push_back(rt->ones({2}));
        EXPECT_LE(rt->lanes.unfinished_commands(), kLimit);
    }
    const auto found = waits(WaitKind::queue_limit);
    ASSERT_EQ(found.size(), 10u - kLimit) << "from the fifth op on";
    for (std::size_t i = 0; i < found.size(); ++i) {
        EXPECT_EQ(found[i].in0, kLimit + i) << "issued";
        EXPECT_EQ(found[i].in1, 1 + i) << "waited for";
    }
    device.complete(0, rt->lanes.unfinished_commands());
    kept.push_back(rt->ones({2}));
    EXPECT_EQ(waits(WaitKind::queue_limit).size(), found.size()) << "there was room";
}

TEST_F(PauseTest, ProgramSecondsAreThoseOfTheRunsClock) {
    start();
    const auto before_ns = core::monotonic_ns();
    const double seconds = rt->control.program_seconds();
    const auto after_ns = core::monotonic_ns();
    EXPECT_GT(seconds, static_cast<double>(before_ns) * 1e-9 - 1e-6);
    EXPECT_LT(seconds, static_cast<double>(after_ns) * 1e-9 + 1e-6);

    const auto own = std::move(*trace::Recording::create(std::size_t{64} << 20));
    devices::SimulatedDevice simulated(devices::constant_costs(100, 1000, 50), 1, *own);
    Runtime program(simulated, *own, {});
    simulated.advance(2'500'000'000);
    EXPECT_NEAR(program.control.program_seconds(), 2.5, 1e-9);
}

TEST_F(PauseTest, AnOpBarrierOfTheProgramActsAtOnce) {
    start();
    rt->control.set_written_barrier({trace::BarrierKind::op, 0});
    static_cast<void>(rt->ones({2}));
    EXPECT_EQ(waits(WaitKind::op_barrier).size(), 1u);
}

TEST_F(PauseTest, AChildProcessIssuesAndRecordsNothing) {
    start();
    rt->control.set_written_barrier({trace::BarrierKind::minibatch, 0});
    static_cast<void>(rt->ones({2}));
    EXPECT_TRUE(holds_in_a_child([this] {
        EXPECT_TRUE(rt->control.in_own_process());
        rt->control.leave_to_the_parent();
        EXPECT_FALSE(rt->control.in_own_process());
        EXPECT_THROW(static_cast<void>(rt->ones({2})), ProgramError);
        EXPECT_THROW(rt->control.expect_own_process(), ProgramError);
        rt->graphs.set_gathering(true);
        EXPECT_THROW(static_cast<void>(rt->ones({2})), ProgramError);
        EXPECT_THROW(rt->events.minibatch_end(), ProgramError);
        EXPECT_EQ(rt->recorder.issued(), 1u);
    }));
    EXPECT_TRUE(rt->control.in_own_process());
    EXPECT_EQ(events_of(*recording, trace::FrontendKind::issue).size(), 1u);
}

// The wait is for an op that limit_queue() was called for: not each command is an op, and there may be other lanes.
TEST_F(PauseTest, AQueueOfAMillionCommandsIsHalved) {
    constexpr std::uint32_t kMost = RunControl::kMostQueued;
    start();
    for (int i = 0; i < 3; ++i) {
        static_cast<void>(rt->ones({2}));
        rt->control.limit_queue(1, kMost / 2 * static_cast<std::uint32_t>(i));
    }
    EXPECT_TRUE(waits(WaitKind::queue_limit).empty());
    EXPECT_EQ(device.completed(1), 0u);
    static_cast<void>(rt->ones({2}));
    rt->control.limit_queue(1, kMost + 1);
    EXPECT_EQ(device.completed(1), kMost / 2);
    ASSERT_EQ(waits(WaitKind::queue_limit).size(), 1u);
    EXPECT_EQ(waits(WaitKind::queue_limit)[0].out, trace::kWaitForLane | 1u);
    EXPECT_EQ(waits(WaitKind::queue_limit)[0].in1, 2u);
}

TEST_F(PauseTest, AQueueOfCompositesIsHalvedAsWell) {
    HandDevice lane(1);
    const auto own = std::move(*trace::Recording::create(std::size_t{64} << 20));
    Runtime program(lane, *own, {});
    static_cast<void>(program.graphs.trace_begin({}));
    program.noop();
    const Graph graph = program.graphs.trace_end("f", {});
    lane.complete(0, 0u - RunControl::kMostQueued);  // as if so many commands were queued
    program.control.limit_queue(0, 0u - RunControl::kMostQueued / 4 * 3);
    while (program.recorder.issued() < RunControl::kLookAtQueueEvery) {
        static_cast<void>(program.graphs.run(graph, {}));
    }
    EXPECT_EQ(waits_of(*own, WaitKind::queue_limit).size(), 1u);
}

}  // namespace
}  // namespace headway::runtime
