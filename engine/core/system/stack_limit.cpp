#include "engine/core/system/stack_limit.h"

#include <sys/resource.h>

#include <algorithm>
#include <string>

namespace headway::core {
namespace {

constexpr rlim_t kLeast = rlim_t{256} << 10;  // a figure needs between 64 and 128 KiB, a Python program less
constexpr rlim_t kUsual = rlim_t{8} << 20;

}  // namespace

Result<void> ensure_stack() {
    rlimit limit{};
    if (getrlimit(RLIMIT_STACK, &limit) != 0 || limit.rlim_cur >= kLeast) {
        return {};
    }
    limit.rlim_cur = std::min(kUsual, limit.rlim_max);
    if (limit.rlim_cur >= kLeast && setrlimit(RLIMIT_STACK, &limit) == 0) {
        return {};
    }
    return Error{ErrorKind::unavailable,
                 "the stack of this process is limited to " + std::to_string(limit.rlim_cur >> 10) +
                     " KiB (ulimit -s), and Headway needs " + std::to_string(kLeast >> 10) + " KiB"};
}

}  // namespace headway::core
