// Budget, free policies and counts of bytes, as properties of random programs on lanes whose commands complete by hand.
#include "engine/runtime/memory_manager.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <vector>

#include "engine/trace/recorder.h"
#include "tests/unit/runtime/hand_device.h"
#include "tests/unit/runtime/records_of.h"

namespace headway::runtime {
namespace {

using memory::FreePolicy;

// Memory that some commands use: the last one in each lane.
struct Block {
    float* data = nullptr;
    std::uint64_t bytes = 0;
    LaneSeqs used{};
};

class MemoryManagerTest : public testing::TestWithParam<FreePolicy> {
protected:
    void start(std::uint32_t lane_count, std::uint64_t memory_bytes = ~std::uint64_t{0}) {
        memory.reset();
        recorder.reset();
        lanes.reset();
        device = std::make_unique<HandDevice>(lane_count, memory_bytes);
        lanes = std::make_unique<Lanes>(std::make_shared<devices::DeviceSet>(*device));
        recorder = std::make_unique<FrontendRecorder>(*device, *recording, lines, Settings{});
        memory = std::make_unique<MemoryManager>(nullptr, *lanes, lines, *recorder, GetParam());
    }
    void TearDown() override {
        if (memory != nullptr) {
            memory.reset();
            EXPECT_EQ(device->used_bytes(), 0u) << "the device has its memory back";
        }
    }

    // An op in `lane` that creates a buffer. ProgramError if there is no room.
    Buffer* make(std::uint64_t bytes, std::uint32_t lane) {
        signature.out_bytes = bytes;
        signature.size_class = memory->pool(0).size_class(bytes);
        memory->expect_room(0, bytes, signature, ++op);
        float* data = memory->take(signature, 0, lane, op);
        Buffer* buffer = memory->new_buffer(signature, 0);
        buffer->data = data;
        buffer->write_lane = static_cast<std::uint8_t>(lane);
        buffer->write_seq = lanes->submit(lane, {});
        return buffer;
    }
    void read(Buffer* buffer, std::uint32_t lane) { buffer->read_seq[lane] = lanes->submit(lane, {}); }
    [[nodiscard]] bool in_use(const Block& block) const {
        for (std::uint32_t lane = 0; lane < lanes->count(); ++lane) {
            if (core::after(block.used[lane], device->completed(lane))) {
                return true;
            }
        }
        return false;
    }
    static Block block_of(const Buffer& buffer) {
        Block block{buffer.data, buffer.bytes, buffer.read_seq};
        raise_to(block.used, buffer.write_lane, buffer.write_seq);
        return block;
    }
    void complete_all() {
        for (std::uint32_t lane = 0; lane < lanes->count(); ++lane) {
            lanes->wait(lane, lanes->submitted()[lane]);
        }
    }

    std::unique_ptr<trace::Recording> recording = std::move(*trace::Recording::create(std::size_t{1} << 24));
    SourceLines lines{*recording};
    std::unique_ptr<HandDevice> device;
    std::unique_ptr<Lanes> lanes;
    std::unique_ptr<FrontendRecorder> recorder;
    std::unique_ptr<MemoryManager> memory;
    devices::Signature signature;
    core::OpId op = 0;
};

TEST_P(MemoryManagerTest, BytesOfADroppedBufferAreLiveAsThePolicySays) {
    start(1);
    Buffer* buffer = make(1000, 0);
    EXPECT_EQ(memory->live_bytes(), 1000u);
    memory->free(buffer);
    EXPECT_EQ(memory->live_bytes(), GetParam() == FreePolicy::stream ? 0u : 1000u) << "its op has not run";
    device->complete(0);
    EXPECT_EQ(memory->live_bytes(), 0u);
}

TEST_P(MemoryManagerTest, AFullDeviceIsAnErrorThatNamesTheOp) {
    start(1, std::uint64_t{9} << 20);
    Buffer* first = make(std::uint64_t{5} << 20, 0);
    try {
        make(std::uint64_t{5} << 20, 0);
        FAIL() << "10 MiB were taken of 9 MiB";
    } catch (const ProgramError& error) {
        EXPECT_EQ(error.error().kind, core::ErrorKind::out_of_memory);
        EXPECT_EQ(error.error().op, 2u);
        EXPECT_NE(error.error().message.find("out of memory at op 2"), std::string::npos) << error.what();
    }
    EXPECT_EQ(memory->live_bytes(), std::uint64_t{5} << 20) << "the op that failed took nothing";
    memory->free(first);
    device->complete(0);
    memory->free(make(std::uint64_t{5} << 20, 0));
    complete_all();
}

TEST_P(MemoryManagerTest, TheWholeBudgetCanBeUsed) {
    start(1);
    memory->set_budget(4096);
    memory->free(make(1000, 0));
    device->complete(0);
    Buffer* all = make(4096, 0);
    EXPECT_EQ(memory->live_bytes(), 4096u);
    EXPECT_THROW(make(4, 0), ProgramError);
    memory->free(all);
    complete_all();
}

// Under the policy stream a block that was dropped waits in its lane for an op of the same size.
TEST_P(MemoryManagerTest, AFullDeviceReturnsWhatTheLanesKeep) {
    start(2, std::uint64_t{9} << 20);
    memory->free(make(std::uint64_t{5} << 20, 0));
    if (GetParam() == FreePolicy::stream) {
        memory->free(make(std::uint64_t{6} << 20, 1));
        EXPECT_EQ(waits_of(*recording, trace::WaitKind::memory).size(), 1u);
        EXPECT_EQ(device->completed(0), 1u);
    } else {
        EXPECT_THROW(make(std::uint64_t{6} << 20, 1), ProgramError);
    }
    complete_all();
}

// Under the policy stream it may have been taken in the order of the lane, whose earlier commands still use it.
TEST_P(MemoryManagerTest, MemoryThatIsGivenBackStaysInItsLane) {
    start(2);
    memory->free(make(1000, 0));
    Buffer* refused = memory->new_buffer(signature, 0);
    float* data = refused->data = memory->take(signature, 0, 0, ++op);
    memory->give_back(*refused, 0);
    Buffer* elsewhere = make(1000, 1);
    EXPECT_EQ(elsewhere->data == data, GetParam() == FreePolicy::finish);
    memory->free(elsewhere);
    complete_all();
    EXPECT_EQ(memory->live_bytes(), 0u);
}

TEST_P(MemoryManagerTest, AnEmptiedCacheIsTheDevicesMemoryAgain) {
    constexpr std::uint64_t kBytes = 4 << 20;
    start(2);
    Buffer* kept = make(kBytes, 0);
    for (const std::uint32_t lane : {0u, 1u, 1u}) {
        memory->free(make(kBytes, lane));
    }
    complete_all();
    EXPECT_GT(memory->reserved_bytes(0), kBytes);
    memory->empty_cache();
    EXPECT_EQ(memory->reserved_bytes(0), kBytes);
    EXPECT_EQ(device->used_bytes(), kBytes);
    EXPECT_EQ(memory->live_bytes(), kBytes);
    memory->free(kept);
}

// Programs that make, read and drop tensors while commands complete in any order:
// - live bytes are those of the tensors, and under the policy finish those of dropped ones that are in use;
// - they never exceed the budget, and an op is refused only if they would;
// - no op gets memory that other commands still use, except behind them in the same lane (policy stream).
TEST_P(MemoryManagerTest, RandomProgramsKeepTheBudgetAndNeverShareMemory) {
    int refused = 0, reused = 0;
    for (std::uint32_t seed = 1; seed <= 150; ++seed) {
        std::mt19937 random(seed);
        const auto draw = [&](std::uint64_t n) { return random() % n; };
        start(1 + seed % 3);
        const std::uint64_t budget = 20'000 + draw(40'000);
        memory->set_budget(budget);
        std::vector<Buffer*> tensors;
        std::vector<Block> dropped;
        std::map<float*, int> taken;
        const auto live = [&] {
            std::uint64_t bytes = 0;
            for (const Buffer* tensor : tensors) {
                bytes += tensor->bytes;
            }
            for (const Block& block : dropped) {
                bytes += GetParam() == FreePolicy::finish && in_use(block) ? block.bytes : 0;
            }
            return bytes;
        };
        for (int step = 0; step < 300; ++step) {
            const auto lane = static_cast<std::uint32_t>(draw(lanes->count()));
            const auto choice = draw(10);
            if (choice < 4) {
                const std::uint64_t bytes = 4 * (1 + draw(2000)), before = live();
                try {
                    Buffer* made = make(bytes, lane);
                    ASSERT_LE(before + bytes, budget) << "seed " << seed << ", step " << step;
                    reused += ++taken[made->data] > 1 ? 1 : 0;
                    for (const Buffer* tensor : tensors) {
                        ASSERT_NE(tensor->data, made->data) << "seed " << seed << ", step " << step;
                    }
                    for (const Block& block : dropped) {
                        Block elsewhere = block;
                        if (GetParam() == FreePolicy::stream) {
                            elsewhere.used[lane] = 0;
                        }
                        ASSERT_FALSE(block.data == made->data && in_use(elsewhere))
                            << "seed " << seed << ", step " << step << ": memory in use was given out";
                    }
                    std::erase_if(dropped, [&](const Block& block) { return block.data == made->data; });
                    tensors.push_back(made);
                } catch (const ProgramError&) {
                    ++refused;
                    ASSERT_GT(before + bytes, budget) << "seed " << seed << ", step " << step << ": there was room";
                }
            } else if (choice < 6 && !tensors.empty()) {
                read(tensors[draw(tensors.size())], lane);
            } else if (choice < 8 && !tensors.empty()) {
                const auto at = tensors.begin() + static_cast<std::ptrdiff_t>(draw(tensors.size()));
                dropped.push_back(block_of(**at));
                memory->free(*at);
                tensors.erase(at);
            } else if (device->completed(lane) < lanes->submitted()[lane]) {
                device->complete(lane);
            }
            if (draw(8) == 0) {
                ASSERT_EQ(memory->live_bytes(), live()) << "seed " << seed << ", step " << step;
            }
        }
        for (Buffer* tensor : tensors) {
            memory->free(tensor);
        }
        complete_all();
        EXPECT_EQ(memory->live_bytes(), 0u) << "seed " << seed;
        EXPECT_LE(memory->reserved_bytes(0), device->used_bytes());
        memory.reset();
        EXPECT_EQ(device->used_bytes(), 0u) << "seed " << seed;
    }
    EXPECT_GT(refused, 100);
    EXPECT_GT(reused, 1000);
}

INSTANTIATE_TEST_SUITE_P(Policies, MemoryManagerTest, testing::Values(FreePolicy::finish, FreePolicy::stream),
                         [](const auto& tested) { return std::string(memory::name_of(tested.param)); });

// The device takes memory when an op starts; the manager only tells it when to free.
TEST(MemoryManagerLazy, FreesBehindTheLastUseOfEveryLane) {
    HandDevice device(3);
    const auto recording = std::move(*trace::Recording::create(std::size_t{1} << 24));
    const SourceLines lines(*recording);
    Lanes lanes(std::make_shared<devices::DeviceSet>(device));
    FrontendRecorder recorder(device, *recording, lines, Settings{});
    MemoryManager memory(nullptr, lanes, lines, recorder, FreePolicy::lazy);
    devices::Signature signature;
    signature.out_bytes = 1000;
    EXPECT_EQ(memory.take(signature, 0, 1, 1), nullptr);
    Buffer* buffer = memory.new_buffer(signature, 0);
    const core::BufferId id = buffer->id;
    buffer->write_lane = 1;
    buffer->write_seq = lanes.submit(1, {});
    buffer->read_seq[0] = lanes.submit(0, {});
    buffer->read_seq[2] = lanes.submit(2, {});
    device.complete(2);
    memory.free(buffer);
    // In the writer's lane: a wait for the reader in lane 0, and the command that frees. Lane 2 has finished.
    ASSERT_EQ(device.commands(1).size(), 3u);
    EXPECT_EQ(device.commands(1)[1].wait_lane, 0u);
    EXPECT_EQ(device.commands(1)[1].wait_seq, 1u);
    EXPECT_EQ(device.commands(1)[2].flags, devices::kFreeBuffer);
    EXPECT_EQ(device.commands(1)[2].out_id, id);
    EXPECT_TRUE(lanes.has_open_ops());
    device.complete(0);
    device.complete(1);
    EXPECT_FALSE(lanes.has_open_ops()) << "what is left only waits and frees";
}

}  // namespace
}  // namespace headway::runtime
