// How long a step of some work may go on. Private to app/model.
//
// Threads: one.
#pragma once

#include <chrono>

namespace headway::model {

class Budget {
public:
    // From now on; 0: without an end.
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
