// How the window looks: its mode, the theme, the scale, the sizes of its panes, and what covers them.
//
// Threads: the UI's. No ImGui.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

#include "app/render/theme.h"

namespace headway::ui {

// What the panes of the window are for. The state of the panels is the same in all modes.
enum class Mode {
    learn,    // the lesson, the timeline, below it the source and the details
    step,     // the source in the middle, next to it each lane's queue, below them the timeline of the last run
    compare,  // both runs over the whole width, below them the verdict, the details and the card
};
inline constexpr std::size_t kModes = 3;
[[nodiscard]] const char* name_of(Mode mode);  // "Learn"
[[nodiscard]] const char* word_of(Mode mode);  // "learn", for files
[[nodiscard]] Mode mode_called(std::string_view word, Mode otherwise);

// Shares of the room that the dividers distribute; the user drags them.
struct PaneShares {
    float lesson = 0.26f;  // of the window's width, for the lesson
    float source = 0.42f;  // of the height, for the row with the source
    float left = 0.68f;    // of that row's width, for its left pane
};
[[nodiscard]] PaneShares default_shares(Mode mode);

struct Look {
    figure::ThemeName theme = figure::ThemeName::dark;
    Mode mode = Mode::learn;
    std::array<PaneShares, kModes> shares{default_shares(Mode::learn), default_shares(Mode::step),
                                          default_shares(Mode::compare)};
    float user_scale = 1;                    // on top of the screen's
    float width_px = 1600, height_px = 900;  // of the window, in design pixels
    bool map = false;                        // the map of lessons covers the panes
    bool show_keys = false;                  // the list of keys
    bool palette_open = false;               // drawn above everything: nothing below it is hovered

    [[nodiscard]] PaneShares& pane_shares() { return shares[static_cast<std::size_t>(mode)]; }
    void next_theme();
    void scale_up();
    void scale_down();
};

}  // namespace headway::ui
