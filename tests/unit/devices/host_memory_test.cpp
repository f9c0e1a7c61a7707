#include "engine/devices/cpu/host_memory.h"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <fstream>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "engine/core/system/lazy_memory.h"

namespace headway::devices {

namespace {

constexpr std::size_t kPage = HostMemory::kPageBytes;

bool resident(void* data, std::size_t bytes) {
    std::vector<unsigned char> pages(bytes / static_cast<std::size_t>(sysconf(_SC_PAGESIZE)));
    return mincore(data, bytes, pages.data()) == 0 &&
           std::all_of(pages.begin(), pages.end(), [](unsigned char page) { return (page & 1) != 0; });
}

std::size_t peak_resident_bytes() {
    std::ifstream status("/proc/self/status");
    for (std::string line; std::getline(status, line);) {
        if (line.starts_with("VmHWM:")) {
            return std::stoull(line.substr(6)) << 10;
        }
    }
    return 0;
}

TEST(HostMemory, BlocksAreAlignedAndDisjoint) {
    HostMemory memory;
    ASSERT_GT(memory.reserved_bytes(), 8 * kPage);
    std::vector<std::byte*> blocks;
    for (const std::size_t bytes : {kPage, std::size_t{1}, 3 * kPage - 1, std::size_t{70'000}}) {
        auto* block = static_cast<std::byte*>(memory.take(bytes, false));
        ASSERT_NE(block, nullptr);
        EXPECT_EQ(reinterpret_cast<std::uintptr_t>(block) % HostMemory::kGrainBytes, 0u);
        EXPECT_TRUE(memory.owns(block));
        std::memset(block, static_cast<int>(blocks.size() + 1), bytes);
        blocks.push_back(block);
    }
    for (std::size_t i = 0; i < blocks.size(); ++i) {
        EXPECT_EQ(*blocks[i], static_cast<std::byte>(i + 1));
    }
    int elsewhere = 0;
    EXPECT_FALSE(memory.owns(&elsewhere));
}

TEST(HostMemory, BlocksAreZeroWhateverWasInThemBefore) {
    HostMemory memory;
    for (const std::size_t bytes : {HostMemory::kGrainBytes, kPage + 1, 3 * kPage}) {
        for (int i = 0; i < 2; ++i) {
            auto* block = static_cast<std::byte*>(memory.take(bytes, i == 1));
            ASSERT_NE(block, nullptr);
            EXPECT_TRUE(std::all_of(block, block + bytes, [](std::byte b) { return b == std::byte{0}; })) << bytes;
            std::memset(block, 7, bytes);
            memory.give(block, bytes);
        }
    }
}

TEST(HostMemory, TooMuchIsRefused) {
    HostMemory memory;
    EXPECT_EQ(memory.take(memory.reserved_bytes() + 1, false), nullptr);
    EXPECT_EQ(memory.take(0, false), nullptr);
    void* all = memory.take(memory.reserved_bytes(), false);
    ASSERT_NE(all, nullptr);
    EXPECT_EQ(memory.take(1, false), nullptr);
    memory.give(all, memory.reserved_bytes());
    EXPECT_NE(memory.take(1, false), nullptr);
}

TEST(HostMemory, FreedBlocksMergeInAnyOrder) {
    HostMemory memory;
    std::mt19937 generator(1);
    std::vector<std::pair<void*, std::size_t>> blocks;
    for (int round = 0; round < 50; ++round) {
        for (int i = 0; i < 20; ++i) {
            const std::size_t bytes = 1 + generator() % (3 * kPage);
            blocks.emplace_back(memory.take(bytes, i % 4 == 0), bytes);
            ASSERT_NE(blocks.back().first, nullptr);
        }
        std::shuffle(blocks.begin(), blocks.end(), generator);
        const std::size_t keep = round == 49 ? 0 : blocks.size() / 2;
        for (; blocks.size() > keep; blocks.pop_back()) {
            memory.give(blocks.back().first, blocks.back().second);
        }
    }
    EXPECT_NE(memory.take(memory.reserved_bytes(), false), nullptr);
}

TEST(HostMemory, PagesAreResidentAheadOfTheirUse) {
    HostMemory memory;
    void* block = memory.take(4 * kPage, true);
    ASSERT_NE(block, nullptr);
    if (madvise(block, kPage, 23 /* MADV_POPULATE_WRITE */) != 0) {
        GTEST_SKIP() << "this kernel cannot make pages resident ahead (it needs Linux 5.14)";
    }
    const auto give_up = std::chrono::steady_clock::now() + std::chrono::seconds(30);
    while (!resident(block, 4 * kPage) && std::chrono::steady_clock::now() < give_up) {
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    EXPECT_TRUE(resident(block, 4 * kPage));
}

TEST(HostMemory, EndsWithoutMakingTheQueuedPagesResident) {
    constexpr std::size_t kBytes = std::size_t{2} << 30;
    std::ofstream("/proc/self/clear_refs") << "5";  // the process's peak begins at its present size
    const std::size_t before = peak_resident_bytes();
    {
        HostMemory memory;
        ASSERT_NE(memory.take(kBytes, true), nullptr);
    }
    EXPECT_LT(peak_resident_bytes(), before + kBytes / 2);
}

TEST(HostMemory, SmallBlocksShareAPage) {
    HostMemory memory;
    auto* first = static_cast<std::byte*>(memory.take(1000, false));
    auto* second = static_cast<std::byte*>(memory.take(1000, false));
    EXPECT_EQ(second, first + HostMemory::kGrainBytes);
    *second = std::byte{7};
    memory.give(first, 1000);
    EXPECT_EQ(*second, std::byte{7});
}

TEST(HostMemory, FreedMemoryIsZeroAndNotResident) {
    HostMemory memory;
    auto* block = static_cast<std::byte*>(memory.take(2 * kPage, true));
    ASSERT_NE(block, nullptr);
    std::memset(block, 1, 2 * kPage);
    memory.give(block, 2 * kPage);
    EXPECT_FALSE(resident(block, 2 * kPage));
    auto* again = static_cast<std::byte*>(memory.take(2 * kPage, false));
    ASSERT_EQ(again, block);
    EXPECT_EQ(*again, std::byte{0});
}

TEST(HostMemory, WorksUnderAnAddressSpaceLimit) {
#if defined(HEADWAY_SANITIZED)
    GTEST_SKIP() << "sanitizers reserve more addresses than such a limit leaves";
#endif
    GTEST_FLAG_SET(death_test_style, "threadsafe");  // in a process that has not yet asked for its limits
    EXPECT_EXIT(
        {
            rlimit few;
            few.rlim_cur = few.rlim_max = std::uint64_t{2} << 30;
            setrlimit(RLIMIT_AS, &few);
            HostMemory memory;
            const bool well = memory.reserved_bytes() > 0 && memory.take(kPage, false) != nullptr &&
                              core::addresses_for(memory.reserved_bytes());  // as many are left
            std::_Exit(well ? 0 : 1);
        },
        testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace headway::devices
