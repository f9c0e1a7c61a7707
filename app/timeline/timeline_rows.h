// The insides of the timeline's rows; for timeline.cpp.
#pragma once

#include <utility>

#include "app/timeline/fold.h"
#include "app/timeline/timeline.h"

namespace headway::figure {

// What every row of one run needs to draw itself.
struct RowPen {
    const TimelineOptions& options;
    TimelineLayout& layout;
    const model::Run& run;
    const TimelineRun& shown;
    std::int64_t origin_ns = 0;  // the run's time at 0 on the axis
    int index = 0;               // of the run

    [[nodiscard]] const Theme& theme() const { return *options.theme; }
    [[nodiscard]] const TimelineStyle& style() const { return options.style; }
    [[nodiscard]] DisplayList& list() const { return layout.list; }
    [[nodiscard]] const TimeMap& map() const { return layout.map; }
    [[nodiscard]] float px(float size) const { return size * options.scale; }
    [[nodiscard]] float line_px(float width) const { return width * options.scale * theme().line_scale; }
    [[nodiscard]] float width(FontRole role, float size_px, std::string_view text) const {
        return options.measure->width(role, size_px, text);
    }
    // Where the axis ends, or what is shown of it so far; and the last moment of the run that is told of.
    [[nodiscard]] float right() const;
    [[nodiscard]] std::int64_t now_ns() const;
    // The pixel of a time of the run, kept near the axis so that no coordinate is huge.
    [[nodiscard]] float x(std::int64_t run_ns) const;
    [[nodiscard]] FoldOptions fold_options() const;
    // Bars that touch are told apart by a gap at their right, where they are wide enough to spare it.
    [[nodiscard]] float gap_px(float width) const;
    void text(float x, float y, std::string text, Rgba colour, float size_px, FontRole role, Anchor anchor) const;
    // Text in a filled box of its own, centred on a point; nothing when it does not fit in `room`.
    bool tag(const std::string& text, Box room, Rgba colour, Rgba ground, float size_px, FontRole role) const;
};

void draw_scopes(const RowPen& pen, const RowBox& row);
void draw_frontend(const RowPen& pen, const RowBox& row);
// Where the learner had the run stand still, the time on the axis is not its own: hatched over all of its rows.
void draw_pauses(const RowPen& pen);
// The room above a curve in which the name of its peak stands free of it.
float peak_label_px(const TimelineStyle& style, float scale);
void draw_headway(const RowPen& pen, const RowBox& row);
void draw_launches(const RowPen& pen, const RowBox& row);
// `pieces`: the lane's, folded.
void draw_lane(const RowPen& pen, const RowBox& row, std::span<const Piece> pieces);
// After the other rows of the run: lines run through them.
void draw_bookmarks(const RowPen& pen, const RowBox& row);
// Where a mark begins and ends on the axis, in view or not.
std::pair<float, float> bookmark_px(const RowPen& pen, const model::Bookmark& mark);
// `top_bytes`: what the row's height stands for, the same for all runs shown.
void draw_memory(const RowPen& pen, const RowBox& row, std::uint64_t top_bytes);

// What the memory rows' height should stand for: the highest peak, and the budget unless it is far above.
std::uint64_t memory_top(std::span<const TimelineRun> runs, std::size_t device);

// All that the lane executed, and that the frontend issued and waited for, from where measuring began until now.
std::size_t ops_of(const RowPen& pen, int lane);
std::size_t issues_of(const RowPen& pen);
std::size_t waits_of(const RowPen& pen);

// Minibatches as one line, then one line per depth of scopes.
int scope_lines(const model::Run& run, const TimelineStyle& style);

}  // namespace headway::figure
