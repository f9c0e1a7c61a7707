// Where each named widget was drawn in the last frame: the keyboard moves between controls, the tour points at some,
// and tests find them by name. In pixels of the window.
//
// Threads: the UI's.
#pragma once

#include <cstdint>
#include <map>
#include <string>

namespace headway::ui {

// The arrow keys that a control uses itself while it has the focus: left and right, or up and down.
enum class ArrowKeys : std::uint8_t { none, sideways, upright };

struct WidgetRect {
    float x0 = 0, y0 = 0, x1 = 0, y1 = 0;
    bool enabled = true;
    bool control = false;  // can be clicked: the keyboard can reach it, too
    int layer = 0;         // number of popups below it
    ArrowKeys arrows = ArrowKeys::none;
    [[nodiscard]] float centre_x() const { return (x0 + x1) / 2; }
    [[nodiscard]] float centre_y() const { return (y0 + y1) / 2; }
};

using WidgetRects = std::map<std::string, WidgetRect, std::less<>>;

}  // namespace headway::ui
