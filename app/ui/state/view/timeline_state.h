// What the timeline shows, and what is chosen in it. Panels read it; the timeline's commands change it.
//
// Threads: the UI's. No ImGui.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "app/model/explanation/explanation.h"
#include "app/timeline/timeline.h"
#include "app/ui/state/view/view_control.h"
#include "engine/core/ids.h"

namespace headway::ui {

// An op or a wait of one of the runs shown.
struct Selection {
    int run = -1;  // 0: B (or the only run), 1: A; -1: nothing
    core::OpId op = 0;
    int wait = -1;  // instead of an op: index into Run::waits(); one past the end: the open wait
    [[nodiscard]] bool any() const { return run >= 0 && op != 0; }
    [[nodiscard]] bool any_wait() const { return run >= 0 && wait >= 0; }
};

// A moment of one of the runs shown, in the run's time.
struct Moment {
    int run = 0;
    std::int64_t ns = 0;
    core::OpId op = 0;  // hovered
    int device = -1;    // whose memory is hovered; -1: any
};

// Identifies a row independently of the layout.
struct RowPlace {
    int run = -1;  // none
    figure::RowKind kind = figure::RowKind::lane;
    int lane = -1;
};

// A measured time range on the axis.
struct MeasuredSpan {
    double from_ns = 0, to_ns = 0;  // whole nanoseconds, in the order of the drag
    bool from_edge = false, to_edge = false;
    RowPlace from_row{}, to_row{};  // the rows that the edges belong to
    [[nodiscard]] double begin() const { return std::min(from_ns, to_ns); }
    [[nodiscard]] double end() const { return std::max(from_ns, to_ns); }
};

// The keyboard cursor: a moment in a row.
struct Cursor {
    double ns = 0;
    std::size_t row = 0;  // of the layout
    double measured_from_ns = 0;
};

struct TimelineState {
    ViewControl view;
    Selection selection;
    std::optional<MeasuredSpan> measured;
    bool measuring = false;  // a drag is in progress
    std::optional<Cursor> cursor;
    // The sentence of the explanation of B that was clicked (-1: none), and the link in the lesson's text (-1: none)
    // with its places. At most one of both. `places`: what the sentence or link under the pointer, else that one,
    // points at; highlighted.
    int sentence = -1;
    int look = -1;
    std::vector<model::Place> look_places;
    std::vector<model::Place> places;
    std::optional<Moment> alive;  // the moment whose tensors are listed
    // Overlays on finished runs: the critical path, and the run without barriers.
    bool show_path = false, show_what_if = false;
    bool lock_vertical = false;  // dragging moves the timeline in time only
    bool show_minimap = true;    // the overview of the whole run
    bool snap = true;            // measuring snaps to nearby edges
};

}  // namespace headway::ui
