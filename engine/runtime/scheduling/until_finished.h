// Values that must live until a lane has completed a command that uses them.
//
// Threads: the frontend only.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "engine/runtime/scheduling/lanes.h"

namespace headway::runtime {

template <class T>
class UntilFinished {
public:
    // Keeps `value` until `lane` has completed command `seq`.
    void keep(std::uint32_t lane, std::uint32_t seq, T value) { kept_.push_back({lane, seq, std::move(value)}); }
    // Gives back the value that was kept last.
    [[nodiscard]] T take_last() {
        T value = std::move(kept_.back().value);
        kept_.pop_back();
        return value;
    }
    // Destroys the values whose command has completed. Does nothing while only a few are kept.
    void release(Lanes& lanes) {
        if (kept_.size() > 8) {
            std::erase_if(kept_, [&](const Kept& kept) { return lanes.finished(kept.lane, kept.seq); });
        }
    }

private:
    struct Kept {
        std::uint32_t lane, seq;
        T value;
    };
    std::vector<Kept> kept_;
};

}  // namespace headway::runtime
