#include "engine/runtime/frontend/frontend_costs.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <utility>

#include "engine/core/clock.h"

namespace headway::runtime {

using trace::CostKind;

namespace {

std::uint16_t short_ticks(std::uint64_t ticks) {
    return static_cast<std::uint16_t>(std::min<std::uint64_t>(ticks, 0xffff));
}

}  // namespace

FrontendCosts::FrontendCosts(trace::Recording& recording) : costs_(recording, {trace::StreamKind::costs, 0}) {}

void FrontendCosts::measured(CostKind kind, std::uint64_t begin, std::uint64_t count, bool alone) {
    const std::uint64_t end = core::ticks();
    const std::uint64_t again = core::ticks();
    const std::size_t of = kind == CostKind::drop ? 1 : 0;
    std::uint64_t weight = 1;
    if (alone) {
        ++alone_[of];
    } else {
        weight = count - std::min(count - 1, sampled_[of] + alone_[of]);
        sampled_[of] = count;
        alone_[of] = 0;
    }
    costs_.add({begin, interpreter_ticks_, trace::pack_duration(end - begin), static_cast<std::uint32_t>(weight),
                short_ticks(again - end), sampling_, kind, 0});
    sampling_ = short_ticks(core::ticks() - end);
}

void FrontendCosts::look_for_core(std::uint64_t begin, std::uint64_t issue, std::uint64_t end) {
    const std::uint64_t ns = without_core_ns();
    if (ns != 0 && begin != 0) {
        const bool issuing = end - issue > issue - begin;
        costs_.add({begin, ns, trace::pack_duration(end - begin), 1, 0, sampling_,
                    issuing ? CostKind::not_scheduled_issue : CostKind::not_scheduled, 0});
        sampling_ = 0;
    }
}

// Reads the second number of schedstat: nanoseconds spent runnable but not on a core.
std::uint64_t FrontendCosts::without_core_ns() {
    std::array<char, 96> text{};
    if (!schedstat_ || pread(schedstat_.get(), text.data(), text.size() - 1, 0) <= 0) {
        return 0;
    }
    char* rest = nullptr;
    std::strtoull(text.data(), &rest, 10);
    const std::uint64_t now = std::strtoull(rest, nullptr, 10);
    return now - std::exchange(without_core_ns_, now);
}

void FrontendCosts::record_totals(std::uint64_t now) {
    if (!std::exchange(schedstat_tried_, true)) {
        schedstat_.reset(open("/proc/thread-self/schedstat", O_RDONLY | O_CLOEXEC));
        forget_core();
    }
    rusage usage{};
    getrusage(RUSAGE_THREAD, &usage);
    costs_.add({now, interpreter_ticks_, static_cast<std::uint32_t>(std::min(usage.ru_minflt, 0x7fff'ffffl)),
                static_cast<std::uint32_t>(std::min(usage.ru_majflt, 0x7fff'ffffl)), 0, sampling_, CostKind::totals,
                0});
    sampling_ = 0;
}

}  // namespace headway::runtime
