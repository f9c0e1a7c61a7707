// Numbers the streams of random numbers: each random op draws from a stream of its own.
//
// Threads: the frontend only.
#pragma once

#include <cstdint>

namespace headway::runtime {

class RandomStreams {
public:
    std::uint64_t next() { return ++last_; }
    // Restarts random numbers: those drawn after this call depend only on `number` and the run's seed.
    void start(std::uint64_t number) {
        // Mixed with SplitMix64, so that its streams are far from those of other numbers and of programs that set none.
        std::uint64_t mixed = number + 0x9e3779b97f4a7c15ull;
        mixed = (mixed ^ mixed >> 30) * 0xbf58476d1ce4e5b9ull;
        mixed = (mixed ^ mixed >> 27) * 0x94d049bb133111ebull;
        last_ = (mixed ^ mixed >> 31) | std::uint64_t{1} << 63;
    }

private:
    std::uint64_t last_ = 0;
};

}  // namespace headway::runtime
