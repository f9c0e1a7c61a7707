// Delivers key changes to ImGui, at most one per key and frame. ImGui 1.86 samples the key states once per frame:
// it would miss a key pressed and released between two frames, and would see a key released and pressed again as
// held. Such a change, and all later events, are delayed to the next frame. A change of Ctrl, Shift, Alt or Super
// after another key's change is delayed as well: that key was pressed with the old modifiers. Later versions of
// ImGui have this built in.
//
// Threads: one.
#pragma once

#include <algorithm>
#include <utility>
#include <vector>

namespace headway::platform {

class KeyQueue {
public:
    struct Event {
        int key = 0, scancode = 0, action = 0, mods = 0;
    };
    static constexpr int kRelease = 0, kPress = 1, kRepeat = 2;  // GLFW's

    // Calls call(event) at once, or queues the event for the next frame.
    template <class Call>
    void event(const Event& e, Call call) {
        const bool changed = std::find(changed_.begin(), changed_.end(), e.key) != changed_.end();
        const bool others = modifies(e.key) && !std::all_of(changed_.begin(), changed_.end(), modifies);
        if (!held_.empty() || ((changed || others) && e.action != kRepeat)) {
            held_.push_back(e);
            return;
        }
        if (e.action != kRepeat) {
            changed_.push_back(e.key);
        }
        call(e);
    }
    // Call at the start of a frame: delivers queued events, up to the first one that has to wait again.
    template <class Call>
    void begin_frame(Call call) {
        changed_.clear();
        for (const Event& e : std::exchange(held_, {})) {
            event(e, call);
        }
    }
    [[nodiscard]] bool empty() const { return held_.empty(); }

private:
    static bool modifies(int key) {
        constexpr int kFirst = 340, kLast = 347;  // GLFW_KEY_LEFT_SHIFT to GLFW_KEY_RIGHT_SUPER
        return key >= kFirst && key <= kLast;
    }

    std::vector<Event> held_;
    std::vector<int> changed_;  // keys that went down or up since the last frame
};

}  // namespace headway::platform
