// The time limit of one step of incremental work. Private to app/model.
//
// Threads: one.
#pragma once

#include <chrono>

namespace headway::model {

class Budget {
public:
    // Counts from construction. 0: no limit.
    explicit Budget(double ms) : ms_(ms) {}
    [[nodiscard]] bool spent() const {
        return ms_ > 0 && std::chrono::duration<double, std::milli>(Clock::now() - begin_).count() > ms_;
    }

private:
    using Clock = std::chrono::steady_clock;
    double ms_;
    Clock::time_point begin_ = Clock::now();
};

}  // namespace headway::model
