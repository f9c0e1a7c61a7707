// The order that the scheduler guarantees, on lanes whose commands complete by hand.
#include "engine/runtime/scheduling/scheduler.h"

#include <gtest/gtest.h>

#include <deque>
#include <random>
#include <vector>

#include "tests/unit/runtime/hand_device.h"

namespace headway::runtime {
namespace {

class SchedulerTest : public testing::Test {
protected:
    void start(std::uint32_t count) {
        device = std::make_unique<HandDevice>(count);
        lanes = std::make_unique<Lanes>(std::make_shared<devices::DeviceSet>(*device));
        scheduler = std::make_unique<Scheduler>(*lanes);
        op = 0;
    }
    void SetUp() override { start(2); }

    Placement place(const Operation& operation) {
        Placement placement;
        scheduler->place(operation, placement);
        return placement;
    }
    // Issues an op as the queue does. Returns its placement.
    Placement issue(Buffer* in0, Buffer* in1, Buffer* out) {
        Operation operation;
        operation.signature = &signature;
        operation.in0 = in0;
        operation.in1 = in1;
        operation.out = out;
        const Placement placement = place(operation);
        scheduler->submit_waits(placement);
        devices::Command command;
        const std::uint32_t seq = lanes->submitted()[placement.lane] + 1;
        fill_command(command, operation, out, false, {++op, placement.lane, seq, lanes->count(), 0});
        EXPECT_EQ(lanes->submit(placement.lane, command), seq);
        return placement;
    }

    std::unique_ptr<HandDevice> device;
    std::unique_ptr<Lanes> lanes;
    std::unique_ptr<Scheduler> scheduler;
    devices::Signature signature;
    core::OpId op = 0;
};

TEST_F(SchedulerTest, FollowsItsNewestUnfinishedInput) {
    Buffer a, b;
    const auto first = issue(nullptr, nullptr, &a);
    const auto second = issue(nullptr, nullptr, &b);
    ASSERT_NE(first.lane, second.lane) << "independent ops go to different lanes";
    Operation both;
    both.in0 = &b;
    both.in1 = &a;
    const Placement placement = place(both);
    EXPECT_EQ(placement.lane, second.lane);
    ASSERT_EQ(placement.waits, 1u);
    EXPECT_EQ(placement.wait_lane[0], first.lane);
    EXPECT_EQ(placement.wait_seq[0], 1u);
}

TEST_F(SchedulerTest, FinishedInputsNeedNoWait) {
    Buffer a, b;
    const auto first = issue(nullptr, nullptr, &a);
    issue(nullptr, nullptr, &b);
    device->complete(first.lane);
    Operation both;
    both.in0 = &a;
    both.in1 = &b;
    EXPECT_EQ(place(both).waits, 0u);
}

TEST_F(SchedulerTest, TakesTheLaneWithTheFewestCommands) {
    start(3);
    Buffer a;
    const auto busy = issue(nullptr, nullptr, &a);
    issue(&a, nullptr, &a);
    issue(&a, nullptr, &a);
    Buffer others[6];
    for (Buffer& other : others) {
        EXPECT_NE(issue(nullptr, nullptr, &other).lane, busy.lane) << "its lane has three commands";
    }
    EXPECT_EQ(lanes->submitted()[busy.lane], 3u);
    EXPECT_EQ(lanes->unfinished_commands(), 9u);
}

TEST_F(SchedulerTest, AWriterWaitsForReadersInOtherLanes) {
    Buffer a, b, c;
    const auto made = issue(nullptr, nullptr, &a);
    device->complete(made.lane);
    lanes->look(made.lane);
    const auto reader = issue(&a, nullptr, &b);
    const auto other = issue(&a, nullptr, &c);
    ASSERT_NE(reader.lane, other.lane);
    const Placement writer = issue(nullptr, nullptr, &a);
    ASSERT_EQ(writer.waits, 1u);
    EXPECT_EQ(writer.wait_lane[0], writer.lane == reader.lane ? other.lane : reader.lane);
}

// Every command that an op depends on and that is unfinished is before it in its lane, or is waited for; and nothing
// else is waited for.
TEST_F(SchedulerTest, WaitsForItsDependenciesAndForNothingElse) {
    struct Use {
        std::uint32_t lane = 0, seq = 0;
    };
    struct History {  // of a buffer, kept separately from Buffer
        Use writer;
        std::vector<Use> readers;
    };
    int waits = 0;
    for (std::uint32_t seed = 1; seed <= 200; ++seed) {
        std::mt19937 random(seed);
        const auto draw = [&](std::size_t n) { return random() % n; };
        start(1 + seed % 5);
        std::deque<Buffer> buffers(4 + draw(12));
        std::vector<History> histories(buffers.size());
        for (int step = 0; step < 150; ++step) {
            if (draw(2) == 0) {
                const auto lane = static_cast<std::uint32_t>(draw(lanes->count()));
                const std::uint32_t queued = lanes->submitted()[lane] - device->completed(lane);
                device->complete(lane, static_cast<std::uint32_t>(draw(queued + 1)));
                continue;
            }
            const std::size_t in0 = draw(buffers.size()), in1 = draw(buffers.size()), out = draw(buffers.size());
            const bool reads = draw(2) != 0;
            std::vector<Use> needed{histories[out].writer};
            needed.insert(needed.end(), histories[out].readers.begin(), histories[out].readers.end());
            if (reads) {
                needed.push_back(histories[in0].writer);
                needed.push_back(histories[in1].writer);
            }
            std::erase_if(needed, [&](const Use& use) { return device->completed(use.lane) >= use.seq; });
            Operation operation;
            operation.signature = &signature;
            operation.in0 = reads ? &buffers[in0] : nullptr;
            operation.in1 = reads ? &buffers[in1] : nullptr;
            operation.out = &buffers[out];
            const Placement placement = issue(operation.in0, operation.in1, operation.out);
            for (const Use& use : needed) {
                bool met = use.lane == placement.lane;
                for (std::uint32_t i = 0; i < placement.waits; ++i) {
                    met |= placement.wait_lane[i] == use.lane && placement.wait_seq[i] >= use.seq;
                }
                ASSERT_TRUE(met) << "seed " << seed << ", step " << step << ": command " << use.seq << " of lane "
                                 << use.lane << " is not waited for";
            }
            for (std::uint32_t i = 0; i < placement.waits; ++i, ++waits) {
                ASSERT_TRUE(std::any_of(needed.begin(), needed.end(),
                                        [&](const Use& use) {
                                            return use.lane == placement.wait_lane[i] &&
                                                   use.seq == placement.wait_seq[i];
                                        }))
                    << "seed " << seed << ", step " << step << ": an unneeded wait";
            }
            const Use use{placement.lane, lanes->submitted()[placement.lane]};
            if (reads) {
                histories[in0].readers.push_back(use);
                histories[in1].readers.push_back(use);
            }
            histories[out] = {use, {}};
        }
    }
    EXPECT_GT(waits, 1000);
}

}  // namespace
}  // namespace headway::runtime
