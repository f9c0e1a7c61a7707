// Prefetches data that is needed soon, so that it is loaded while other work is done.
#pragma once

namespace headway::model {

// [begin, end), contiguous. Always inlined: g++ 12 takes a function that only prefetches for one without side
// effects, and removes the call.
[[gnu::always_inline]] inline void prefetch(const void* begin, const void* end) {
    constexpr int kLine = 64;
    const auto* last = static_cast<const char*>(end) - 1;
    for (const auto* at = static_cast<const char*>(begin); at < last; at += last - at < kLine ? last - at : kLine) {
        __builtin_prefetch(at);
    }
    __builtin_prefetch(last);
}

}  // namespace headway::model
