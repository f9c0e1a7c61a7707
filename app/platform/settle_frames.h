// How many frames a window draws at once after its last event, before it waits for the next one. What an event
// changes appears over several frames: a press, its release, what the click opens, and ImGui shows a new popup one
// frame later. Events that arrive during these frames count as well: otherwise a quick click would be drawn only when
// the mouse moves again.
//
// Threads: one.
#pragma once

#include <algorithm>

namespace headway::platform {

class SettleFrames {
public:
    static constexpr int kAfterEvent = 3;

    void event() { left_ = kAfterEvent; }
    void at_least(int frames) { left_ = std::max(left_, frames); }
    // Call at the start of a frame, before its events: whether to draw it without waiting for one.
    [[nodiscard]] bool next_frame() {
        const bool now = left_ > 0;
        left_ -= now ? 1 : 0;
        return now;
    }

private:
    int left_ = kAfterEvent;
};

}  // namespace headway::platform
