// One or two runs on one time axis, laid out for a rectangle: ruler; per run a header, the frontend (issues, waits, its
// own work), headway, one row per lane, memory. The same layout draws in the window and in a figure.
//
// What is too small to draw is folded into slivers, each of which records how many it stands for. A layout has at most
// a few primitives per pixel column, whatever the length of the run.
//
// Threads: one; the runs must not be updated between layout and the last hit().
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "app/model/run/run.h"
#include "app/model/user_data/arrangement.h"
#include "app/model/user_data/bookmark.h"
#include "app/render/display_list.h"
#include "app/render/theme.h"

namespace headway::figure {

// A time range, in nanoseconds of the program's time (model::ProgramTime): from where measuring began in each run
// (warm-up is negative), without the learner's pauses.
struct TimelineView {
    double begin_ns = 0, end_ns = 1;
    [[nodiscard]] double span_ns() const { return end_ns - begin_ns; }
    friend bool operator==(const TimelineView&, const TimelineView&) = default;
};

// Converts between time and pixels, in double and relative to the view, so that positions are stable at deep zoom.
class TimeMap {
public:
    TimeMap() = default;
    TimeMap(TimelineView view, float x0, float x1)
        : begin_ns_(view.begin_ns), px_per_ns_(static_cast<double>(x1 - x0) / view.span_ns()), x0_(x0), x1_(x1) {}
    [[nodiscard]] float x_px_from_ns(double ns) const {
        return static_cast<float>(static_cast<double>(x0_) + (ns - begin_ns_) * px_per_ns_);
    }
    [[nodiscard]] double ns_from_x_px(float x) const {
        return begin_ns_ + (static_cast<double>(x) - static_cast<double>(x0_)) / px_per_ns_;
    }
    [[nodiscard]] double ns_per_px() const { return 1 / px_per_ns_; }
    [[nodiscard]] float x0() const { return x0_; }
    [[nodiscard]] float x1() const { return x1_; }

private:
    double begin_ns_ = 0, px_per_ns_ = 1;
    float x0_ = 0, x1_ = 1;
};

// One run as the timeline shows it.
struct TimelineRun {
    const model::Run* run = nullptr;
    char letter = 'A';                         // 'A' and 'B' have their own colours; 0: a single run
    std::string label;                         // "barrier every minibatch"; empty: from the run's barrier policy
    std::string note;                          // at the right of the header; empty: the total
    std::int64_t total_ns = -1;                // the duration to show; -1: from begin to end of what was measured
    std::vector<model::Bookmark> bookmarks{};  // in order of time
};

// Sizes, before `scale`, and choices in which window and figures differ: a member for each.
struct TimelineStyle {
    float label_width_px = 130;  // row names, left of the axis
    float label_px = 14, sublabel_px = 12, header_px = 13, annotation_px = 12, tick_px = 12, inside_px = 10.5F;
    float header_row_px = 30, scopes_row_px = 16, frontend_row_px = 66, headway_row_px = 60, launch_row_px = 38,
          lane_row_px = 56, memory_row_px = 130, ruler_px = 26, bookmarks_row_px = 22;
    float scale_px = 9.5F;                       // the labels of a curve's scale: 0 and the maximum
    float ruler_overhang_px = 40;                // how far a tick label may extend beyond the right end of the axis
    float scale_room_px = 52;                    // the part of the label column reserved for a curve's scale
    float tick_room_px = 90;                     // the least distance between two ticks
    float bars_grow = 1.6F, curves_grow = 2.4F;  // the factor by which rows may grow where there is room
    float run_gap_px = 10;                       // between two runs
    float bottom_inset_px = 6;                   // under the last row
    bool ruler_below = false;                    // the ruler under the rows, with the unit in words
    bool ticks_carry_unit = true;                // "0.35 ms" at every tick
    bool gradient = true;                        // areas fade towards their baseline
    bool curve_label_in_row =
        false;  // "1,204 ops ahead" where there is room in the curve's row; else "max 1,204" at the right
    bool row_lines = true;
    bool error_in_header = true;  // the error message, not only that the run failed
    bool whole_scopes = true;     // also show scopes that span (nearly) the whole measured part
    // Row heights set by the user are relative to the window's default heights; false: they are absolute, as in the
    // window.
    bool heights_in_proportion = false;
};
TimelineStyle window_style();
TimelineStyle figure_style();

enum class RowKind : std::uint8_t { ruler, header, bookmarks, scopes, frontend, headway, launch, lane, memory, link };

struct RowBox {
    RowKind kind = RowKind::ruler;
    int run = -1;   // index into the runs given; -1: the ruler
    int lane = -1;  // lane and link rows: the lane or link; memory rows: the device, where there are several
    Box box;        // the whole row, labels included
    Box content;    // the part that holds its curve or bars
};

// What lies under a point.
struct Hit {
    int run = 0;
    RowKind row = RowKind::lane;
    int lane = -1;             // as the row's
    double ns = 0;             // on the axis
    double ns_per_px = 1;      // resolution of `ns`: time per pixel
    core::OpId op = 0;         // an op executing (lane), launched, or being issued (frontend); 0: none
    int part = -1;             // of that op, where it is composite: index into Run::parts()
    int wait = -1;             // index into Run::waits(); waits().size(): the open wait
    int work = -1;             // index into Run::works()
    int scope = -1;            // index into Run::scopes(), of the line of that depth
    int minibatch = -1;        // index into Run::minibatches(), in their line
    int bookmark = -1;         // index into TimelineRun::bookmarks
    std::uint32_t folded = 1;  // how many ops or waits share the sliver; `op` is the one nearest
    // They belong to a part of the run of which only sums were kept (Run::folded_parts()); `op`, `wait` and `work` are
    // not set.
    bool only_sums = false;
    friend bool operator==(const Hit&, const Hit&) = default;
};

// How many spans were drawn individually and how many in slivers. The two add up to everything that overlaps the view.
struct DrawnCounts {
    std::uint64_t ops_drawn = 0, ops_folded = 0;
    std::uint64_t issues_drawn = 0, issues_folded = 0;
    std::uint64_t waits_drawn = 0, waits_folded = 0;
    std::uint64_t works_drawn = 0, works_folded = 0;
};

// An op that a lane has not begun, drawn behind what the lane has executed while the learner has stopped the run.
struct QueuedBox {
    int run = 0;
    core::OpId op = 0;
    Box box;
};

// A line of a run's scopes row, in the order of the lines.
struct ScopeLine {
    int run = 0;
    int depth = 0;  // of its scopes; -1: the line of minibatches
    Box box;
};

class TimelineLayout {
public:
    DisplayList list;
    std::vector<RowBox> rows;
    std::vector<QueuedBox> queued;
    std::vector<ScopeLine> scope_lines;
    TimeMap map;
    Box area;  // the rectangle laid out; taller than asked for when the rows need more
    Box axis;  // the part of it that the time axis covers
    TimelineView view;
    std::vector<DrawnCounts> counts;  // per run
    // a curve changes too often to draw every step: drawn as the minimum and maximum of each pixel column
    bool curves_in_columns = false;

    // The x of a time of that run, not clamped to the axis, and the inverse.
    [[nodiscard]] float x_px_from_run_ns(int run, std::int64_t ns) const {
        return map.x_px_from_ns(time(run).program_ns(ns));
    }
    [[nodiscard]] double run_ns_from_x_px(int run, float x) const { return time(run).run_ns(map.ns_from_x_px(x)); }
    [[nodiscard]] const model::ProgramTime& time(int run) const {
        return runs[static_cast<std::size_t>(run)].run->program_time();
    }
    // Whether there is such a run and it has such an op so far.
    [[nodiscard]] bool has_op(int run, core::OpId op) const;
    [[nodiscard]] std::optional<Hit> hit(float x, float y) const;
    // Where an op is drawn, even outside of the view; empty when it has not started or its lane has no row.
    [[nodiscard]] std::optional<Box> box_of_op(int run, core::OpId op) const;
    [[nodiscard]] std::optional<Box> box_of_issue(int run, core::OpId op) const;
    [[nodiscard]] std::optional<Box> box_of_wait(int run, int wait) const;
    [[nodiscard]] std::optional<Box> box_of_work(int run, int work) const;

    std::vector<TimelineRun> runs;  // as given
};

struct TimelineOptions {
    Box area;  // in px
    TimelineView view;
    const Theme* theme = nullptr;
    const TextMeasure* measure = nullptr;
    float scale = 1;
    TimelineStyle style = window_style();
    const model::Arrangement* arrangement = nullptr;  // null: the default order
    // What begins later on the axis is not drawn and not included in any count, peak or duration.
    double until_ns = std::numeric_limits<double>::infinity();
};

// The row's name in an arrangement; empty: the row cannot be moved.
std::string row_key(RowKind kind, int lane);

// Lays the runs out from top to bottom in the given order. Row heights fill the area; when even the least heights need
// more, the layout is taller than the area (the window scrolls, a figure grows).
TimelineLayout layout_timeline(std::span<const TimelineRun> runs, const TimelineOptions& options);
// The least height of that layout.
float timeline_least_height(std::span<const TimelineRun> runs, const TimelineOptions& options);
// The height at which every row has its style's size, and at which each has grown as far as it may.
float timeline_natural_height(std::span<const TimelineRun> runs, const TimelineOptions& options);
float timeline_most_height(std::span<const TimelineRun> runs, const TimelineOptions& options);

// The view of everything in these runs: from the start of the warm-up (when `with_warmup`) or 0 to the later end.
TimelineView whole_view(std::span<const TimelineRun> runs, bool with_warmup);

// The barrier of a run, including changes made during the run: "barrier 1 behind, then no minibatch barrier from 512
// ms".
std::string barrier_label(const model::Run& run);
// Whether any of the runs has a scope that this style shows: then all of the figure's runs should show theirs.
bool shows_scopes(std::span<const TimelineRun> runs, const TimelineStyle& style);

}  // namespace headway::figure
