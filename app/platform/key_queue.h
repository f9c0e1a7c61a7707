// Changes of keys, at most one of each key between two frames. ImGui 1.86 samples the state of the keys once per frame,
// so a key that goes down and up between two frames would never be seen, and one that goes up and down again would seem
// to have been held all the time. Such a change, and all that follows it, waits for the next frame; so does a change of
// Ctrl, Shift, Alt or Super behind another key's, which is meant with those that were down then. Later versions of
// ImGui do the same by themselves.
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

    // call(event) for what may be seen at once.
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
    // The last frame is over: what waited comes, up to what has to wait again.
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
