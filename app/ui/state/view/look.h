// How the window looks: the theme, the scale, and what covers or widens it.
//
// Threads: the UI's. No ImGui.
#pragma once

#include "app/render/theme.h"

namespace headway::ui {

struct Look {
    figure::ThemeName theme = figure::ThemeName::dark;
    float user_scale = 1;                    // on top of the screen's
    float width_px = 1600, height_px = 900;  // of the window, in design pixels
    bool show_keys = false;                  // the list of keys
    bool palette_open = false;               // drawn above everything: nothing below it is hovered
    bool wide_source = false;                // the source takes the whole left panel

    void next_theme();
    void scale_up();
    void scale_down();
};

}  // namespace headway::ui
