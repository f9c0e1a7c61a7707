// Draws the contents of the timeline's rows; for timeline.cpp.
//
// Threads: as layout_timeline().
#pragma once

#include <utility>

#include "app/timeline/fold.h"
#include "app/timeline/timeline.h"

namespace headway::figure {

// Drawing context of one run's rows.
struct RowPen {
    const TimelineOptions& options;
    TimelineLayout& layout;
    const model::Run& run;
    const TimelineRun& shown;
    int index = 0;  // the run's index in the layout

    [[nodiscard]] const Theme& theme() const { return *options.theme; }
    [[nodiscard]] const TimelineStyle& style() const { return options.style; }
    [[nodiscard]] DisplayList& list() const { return layout.list; }
    [[nodiscard]] const TimeMap& map() const { return layout.map; }
    [[nodiscard]] float px(float size) const { return size * options.scale; }
    [[nodiscard]] float line_px(float width) const { return width * options.scale * theme().line_scale; }
    [[nodiscard]] float width(FontRole role, float size_px, std::string_view text) const {
        return options.measure->width(role, size_px, text);
    }
    // right(): the x of the axis's end or of `until_ns`, whichever is earlier. now_ns(): the last run time to draw.
    [[nodiscard]] float right() const;
    [[nodiscard]] std::int64_t now_ns() const;
    [[nodiscard]] double run_ns_from_x_px(float x) const { return run.program_time().run_ns(map().ns_from_x_px(x)); }
    // The x of a run time; x(): clamped near the axis so that coordinates stay small.
    [[nodiscard]] float x_px_from_run_ns(std::int64_t ns) const {
        return map().x_px_from_ns(run.program_time().program_ns(ns));
    }
    [[nodiscard]] float x(std::int64_t run_ns) const;
    [[nodiscard]] FoldOptions fold_options() const;
    // The gap at the right of a bar that separates it from the next; 0 for bars too narrow to spare it.
    [[nodiscard]] float gap_px(float width) const;
    void text(float x, float y, std::string text, Rgba colour, float size_px, FontRole role,
              Anchor anchor = Anchor::start) const;
    // False if tag() would draw no text there, however short. Measures no text.
    [[nodiscard]] bool tag_may_fit(Box room, float size_px) const;
    // Draws text in a filled box centred in `room`; returns false and draws nothing if it does not fit.
    bool tag(const std::string& text, Box room, Rgba colour, Rgba ground, float size_px, FontRole role) const;
};

// Draws the row's name and what is below it; of a header row everything.
void draw_label(const RowPen& pen, const RowBox& row);
void draw_scopes(const RowPen& pen, const RowBox& row);
void draw_frontend(const RowPen& pen, const RowBox& row);
// Draws the times when the user had paused the run: hatched over all of the run's rows while lanes executed, else, as
// nothing happened, a dashed line.
void draw_pauses(const RowPen& pen);
// Draws the ops that the lanes have not begun, in their order, at the right of the run while the learner has stopped
// it. Their positions and widths do not represent times.
void draw_queued(const RowPen& pen);
// The height to reserve above a curve for the label of its peak.
float peak_label_px(const TimelineStyle& style, float scale);
void draw_headway(const RowPen& pen, const RowBox& row);
void draw_launches(const RowPen& pen, const RowBox& row);
// `pieces`: the lane's, folded.
void draw_lane(const RowPen& pen, const RowBox& row, std::span<const Piece> pieces);
// Copies between devices, with their bytes.
void draw_link(const RowPen& pen, const RowBox& row);
// Call after the run's other rows are laid out: its lines cross them.
void draw_bookmarks(const RowPen& pen, const RowBox& row);
// The x of a bookmark's begin and end, not clamped to the view.
std::pair<float, float> bookmark_px(const RowPen& pen, const model::Bookmark& bookmark);
// `top_bytes`: the value at the top of the row, the same for all runs shown.
void draw_memory(const RowPen& pen, const RowBox& row, std::uint64_t top_bytes);

// The value for the top of the memory rows: the highest peak, or the budget unless it is far above.
std::uint64_t memory_top(std::span<const TimelineRun> runs, std::size_t device);

// Number of ops a lane executed, and of issues and waits of the frontend, from the start of measuring until now.
std::size_t ops_of(const RowPen& pen, int lane);
std::size_t issues_of(const RowPen& pen);
std::size_t waits_of(const RowPen& pen);

// Number of lines of the scopes row: one for minibatches and one per depth of scopes.
int scope_lines(const model::Run& run, const TimelineStyle& style);

}  // namespace headway::figure
