// Effects of the learner's controls and of program events on a run; the conformance suite tests the ops themselves.
#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

#include "engine/devices/cpu/cpu_device.h"
#include "engine/devices/simulated/simulated.h"
#include "engine/runtime/runtime.h"
#include "engine/trace/reader.h"
#include "tests/unit/runtime/records_of.h"

namespace headway::runtime {

namespace {

using trace::BarrierKind;
using trace::FrontendKind;
using trace::WaitKind;

class ControlTest : public testing::Test {
protected:
    ControlTest() : recording_(std::move(*trace::Recording::create(std::size_t{64} << 20))) {}

    // Runs a program on the simulated device: t1 100 ns, t2 1000 ns, t3 50 ns, one lane.
    template <class Program>
    void simulate(const Settings& settings, Program program) {
        devices::SimulatedDevice device(devices::constant_costs(100, 1000, 50), 1, *recording_);
        Runtime rt(device, *recording_, settings);
        program(rt);
    }

    [[nodiscard]] std::vector<trace::FrontendRecord> records(FrontendKind kind) const {
        return events_of(*recording_, kind);
    }
    [[nodiscard]] std::vector<trace::FrontendRecord> waits(WaitKind kind) const { return waits_of(*recording_, kind); }

    std::unique_ptr<trace::Recording> recording_;
};

Settings with_barrier(BarrierKind kind, std::uint32_t behind = 0) {
    Settings settings;
    settings.barrier = {kind, behind};
    return settings;
}

void minibatches(Runtime& rt, int count) {
    const Tensor x = rt.ones({2});
    for (int i = 0; i < count; ++i) {
        rt.events.minibatch_begin();
        for (int j = 0; j < 3; ++j) {
            const Tensor y = x + 1.0f;
        }
        rt.events.minibatch_end();
    }
    rt.waitall();
}

// New memory costs page faults, which would count as the op's own time.
TEST_F(ControlTest, ALoopThatWaitsReusesItsMemory) {
    devices::CpuDevice device(1, *recording_, {});
    Runtime rt(device, *recording_, Settings{});
    for (int i = 0; i < 20; ++i) {
        const Tensor p = rt.randn({300, 300});
        const Tensor q = rt.matmul(p, p);
        q.wait_to_read();
    }
    EXPECT_LE(rt.memory.reserved_bytes(0), 6u * 300 * 300 * sizeof(float));
}

}  // namespace

TEST_F(ControlTest, WithoutABarrierNoMinibatchWaits) {
    simulate(with_barrier(BarrierKind::none), [](Runtime& rt) { minibatches(rt, 5); });
    EXPECT_TRUE(waits(WaitKind::minibatch_barrier).empty());
}

TEST_F(ControlTest, MinibatchBarrierWaitsForAllIssuedOps) {
    simulate(with_barrier(BarrierKind::minibatch), [](Runtime& rt) { minibatches(rt, 5); });
    const auto found = waits(WaitKind::minibatch_barrier);
    ASSERT_EQ(found.size(), 5u);
    for (const auto& wait : found) {
        EXPECT_EQ(wait.in1, 0u) << "it waits for everything";
    }
}

TEST_F(ControlTest, BehindKWaitsForTheMinibatchKEarlier) {
    simulate(with_barrier(BarrierKind::behind, 2), [](Runtime& rt) { minibatches(rt, 6); });
    const auto found = waits(WaitKind::minibatch_barrier);
    ASSERT_EQ(found.size(), 4u);  // after batches 2, 3, 4 and 5
    for (std::size_t i = 0; i < found.size(); ++i) {
        EXPECT_EQ(found[i].in1, 1 + 3 * (i + 1)) << "through the last op of batch " << i;
    }
}

TEST_F(ControlTest, TheWrittenBarrierActsUntilTheLearnerChooses) {
    simulate({}, [&](Runtime& rt) {
        rt.control.set_written_barrier({BarrierKind::minibatch, 0});
        minibatches(rt, 2);
        recording_->control().barrier.store(trace::pack_barrier({BarrierKind::none, 0}));
        recording_->control().attention.store(1);
        minibatches(rt, 3);
    });
    EXPECT_EQ(waits(WaitKind::minibatch_barrier).size(), 2u);
}

TEST_F(ControlTest, SettingsChosenBeforeTheProgramTakePrecedence) {
    // "As written", no budget and no limit are valid choices although they are zeros.
    auto& control = recording_->control();
    control.barrier.store(trace::pack_barrier({}));
    control.budget_bytes.store(0);
    control.queue_limit.store(0);
    Settings settings = with_barrier(BarrierKind::op);
    settings.budget_bytes = 1;
    settings.queue_limit = 1;
    simulate(settings, [](Runtime& rt) { minibatches(rt, 2); });
    EXPECT_TRUE(waits(WaitKind::op_barrier).empty());
    EXPECT_TRUE(waits(WaitKind::queue_limit).empty());
    EXPECT_EQ(records(FrontendKind::issue).size(), 7u) << "a budget of one byte would have ended the program";
}

TEST_F(ControlTest, UnchosenSettingsComeFromTheRun) {
    Settings settings = with_barrier(BarrierKind::op);
    settings.queue_limit = 3;
    settings.budget_bytes = 1 << 20;
    simulate(settings, [&](Runtime& rt) {
        minibatches(rt, 1);
        EXPECT_EQ(trace::unpack_barrier(recording_->control().barrier.load()), settings.barrier);
        EXPECT_EQ(recording_->control().budget_bytes.load(), settings.budget_bytes);
        EXPECT_EQ(recording_->control().queue_limit.load(), settings.queue_limit);
    });
    EXPECT_EQ(waits(WaitKind::op_barrier).size(), 4u);
}

TEST_F(ControlTest, TheOpBarrierWaitsAfterEachOp) {
    simulate(with_barrier(BarrierKind::op), [](Runtime& rt) { minibatches(rt, 2); });
    EXPECT_EQ(waits(WaitKind::op_barrier).size(), 7u);
}

TEST_F(ControlTest, TheQueueLimitIsRecordedAsAWait) {
    Settings settings;
    settings.queue_limit = 4;
    simulate(settings, [](Runtime& rt) { minibatches(rt, 6); });
    EXPECT_FALSE(waits(WaitKind::queue_limit).empty());
}

TEST_F(ControlTest, StopEndsTheProgramAtItsNextOp) {
    simulate({}, [&](Runtime& rt) {
        minibatches(rt, 1);
        recording_->control().stop.store(1);
        recording_->control().attention.store(1);
        try {
            rt.ones({2});
            FAIL() << "the op was issued";
        } catch (const ProgramError& e) {
            EXPECT_EQ(e.error().kind, core::ErrorKind::stopped);
        }
    });
}

TEST_F(ControlTest, SteppingIssuesOneOpWhilePaused) {
    devices::CpuDevice device(1, *recording_);
    Runtime rt(device, *recording_, {});
    auto& control = recording_->control();
    control.pause.store(1);
    control.attention.store(1);
    std::atomic<bool> stepped_once{false};
    std::thread learner([&] {
        while (control.stop_position.load() == 0) {
            std::this_thread::yield();
        }
        control.step_ops.store(1);
        // The first op is issued; the second one is held again.
        while (control.step_ops.load() != 0 || control.stop_position.load() == 0) {
            std::this_thread::yield();
        }
        stepped_once.store(true);
        control.pause.store(0);
        control.attention.store(1);
    });
    const Tensor a = rt.ones({2});
    const Tensor b = rt.ones({2});
    learner.join();
    EXPECT_TRUE(stepped_once.load());
    EXPECT_EQ(rt.recorder.issued(), 2u);
    EXPECT_EQ(waits(WaitKind::paused).size(), 2u);
}

TEST_F(ControlTest, ABreakpointStopsBeforeItsLine) {
    devices::CpuDevice device(1, *recording_);
    Runtime rt(device, *recording_, {});
    const auto file = rt.lines.add_file("program.py");
    auto& control = recording_->control();
    control.breakpoints[0].store(std::uint64_t{1} << 7);
    control.breakpoint_count.store(1);
    std::uint32_t stood_at = 0;
    std::thread learner([&] {
        while (control.stop_position.load() == 0) {
            std::this_thread::yield();
        }
        stood_at = core::number_of(control.current_line.load());
        control.pause.store(0);
        control.attention.store(1);
    });
    for (std::uint32_t line = 1; line <= 10; ++line) {
        rt.control.at_line(core::make_line(file, line), 0);
    }
    learner.join();
    EXPECT_EQ(stood_at, 7u);
}

TEST_F(ControlTest, SteppingRunsOneCommandWhileTheBackendIsHeld) {
    devices::CpuDevice device(1, *recording_);
    Runtime rt(device, *recording_, {});
    auto& control = recording_->control();
    control.hold_backend.store(1);
    const Tensor a = rt.ones({2});
    const Tensor b = rt.ones({2});
    EXPECT_EQ(rt.lanes.unfinished_commands(), 2u);
    control.backend_steps.store(1);
    while (rt.lanes.unfinished_commands() == 2) {
        std::this_thread::yield();
    }
    EXPECT_EQ(rt.lanes.unfinished_commands(), 1u);
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    control.hold_backend.store(0);
    rt.waitall();
    EXPECT_EQ(rt.lanes.unfinished_commands(), 0u);
    // Before the second command the lane was held; before the first one perhaps not, if it was reached after the step.
    const auto reader = recording_->reader();
    ASSERT_TRUE(reader);
    (*reader)->poll();
    const auto holds = (*reader)->records<trace::ExecRecord>({trace::StreamKind::holds, 0}, 0);
    const auto ran = (*reader)->records<trace::ExecRecord>({trace::StreamKind::lane, 0}, 0);
    ASSERT_GE(holds.size(), 1u);
    ASSERT_EQ(ran.size(), 2u);
    EXPECT_GE(holds.back().begin, ran[0].begin + trace::unpack_duration(ran[0].duration));
    EXPECT_LE(holds.back().begin + trace::unpack_duration(holds.back().duration), ran[1].begin);
}

TEST_F(ControlTest, StoppingAPausedRunRecordsThePause) {
    devices::CpuDevice device(1, *recording_);
    Runtime rt(device, *recording_, {});
    auto& control = recording_->control();
    control.pause.store(1);
    control.attention.store(1);
    std::thread learner([&] {
        while (control.stop_position.load() == 0) {
            std::this_thread::yield();
        }
        control.stop.store(1);
        control.attention.store(1);
    });
    EXPECT_THROW(static_cast<void>(rt.ones({2})), ProgramError);
    learner.join();
    const auto reader = recording_->reader();
    ASSERT_TRUE(reader);
    (*reader)->poll();
    const auto records = (*reader)->records<trace::FrontendRecord>(trace::kFrontendStream, 0);
    ASSERT_EQ(records.size(), 1u);
    EXPECT_EQ(records[0].lane, static_cast<std::uint8_t>(trace::WaitKind::paused));
}

TEST_F(ControlTest, FailureNamesTheLineOfTheOp) {
    Settings settings;
    settings.budget_bytes = 1000;
    simulate(settings, [](Runtime& rt) {
        const Tensor x = rt.ones({100});
        try {
            const Tensor y = rt.ones({100}), z = x + 1.0f, w = x + 2.0f;
            FAIL() << "an op of 1200 bytes exceeded a budget of 1000 without an error";
        } catch (const ProgramError& e) {
            EXPECT_EQ(e.error().kind, core::ErrorKind::out_of_memory);
            EXPECT_EQ(e.error().file, "control_test.cpp");
            EXPECT_NE(e.error().message.find("control_test.cpp:"), std::string::npos) << e.error().message;
        }
    });
}

}  // namespace headway::runtime
