// How much of the machine the window uses. A run needs one core for its frontend and one for its backend. On machines
// with few cores the window draws only as often as needed to follow the run, less often if its frames are expensive (as
// without a GPU), and reads only a little of the recording per frame; the rest is read when the run is over, or when
// the recording gets full.
//
// Threads: any.
#pragma once

#include <algorithm>
#include <ctime>
#include <thread>

namespace headway::ui {

// Follows the processor time of the frames.
class FrameCost {
public:
    void begin() { begin_ms_ = process_ms(); }
    void end() { ms_ += (process_ms() - begin_ms_ - ms_) * kNew; }
    [[nodiscard]] double ms() const { return ms_; }

private:
    static constexpr double kNew = 0.2;  // weight of the last frame
    static double process_ms() {
        timespec now{};
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
        return static_cast<double>(now.tv_sec) * 1e3 + static_cast<double>(now.tv_nsec) * 1e-6;
    }
    double begin_ms_ = 0, ms_ = 0;
};

struct FramePace {
    double frame_s = 1.0 / 60;  // minimum time between frames
    double intake_ms = 6;       // per frame, for reading recordings, most of it while the frame's thread waits
};

struct Load {
    bool live = false;     // a run is recording
    bool filling = false;  // and its recording gets full
    bool behind = false;   // recorded events are waiting to be read or summed up
    bool input = false;    // the user is moving the view
    double frame_ms = 0;   // FrameCost::ms()
};

inline FramePace frame_pace(const Load& load, unsigned cores = std::thread::hardware_concurrency()) {
    constexpr unsigned kEnough = 4;
    constexpr double kFollow_s = 1.0 / 31, kSlowest_s = 1.0 / 10, kFollow_ms = 1, kBehind_ms = 16;
    constexpr double kShare = 0.2;  // of one core
    FramePace pace;
    if (load.live && cores != 0 && cores < kEnough) {
        pace.frame_s = load.input ? pace.frame_s : std::clamp(load.frame_ms * 1e-3 / kShare, kFollow_s, kSlowest_s);
        pace.intake_ms = load.filling ? std::max(kBehind_ms, pace.frame_s * 1e3 / 2) : kFollow_ms;
    } else if (load.behind) {
        pace.intake_ms = kBehind_ms;  // a long run: reads faster, at a lower frame rate
    }
    return pace;
}

}  // namespace headway::ui
