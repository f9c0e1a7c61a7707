// Values that must live until a lane has completed a command that uses them.
//
// Threads: the frontend only.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <utility>

#include "engine/runtime/scheduling/lanes.h"

namespace headway::runtime {

template <class T>
class UntilFinished {
public:
    // Keeps `value` until `lane` has completed command `seq`, which is not before one that was given earlier.
    void keep(std::uint32_t lane, std::uint32_t seq, T value) { kept_[lane].push_back({seq, std::move(value)}); }
    // Gives back the value that was kept last for this lane.
    [[nodiscard]] T take_last(std::uint32_t lane) {
        T value = std::move(kept_[lane].back().value);
        kept_[lane].pop_back();
        return value;
    }
    // Destroys the values whose command has completed. Does nothing for lanes with only a few.
    void release(Lanes& lanes) {
        for (std::uint32_t lane = 0; lane < lanes.count(); ++lane) {
            if (auto& kept = kept_[lane]; kept.size() > 8) {
                while (!kept.empty() && lanes.finished(lane, kept.front().seq)) {
                    kept.pop_front();
                }
            }
        }
    }

private:
    struct Kept {
        std::uint32_t seq;
        T value;
    };
    std::array<std::deque<Kept>, core::kMaxLanes> kept_;
};

}  // namespace headway::runtime
