// The window's controls by the keyboard alone: Tab goes from one to the next, arrows to the one beside, and Enter or
// Space does what a click does, for everything that is a control, whatever draws it.
//
// Threads: the UI's.
#pragma once

#include <string>
#include <vector>

#include "app/ui/widgets/widget_rect.h"

namespace headway::ui {

class FocusRing {
public:
    // The controls of the last frame that can be reached, in reading order: of the uppermost popup alone, where one is
    // open.
    static std::vector<std::string> order(const WidgetRects& rects);

    [[nodiscard]] const std::string& at() const { return at_; }  // empty: nothing has it
    void step(const WidgetRects& rects, int direction);          // Tab, Shift Tab
    void go(const WidgetRects& rects, int dx, int dy);           // arrows
    void let_go() { at_.clear(); }
    // A control that is no more loses it.
    void settle(const WidgetRects& rects);

    // A click where the control is, over the next frames: before ImGui's frame begins.
    void click(const WidgetRects& rects);
    void feed();
    [[nodiscard]] bool clicking() const { return frames_left_ > 0; }

private:
    std::string at_;
    float x_ = 0, y_ = 0;
    int frames_left_ = 0;
    float mouse_x_ = 0, mouse_y_ = 0;  // where the hand has it
};

}  // namespace headway::ui
