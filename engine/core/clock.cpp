#include "engine/core/clock.h"

#include <algorithm>
#include <limits>

#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace headway::core {

namespace detail {

// Invariant TSC is bit 8 of EDX in CPUID leaf 0x80000007 (AMD APM vol. 3, Intel SDM vol. 3 17.17.1).
static bool invariant_tsc() {
#if defined(__x86_64__)
    unsigned a = 0, b = 0, c = 0, d = 0;
    return __get_cpuid(0x80000007u, &a, &b, &c, &d) != 0 && (d & (1u << 8)) != 0;
#else
    return false;
#endif
}

const bool kTicksAreTsc = invariant_tsc();

}  // namespace detail

bool ticks_are_tsc() {
    return detail::kTicksAreTsc;
}

Anchor read_anchor() {
    if (!detail::kTicksAreTsc) {
        const auto now = monotonic_ns();
        return {static_cast<std::uint64_t>(now), now};
    }
    // Take the narrowest of several brackets: an interrupt between the readings widens a bracket.
    Anchor best;
    std::uint64_t width = std::numeric_limits<std::uint64_t>::max();
    for (int i = 0; i < 16; ++i) {
        const auto before = ticks();
        const auto now = monotonic_ns();
        const auto after = ticks();
        if (after - before < width) {
            width = after - before;
            best = {before + (after - before) / 2, now};
        }
    }
    return best;
}

TickScale::TickScale(Anchor first, Anchor last) : origin_(first) {
    if (last.ticks > first.ticks) {
        ns_per_tick_ =
            static_cast<long double>(last.ns - first.ns) / static_cast<long double>(last.ticks - first.ticks);
    }
}

}  // namespace headway::core
