// Where the panes of the window are in each mode.
//
//   learn:   lesson | timeline            step:   lesson | source | details     compare:   timeline
//                   | verdict                            | timeline                        verdict
//                   | source | details                                                     details | card
//
// Pure: no ImGui, no state. All lengths are in pixels, unless a name says otherwise.
#pragma once

#include <imgui.h>

#include "app/ui/state/view/look.h"

namespace headway::ui {

struct Pane {
    ImVec2 min{0, 0}, max{0, 0};
    [[nodiscard]] float width() const { return max.x - min.x; }
    [[nodiscard]] float height() const { return max.y - min.y; }
    [[nodiscard]] bool shown() const { return width() > 1 && height() > 1; }
};

struct WindowRoom {
    Pane all;         // between the top bar and the status bar
    float scale = 1;  // pixels per design pixel
    Mode mode = Mode::learn;
    PaneShares shares;
    bool source = true;      // there is a program to show
    float verdict = 0;       // height of the strip with the verdict; 0: none
    float timeline_bar = 0;  // height of the bar below the timeline; 0: none
};

// A pane that is not shown has no size.
struct WindowPanes {
    Pane lesson, timeline, timeline_bar, verdict, source, details, card;
    // Dividers that can be dragged: between lesson and the rest, above or below the row with the source, in that row.
    Pane lesson_divider, row_divider, left_divider;
};

[[nodiscard]] WindowPanes lay_out_window(const WindowRoom& room);

// dragged() returns the shares after a divider has been dragged to `to`, a place in the window.
enum class Divider { lesson, row, left };
[[nodiscard]] PaneShares dragged(const WindowRoom& room, Divider divider, ImVec2 to);

}  // namespace headway::ui
