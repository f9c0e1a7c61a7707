#include "app/platform/key_queue.h"

#include <gtest/gtest.h>

#include <random>
#include <string>

namespace headway::platform {
namespace {

// Behaves like ImGui 1.86, which checks once per frame which keys are down.
class Keyboard {
public:
    void press(int key) { add(key, KeyQueue::kPress); }
    void release(int key) { add(key, KeyQueue::kRelease); }
    void tap(int key) {
        press(key);
        release(key);
    }
    void character(char c) {
        queue_.event({.character = static_cast<unsigned>(c)}, in_text_, [this](const KeyQueue::Event& e) { take(e); });
    }
    // Whether a text field has the keyboard.
    void set_in_text(bool in_text) { in_text_ = in_text; }
    void type(char c) {
        press(c);
        character(c);
        release(c);
    }
    // What has been typed, with a new line for each frame in which something was, "^" for Ctrl, "<" for Backspace.
    [[nodiscard]] const std::string& typed() const { return typed_; }
    // How often the key was seen to go down.
    int seen(int key) {
        for (int i = 0; i < 20; ++i) {
            look();
            queue_.begin_frame(in_text_, [this](const KeyQueue::Event& e) { take(e); });
        }
        look();
        return presses_[key];
    }
    static constexpr int kControl = 341, kBackspace = 259;
    // … and with Ctrl.
    [[nodiscard]] int seen_with_control(int key) const { return with_control_[key]; }
    void look() {
        for (int key = 0; key < kKeys; ++key) {
            const bool pressed = down_[key] && !was_down_[key];
            presses_[key] += pressed ? 1 : 0;
            with_control_[key] += pressed && down_[kControl] ? 1 : 0;
            was_down_[key] = down_[key];
        }
        // A frame's characters first, as ImGui applies them.
        for (const char c : characters_) {
            typed_ += down_[kControl] ? "^" : "";
            typed_ += c;
        }
        if (presses_[kBackspace] > backspaces_) {
            typed_ += '<';
            backspaces_ = presses_[kBackspace];
        }
        typed_ += typed_.empty() || typed_.back() == '\n' ? "" : "\n";
        characters_.clear();
    }
    void frame() {
        look();
        queue_.begin_frame(in_text_, [this](const KeyQueue::Event& e) { take(e); });
    }

private:
    void add(int key, int action) {
        control_ = key == kControl ? action != KeyQueue::kRelease : control_;
        queue_.event({key, 0, action, control_ ? 2 : 0}, in_text_, [this](const KeyQueue::Event& e) { take(e); });
    }
    void take(const KeyQueue::Event& e) {
        if (e.character != 0) {
            characters_ += static_cast<char>(e.character);
        } else {
            down_[e.key] = e.action != KeyQueue::kRelease;
        }
    }

    KeyQueue queue_;
    static constexpr int kKeys = 348;
    bool down_[kKeys]{}, was_down_[kKeys]{};
    int presses_[kKeys]{}, with_control_[kKeys]{};
    int backspaces_ = 0;
    bool control_ = false, in_text_ = false;
    std::string characters_, typed_;
};

TEST(KeyQueue, AQuickTapIsSeen) {
    Keyboard keys;
    keys.tap(3);
    EXPECT_EQ(keys.seen(3), 1);
}

TEST(KeyQueue, TwoQuickTapsAreSeenAtAnyFrameRate) {
    Keyboard all_at_once;
    all_at_once.tap(3);
    all_at_once.tap(3);
    EXPECT_EQ(all_at_once.seen(3), 2);
    // Down in one frame; up and down again before the next one.
    Keyboard across;
    across.press(3);
    across.frame();
    across.release(3);
    across.press(3);
    across.frame();
    across.release(3);
    EXPECT_EQ(across.seen(3), 2);
}

TEST(KeyQueue, AChordIsSeenWithItsModifierAtAnyFrameRate) {
    Keyboard keys;
    keys.tap(1);
    keys.press(Keyboard::kControl);
    keys.tap(3);
    keys.release(Keyboard::kControl);
    keys.tap(5);
    EXPECT_EQ(keys.seen(1), 1);
    EXPECT_EQ(keys.seen(3), 1);
    EXPECT_EQ(keys.seen(5), 1);
    EXPECT_EQ(keys.seen_with_control(1), 0);
    EXPECT_EQ(keys.seen_with_control(3), 1);
    EXPECT_EQ(keys.seen_with_control(5), 0);
}

TEST(KeyQueue, ATextComesWholeAfterAChord) {
    Keyboard keys;
    keys.set_in_text(true);
    keys.press(Keyboard::kControl);
    keys.tap('A');
    keys.release(Keyboard::kControl);
    for (const char c : std::string("/tmp/a.png")) {
        keys.type(c);
    }
    EXPECT_EQ(keys.seen('A'), 1);
    EXPECT_EQ(keys.typed(), "/tmp/a.png\n") << "in one frame: a click after it finds it there";
}

TEST(KeyQueue, AKeyThatOpensATextFieldIsSeen) {
    Keyboard keys;
    keys.press('F');
    keys.set_in_text(true);
    keys.release('F');
    keys.type('x');
    EXPECT_EQ(keys.seen('F'), 1);
    EXPECT_EQ(keys.typed(), "x\n");
}

TEST(KeyQueue, KeysThatEditComeBetweenTheCharacters) {
    Keyboard keys;
    keys.set_in_text(true);
    keys.type('a');
    keys.press('b');  // and still down when Backspace is pressed
    keys.character('b');
    keys.tap(Keyboard::kBackspace);
    keys.type('c');
    EXPECT_EQ(keys.seen(Keyboard::kBackspace), 1);
    EXPECT_EQ(keys.typed(), "ab\n<\nc\n");
}

TEST(KeyQueue, NoTapIsLostAtAnyFrameTiming) {
    std::mt19937 random(11);
    for (int round = 0; round < 500; ++round) {
        Keyboard keys;
        int taps[8]{};
        for (int i = 0; i < 12; ++i) {
            const int key = static_cast<int>(random() % 8);
            keys.press(key);
            for (auto n = random() % 3; n > 0; --n) {
                keys.frame();
            }
            keys.release(key);
            for (auto n = random() % 3; n > 0; --n) {
                keys.frame();
            }
            ++taps[key];
        }
        for (int key = 0; key < 8; ++key) {
            ASSERT_EQ(keys.seen(key), taps[key]);
        }
    }
}

}  // namespace
}  // namespace headway::platform
