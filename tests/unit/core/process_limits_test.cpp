// What a process does with the limits and descriptors that its caller gave it, each in a process of its own.
#include "engine/core/system/process_limits.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <pthread.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <optional>

#include "engine/core/system/standard_fds.h"

namespace headway::core {
namespace {

constexpr rlim_t kKiB = 1024;

// Ends this process: with status 3 and the message on stderr, if it is an error.
[[noreturn]] void exit_with(const Result<void>& result) {
    if (!result) {
        std::fputs(result.error().message.c_str(), stderr);
    }
    _exit(result ? 0 : 3);
}

void set_limit(int resource, rlim_t soft, std::optional<rlim_t> hard = {}) {
    rlimit limit{};
    getrlimit(resource, &limit);
    limit.rlim_cur = soft;
    limit.rlim_max = hard.value_or(limit.rlim_max);
    if (setrlimit(resource, &limit) != 0) {
        _exit(99);
    }
}

// Whether ensure_stack() is fine and leaves this limit.
bool stack_becomes(rlim_t soft) {
    const bool fine = static_cast<bool>(ensure_stack());
    rlimit limit{};
    return getrlimit(RLIMIT_STACK, &limit) == 0 && fine && limit.rlim_cur == soft;
}

TEST(ProcessLimitsDeathTest, ASmallStackIsRaisedAlsoForNewThreads) {
    EXPECT_EXIT(
        {
            set_limit(RLIMIT_STACK, 200 * kKiB, 1024 * kKiB);
            const bool raised = stack_becomes(1024 * kKiB);
            pthread_attr_t attributes;
            std::size_t of_threads = 0;
            pthread_getattr_default_np(&attributes);
            pthread_attr_getstacksize(&attributes, &of_threads);
            _exit(raised && of_threads == 1024 * kKiB ? 0 : 1);
        },
        testing::ExitedWithCode(0), "");
}

TEST(ProcessLimitsDeathTest, AStackThatCannotBeRaisedIsAnError) {
    EXPECT_EXIT(
        {
            set_limit(RLIMIT_STACK, 200 * kKiB, 200 * kKiB);
            exit_with(ensure_stack());
        },
        testing::ExitedWithCode(3),
        "the stack of this process is limited to 200 KiB \\(ulimit -s\\), and Headway needs 256 KiB");
}

TEST(ProcessLimitsDeathTest, ALargeEnoughStackStaysAsItIs) {
    EXPECT_EXIT(
        {
            set_limit(RLIMIT_STACK, 256 * kKiB, 1024 * kKiB);
            _exit(stack_becomes(256 * kKiB) ? 0 : 1);
        },
        testing::ExitedWithCode(0), "");
}

// 1.5 GiB, and 256 MiB for each worker; with so many of them that the sanitizers' own addresses fit into the limit.
TEST(ProcessLimitsDeathTest, TooFewAddressesForTheWorkersAreAnError) {
    constexpr std::size_t kWorkers = 1 << 20;
    constexpr rlim_t kLeast = (rlim_t{1536} << 20) + kWorkers * (rlim_t{256} << 20);
    EXPECT_EXIT(
        {
            set_limit(RLIMIT_AS, kLeast - 1);
            exit_with(check_addresses(kWorkers));
        },
        testing::ExitedWithCode(3), "the addresses of this process are limited to .* \\(ulimit -v\\), and a run with");
    EXPECT_EXIT(
        {
            set_limit(RLIMIT_AS, kLeast);
            exit_with(check_addresses(kWorkers));
        },
        testing::ExitedWithCode(0), "");
}

bool is_null_device(int fd, int access) {
    struct stat null {};
    struct stat opened {};
    return stat("/dev/null", &null) == 0 && fstat(fd, &opened) == 0 && opened.st_rdev == null.st_rdev &&
           (fcntl(fd, F_GETFL) & O_ACCMODE) == access;
}

TEST(StandardFdsDeathTest, ClosedOnesAreReplaced) {
    EXPECT_EXIT(
        {
            close(STDIN_FILENO);
            close(STDOUT_FILENO);
            ensure_standard_fds();
            _exit(is_null_device(STDIN_FILENO, O_RDONLY) && is_null_device(STDOUT_FILENO, O_WRONLY) ? 0 : 1);
        },
        testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace headway::core
