// The time limit of one step of incremental work.
//
// Threads: one.
#pragma once

#include <chrono>

namespace headway::core {

class TimeBudget {
public:
    // Counts from construction. 0: no limit.
    explicit TimeBudget(double ms) : ms_(ms) {}
    [[nodiscard]] bool spent() const {
        return ms_ > 0 && std::chrono::duration<double, std::milli>(Clock::now() - begin_).count() > ms_;
    }

private:
    using Clock = std::chrono::steady_clock;
    double ms_;
    Clock::time_point begin_ = Clock::now();
};

}  // namespace headway::core
