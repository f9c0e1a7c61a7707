// Hand-computed timelines, the chapter's formulas, budgets, failures and holds; all in virtual time and therefore
// exact.
#include "engine/devices/simulated/simulated.h"

#include <array>
#include <chrono>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "tests/unit/devices/simulated_rig.h"

namespace headway::devices {
namespace {

TEST(Simulated, IsLabelledSimulated) {
    CostModel model = constant_costs(1, 1, 1);
    model.name = "GPU";
    model.source = "round numbers, not measured";
    Rig rig(model, 2);
    EXPECT_EQ(rig.device().info().kind, "simulated");
    EXPECT_EQ(rig.device().info().name, "GPU (round numbers, not measured), 2 streams");
    EXPECT_TRUE(rig.device().info().simulated);
    EXPECT_TRUE(rig.device().virtual_time());
    EXPECT_EQ(rig.device().info().lane_names, (std::vector<std::string>{"Stream 0", "Stream 1"}));
    EXPECT_EQ(rig.recording().header().clock(), trace::ClockKind::virtual_ns);
}

TEST(Simulated, ItsNameSaysThatAnotherOrderIsMade) {
    Rig rig(constant_costs(1, 1, 1));
    const std::string usual = rig.device().info().name;
    rig.device().use_random_times(7);
    EXPECT_EQ(rig.device().info().name, usual + ", order 7");
}

TEST(Simulated, OneLaneWithOneWaitTakesTheFormulasTime) {
    std::mt19937 generator(1);
    for (int round = 0; round < 300; ++round) {
        const std::uint64_t t1 = generator() % 1000;
        const std::uint64_t t2 = round % 10 == 0 ? t1 : generator() % 1000;
        const std::uint64_t t3 = generator() % 1000;
        const std::uint32_t n = 1 + generator() % 200;
        Rig rig(constant_costs(t1, t2, t3));
        for (std::uint32_t i = 0; i < n; ++i) {
            rig.busy(0, 0);
        }
        EXPECT_EQ(rig.device().now(), n * t1);
        rig.device().wait(0, n);
        rig.device().wait_returned();
        EXPECT_EQ(rig.device().now(), std::max(t1 + n * t2, n * t1 + t2) + t3)
            << t1 << " " << t2 << " " << t3 << " " << n;
    }
}

TEST(Simulated, OneLaneWithAWaitPerOpTakesTheSumOfTheStages) {
    Rig rig(constant_costs(5, 7, 11));
    for (std::uint32_t i = 1; i <= 100; ++i) {
        rig.busy(0, 0);
        rig.device().wait(0, i);
        rig.device().wait_returned();
    }
    EXPECT_EQ(rig.device().now(), 100u * (5 + 7 + 11));
}

TEST(Simulated, TwoLanesWithAWaitBetweenThem) {
    Rig rig(constant_costs(10, 0, 5), 2);
    rig.busy(0, 100);             // op 1: issued 10, runs 10..110
    rig.busy(1, 30);              // op 2: issued 20, runs 20..50
    rig.busy_after(1, 40, 0, 1);  // op 3: issued 30, waits for op 1: runs 110..150
    rig.busy(0, 20);              // op 4: issued 40, after op 1: runs 110..130
    rig.busy_after(0, 10, 1, 2);  // op 5: issued 50, waits for op 3: runs 150..160
    EXPECT_EQ(rig.device().now(), 50u);
    EXPECT_EQ(rig.completed(0), 0u);
    EXPECT_EQ(rig.completed(1), 1u);  // op 2 ended at 50
    rig.device().wait(1, 2);
    EXPECT_EQ(rig.device().now(), 150u);
    EXPECT_EQ(rig.completed(0), 2u);
    EXPECT_EQ(rig.completed(1), 2u);
    rig.device().wait(1, 2);  // already completed
    EXPECT_EQ(rig.device().now(), 150u);
    rig.device().advance(9);
    EXPECT_EQ(rig.completed(0), 2u);
    rig.device().advance(1);
    EXPECT_EQ(rig.completed(0), 3u);
    rig.device().wait_returned();
    EXPECT_EQ(rig.device().now(), 165u);

    const Records lane0 = rig.records(0);
    const Records lane1 = rig.records(1);
    ASSERT_EQ(lane0.size(), 3u);
    ASSERT_EQ(lane1.size(), 2u);
    expect_record(lane0[0], 1, 10, 110);
    expect_record(lane0[1], 4, 110, 130);
    expect_record(lane0[2], 5, 150, 160);
    expect_record(lane1[0], 2, 20, 50);
    expect_record(lane1[1], 3, 110, 150);
}

TEST(Simulated, CommandsWithoutAnOpCountButTakeNoTimeAndLeaveNoRecord) {
    Rig rig(constant_costs(10, 0, 0), 2);
    rig.busy(0, 100);                                     // 10..110
    rig.device().submit(1, Rig::after(Command(), 0, 1));  // no issue cost; done at 110
    EXPECT_EQ(rig.device().now(), 10u);
    rig.busy(1, 5);  // issued 20, runs 110..115
    rig.device().wait(1, 1);
    EXPECT_EQ(rig.device().now(), 110u);
    rig.device().wait(1, 2);
    EXPECT_EQ(rig.device().now(), 115u);
    ASSERT_EQ(rig.records(1).size(), 1u);
    expect_record(rig.records(1).at(0), 2, 110, 115);
}

TEST(Simulated, ComputesRealValuesInTheOrderOfVirtualBegins) {
    Rig rig(constant_costs(1, 0, 0), 2);
    float x = 0;
    float y = 0;
    float z = 0;
    const auto add_one = [&](float* out, const float* in, double ns) {
        Command command = rig.op(OpKind::add_scalar, 1, ns);
        command.out = out;
        command.in0 = in;
        command.scalar[0] = 1;
        return command;
    };
    rig.busy(0, 100);                                               // keeps lane 0 busy until 101
    rig.device().submit(0, add_one(&x, &x, 10));                    // x = 1, at 101..111
    rig.device().submit(1, add_one(&y, &x, 10));                    // no wait, although it reads x: too early, y = 1
    rig.device().submit(1, Rig::after(add_one(&z, &x, 10), 0, 2));  // waits: z = 2
    EXPECT_EQ(x, 0.0f);
    EXPECT_EQ(y, 1.0f);
    rig.device().wait(1, 2);
    EXPECT_EQ(x, 1.0f);
    EXPECT_EQ(y, 1.0f);
    EXPECT_EQ(z, 2.0f);
    float seen = 0;
    rig.device().read(&seen, &z, 1);
    EXPECT_EQ(seen, 2.0f);
}

TEST(Simulated, HostCallsRunOnceAtTheirVirtualBegin) {
    Rig rig(constant_costs(1, 50, 0));
    int calls = 0;
    Command call = rig.op(OpKind::host_call);
    call.in0 = reinterpret_cast<const float*>(&calls);
    call.function = [](const Command&, void* context) { ++*static_cast<int*>(context); };
    rig.busy(0, 100);
    rig.device().submit(0, call);
    EXPECT_EQ(calls, 0);
    rig.device().wait(0, 2);
    EXPECT_EQ(calls, 1);
    EXPECT_EQ(rig.device().now(), 151u);  // the model's constant, because the op sets no duration
}

TEST(Simulated, HeldLanesStartNothingUntilReleased) {
    Rig rig(constant_costs(10, 0, 0), 2);
    rig.busy(0, 100);  // 10..110
    rig.busy(0, 50);   // would run 110..160
    rig.device().hold(true);
    rig.busy(1, 30);  // issued 30
    rig.device().advance(300);
    EXPECT_EQ(rig.completed(0), 1u);  // the op that had begun has ended
    EXPECT_EQ(rig.completed(1), 0u);
    rig.device().hold(false);  // at 330
    rig.device().wait(0, 2);
    EXPECT_EQ(rig.device().now(), 380u);
    expect_record(rig.records(0).at(1), 2, 330, 380);
    expect_record(rig.records(1).at(0), 3, 330, 360);
    // A wait for a held command releases the lanes.
    rig.device().hold(true);
    rig.busy(0, 5);  // issued 390
    rig.device().wait(0, 3);
    EXPECT_EQ(rig.device().now(), 395u);
}

TEST(Simulated, SaysWhichOpEachLaneIsExecutingAndSinceWhen) {
    Rig rig(constant_costs(10, 0, 0), 2);
    const auto expect_running = [&rig](std::uint32_t lane, std::uint32_t op, std::uint64_t begin_ns) {
        const trace::RunningOp& running = rig.recording().header().running_in(lane);
        EXPECT_EQ(running.op_and_begin.load() >> 32, op);
        EXPECT_EQ(running.virtual_begin_ns.load(), begin_ns);
    };
    rig.busy(0, 100);
    rig.busy(0, 50);
    rig.busy(1, 30);
    expect_running(0, 1, 10);
    expect_running(1, 3, 30);
    rig.device().advance(79);  // 109
    expect_running(0, 1, 10);
    rig.device().advance(1);
    expect_running(0, 2, 110);
}

// The times do not depend on how long the learner holds the lanes.
TEST(Simulated, AWaitForLanesThatTheLearnerHoldsLastsUntilTheirRelease) {
    Rig rig(constant_costs(10, 0, 0), 2);
    trace::Control& control = rig.recording().control();
    control.hold_backend.store(1);
    rig.busy(0, 100);  // issued 10
    rig.busy(0, 50);
    rig.busy(1, 30);
    rig.device().advance(300);
    EXPECT_EQ(rig.completed(0) + rig.completed(1), 0u);
    control.backend_steps.store(1);
    rig.device().attend();  // at 330: the first op of the first lane
    rig.device().advance(99);
    EXPECT_EQ(rig.completed(0), 0u);
    rig.device().advance(1);
    EXPECT_EQ(rig.completed(0), 1u);
    std::jthread learner([&control] {
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
        control.hold_backend.store(0);
    });
    rig.device().wait(0, 2);  // released at 430
    EXPECT_EQ(rig.device().now(), 480u);
    expect_record(rig.records(0).at(0), 1, 330, 430);
    expect_record(rig.records(0).at(1), 2, 430, 480);
    expect_record(rig.records(1).at(0), 3, 430, 460);
}

TEST(Simulated, AWaitForHeldLanesEndsWhenTheLearnerLetsItsOpStart) {
    Rig rig(constant_costs(10, 0, 0), 2);
    trace::Control& control = rig.recording().control();
    control.hold_backend.store(1);
    rig.busy(0, 100);
    rig.busy(0, 50);
    std::jthread learner([&control] {
        for (int i = 0; i < 2; ++i) {
            std::this_thread::sleep_for(std::chrono::milliseconds(5));
            control.backend_steps.fetch_add(1);
        }
    });
    rig.device().wait(0, 2);  // since 20
    EXPECT_EQ(rig.device().now(), 170u);
    rig.busy(1, 5);
    rig.device().advance(100);
    EXPECT_EQ(rig.completed(1), 0u) << "the lanes are still held";
    control.hold_backend.store(0);
    rig.device().wait(1, 1);
    EXPECT_EQ(rig.completed(1), 1u);
}

// A later op must not find the first one completed before the frontend's clock has reached its end.
TEST(Simulated, AReleaseDuringAWaitRunsOnlyWhatTheWaitNeeds) {
    Rig rig(constant_costs(10, 0, 0), 2);
    trace::Control& control = rig.recording().control();
    control.hold_backend.store(1);
    rig.busy(0, 1000);
    rig.busy(1, 30);
    const std::jthread learner = soon(control.hold_backend, 0);
    rig.device().wait(1, 1);
    EXPECT_EQ(rig.device().now(), 50u);
    EXPECT_EQ(rig.completed(0), 0u);
    rig.device().wait(0, 1);
    EXPECT_EQ(rig.device().now(), 1020u);
}

TEST(Simulated, AStopEndsAWaitForHeldLanes) {
    Rig rig(constant_costs(10, 0, 0), 2);
    trace::Control& control = rig.recording().control();
    control.hold_backend.store(1);
    rig.busy(0, 100);
    const std::jthread learner = soon(control.stop, 1);
    rig.device().wait(0, 1);
    EXPECT_EQ(rig.completed(0), 1u);
    EXPECT_TRUE(rig.records(0).empty()) << "it was not run";
}

TEST(Simulated, AbandonCountsEverythingWithoutRunningIt) {
    Rig rig(constant_costs(10, 0, 0), 2);
    rig.busy(0, 100);
    rig.busy(0, 100);
    rig.busy_after(1, 100, 0, 2);
    EXPECT_FALSE(rig.device().poison().left_out(0, 2));
    rig.device().abandon();
    EXPECT_EQ(rig.completed(0), 2u);
    EXPECT_EQ(rig.completed(1), 1u);
    EXPECT_TRUE(rig.device().poison().left_out(0, 2));
    EXPECT_TRUE(rig.device().poison().left_out(1, 1));
    rig.busy(1, 100);
    EXPECT_EQ(rig.completed(1), 2u);
    rig.device().wait(1, 2);
    EXPECT_EQ(rig.device().now(), 40u);
    EXPECT_EQ(rig.records(0).size(), 1u);  // had begun
    EXPECT_EQ(rig.records(1).size(), 0u);
}

TEST(Simulated, OnlyDependentsOfAFailureAreSkipped) {
    Rig rig(constant_costs(1, 10, 0));
    std::array<float, 3> value{};
    Command spoiled = rig.op(OpKind::fill, 1);
    spoiled.out_id = 1;
    rig.device().poison().fail(spoiled, core::ErrorKind::failed, "made up");
    const auto add_one = [&](std::size_t out, core::BufferId out_id, core::BufferId in_id) {
        Command command = rig.op(OpKind::add_scalar, 1);
        command.out = &value[out];
        command.in0 = &value[out];
        command.scalar[0] = 1;
        command.out_id = out_id;
        command.in0_id = in_id;
        rig.device().submit(0, command);
    };
    add_one(0, 2, 1);  // skipped
    add_one(1, 3, 2);  // skipped
    add_one(2, 4, 5);
    rig.device().wait(0, 3);
    EXPECT_EQ(value, (std::array<float, 3>{0, 0, 1}));
    EXPECT_EQ(rig.device().poison().failure_of(3)->op, 1u);
    EXPECT_FALSE(rig.device().poison().failure_of(4));
    EXPECT_EQ(rig.device().now(), 13u);  // the skipped ops took no time
}

TEST(Simulated, MemoryIsAligned) {
    Rig rig(constant_costs(1, 1, 1));
    for (const std::size_t bytes : {std::size_t{0}, std::size_t{1}, std::size_t{64}, std::size_t{1000}}) {
        void* data = rig.device().allocate(bytes);
        ASSERT_NE(data, nullptr);
        EXPECT_EQ(reinterpret_cast<std::uintptr_t>(data) % 64, 0u);
        rig.device().deallocate(data, bytes);
    }
    EXPECT_EQ(rig.device().allocate(SIZE_MAX), nullptr);
}

TEST(Simulated, AMillionQueuedCommandsNeedLittleMemoryAndAreAllRecorded) {
    Rig rig(constant_costs(1, 2, 0), 1, 10);
    const Command command = rig.op(OpKind::noop);
    for (int i = 0; i < 1'000'000; ++i) {
        rig.device().submit(0, command);
    }
    EXPECT_NEAR(rig.completed(0), 500'000, 1);
    rig.device().wait(0, 1'000'000);
    EXPECT_EQ(rig.device().now(), 2'000'001u);
    EXPECT_EQ(rig.records(0).size(), 1'000'000u);
}

// --- lazy policy ---

Command lazy(Command command, core::BufferId out, core::BufferId in0 = 0, core::BufferId in1 = 0) {
    command.flags = kLazyOperands;
    command.out_id = out;
    command.in0_id = in0;
    command.in1_id = in1;
    return command;
}

Command free_of(core::BufferId buffer) {
    Command command;
    command.flags = kFreeBuffer;
    command.out_id = buffer;
    return command;
}

TEST(SimulatedLazy, BytesAreAllocatedAtTheBeginAndFreedInLaneOrder) {
    Rig rig(constant_costs(10, 0, 0));
    Command make = lazy(rig.op(OpKind::fill, 100, 50), 1);  // issued 10, runs 10..60
    make.scalar[0] = 3;
    rig.device().submit(0, make);
    Command twice = lazy(rig.op(OpKind::add, 100, 50), 2, 1, 1);  // 60..110
    rig.device().submit(0, twice);
    rig.device().submit(0, free_of(1));  // at 110
    EXPECT_EQ(rig.device().lazy_bytes(), 400u);
    EXPECT_EQ(rig.device().lazy_data(2), nullptr);
    rig.device().advance(40);  // to 60
    EXPECT_EQ(rig.device().lazy_bytes(), 800u);
    rig.device().advance(49);
    EXPECT_EQ(rig.device().lazy_bytes(), 800u);
    rig.device().advance(1);  // to 110
    EXPECT_EQ(rig.device().lazy_bytes(), 400u);
    rig.device().wait(0, 3);
    EXPECT_EQ(rig.device().now(), 110u);
    EXPECT_EQ(rig.device().lazy_data(1), nullptr);
    ASSERT_NE(rig.device().lazy_data(2), nullptr);
    EXPECT_EQ(rig.device().lazy_data(2)[99], 6.0f);
    // In place: uses the existing buffer.
    Command again = lazy(rig.op(OpKind::add_scalar, 100, 50), 2, 2);
    again.scalar[0] = 1;
    float* const before = rig.device().lazy_data(2);
    rig.device().submit(0, again);
    rig.device().wait(0, 4);
    EXPECT_EQ(rig.device().lazy_data(2), before);
    EXPECT_EQ(before[0], 7.0f);
    EXPECT_EQ(rig.device().lazy_bytes(), 400u);
}

TEST(SimulatedLazy, TheBudgetFollowsVirtualTimeNotTheOrderOfIssue) {
    Rig rig(constant_costs(10, 0, 0), 2);
    rig.device().set_lazy_budget(800);
    rig.busy(0, 1000);                                               // op 1: 10..1010
    rig.device().submit(0, lazy(rig.op(OpKind::fill, 150, 10), 1));  // op 2: 1010, 600 bytes
    rig.device().submit(1, lazy(rig.op(OpKind::fill, 150, 10), 2));  // op 3: 30, 600 bytes: fits
    rig.device().submit(1, lazy(rig.op(OpKind::fill, 100, 10), 3));  // op 4: 40, 400 more: does not
    rig.device().submit(
        1, lazy(rig.op(OpKind::add_scalar, 100, 10), 4, 3));  // op 5: reads the output of op 4, which failed
    rig.device().submit(1, free_of(2));
    rig.device().wait(0, 2);
    rig.device().wait(1, 4);
    EXPECT_EQ(rig.device().lazy_bytes(), 600u);
    EXPECT_NE(rig.device().lazy_data(1), nullptr);  // by then memory was free
    EXPECT_EQ(rig.device().lazy_data(3), nullptr);
    EXPECT_EQ(rig.device().lazy_data(4), nullptr);

    auto& poison = rig.device().poison();
    ASSERT_TRUE(poison.any());
    EXPECT_FALSE(poison.failure_of(1));
    EXPECT_FALSE(poison.failure_of(2));
    for (const core::BufferId spoiled : {3u, 4u}) {
        const auto failure = poison.failure_of(spoiled);
        ASSERT_TRUE(failure);
        EXPECT_EQ(failure->op, 4u);
        EXPECT_EQ(failure->kind, core::ErrorKind::out_of_memory);
        EXPECT_EQ(failure->message,
                  "out of memory: fill giving (100,) asked for 400 B when it started, and 600 B of the budget of 800 B "
                  "were live");
    }
    const Records lane1 = rig.records(1);
    ASSERT_EQ(lane1.size(), 3u);
    expect_record(lane1[0], 3, 30, 40);
    expect_record(lane1[1], 4 | trace::kFailedOp, 40, 40);
    expect_record(lane1[2], 5 | trace::kFailedOp, 50, 50);
}

TEST(SimulatedLazy, MemoryFreedAtTheTimeOfAnAllocationCountsAsFree) {
    Rig rig(constant_costs(0, 0, 0), 2);
    rig.device().set_lazy_budget(400);
    rig.device().submit(0, lazy(rig.op(OpKind::fill, 100, 50), 1));  // 0..50
    rig.busy(1, 50);                                                 // 0..50
    rig.device().submit(1, lazy(rig.op(OpKind::fill, 100, 50), 2));  // at 50, submitted before …
    rig.device().submit(0, free_of(1));                              // … this, also at 50
    rig.device().wait(1, 2);
    EXPECT_FALSE(rig.device().poison().any());
    EXPECT_EQ(rig.device().lazy_bytes(), 400u);
}

// A composite op of `steps` noops, each of `bytes`.
Composite steps_of(Rig& rig, std::size_t steps, std::uint64_t bytes) {
    Composite composite;
    for (std::size_t i = 0; i < steps; ++i) {
        Signature& signature = rig.signature(OpKind::noop);
        signature.family = Family::other;
        signature.moved_bytes = bytes;
        composite.steps.emplace_back().signature = &signature;
    }
    return composite;
}

Command composite_op(Rig& rig, const Composite& body) {
    Command command = rig.op(OpKind::noop);
    command.flags |= kComposite;
    command.composite = &body;
    return command;
}

TEST(Simulated, CompositesContendLikeTheirSteps) {
    CostModel model = constant_costs(0, 0, 0);
    model.lanes_share = true;
    model.family[static_cast<std::size_t>(Family::other)].ns_per_byte = 1;  // and nothing else: each step fills the GPU
    Rig rig(model, 2);
    const Composite body = steps_of(rig, 2, 1000);
    rig.device().submit(0, composite_op(rig, body));
    rig.device().submit(1, composite_op(rig, body));
    rig.device().wait(0, 1);
    rig.device().wait(1, 1);
    for (const std::uint8_t lane : {0, 1}) {
        const Records records = rig.records(lane);
        ASSERT_EQ(records.size(), 3u) << "two parts and their composite";
        EXPECT_EQ(records[1].begin, 2000u);
        expect_record(records[2], lane + 1u, 0, 4000);
    }
}

TEST(Simulated, ALaneWithACompositeIsFreeAfterAllItsSteps) {
    Rig rig(constant_costs(0, 1000, 0), 2);
    const Composite body = steps_of(rig, 3, 0);
    rig.device().submit(0, composite_op(rig, body));
    rig.busy(1, 2000);
    EXPECT_EQ(rig.device().earliest_lane({}, VirtualLanes::kNoLane, 0), 1u);
    rig.busy(1, 2000);
    EXPECT_EQ(rig.device().earliest_lane({}, VirtualLanes::kNoLane, 1), 0u);
}

}  // namespace
}  // namespace headway::devices
