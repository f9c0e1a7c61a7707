// How much of the machine the window takes. A run that goes on needs a core for its frontend and one for its backend:
// where there are not more than these, the window draws as often as is needed to follow it, and takes in no more of it
// in each frame than leaves the run its time; what is left is read when the run is over.
//
// Threads: any.
#pragma once

#include <thread>

namespace headway::ui {

struct FramePace {
    double frame_s = 1.0 / 60;  // at the least from one frame to the next
    double intake_ms = 6;       // of a frame, for reading recordings
};

// `live`: a run goes on. `behind`: more has been recorded than read or summed up. `hands`: somebody moves the picture.
inline FramePace frame_pace(bool live, bool behind, bool input, unsigned cores = std::thread::hardware_concurrency()) {
    constexpr unsigned kEnough = 4;
    constexpr double kFollow_s = 1.0 / 31, kFollow_ms = 1, kBehind_ms = 16;
    FramePace pace;
    if (live && cores != 0 && cores < kEnough) {
        pace.frame_s = input ? pace.frame_s : kFollow_s;
        pace.intake_ms = kFollow_ms;
    } else if (behind) {
        pace.intake_ms = kBehind_ms;  // a long run, faster than it is read: fewer frames
    }
    return pace;
}

}  // namespace headway::ui
