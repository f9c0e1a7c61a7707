#include <algorithm>
#include <cmath>
#include <utility>

#include "app/figure/figure_parts.h"
#include "app/figure/legend.h"
#include "app/model/analysis/time_range_summary.h"

namespace headway::figure {

using devices::Family;

namespace {

// The visible time range, in the run's time.
std::pair<std::int64_t, std::int64_t> run_times(const model::Run& run, TimelineView view) {
    const auto begin = static_cast<std::int64_t>(std::floor(run.program_time().run_ns(view.begin_ns)));
    return {begin, std::max(begin, static_cast<std::int64_t>(std::ceil(run.program_time().run_ns(view.end_ns)))) + 1};
}

// What occurs in the visible part, from its summary: no failures, but fast for any length of run.
Occurring summed_up(std::span<const TimelineRun> runs, TimelineView view) {
    Occurring o;
    for (const TimelineRun& shown : runs) {
        const model::Run& run = *shown.run;
        const auto [begin_ns, end_ns] = run_times(run, view);
        const model::TimeRangeSummary summary = model::time_range_summary(run, begin_ns, end_ns);
        for (const auto& kind : summary.kinds) {
            o.families[static_cast<std::size_t>(kind.family)] = true;
        }
        o.issues = o.issues || (summary.issues.count > 0 && run.capabilities().issues);
        const auto is_wait = [](trace::WaitKind kind) { return kind != trace::WaitKind::paused; };  // drawn in grey
        const auto open = run.open_wait();
        o.waits = o.waits || (open && is_wait(open->kind)) ||
                  std::any_of(summary.causes.begin(), summary.causes.end(),
                              [&](const auto& cause) { return is_wait(cause.kind); });
        o.works = o.works || summary.works.count > 0;
        o.pending = o.pending || run.pending_bytes().most() > 0;
        o.races = o.races || run.has_races();
    }
    return o;
}

}  // namespace

Occurring occurring_in(std::span<const TimelineRun> runs, TimelineView view) {
    Occurring o = summed_up(runs, view);
    o.families = {};
    for (const TimelineRun& shown : runs) {
        const model::Run& run = *shown.run;
        const auto [begin_ns, end_ns] = run_times(run, view);
        for (core::OpId id = run.next_known(1); id <= run.op_count(); id = run.next_known(id + 1)) {
            const model::Op& op = run.op(id);
            const bool before = op.begin_ns < begin_ns && op.end_ns <= begin_ns;
            if (op.begin_ns == model::kPending || before || op.begin_ns > end_ns) {
                continue;
            }
            (op.failed ? o.failed : o.families[static_cast<std::size_t>(run.signature(op.signature).family)]) = true;
        }
    }
    return o;
}

float draw_legend(const FigurePen& pen, float y, const Occurring& o, const InShort& in_short, bool one_line) {
    const float size = pen.look.legend_px, swatch_width = pen.look.swatch_px, swatch_height = pen.look.swatch_height_px;
    const float text_below = (swatch_height + size * kCapHeightEm) / 2 + 0.5F;  // its baseline, from the top
    float x = pen.left;
    bool full = false;
    const auto entry = [&](const std::string& words, auto swatch) {
        const float width = swatch_width + 8 + pen.width(FontRole::ui, size, words);
        if (full) {
            return;
        }
        full = one_line && x + width > pen.right;
        if (full) {  // in the gap after the last entry
            pen.text(x - pen.look.legend_gap_px + 4, y + text_below, "…", pen.theme.dim, size, FontRole::ui);
            return;
        }
        if (x > pen.left && x + width > pen.right) {
            x = pen.left;
            y += pen.look.legend_pitch_px;
        }
        swatch(Box{x, y, x + swatch_width, y + swatch_height});
        pen.text(x + swatch_width + 8, y + text_below, words, pen.theme.dim, size, FontRole::ui);
        x += width + pen.look.legend_gap_px;
    };
    const auto plain = [&](Rgba colour) { return [&pen, colour](Box box) { pen.list.add(Rect{box, colour, 3}); }; };
    if (o.issues) {
        entry("issue", plain(pen.theme.issue));
    }
    if (o.works) {
        entry("frontend's own work", [&](Box box) {
            pen.list.add(Rect{{box.x0, box.y0 + 3, box.x1, box.y1 - 3}, pen.theme.work, 2});
        });
    }
    if (o.waits) {
        entry("wait", [&](Box box) {
            pen.list.add(Hatch{box, pen.theme.wait_ground, pen.theme.wait, pen.theme.wait, 9, 3, 3, 0.8F});
        });
    }
    if (o.races) {
        entry("race: a wait is missing", [&](Box box) {
            const float middle = (box.y0 + box.y1) / 2;
            const Point from{box.x0, middle}, end{box.x1, middle};
            pen.list.add(Arrow{{from, from, end, end}, pen.theme.warning, 1.5F, 4, 3, 6});
        });
    }
    constexpr Family kOrder[] = {Family::matmul, Family::elementwise, Family::reduce, Family::update,
                                 Family::random, Family::copy,        Family::create, Family::other};
    for (Family family : kOrder) {
        if (o.families[static_cast<std::size_t>(family)]) {
            entry(label_of(family), plain(pen.theme.family(family)));
        }
    }
    if (o.failed) {
        entry("failed", plain(pen.theme.warning));
    }
    if (o.pending) {
        entry("held for ops not yet run", [&](Box box) {
            pen.list.add(Rect{box, faded(pen.theme.memory, 0.28), 0});
            pen.list.add(Line{{box.x0, box.y1}, {box.x1, box.y1}, pen.theme.pending, 1});
            pen.list.add(Line{{box.x0, box.y0}, {box.x1, box.y0}, pen.theme.memory, 2});
        });
    }
    if (in_short.curves) {
        entry("curves: least and most per pixel", [&](Box box) {
            const float middle = box.y0 + box.height() * 0.6F;
            pen.list.add(Rect{box, faded(pen.theme.headway, 0.14)});
            pen.list.add(Rect{{box.x0, middle, box.x1, box.y1}, faded(pen.theme.headway, 0.25)});
            pen.list.add(Line{{box.x0, middle}, {box.x1, middle}, faded(pen.theme.headway, 0.75), 1});
            pen.list.add(Line{{box.x0, box.y0}, {box.x1, box.y0}, pen.theme.headway, 2});
        });
    }
    if (in_short.slivers) {
        entry("many at once (height: share of time)", [&](Box box) {
            constexpr float kHeights[] = {0.5F, 0.79F, 0.57F, 0.71F};
            for (int i = 0; i < 4; ++i) {
                const float step = box.width() / 4;
                const float x0 = box.x0 + static_cast<float>(i) * step;
                pen.list.add(Rect{{x0, box.y1 - 3 - kHeights[i] * box.height(), x0 + step, box.y1 - 3}, pen.theme.dim});
            }
            pen.list.add(Rect{{box.x0, box.y1 - 1.5F, box.x1, box.y1}, pen.theme.faint});
        });
    }
    return y + swatch_height + 10;
}

DisplayList legend_line(std::span<const TimelineRun> runs, TimelineView view, const Theme& theme,
                        const TextMeasure& measure, float scale, float width_px) {
    DisplayList list;
    FigureLook look;
    look.legend_px = 12.5F;
    look.swatch_px = 16;
    look.swatch_height_px = 10;
    look.legend_gap_px = 16;
    const float width = width_px / scale;
    draw_legend({list, theme, look, measure, 0, width}, 0, summed_up(runs, view), {}, true);
    list.width_px = width;
    list.height_px = look.swatch_height_px;
    figure::scale(list, scale);
    return list;
}

DisplayList whole_legend(const Theme& theme, const TextMeasure& measure, float scale) {
    constexpr float kWidth = 300;  // narrower than any two entries side by side
    DisplayList list;
    Occurring all;
    all.families.fill(true);
    all.issues = all.waits = all.works = all.failed = all.pending = all.races = true;
    FigureLook look;
    look.legend_px = 14;
    const FigurePen pen{list, theme, look, measure, 0, 1};
    const float y = draw_legend(pen, 0, all, {true, true});
    list.width_px = kWidth;
    list.height_px = y;
    figure::scale(list, scale);
    return list;
}

}  // namespace headway::figure
