// Rows made of curves: headway, memory.
#include <algorithm>
#include <cfloat>
#include <cmath>
#include <optional>

#include "app/model/run/devices.h"
#include "app/model/run/queries.h"
#include "app/render/format.h"
#include "app/timeline/timeline_budget.h"
#include "app/timeline/timeline_rows.h"

namespace headway::figure {
namespace {

using model::Curve;

// Live bytes that no pending op holds. Those of a damaged recording may be negative or wrapped.
std::int64_t settled_bytes(std::int64_t live, std::int64_t pending) {
    return std::max(live, std::int64_t{0}) - std::clamp(pending, std::int64_t{0}, std::max(live, std::int64_t{0}));
}

// Maps a curve's values to y within a row.
struct Vertical {
    float base_y = 0, top_y = 0;
    double top = 1;  // the value at top_y
    [[nodiscard]] float y(double value) const {
        return base_y - static_cast<float>(std::clamp(value / top, 0.0, 1.0)) * (base_y - top_y);
    }
};

// The part of the axis where this run has a curve, in the run's time and in px.
struct Reach {
    std::int64_t begin_ns = 0, end_ns = 0;
    float x0 = 0, x1 = 0;
    [[nodiscard]] bool empty() const { return x1 <= x0; }
};

Reach reach_of(const RowPen& pen) {
    const double begin = pen.run_ns_from_x_px(pen.map().x0());
    const double end = pen.run_ns_from_x_px(pen.right());
    Reach reach;
    reach.begin_ns = std::max<std::int64_t>(0, static_cast<std::int64_t>(std::floor(begin)));
    reach.end_ns = std::min(pen.run.end_ns(), static_cast<std::int64_t>(std::ceil(end)));
    reach.x0 = std::max(pen.map().x0(), pen.x(reach.begin_ns));
    reach.x1 = std::min(pen.right(), pen.x(reach.end_ns));
    return reach;
}

std::size_t first_time_after(const Curve& curve, std::int64_t ns) {
    std::size_t low = 0;
    std::size_t high = curve.size();
    while (low < high) {
        const std::size_t middle = low + (high - low) / 2;
        if (curve.time(middle) <= ns) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

// The extremes of each column; columns begin at the values of `x`, the last one ends at `end_px`.
std::vector<model::Extremes> column_extremes(const RowPen& pen, const Curve& curve, const std::vector<float>& x,
                                             float end_px) {
    std::vector<std::int64_t> bounds;
    bounds.reserve(x.size() + 1);
    const auto add = [&](float px) { bounds.push_back(static_cast<std::int64_t>(pen.run_ns_from_x_px(px))); };
    std::for_each(x.begin(), x.end(), add);
    add(end_px);
    std::vector<model::Extremes> extremes;
    curve.columns(bounds, extremes);
    return extremes;
}

// A curve at this zoom: its individual steps when they are far enough apart, else the minimum and maximum of each pixel
// column.
struct Outline {
    std::vector<float> x;
    std::vector<std::int64_t> most, least;
    bool steps = false;  // then `most` is the value from x on
};

Outline outline_of(const RowPen& pen, const Curve& curve, const Reach& reach) {
    Outline o;
    const std::size_t first = first_time_after(curve, reach.begin_ns);
    const std::size_t last = first_time_after(curve, reach.end_ns);
    const auto changes = static_cast<float>(last - first);
    const float width = reach.x1 - reach.x0;
    o.steps = changes <= width * 0.5F;
    if (o.steps) {
        o.x.push_back(reach.x0);
        o.most.push_back(curve.at(reach.begin_ns));
        for (std::size_t i = first; i < last; ++i) {
            o.x.push_back(std::clamp(pen.x(curve.time(i)), reach.x0, reach.x1));
            o.most.push_back(curve.value(i));
        }
        return o;
    }
    const float step = std::max(1.0F, std::round(pen.options.scale));
    for (float x = reach.x0; x < reach.x1; x += step) {
        o.x.push_back(x);
    }
    for (const model::Extremes& extremes : column_extremes(pen, curve, o.x, reach.x1)) {
        o.most.push_back(extremes.most);
        o.least.push_back(extremes.least);
    }
    return o;
}

// Appends the points of one side of an outline; returns how many.
std::uint32_t trace(DisplayList& list, const Outline& o, const std::vector<std::int64_t>& values, const Reach& reach,
                    const Vertical& v) {
    const std::uint32_t start = list.first_point();
    float y = 0;
    for (std::size_t i = 0; i < o.x.size(); ++i) {
        const float next = v.y(static_cast<double>(values[i]));
        if (o.steps && i > 0 && next != y) {
            list.point(o.x[i], y);
        }
        if (!o.steps || i == 0 || next != y) {
            list.point(o.x[i], next);
        }
        y = next;
    }
    if (!o.x.empty()) {
        list.point(reach.x1, y);
    }
    return list.first_point() - start;
}

void draw_curve(const RowPen& pen, const Outline& o, const Reach& reach, const Vertical& v, Rgba colour, float fill) {
    DisplayList& list = pen.list();
    const Rgba top = faded(colour, static_cast<double>(fill));
    const Rgba bottom = pen.style().gradient ? faded(colour, 0.1) : top;
    const std::uint32_t high = list.first_point();
    const std::uint32_t high_count = trace(list, o, o.most, reach, v);
    if (high_count == 0) {
        return;
    }
    if (o.steps || o.most == o.least) {
        list.add(Area{high, high_count, v.base_y, v.top_y, top, bottom});
    } else {
        // The range between minimum and maximum is paler: the curve changes within a pixel there. Both bounds get a
        // line, so that even a very short drain is visible.
        list.add(Area{high, high_count, v.base_y, v.top_y, faded(top, 0.55), faded(bottom, 0.55)});
        const std::uint32_t low = list.first_point();
        const std::uint32_t low_count = trace(list, o, o.least, reach, v);
        list.add(Area{low, low_count, v.base_y, v.top_y, top, bottom});
        list.add(Polyline{low, low_count, faded(colour, 0.75), pen.line_px(pen.style().gradient ? 0.8F : 1)});
        pen.layout.curves_in_columns = true;
    }
    list.add(Polyline{high, high_count, colour, pen.line_px(pen.style().gradient ? 1.3F : 2)});
}

// The highest point of the curve (its least y) between two x.
float top_between(const RowPen& pen, const Curve& curve, const Reach& reach, const Vertical& v, float x0, float x1) {
    x0 = std::max(x0, reach.x0);
    x1 = std::min(x1, reach.x1);
    if (x1 <= x0) {
        return v.base_y;
    }
    const auto begin = static_cast<std::int64_t>(pen.run_ns_from_x_px(x0));
    const auto end = static_cast<std::int64_t>(pen.run_ns_from_x_px(x1));
    return v.y(static_cast<double>(curve.extremes(begin, std::max(end, begin + 1)).most));
}

// The curve's maximum within the measured part (the value shown in the numbers), and when it was first reached.
struct Peak {
    std::int64_t value = 0, ns = 0;
};
Peak peak_of(const RowPen& pen, const Curve& curve) {
    const model::Run& run = pen.run;
    Peak peak{static_cast<std::int64_t>(measured_peak(run, curve)), 0};
    auto part = run.measured();
    if (pen.now_ns() < part.end_ns) {  // the run is still in progress
        part.end_ns = std::max(pen.now_ns(), part.begin_ns + 1);
        peak.value = std::max<std::int64_t>(0, curve.extremes(part.begin_ns, part.end_ns).most);
    }
    if (curve.most() == peak.value && curve.most_at_ns() > part.begin_ns && curve.most_at_ns() <= part.end_ns) {
        peak.ns = curve.most_at_ns();
        return peak;
    }
    std::int64_t before = part.begin_ns;  // not reached in [begin, before)
    std::int64_t reached = part.end_ns + 1;
    while (reached - before > 1) {
        const std::int64_t middle = before + (reached - before) / 2;
        (curve.extremes(part.begin_ns, middle).most >= peak.value ? reached : before) = middle;
    }
    peak.ns = before;
    return peak;
}

constexpr float kRowInset = 2;  // distance of labels from the row's edge

float label_height(float size, float px) {
    return size * (kCapHeightEm + 0.25F) + 2 * px;
}

// Labels a curve's peak: a dot at the peak and the label next to it, clear of the curve where possible, else on a
// background of its own. If the peak is out of view, the label is at that edge of the axis with an arrow. Adds the
// label's box to `taken`.
void label_peak(const RowPen& pen, const Curve& curve, const Reach& reach, const Vertical& v, const Box& row,
                std::vector<Box>& taken, const Peak& peak, std::string label, Rgba colour, float size, FontRole role) {
    if (!model::has_all_records(pen.run)) {
        return;  // the peak is unknown
    }
    const float height = label_height(size, pen.px(1));
    const float peak_x = pen.x_px_from_run_ns(peak.ns);
    const bool earlier = peak_x < pen.map().x0() - 1;
    const bool later = peak_x > pen.map().x1() + 1;
    if (earlier) {
        label.insert(0, "← ");
    } else if (later) {
        label += " →";
    }
    const float width = pen.width(role, size, label);
    const float left = pen.map().x0() + pen.px(6);
    const float right = pen.map().x1() - pen.px(4) - width;  // the rightmost x for the label
    const float peak_y = v.y(static_cast<double>(peak.value));
    if (!earlier && !later) {
        const float radius = pen.px(2.5F);
        const float x = std::clamp(peak_x, pen.map().x0() + radius, pen.map().x1() - radius);
        pen.list().add(Rect{{x - radius, peak_y - radius, x + radius, peak_y + radius}, colour, radius});
    }
    if (right < left || row.height() < height) {
        return;
    }
    const float distance = pen.px(8);
    const auto box_at = [&](float x, float y) { return Box{x - pen.px(3), y, x + width + pen.px(3), y + height}; };
    // Ranges that were not measured are drawn paler afterwards, together with any label there.
    const model::Run::Measured part = pen.run.measured();
    const float paler_to = pen.x_px_from_run_ns(part.begin_ns) - 1,
                paler_from = part.has_end && peak.ns <= part.end_ns ? pen.x_px_from_run_ns(part.end_ns) + 1 : FLT_MAX,
                paler_end = pen.x_px_from_run_ns(pen.run.end_ns());
    const auto free = [&](const Box& box) {
        return (peak.ns < part.begin_ns || box.x0 >= paler_to) && (box.x1 <= paler_from || box.x0 >= paler_end) &&
               std::none_of(taken.begin(), taken.end(), [&](const Box& other) { return box.overlaps(other); });
    };
    // Try right of the peak, then left of it, at increasing distance in case the curve is lower there.
    std::optional<Box> best;
    float best_cost = 0;
    constexpr int kShifts = 4;
    const float near_y = std::clamp(peak_y - height / 2, row.y0, row.y1 - height);
    for (const bool to_right : {true, false}) {
        for (int k = 0; k <= kShifts; ++k) {
            const float off = distance + width * 0.1F * static_cast<float>(k);
            const float x = earlier    ? left + off - distance
                            : later    ? right - off + distance
                            : to_right ? peak_x + off
                                       : peak_x - off - width;
            if (x < left || x > right) {
                continue;
            }
            const float top = top_between(pen, curve, reach, v, x - pen.px(3), x + width + pen.px(3));
            for (float y = row.y0; y + height <= row.y1; y += pen.px(3)) {
                const Box box = box_at(x, y);
                const float cost = off + std::abs(y - near_y) * 1.5F + (to_right ? 0 : pen.px(4));
                if ((!best || cost < best_cost) && box.y1 < top && free(box)) {
                    best = box;
                    best_cost = cost;
                }
            }
        }
    }
    if (!best) {
        const bool fits_right =
            peak_x + distance <= right && free(box_at(peak_x + distance, std::clamp(near_y, row.y0, row.y1 - height)));
        const float x = std::clamp(fits_right ? peak_x + distance : peak_x - distance - width, left, right);
        for (float off = 0; off < row.height() && !best; off += pen.px(3)) {
            for (const float y : {near_y + off, near_y - off}) {
                const Box box = box_at(x, y);
                if (!best && y >= row.y0 && y + height <= row.y1 && free(box)) {
                    best = box;
                }
            }
        }
        if (!best) {
            return;
        }
        pen.list().add(Rect{*best, pen.theme().background, pen.px(3)});
    }
    pen.text(best->x0 + pen.px(3), best->y0 + size * kCapHeightEm + pen.px(2), label, colour, size, role,
             Anchor::start);
    taken.push_back(*best);
}

// Draws the scale's maximum at the left of the axis, so that rows of different scale are not mistaken for equal ones.
void draw_scale(const RowPen& pen, const Vertical& v, const std::string& top) {
    const float size = pen.px(pen.style().scale_px);
    const float x = pen.map().x0() - pen.px(6);
    const Rgba colour = pen.theme().faint;
    if (v.base_y - v.top_y < size * 2.2F) {
        return;
    }
    pen.text(x, v.top_y + size * kCapHeightEm, top, colour, size, FontRole::mono, Anchor::end);
    pen.text(x, v.base_y, "0", colour, size, FontRole::mono, Anchor::end);
}

// The scale covers the whole run, the peak only the measured part; this suffix is added when they differ.
const char* of_measured(const Peak& peak, const Curve& curve) {
    return peak.value < curve.most() ? " measured" : "";
}

}  // namespace

float peak_label_px(const TimelineStyle& style, float scale) {
    return kRowInset * scale + label_height(style.annotation_px * scale, scale) + 1.5F * scale;
}

void draw_headway(const RowPen& pen, const RowBox& row) {
    const Curve& curve = pen.run.headway();
    const Reach reach = reach_of(pen);
    if (curve.size() == 0 || curve.most() <= 0) {
        return;
    }
    const Vertical v{row.content.y1, row.content.y0, static_cast<double>(curve.most())};
    draw_scale(pen, v, compact_count_text(static_cast<std::uint64_t>(curve.most())));
    if (reach.empty()) {
        return;
    }
    const Outline outline = outline_of(pen, curve, reach);
    draw_curve(pen, outline, reach, v, pen.theme().headway, pen.style().gradient ? 0.7F : 0.25F);
    const bool words = pen.style().curve_label_in_row;
    const Peak peak = peak_of(pen, curve);
    const std::string count = count_text(static_cast<std::uint64_t>(peak.value));
    std::vector<Box> taken;
    label_peak(
        pen, curve, reach, v, {row.content.x0, row.box.y0 + pen.px(kRowInset), row.content.x1, row.content.y1}, taken,
        peak,
        words ? count + (peak.value == 1 ? " op ahead" : " ops ahead") : "max " + count + of_measured(peak, curve),
        pen.theme().headway, pen.px(pen.style().annotation_px), words ? FontRole::ui_semibold : FontRole::mono_bold);
}

// Reserved memory is shown for GPUs only: it is allocated from the driver in advance and unavailable to other programs.
static bool shows_reserved(const model::Run& run, std::size_t device) {
    return run.devices()[device].kind == "cuda" && reserved_bytes(run, device).most() > 0;
}

// The device of a memory row. Runs with a single device have one memory row with lane -1.
static std::size_t device_of(const RowBox& row) {
    return static_cast<std::size_t>(std::max(row.lane, 0));
}

std::uint64_t memory_top(std::span<const TimelineRun> runs, std::size_t device) {
    std::uint64_t peak = 1;
    for (const TimelineRun& shown : runs) {
        if (device < shown.run->devices().size()) {
            const std::int64_t most = live_bytes(*shown.run, device).most();
            peak = std::max(peak, static_cast<std::uint64_t>(std::max<std::int64_t>(0, most)));
        }
    }
    std::uint64_t top = peak;
    for (const TimelineRun& shown : runs) {
        if (device >= shown.run->devices().size()) {
            continue;
        }
        const std::uint64_t budget = shown.run->info().budget;
        // A budget more than this many times the peak would flatten the curve, so it is written as text instead.
        constexpr std::uint64_t kFar = 4;
        if (budget > 0 && budget / kFar < peak) {
            top = std::max(top, budget + budget / 12);
        }
        if (shows_reserved(*shown.run, device)) {
            const auto reserved = static_cast<std::uint64_t>(reserved_bytes(*shown.run, device).most());
            if (reserved / kFar < peak) {
                top = std::max(top, reserved);
            }
        }
    }
    return top;
}

void draw_memory(const RowPen& pen, const RowBox& row, std::uint64_t top_bytes) {
    const Theme& theme = pen.theme();
    const std::size_t device = device_of(row);
    const Curve& live = live_bytes(pen.run, device);
    const Curve& pending = pending_bytes(pen.run, device);
    const Curve& taken_ahead = reserved_bytes(pen.run, device);
    const Reach reach = reach_of(pen);
    const Vertical v{row.content.y1, row.content.y0, static_cast<double>(top_bytes)};
    if (top_bytes > 1) {  // memory is held, or a budget is set
        draw_scale(pen, v, bytes_text(top_bytes));
    }

    const float size = pen.px(pen.style().annotation_px);
    std::vector<Box> taken;
    const bool has_curve = live.size() > 0 && live.most() > 0 && !reach.empty();
    const Peak peak = has_curve ? peak_of(pen, live) : Peak();
    std::optional<BudgetLabel> budget;
    if (const std::uint64_t bytes = pen.run.info().budget; bytes > 0) {
        const bool left = has_curve && !shows_reserved(pen.run, device);  // where nothing else is written
        budget = draw_budget_line(pen, row, bytes <= top_bytes ? v.y(static_cast<double>(bytes)) : kBudgetFarAbove,
                                  left ? pen.x_px_from_run_ns(peak.ns) : pen.map().x0(), taken);
    }
    if (!has_curve) {
        if (budget) {
            pen.list().add(std::move(budget->text));
        }
        return;
    }
    const Outline outline = outline_of(pen, live, reach);
    draw_curve(pen, outline, reach, v, theme.memory, pen.style().gradient ? 0.72F : 0.28F);
    const Rgba ground = faded(theme.memory, theme.dark ? 0.35 : 0.3);
    if (pending.size() == 0 || pending.most() <= 0) {
        // In the shade that memory not held by pending ops has in other runs.
        const std::uint32_t first = pen.list().first_point();
        const std::uint32_t count = trace(pen.list(), outline, outline.most, reach, v);
        if (count > 1) {
            pen.list().add(Area{first, count, v.base_y, v.top_y, ground, ground});
        } else {
            pen.list().points.resize(first);
        }
    } else {
        // Memory that pending ops hold is drawn on top, above this line.
        DisplayList& list = pen.list();
        const std::uint32_t first = list.first_point();
        Outline settled;
        if (outline.steps) {
            settled = outline_of(pen, pending, reach);
        }
        if (settled.steps) {
            settled.x.insert(settled.x.end(), outline.x.begin(), outline.x.end());
            std::sort(settled.x.begin(), settled.x.end());
            settled.most.assign(settled.x.size(), 0);
            // Sample a little to the right of the change.
            for (std::size_t i = 0; i < settled.x.size(); ++i) {
                const double ns = pen.map().ns_from_x_px(settled.x[i]) + 0.02 * pen.map().ns_per_px();
                const auto run_ns = static_cast<std::int64_t>(pen.run.program_time().run_ns(ns));
                settled.most[i] = settled_bytes(live.at(run_ns), pending.at(run_ns));
            }
        } else {
            settled = {};
            const bool columns = !outline.steps;  // then the maxima are already computed
            const float step = columns && outline.x.size() > 1 ? outline.x[1] - outline.x[0] : 2;
            for (std::size_t i = 0; reach.x0 + step * static_cast<float>(i) < reach.x1; ++i) {
                settled.x.push_back(reach.x0 + step * static_cast<float>(i));
            }
            if (!settled.x.empty()) {
                const float end_px = settled.x.back() + step;
                const auto unsettled = column_extremes(pen, pending, settled.x, end_px);
                const bool known = columns && outline.most.size() >= settled.x.size();
                const auto held =
                    known ? std::vector<model::Extremes>() : column_extremes(pen, live, settled.x, end_px);
                for (std::size_t i = 0; i < settled.x.size(); ++i) {
                    const std::int64_t most = known ? outline.most[i] : held[i].most;
                    settled.most.push_back(settled_bytes(most, unsettled[i].most));
                }
            }
        }
        trace(list, settled, settled.most, reach, v);
        const std::uint32_t count = list.first_point() - first;
        if (count > 1) {
            list.add(Area{first, count, v.base_y, v.top_y, ground, ground});
            list.add(Polyline{first, count, theme.pending, pen.line_px(0.8F)});
        } else {
            list.points.resize(first);
        }
    }
    const bool reserved_shown =
        shows_reserved(pen.run, device) && static_cast<std::uint64_t>(taken_ahead.most()) <= top_bytes;
    if (reserved_shown) {
        const Outline reserved = outline_of(pen, taken_ahead, reach);
        const std::uint32_t first = pen.list().first_point();
        const std::uint32_t count = trace(pen.list(), reserved, reserved.most, reach, v);
        pen.list().add(Polyline{first, count, theme.dim, pen.line_px(1.2F)});
    }
    if (budget) {
        if (top_between(pen, live, reach, v, budget->box.x0, budget->box.x1) < budget->box.y1) {
            pen.list().add(Rect{budget->box, pen.theme().background, pen.px(3)});
        }
        pen.list().add(std::move(budget->text));
    }
    const bool words = pen.style().curve_label_in_row;
    const Box room{row.content.x0, row.box.y0 + pen.px(kRowInset), row.content.x1, row.content.y1};
    label_peak(pen, live, reach, v, room, taken, peak,
               "peak " + bytes_text(static_cast<std::uint64_t>(peak.value)) + of_measured(peak, live),
               theme.memory_text, size, words ? FontRole::ui_bold : FontRole::mono_bold);
    if (reserved_shown) {
        const Peak most = peak_of(pen, taken_ahead);
        label_peak(pen, taken_ahead, reach, v, room, taken, most,
                   "reserved " + bytes_text(static_cast<std::uint64_t>(most.value)) + of_measured(most, taken_ahead),
                   theme.dim, size, FontRole::ui_semibold);
    }
}

}  // namespace headway::figure
