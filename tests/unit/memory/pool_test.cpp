#include "engine/memory/pool.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <map>
#include <set>

namespace headway::memory {

namespace {

// Returns at most a fixed number of bytes in total and checks who owns which block.
class CountingSource final : public Source {
public:
    explicit CountingSource(std::size_t limit = ~std::size_t{0}) : limit_(limit) {}
    ~CountingSource() override { EXPECT_TRUE(out.empty()) << "a block was never given back"; }
    void* allocate(std::size_t bytes) override {
        if (taken + bytes > limit_) {
            return nullptr;
        }
        void* data = std::aligned_alloc(64, (bytes + 63) / 64 * 64);
        taken += bytes;
        ++takes;
        out[data] = bytes;
        return data;
    }
    void deallocate(void* data, std::size_t bytes) override {
        EXPECT_EQ(out.at(data), bytes);
        out.erase(data);
        taken -= bytes;
        std::free(data);
    }
    std::map<void*, std::size_t> out;
    std::size_t taken = 0, takes = 0;

private:
    std::size_t limit_;
};

}  // namespace

TEST(Pool, SizeClassesRoundUpByAtMostAnEighth) {
    CountingSource source;
    Pool pool(source);
    for (std::uint64_t bytes = 4097; bytes < 100'000'000; bytes = bytes * 3 / 2 + 1) {
        const auto size_class = pool.size_class(bytes);
        float* block = pool.take(size_class, 0);
        ASSERT_NE(block, nullptr);
        if (source.out.count(block) != 0 && bytes > (1u << 20)) {
            EXPECT_GE(source.out[block], bytes);
            EXPECT_LE(source.out[block], bytes + bytes / 8 + 1);
        }
        pool.give_anywhere(size_class, block);
    }
}

TEST(Pool, BlocksInUseNeverOverlap) {
    CountingSource source;
    Pool pool(source);
    const auto small = pool.size_class(8);
    std::set<float*> blocks;
    for (int i = 0; i < 5000; ++i) {
        float* block = pool.take(small, 0);
        block[0] = static_cast<float>(i);
        block[15] = static_cast<float>(i);
        EXPECT_TRUE(blocks.insert(block).second);
    }
    float* before = nullptr;
    for (float* block : blocks) {
        if (before != nullptr) {
            EXPECT_GE(block - before, 16);
        }
        before = block;
    }
    for (float* block : blocks) {
        pool.give_anywhere(small, block);
    }
}

TEST(Pool, BlockFreeInOneLaneIsNotUsedByAnother) {
    CountingSource source;
    Pool pool(source);
    const auto size_class = pool.size_class(3 << 20);
    float* block = pool.take(size_class, 0);
    pool.give_in_lane(size_class, 1, block);
    EXPECT_FALSE(pool.has_used(size_class, 0));
    EXPECT_TRUE(pool.has_used(size_class, 1));
    float* other = pool.take(size_class, 0);
    EXPECT_NE(other, block);
    EXPECT_EQ(pool.take(size_class, 1), block);
    pool.give_anywhere(size_class, block);
    pool.give_anywhere(size_class, other);
}

TEST(Pool, ReusesBlocksBeforeAllocating) {
    CountingSource source;
    Pool pool(source);
    const auto size_class = pool.size_class(300'000);
    for (int i = 0; i < 1000; ++i) {
        pool.give_anywhere(size_class, pool.take(size_class, 0));
    }
    EXPECT_EQ(source.takes, 1u);
}

TEST(Pool, TrimsUnusedBlocksBeforeFailing) {
    CountingSource source(10 << 20);
    Pool pool(source);
    const auto large = pool.size_class(6 << 20);
    const auto other = pool.size_class(7 << 20);
    pool.give_anywhere(large, pool.take(large, 0));
    float* block = pool.take(other, 0);
    ASSERT_NE(block, nullptr) << "6 of 10 MiB are cached and unused, 7 MiB are requested";
    EXPECT_EQ(pool.take(large, 0), nullptr);
    pool.give_anywhere(other, block);
}

TEST(Pool, ReturnsTheUnusedBlocksOfAllLanes) {
    CountingSource source;
    Pool pool(source);
    const auto large = pool.size_class(3 << 20);
    float* used = pool.take(large, 0);
    pool.give_in_lane(large, 1, pool.take(large, 1));
    pool.give_anywhere(large, pool.take(large, 0));
    pool.trim_lanes();
    EXPECT_EQ(source.out.size(), 1u);
    EXPECT_TRUE(source.out.contains(used));
    EXPECT_EQ(pool.reserved_bytes(), std::uint64_t{3} << 20);
    EXPECT_FALSE(pool.has_used(large, 1));
    pool.give_anywhere(large, used);
}

TEST(Pool, TakesOneBlockWhereASlabHasNoRoom) {
    constexpr std::size_t kBytes = 4096;
    CountingSource source(2 * kBytes);
    Pool pool(source);
    const auto small = pool.size_class(kBytes);
    float* block = pool.take(small, 0);
    ASSERT_NE(block, nullptr);
    EXPECT_EQ(pool.reserved_bytes(), kBytes);
    float* other = pool.take(small, 0);
    ASSERT_NE(other, nullptr);
    EXPECT_NE(other, block);
    EXPECT_EQ(pool.take(small, 0), nullptr);
    EXPECT_EQ(pool.reserved_bytes(), 2 * kBytes);
    pool.give_anywhere(small, block);
    pool.give_anywhere(small, other);
}

TEST(Pool, ClassWithFewBlocksStaysSmall) {
    CountingSource source;
    Pool pool(source);
    const auto size_class = pool.size_class(512 << 10);
    for (int i = 0; i < 4; ++i) {
        pool.give_in_lane(size_class, 0, pool.take(size_class, 1));
    }
    EXPECT_LE(pool.reserved_bytes(), std::uint64_t{4} * (512 << 10));
}

}  // namespace headway::memory
