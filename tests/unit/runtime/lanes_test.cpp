// Counting the commands of lanes.
#include "engine/runtime/scheduling/lanes.h"

#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "engine/runtime/scheduling/until_finished.h"
#include "tests/unit/runtime/hand_device.h"

namespace headway::runtime {
namespace {

class LanesTest : public testing::Test {
protected:
    HandDevice device{2};
    Lanes lanes{std::make_shared<devices::DeviceSet>(device)};
};

TEST_F(LanesTest, CountsCommandsPerLane) {
    EXPECT_EQ(lanes.submit(0, {}), 1u);
    EXPECT_EQ(lanes.submit(1, {}), 1u);
    EXPECT_EQ(lanes.submit(1, {}), 2u);
    EXPECT_EQ(lanes.unfinished_commands(), 3u);
    EXPECT_FALSE(lanes.finished(1, 1));
    device.complete(1);
    EXPECT_TRUE(lanes.finished(1, 1));
    EXPECT_FALSE(lanes.finished(1, 2));
    EXPECT_EQ(lanes.unfinished_commands(), 2u);
    lanes.wait(lanes.submitted(), 0, 2);
    EXPECT_EQ(lanes.unfinished_commands(), 0u);
}

TEST_F(LanesTest, CommandsThatFreeOrWaitAreNotOpenOps) {
    EXPECT_FALSE(lanes.has_open_ops());
    lanes.submit_idle(0, {});
    EXPECT_FALSE(lanes.has_open_ops());
    lanes.submit(0, {});
    EXPECT_TRUE(lanes.has_open_ops());
    lanes.submit_idle(0, {});
    lanes.submit_wait(0, 1, 7);
    EXPECT_TRUE(lanes.has_open_ops());
    device.complete(0, 2);  // the op, but not what follows it
    EXPECT_FALSE(lanes.has_open_ops());
    EXPECT_EQ(lanes.unfinished_commands(), 2u);
    ASSERT_EQ(device.commands(0).size(), 4u);
    EXPECT_EQ(device.commands(0)[3].wait_lane, 1u);
    EXPECT_EQ(device.commands(0)[3].wait_seq, 7u);
    lanes.submit(0, {});
    EXPECT_TRUE(lanes.has_open_ops());
}

TEST_F(LanesTest, SequenceNumbersWrap) {
    LaneSeqs seqs{};
    raise_to(seqs, 0, 0xffff'fff0u);
    raise_to(seqs, 0, 5u);
    EXPECT_EQ(seqs[0], 5u);
    raise_to(seqs, 0, 0u);
    raise_to(seqs, 0, 0xffff'fff8u);
    EXPECT_EQ(seqs[0], 5u);
}

TEST_F(LanesTest, ValuesAreKeptUntilTheirCommandIsComplete) {
    UntilFinished<std::shared_ptr<int>> kept;
    std::vector<std::weak_ptr<int>> values;
    for (int i = 0; i < 10; ++i) {
        auto value = std::make_shared<int>(i);
        values.push_back(value);
        kept.keep(0, lanes.submit(0, {}), std::move(value));
    }
    device.complete(0, 4);
    kept.release(lanes);
    for (std::size_t i = 0; i < values.size(); ++i) {
        EXPECT_EQ(values[i].expired(), i < 4) << i;
    }
    EXPECT_EQ(*kept.take_last(0), 9);
    EXPECT_TRUE(values[9].expired());
}

}  // namespace
}  // namespace headway::runtime
