#include "app/runner/commands/limit_guard.h"

#include <unistd.h>

#include <utility>

#include "app/runner/execution/limit_watch.h"
#include "app/runner/execution/messages.h"
#include "engine/core/clock.h"
#include "engine/trace/recording_file.h"

namespace headway::runner {
namespace {

constexpr std::int64_t kGuardPeriod_ns = 100'000'000;
// The program's own watch asks the program to stop and waits for a second.
constexpr std::int64_t kGuardPatience_ns = 1'500'000'000;

}  // namespace

LimitGuard::LimitGuard(const confinement::Limits& limits, int recording, std::vector<pid_t> before)
    : limits_(limits), recording_(recording), before_(std::move(before)), last_ns_(core::monotonic_ns()) {}

bool LimitGuard::look() {
    const std::int64_t now_ns = core::monotonic_ns();
    if (!limits_.any() || now_ns - last_ns_ < kGuardPeriod_ns) {
        return false;
    }
    elapsed_ns_ += static_cast<std::uint64_t>(now_ns - last_ns_);
    last_ns_ = now_ns;
    const confinement::Usage usage = confinement::usage_below(getpid(), before_, limits_.memory_bytes);
    const std::string reached = confinement::exceeded(limits_, usage, elapsed_ns_ / 1'000'000);
    if (reached.empty()) {
        exceeded_ns_ = 0;
        return false;
    }
    reached_ = reached_.empty() ? reached : reached_;
    exceeded_ns_ = exceeded_ns_ == 0 ? now_ns : exceeded_ns_;
    const bool too_much = limits_.memory_bytes != 0 && usage.memory_bytes > limits_.memory_bytes / 2 * 3;
    return too_much || now_ns - exceeded_ns_ > kGuardPatience_ns;
}

void LimitGuard::record() const {
    if (!trace::record_error(recording_, error_json(limit_error(reached_)))) {
        tell(reached_);
    }
}

}  // namespace headway::runner
