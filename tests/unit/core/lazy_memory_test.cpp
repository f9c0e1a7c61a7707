#include "engine/core/system/lazy_memory.h"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <string>

#include "engine/core/system/pages.h"
#include "engine/core/system/unique_fd.h"

namespace headway::core {
namespace {

constexpr std::byte kWritten{7};

UniqueFd file_of(std::size_t bytes) {
    UniqueFd fd(memfd_create("test", MFD_CLOEXEC));
    EXPECT_EQ(ftruncate(fd.get(), static_cast<off_t>(bytes)), 0);
    return fd;
}

bool is_aligned(const LazyMemory& memory) {
    return reinterpret_cast<std::uintptr_t>(memory.data()) % kHugePageBytes == 0;
}

std::byte first_byte_of(const UniqueFd& file) {
    std::byte byte{};
    EXPECT_EQ(pread(file.get(), &byte, 1, 0), 1);
    return byte;
}

TEST(LazyMemory, IsZeroedAlignedAndInWholeHugePages) {
    const LazyMemory memory = LazyMemory::zeroed(kHugePageBytes + 1);
    ASSERT_TRUE(memory);
    EXPECT_TRUE(is_aligned(memory));
    EXPECT_EQ(memory.size(), 2 * kHugePageBytes);
    EXPECT_TRUE(
        std::all_of(memory.data(), memory.data() + memory.size(), [](std::byte b) { return b == std::byte{}; }));
    memory.data()[memory.size() - 1] = kWritten;
}

// Bytes of addresses that this process has mapped.
std::size_t mapped_bytes() {
    std::size_t pages = 0;
    FILE* file = std::fopen("/proc/self/statm", "re");
    EXPECT_NE(file, nullptr);
    EXPECT_EQ(std::fscanf(file, "%zu", &pages), 1);
    std::fclose(file);
    return pages * static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
}

// The alignment costs no addresses, wherever the system puts the range.
TEST(LazyMemory, TakesTheAddressesOfItsSizeOnly) {
#if defined(HEADWAY_SANITIZED)
    GTEST_SKIP() << "sanitizers map memory of their own";
#endif
    const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    for (const std::size_t pages : {1, 2, 300, 511}) {
        void* before = mmap(nullptr, pages * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        ASSERT_NE(before, MAP_FAILED);
        const UniqueFd file = file_of(5 * page);
        static_cast<void>(mapped_bytes());
        const std::size_t first = mapped_bytes();
        {
            const LazyMemory zeroed = LazyMemory::zeroed(kHugePageBytes);
            const LazyMemory of_file = LazyMemory::of_file(file.get(), 4 * page + 1);
            EXPECT_TRUE(is_aligned(zeroed));
            EXPECT_TRUE(is_aligned(of_file));
            EXPECT_EQ(mapped_bytes(), first + kHugePageBytes + 5 * page);
        }
        EXPECT_EQ(mapped_bytes(), first);
        munmap(before, pages * page);
    }
}

TEST(LazyMemory, MayBeLargerThanTheMachinesMemory) {
    const std::size_t bytes = std::size_t{1} << 40;
    if (!addresses_for(bytes)) {
        GTEST_SKIP() << "there are not so many addresses";
    }
    const LazyMemory memory = LazyMemory::zeroed(bytes);
    ASSERT_TRUE(memory);
    memory.data()[bytes - 1] = kWritten;
}

TEST(LazyMemory, SaysWhenThereAreNoAddresses) {
    constexpr std::size_t kTooMuch = std::size_t{1} << 60;
    EXPECT_FALSE(addresses_for(kTooMuch));
    errno = 0;
    EXPECT_FALSE(LazyMemory::zeroed(kTooMuch));
    EXPECT_EQ(errno, ENOMEM);
}

TEST(LazyMemory, OfAFileSharesItsChanges) {
    const UniqueFd file = file_of(10'000);
    const LazyMemory memory = LazyMemory::of_file(file.get(), 10'000);
    ASSERT_TRUE(memory);
    EXPECT_TRUE(is_aligned(memory));
    EXPECT_EQ(memory.size(), 10'000u);
    memory.data()[0] = kWritten;
    EXPECT_EQ(first_byte_of(file), kWritten);
}

TEST(LazyMemory, OfAFileCanBeAPrivateCopy) {
    const UniqueFd file = file_of(10'000);
    const LazyMemory memory = LazyMemory::of_file(file.get(), 10'000, LazyMemory::Mapping::private_copy);
    ASSERT_TRUE(memory);
    memory.data()[0] = kWritten;
    EXPECT_EQ(first_byte_of(file), std::byte{});
}

TEST(LazyMemory, OfAFileCanLeaveTheFile) {
    const UniqueFd file = file_of(10'000);
    LazyMemory memory = LazyMemory::of_file(file.get(), 10'000);
    ASSERT_TRUE(memory);
    memory.data()[0] = kWritten;
    memory.become_private();
    EXPECT_EQ(memory.data()[0], std::byte{});
    memory.data()[0] = std::byte{9};
    EXPECT_EQ(first_byte_of(file), kWritten);
}

TEST(LazyMemory, OfNoFileFailsWithTheReason) {
    EXPECT_FALSE(LazyMemory::of_file(-1, 4096));
    EXPECT_EQ(errno, EBADF);
}

TEST(LazyMemory, MovesAndReturnsItsPages) {
    LazyMemory memory = LazyMemory::zeroed(kHugePageBytes);
    std::byte* data = memory.data();
    LazyMemory moved = std::move(memory);
    EXPECT_FALSE(memory);  // NOLINT(bugprone-use-after-move): documented
    EXPECT_EQ(moved.data(), data);
    { const LazyMemory taken_back(moved.release(), kHugePageBytes); }
    unsigned char resident = 0;
    EXPECT_EQ(mincore(data, 1, &resident), -1);  // no longer mapped
    EXPECT_EQ(errno, ENOMEM);
}

TEST(LazyMemory, CanBeZeroInAChildProcess) {
    LazyMemory memory = LazyMemory::zeroed(kHugePageBytes);
    memory.zero_after_fork();
    memory.data()[0] = kWritten;
    const pid_t child = fork();
    if (child == 0) {
        _exit(memory.data()[0] == std::byte{} ? 0 : 1);
    }
    int status = 0;
    waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
}

}  // namespace
}  // namespace headway::core
