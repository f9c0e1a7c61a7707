#include "app/timeline/timeline.h"

#include <algorithm>
#include <cmath>
#include <deque>

#include "app/comparison/naming.h"
#include "app/render/format.h"
#include "app/timeline/fold.h"
#include "app/timeline/timeline_plan.h"
#include "app/timeline/timeline_rows.h"

namespace headway::figure {

TimelineStyle window_style() {
    return {};
}

TimelineStyle figure_style() {
    TimelineStyle style;
    style.label_width_px = 190;
    style.label_px = 16;
    style.sublabel_px = 13;
    style.header_px = 18;
    style.annotation_px = 15;
    style.tick_px = 14;
    style.inside_px = 11.5F;
    style.header_row_px = 34;
    style.scopes_row_px = 16;
    style.frontend_row_px = 56;
    style.headway_row_px = 62;
    style.lane_row_px = 54;
    style.memory_row_px = 96;
    style.ruler_px = 44;
    style.run_gap_px = 14;
    style.ruler_below = true;
    style.ticks_carry_unit = false;
    style.tick_room_px = 110;
    style.gradient = false;
    style.curve_label_in_row = true;
    style.whole_scopes = false;
    style.error_in_header = false;
    style.heights_in_proportion = true;
    style.bars_grow = 1.6F;
    style.curves_grow = 2.6F;
    return style;
}

std::string barrier_label(const model::Run& run) {
    constexpr std::size_t kMostShown = 3;
    if (!run.capabilities().settings) {
        return run.info().title.empty() ? run.info().program : run.info().title;
    }
    const auto acting = comparison::acting_barriers(run.info());
    std::string label = comparison::barrier_words(acting[0].barrier);
    for (std::size_t i = 1; i < std::min(acting.size(), kMostShown); ++i) {
        label += ", then " + comparison::barrier_words(acting[i].barrier) + " from " +
                 duration_text(std::max(0.0, run.program_time().program_ns(acting[i].ns)));
    }
    return acting.size() > kMostShown ? label + ", and so on" : label;
}

std::string row_key(RowKind kind, int lane) {
    switch (kind) {
        case RowKind::scopes:
            return "scopes";
        case RowKind::frontend:
            return "frontend";
        case RowKind::headway:
            return "headway";
        case RowKind::launch:
            return "launch";
        case RowKind::lane:
            return "lane " + std::to_string(lane);
        case RowKind::memory:
            return lane > 0 ? "memory " + std::to_string(lane) : "memory";
        case RowKind::link:
            return "link " + std::to_string(lane);
        case RowKind::ruler:
        case RowKind::header:
        case RowKind::bookmarks:
            break;
    }
    return {};
}

namespace {

// The part of a row that holds its bars or its curve.
Box content_of(const RowPlan& row, const Box& box, const Box& axis, const TimelineOptions& o) {
    Box c{axis.x0, box.y0, axis.x1, box.y1};
    const float h = box.height();
    float above = 0;
    float below = 0;
    switch (row.kind) {
        case RowKind::frontend:
        case RowKind::launch:
        case RowKind::lane:
        case RowKind::link:
            above = below = std::clamp(h * 0.14F, 2.0F * o.scale, 9.0F * o.scale);
            below = std::max(below, std::min(4.5F * o.scale, h * 0.25F));  // room for the rail under slivers
            break;
        case RowKind::headway:
        case RowKind::memory:
            above = std::clamp(h * 0.16F, 3 * o.scale, 13 * o.scale);
            if (const float label = peak_label_px(o.style, o.scale); label < h * 0.38F) {
                above = std::max(above, label);  // the peak is named above the curve
            }
            below = std::clamp(h * 0.1F, 2 * o.scale, 7 * o.scale);
            break;
        case RowKind::bookmarks:
        case RowKind::scopes:
        case RowKind::header:
        case RowKind::ruler:
            break;
    }
    c.y0 += above;
    c.y1 -= below;
    return c;
}

class Builder {
public:
    Builder(std::span<const TimelineRun> runs, const TimelineOptions& options) : o_(options), theme_(*options.theme) {
        out_.runs.assign(runs.begin(), runs.end());
        out_.counts.resize(runs.size());
    }

    TimelineLayout build() {
        place();
        draw_grid();
        for (const RowBox& row : out_.rows) {
            if (row.run >= 0) {
                draw_label(pen_of(row.run), row);
            }
        }
        draw_rows();
        draw_ruler();
        return std::move(out_);
    }

private:
    [[nodiscard]] float px(float size) const { return size * o_.scale; }
    [[nodiscard]] float line_px(float width) const { return width * o_.scale * theme_.line_scale; }
    void text(float x, float y, std::string words, Rgba colour, float size, FontRole role,
              Anchor anchor = Anchor::start) {
        if (!words.empty()) {
            out_.list.add(Text{{x, y}, std::move(words), colour, size, role, anchor});
        }
    }
    void place() {
        std::vector<RowPlan> plan = plan_rows(out_.runs, o_);
        const float inset = px(o_.style.bottom_inset_px);
        share_height(plan, o_.area.height() - inset);
        out_.view = o_.view;
        if (!(out_.view.span_ns() > 0)) {
            out_.view.end_ns = out_.view.begin_ns + 1;
        }
        const float x0 = std::floor(std::min(o_.area.x0 + px(o_.style.label_width_px), o_.area.x1 - 1));
        out_.area = o_.area;
        out_.axis = {x0, o_.area.y0, o_.area.x1, o_.area.y1};
        out_.map = TimeMap(out_.view, out_.axis.x0, out_.axis.x1);
        float y = o_.area.y0;
        for (const RowPlan& row : plan) {
            const Box box{o_.area.x0, std::round(y), o_.area.x1, std::round(y + row.height)};
            out_.rows.push_back({row.kind, row.run, row.lane, box, content_of(row, box, out_.axis, o_)});
            y += row.height;
        }
        out_.area.y1 = std::max(o_.area.y1, y + inset);
        out_.axis.y1 = std::round(y);
        if (!out_.rows.empty() && out_.rows.back().kind == RowKind::ruler) {
            out_.axis.y1 = out_.rows.back().box.y0;
        }
        if (!out_.rows.empty() && out_.rows.front().kind == RowKind::ruler) {
            out_.axis.y0 = out_.rows.front().box.y1;
        }
        out_.list.width_px = out_.area.x1;
        out_.list.height_px = out_.area.y1;
        ticks_ = ticks_for(out_.view.span_ns(), tick_room() * out_.map.ns_per_px());
    }

    // The least distance between ticks so that their labels fit. The labels depend on the ticks; two iterations
    // suffice.
    [[nodiscard]] float tick_room() const {
        float room = px(std::min(80.0F, o_.style.tick_room_px));
        for (int round = 0; round < 2; ++round) {
            const Ticks ticks = ticks_for(out_.view.span_ns(), room * out_.map.ns_per_px());
            float widest = 0;
            for (double ns : {out_.view.begin_ns, out_.view.end_ns}) {
                const std::string words =
                    tick_text(ticks, std::round(ns / ticks.step_ns) * ticks.step_ns, o_.style.ticks_carry_unit);
                widest = std::max(widest, o_.measure->width(FontRole::mono, px(o_.style.tick_px), words));
            }
            room = std::max(px(o_.style.tick_room_px), widest + px(std::min(28.0F, o_.style.tick_room_px / 4)));
        }
        return room;
    }

    template <class Call>
    void each_tick(Call call) const {
        const double slack = out_.map.ns_per_px() * 0.5;
        const double first = std::ceil((out_.view.begin_ns - slack) / ticks_.step_ns);
        for (double k = first; k * ticks_.step_ns <= out_.view.end_ns + slack; ++k) {
            call(k * ticks_.step_ns, out_.map.x_px_from_ns(k * ticks_.step_ns));
        }
    }

    void draw_grid() {
        each_tick([&](double, float x) {
            out_.list.add(Line{{x, out_.axis.y0}, {x, out_.axis.y1}, theme_.grid, line_px(1)});
        });
    }

    void draw_ruler() {
        const auto ruler =
            std::find_if(out_.rows.begin(), out_.rows.end(), [](const RowBox& r) { return r.kind == RowKind::ruler; });
        if (ruler == out_.rows.end()) {
            return;
        }
        const float size = px(o_.style.tick_px);
        const bool below = o_.style.ruler_below;
        const float baseline = below ? ruler->box.y0 + size * 1.55F : ruler->box.y1 - px(8);
        float free_from = out_.axis.x0 - px(o_.style.label_width_px);
        each_tick([&](double ns, float x) {
            const std::string words = tick_text(ticks_, ns, o_.style.ticks_carry_unit);
            const float width = o_.measure->width(FontRole::mono, size, words);
            // Centred on its line, but kept inside the picture.
            const float x0 =
                std::min(x - width / 2, out_.area.x1 - width + (below ? px(o_.style.ruler_overhang_px) : -px(2)));
            if (x0 < free_from) {
                return;
            }
            free_from = x0 + width + px(10);
            text(x0, baseline, words, theme_.dim, size, FontRole::mono);
        });
        if (below) {
            text(out_.axis.x1, baseline + size * 1.35F, ticks_.unit_in_words, theme_.dim, size, FontRole::ui,
                 Anchor::end);
        }
    }

    RowPen pen_of(int run) {
        const TimelineRun& shown = out_.runs[static_cast<std::size_t>(run)];
        return {o_, out_, *shown.run, shown, run};
    }

    // Starts folding the lane rows of every run, in row order.
    std::deque<LanesFolding> fold_lane_rows() {
        std::deque<LanesFolding> folding;
        for (std::size_t run = 0; run < out_.runs.size(); ++run) {
            std::vector<int> lanes;
            FoldOptions options = pen_of(static_cast<int>(run)).fold_options();
            for (const RowBox& row : out_.rows) {
                if (row.kind == RowKind::lane && row.run == static_cast<int>(run)) {
                    lanes.push_back(row.lane);
                    // A run with so many lanes takes a third less time with wider columns.
                    constexpr float kLow = 10, kColumn = 3;
                    if (row.content.height() < px(kLow)) {
                        options.column_px = std::max(kColumn, std::round(px(kColumn)));
                    }
                }
            }
            folding.emplace_back(*out_.runs[run].run, std::move(lanes), options);
        }
        return folding;
    }

    void draw_rows() {
        auto lanes = fold_lane_rows();
        std::vector<std::size_t> drawn(out_.runs.size());  // lane rows per run
        // By index, because the pens append to out_.
        for (std::size_t i = 0; i < out_.rows.size(); ++i) {
            const RowBox row = out_.rows[i];
            if (row.run < 0) {
                continue;
            }
            const auto run = static_cast<std::size_t>(row.run);
            const RowPen pen = pen_of(row.run);
            switch (row.kind) {
                case RowKind::scopes:
                    draw_scopes(pen, row);
                    break;
                case RowKind::frontend:
                    draw_frontend(pen, row);
                    break;
                case RowKind::headway:
                    draw_headway(pen, row);
                    break;
                case RowKind::launch:
                    draw_launches(pen, row);
                    break;
                case RowKind::lane:
                    draw_lane(pen, row, lanes[run].pieces(drawn[run]++));
                    break;
                case RowKind::memory:
                    draw_memory(pen, row, memory_top(out_.runs, static_cast<std::size_t>(std::max(row.lane, 0))));
                    break;
                case RowKind::link:
                    draw_link(pen, row);
                    break;
                case RowKind::bookmarks:
                case RowKind::ruler:
                case RowKind::header:
                    break;
            }
            if (i + 1 == out_.rows.size() || out_.rows[i + 1].run != row.run) {
                draw_pauses(pen);
                draw_queued(pen);
                draw_folded_parts(pen, row);
                draw_unmeasured(pen, row);
            }
        }
        for (std::size_t i = 0; i < out_.rows.size(); ++i) {  // drawn last, over all other rows
            if (const RowBox row = out_.rows[i]; row.kind == RowKind::bookmarks) {
                draw_bookmarks(pen_of(row.run), row);
            }
        }
    }

    // Draws what happened before measuring began and after it ended paler, over all rows of the run (`last` is its last
    // row).
    void draw_unmeasured(const RowPen& pen, const RowBox& last) {
        constexpr double kFaded = 0.62;
        draw_range(pen, last, out_.axis.x0, pen.x(pen.run.measure_begin_ns()), "warm-up", kFaded);
        if (const model::Run::Measured measured = pen.run.measured(); measured.has_end) {
            draw_range(pen, last, pen.x(measured.end_ns), pen.x(pen.run.end_ns()), "not measured", kFaded);
        }
    }

    // Labels the parts of a long run of which only sums are kept. Links have no rows then: they would be incomplete.
    void draw_folded_parts(const RowPen& pen, const RowBox& last) {
        const char* words = pen.run.info().links ? " ops folded: only their sums are kept, and links have no rows"
                                                 : " ops folded: only their sums are kept";
        for (const model::FoldedPart& part : pen.run.folded_parts()) {
            draw_range(pen, last, pen.x(part.begin_ns), pen.x(part.end_ns),
                       count_text(part.last - part.first + 1) + words, 0);
        }
    }

    // Marks a range over all rows of the run, and makes it paler.
    void draw_range(const RowPen& pen, const RowBox& last, float from, float to, const std::string& words,
                    double fade) {
        const float x0 = std::max(out_.axis.x0, from);
        const float x1 = std::min(out_.axis.x1, to);
        if (x1 <= x0 + 0.5F) {
            return;
        }
        float y0 = last.box.y0;
        for (const RowBox& row : out_.rows) {
            if (row.run == last.run && row.kind != RowKind::header) {
                y0 = std::min(y0, row.box.y0);
            }
        }
        if (fade > 0) {
            out_.list.add(Rect{{x0, y0, x1, last.box.y1}, faded(theme_.background, fade)});
        }
        for (const float edge : {from, to}) {
            if (edge > out_.axis.x0 && edge < out_.axis.x1) {
                out_.list.add(Line{{edge, y0}, {edge, last.box.y1}, theme_.dim, line_px(1), px(2), px(3)});
            }
        }
        const float size = px(o_.style.sublabel_px);
        const float width = o_.measure->width(FontRole::ui_semibold, size, words) + px(20);
        if (width < x1 - x0) {
            const float left = fade == 0 ? (x0 + x1 - width) / 2 : from > out_.axis.x0 ? x0 + px(2) : x1 - width;
            // The peak of a curve is labelled at its top.
            const float top = fade == 0 ? last.content.y1 - size * 2 : last.content.y0;
            pen.tag(words, {left, top, left + width - px(2), top + size * 2}, theme_.dim, theme_.background, size,
                    FontRole::ui_semibold);
        }
    }

    const TimelineOptions& o_;
    const Theme& theme_;
    TimelineLayout out_;
    Ticks ticks_;
};

}  // namespace

TimelineLayout layout_timeline(std::span<const TimelineRun> runs, const TimelineOptions& options) {
    return Builder(runs, options).build();
}

float timeline_least_height(std::span<const TimelineRun> runs, const TimelineOptions& options) {
    return sum(plan_rows(runs, options), &RowPlan::least) + options.style.bottom_inset_px * options.scale;
}

float timeline_natural_height(std::span<const TimelineRun> runs, const TimelineOptions& options) {
    return sum(plan_rows(runs, options), &RowPlan::natural) + options.style.bottom_inset_px * options.scale;
}

float timeline_most_height(std::span<const TimelineRun> runs, const TimelineOptions& options) {
    return sum(plan_rows(runs, options), &RowPlan::most) + options.style.bottom_inset_px * options.scale;
}

TimelineView whole_view(std::span<const TimelineRun> runs, bool with_warmup) {
    TimelineView view{0, 0};
    for (const TimelineRun& shown : runs) {
        const model::ProgramTime& time = shown.run->program_time();
        view.end_ns = std::max(view.end_ns, time.program_ns(shown.run->end_ns()));
        if (with_warmup) {
            view.begin_ns = std::min(view.begin_ns, time.program_ns(0));
        }
    }
    if (!(view.span_ns() >= 1)) {
        view.end_ns = view.begin_ns + 1000;
    }
    return view;
}

}  // namespace headway::figure
