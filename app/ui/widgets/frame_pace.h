// How much of the machine the window uses. A run needs one core for its frontend and one for its backend. On machines
// with few cores the window draws only as often as needed to follow the run, and reads only a little of the recording
// per frame; the rest is read when the run is over, or when the recording gets full.
//
// Threads: any.
#pragma once

#include <thread>

namespace headway::ui {

struct FramePace {
    double frame_s = 1.0 / 60;  // minimum time between frames
    double intake_ms = 6;       // per frame, for reading recordings
};

struct Load {
    bool live = false;     // a run is recording
    bool filling = false;  // and its recording gets full
    bool behind = false;   // recorded events are waiting to be read or summed up
    bool input = false;    // the user is moving the view
};

inline FramePace frame_pace(const Load& load, unsigned cores = std::thread::hardware_concurrency()) {
    constexpr unsigned kEnough = 4;
    constexpr double kFollow_s = 1.0 / 31, kFollow_ms = 1, kBehind_ms = 16;
    FramePace pace;
    if (load.live && cores != 0 && cores < kEnough) {
        pace.frame_s = load.input ? pace.frame_s : kFollow_s;
        pace.intake_ms = load.filling ? kBehind_ms : kFollow_ms;
    } else if (load.behind) {
        pace.intake_ms = kBehind_ms;  // a long run: reads faster, at a lower frame rate
    }
    return pace;
}

}  // namespace headway::ui
