#include "engine/core/system/process_limits.h"

#include <pthread.h>
#include <sys/resource.h>

#include <algorithm>
#include <string>

#include "engine/core/bytes.h"
#include "engine/core/count_text.h"

namespace headway::core {
namespace {

constexpr rlim_t kLeast = rlim_t{256} << 10;  // a figure needs between 64 and 128 KiB, a Python program less
constexpr rlim_t kUsual = rlim_t{8} << 20;
// Measured with products on two workers: runs fail in one way or another up to 1.5 GB, and never from 1.7 GB on.
constexpr rlim_t kAddresses = rlim_t{1536} << 20;
constexpr rlim_t kAddressesOfWorker = rlim_t{256} << 20;  // its stack, its heap and OpenBLAS's buffer

// Needed in addition to setrlimit(): the C library reads the limit for new threads only when the process begins.
bool give_threads_stacks_of(std::size_t bytes) {
    pthread_attr_t attributes;
    if (pthread_getattr_default_np(&attributes) != 0) {
        return false;
    }
    const bool given =
        pthread_attr_setstacksize(&attributes, bytes) == 0 && pthread_setattr_default_np(&attributes) == 0;
    pthread_attr_destroy(&attributes);
    return given;
}

}  // namespace

Result<void> ensure_stack() {
    rlimit limit{};
    if (getrlimit(RLIMIT_STACK, &limit) != 0 || limit.rlim_cur >= kLeast) {
        return {};
    }
    limit.rlim_cur = std::min(kUsual, limit.rlim_max);
    if (limit.rlim_cur >= kLeast && setrlimit(RLIMIT_STACK, &limit) == 0 && give_threads_stacks_of(limit.rlim_cur)) {
        return {};
    }
    return Error{ErrorKind::unavailable,
                 "the stack of this process is limited to " + std::to_string(limit.rlim_cur >> 10) +
                     " KiB (ulimit -s), and Headway needs " + std::to_string(kLeast >> 10) + " KiB"};
}

Result<void> check_addresses(std::size_t workers) {
    const rlim_t least = kAddresses + workers * kAddressesOfWorker;
    rlimit limit{};
    if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur >= least) {
        return {};
    }
    return Error{ErrorKind::unavailable, "the addresses of this process are limited to " + bytes_text(limit.rlim_cur) +
                                             " (ulimit -v), and a run with " + counted(workers, "worker") + " needs " +
                                             bytes_text(least)};
}

bool addresses_are_limited() {
    static const bool limited = [] {
        rlimit limit{};
        return getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY;
    }();
    return limited;
}

}  // namespace headway::core
