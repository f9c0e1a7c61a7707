// Delivers key changes and typed characters to ImGui in their order, at most one change per key and frame. ImGui 1.86
// samples the key states once per frame: it would miss a key pressed and released between two frames, and would see a
// key released and pressed again as held. Such a change, and all later events, are delayed to the next frame. A change
// of Ctrl, Shift, Alt or Super after another key's change is delayed as well: that key was pressed with the old
// modifiers. So are a character after a key that edits (Backspace, Enter, arrows) and such a key after a character:
// ImGui applies the characters of a frame together. While a text is typed, a key that types counts by its character
// alone, so that any number of them fit into a frame. Later versions of ImGui have this built in.
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
        unsigned character = 0;  // not 0: a typed character, not a change of a key
    };
    static constexpr int kRelease = 0, kPress = 1, kRepeat = 2;  // GLFW's

    // Calls call(event) at once, or queues the event for the next frame. `in_text`: a text field has the keyboard.
    template <class Call>
    void event(const Event& e, bool in_text, Call call) {
        const bool only_types = in_text && types(e);
        if (!held_.empty() || (waits(e) && !(only_types && e.action == kPress))) {
            held_.push_back(e);
            return;
        }
        if (e.character != 0) {
            typed_ = true;
        } else if (!only_types) {
            edited_ = edited_ || (edits(e.key) && e.action != kRelease);
            if (e.action != kRepeat) {
                changed_.push_back(e.key);
            }
        }
        call(e);
    }
    // Call at the start of a frame: delivers queued events, up to the first one that has to wait again.
    template <class Call>
    void begin_frame(bool in_text, Call call) {
        changed_.clear();
        typed_ = edited_ = false;
        for (const Event& e : std::exchange(held_, {})) {
            event(e, in_text, call);
        }
    }
    [[nodiscard]] bool empty() const { return held_.empty(); }

private:
    [[nodiscard]] bool waits(const Event& e) const {
        if (e.character != 0) {
            return edited_;
        }
        const bool changed = std::find(changed_.begin(), changed_.end(), e.key) != changed_.end();
        const bool others = modifies(e.key) && !std::all_of(changed_.begin(), changed_.end(), modifies);
        return ((changed || others) && e.action != kRepeat) || (typed_ && edits(e.key) && e.action != kRelease);
    }
    // A key whose character follows; not with Ctrl, Alt or Super.
    static bool types(const Event& e) {
        constexpr int kShortcut = 2 | 4 | 8, kLastPrinting = 255;  // GLFW_MOD_CONTROL, ALT, SUPER
        return e.character == 0 && e.key > 0 && e.key <= kLastPrinting && (e.mods & kShortcut) == 0;
    }
    // Acts on a text, and types no character.
    static bool edits(int key) {
        constexpr int kFirst = 256, kLast = 314, kKeypadEnter = 335;  // GLFW_KEY_ESCAPE to GLFW_KEY_F25
        return (key >= kFirst && key <= kLast) || key == kKeypadEnter;
    }
    static bool modifies(int key) {
        constexpr int kFirst = 340, kLast = 347;  // GLFW_KEY_LEFT_SHIFT to GLFW_KEY_RIGHT_SUPER
        return key >= kFirst && key <= kLast;
    }

    std::vector<Event> held_;
    std::vector<int> changed_;             // keys that went down or up since the last frame
    bool typed_ = false, edited_ = false;  // since the last frame: a character; a key that edits
};

}  // namespace headway::platform
