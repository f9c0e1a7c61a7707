// Keyboard navigation for all controls: Tab goes to the next, arrows to the neighbour, and Enter or Space clicks. Works
// for every control, however it is drawn.
//
// Threads: the UI's.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "app/ui/widgets/widget_rect.h"

namespace headway::ui {

class FocusRing {
public:
    // The ids of the last frame's reachable controls, in reading order. If a popup is open, only those of the topmost
    // one.
    static std::vector<std::string> order(const WidgetRects& rects);

    [[nodiscard]] const std::string& at() const { return at_; }  // id of the focused control; empty: none
    void step(const WidgetRects& rects, int direction);          // Tab, Shift Tab
    void go(const WidgetRects& rects, int dx, int dy);           // arrows
    void put(std::string id) { at_ = std::move(id); }
    void let_go() { at_.clear(); }
    // Drops the focus if its control no longer exists.
    void settle(const WidgetRects& rects);

    // Simulates a click on the focused control during the next frames. Call before ImGui's frame begins.
    void click(const WidgetRects& rects);
    void feed();
    [[nodiscard]] bool clicking() const { return frames_left_ > 0; }

private:
    std::string at_;
    float x_ = 0, y_ = 0;
    int frames_left_ = 0;
    float mouse_x_ = 0, mouse_y_ = 0;  // the real position of the mouse
};

}  // namespace headway::ui
