// The steady clock. The hot path reads raw ticks (the time stamp counter where it is invariant); everything shown to
// the user is in nanoseconds, converted with a scale that the trace contains.
//
// Threads: any.
#pragma once

#include <cstdint>
#include <ctime>

#if defined(__x86_64__)
#include <x86intrin.h>
#endif

namespace headway::core {

// CLOCK_MONOTONIC in nanoseconds. Any thread.
inline std::int64_t monotonic_ns() {
    timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return std::int64_t{t.tv_sec} * 1'000'000'000 + t.tv_nsec;
}

// Whether ticks() is the time stamp counter (constant rate, the same on all cores); otherwise it is monotonic_ns().
bool ticks_are_tsc();

namespace detail {
extern const bool kTicksAreTsc;
}

// Raw ticks, unfenced: about 8 ns where the counter is used. Any thread.
inline std::uint64_t ticks() {
#if defined(__x86_64__)
    if (detail::kTicksAreTsc) {
        return __rdtsc();
    }
#endif
    return static_cast<std::uint64_t>(monotonic_ns());
}

// Orders the next ticks() after every earlier load of this thread. Without it the processor may read the counter early,
// before it loads the flag that another thread set. Costs a few nanoseconds.
inline void order_ticks() {
#if defined(__x86_64__)
    _mm_lfence();
#endif
}

// A pair of readings of both clocks, taken as close together as possible.
struct Anchor {
    std::uint64_t ticks = 0;
    std::int64_t ns = 0;
};
Anchor read_anchor();

// Converts ticks to nanoseconds, using two anchors. The further apart they are, the more precise the scale.
class TickScale {
public:
    TickScale() = default;  // one tick is one nanosecond
    TickScale(Anchor first, Anchor last);

    // Nanoseconds on CLOCK_MONOTONIC at a reading of ticks().
    [[nodiscard]] std::int64_t ns_from_ticks(std::uint64_t ticks) const {
        const auto delta = static_cast<std::int64_t>(ticks - origin_.ticks);
        return origin_.ns + static_cast<std::int64_t>(static_cast<long double>(delta) * ns_per_tick_);
    }
    [[nodiscard]] double ns_per_tick() const { return static_cast<double>(ns_per_tick_); }

private:
    Anchor origin_;
    long double ns_per_tick_ = 1.0L;
};

}  // namespace headway::core
