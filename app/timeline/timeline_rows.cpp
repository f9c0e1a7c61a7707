// The pen of a run's rows, the counts in their labels, and what is drawn over several rows.
#include "app/timeline/timeline_rows.h"

#include <algorithm>
#include <cmath>

#include "app/model/analysis/time_range_summary.h"

namespace headway::figure {

float RowPen::right() const {
    const double ns = std::min(options.until_ns, layout.view.end_ns);
    return std::clamp(map().x_px_from_ns(ns), map().x0(), map().x1());
}

std::int64_t RowPen::now_ns() const {
    const double until = run.program_time().run_ns(options.until_ns);
    const std::int64_t now = run.now_ns();
    return until < static_cast<double>(now) ? std::max<std::int64_t>(0, static_cast<std::int64_t>(until)) : now;
}

float RowPen::x(std::int64_t run_ns) const {
    const float x = x_px_from_run_ns(run_ns);
    const float end = right();
    return std::clamp(x, map().x0() - 8, end < map().x1() ? end : end + 8);
}

FoldOptions RowPen::fold_options() const {
    FoldOptions fold;
    fold.map = map();
    if (options.until_ns < layout.view.end_ns) {  // the axis ends there, but is at least one pixel long
        const double end = std::max(options.until_ns, layout.view.begin_ns + map().ns_per_px());
        fold.map = TimeMap({layout.view.begin_ns, end}, map().x0(), map().x_px_from_ns(end));
    }
    fold.time = &run.program_time();
    fold.least_px = px(1.5F);
    fold.column_px = std::max(2.0F, std::round(px(2)));
    return fold;
}

float RowPen::gap_px(float width) const {
    return width >= px(2.5F) ? std::min(px(1), width * 0.25F) : 0;
}

void RowPen::text(float x, float y, std::string text, Rgba colour, float size_px, FontRole role, Anchor anchor) const {
    if (!text.empty()) {
        list().add(Text{{x, y}, std::move(text), colour, size_px, role, anchor});
    }
}

bool RowPen::tag_may_fit(Box room, float size_px) const {
    return room.width() >= px(16) && room.height() >= size_px * 1.2F;
}

bool RowPen::tag(const std::string& text, Box room, Rgba colour, Rgba ground, float size_px, FontRole role) const {
    if (!tag_may_fit(room, size_px)) {
        return false;
    }
    const float half_width = width(role, size_px, text) / 2 + px(6);
    const float half_height = size_px * 0.5F + px(4);
    if (room.width() < 2 * half_width + px(4)) {
        return false;
    }
    const Point middle{(room.x0 + room.x1) / 2, (room.y0 + room.y1) / 2};
    const float y0 = std::max(room.y0, middle.y - half_height);
    const float y1 = std::min(room.y1, middle.y + half_height);
    list().add(Rect{{middle.x - half_width, y0, middle.x + half_width, y1}, ground, px(4)});
    this->text(middle.x, middle.y + size_px * kCapHeightEm / 2, text, colour, size_px, role, Anchor::middle);
    return true;
}

std::size_t ops_of(const RowPen& pen, int lane) {
    const auto& ops = pen.run.lanes()[static_cast<std::size_t>(lane)].ops;
    IndexRange range =
        lane_range(pen.run, pen.run.lanes()[static_cast<std::size_t>(lane)], pen.run.measure_begin_ns(), pen.now_ns());
    const core::OpId first = pen.run.measured().first;
    // ops issued before measuring but running when it began
    while (range.first < range.last && ops[range.first] < first) {
        ++range.first;
    }
    const auto begin = ops.begin() + static_cast<std::ptrdiff_t>(range.first);
    const auto end = ops.begin() + static_cast<std::ptrdiff_t>(std::max(range.first, range.last));
    range.last = static_cast<std::size_t>(std::upper_bound(begin, end, pen.run.measured().last) - ops.begin());
    const model::Running* running = pen.run.running(static_cast<std::size_t>(lane));
    const bool counts = running != nullptr && running->op >= first && running->begin_ns < pen.now_ns();
    return range.last - range.first + (counts ? 1 : 0);
}

std::size_t issues_of(const RowPen& pen) {
    const IndexRange range = issue_range(pen.run, pen.run.measure_begin_ns(), pen.now_ns());
    const auto first = std::max(static_cast<core::OpId>(range.first + 1), pen.run.measured().first);
    const auto last = std::min(static_cast<core::OpId>(range.last), pen.run.measured().last);
    return model::issued_ops(pen.run, first, last);
}

std::size_t waits_of(const RowPen& pen) {
    const IndexRange range = wait_range(pen.run, pen.run.measure_begin_ns(), pen.now_ns());
    // A wait that ends where measuring begins belongs to the warm-up.
    const std::size_t first = std::max(range.first, pen.run.measured().first_wait);
    const std::size_t end = std::max(std::min(range.last, pen.run.measured().waits_end), first);
    std::size_t waits = 0;
    for (const auto& sum : pen.run.wait_kinds().between(first, end, [&](std::size_t i) {
             const model::Wait& wait = pen.run.waits()[i];
             return std::pair{static_cast<std::uint32_t>(wait.kind), wait.waited_ns()};
         })) {
        waits += sum.kind == static_cast<std::uint32_t>(trace::WaitKind::paused) ? 0 : sum.count;
    }
    return waits;
}

namespace {

// A dashed line through the run's rows at each cut of its time.
void draw_cuts(const RowPen& pen, const Box& axis) {
    Box rows{0, 0, 0, 0};
    for (const RowBox& row : pen.layout.rows) {
        if (row.run == pen.index && row.kind != RowKind::header && row.kind != RowKind::bookmarks) {
            rows = {0, rows.y1 == 0 ? row.box.y0 : rows.y0, 0, row.box.y1};
        }
    }
    float last_x = -1e9F;
    for (const model::TimeCut& cut :
         pen.run.program_time().cuts_between(pen.layout.view.begin_ns, pen.layout.view.end_ns)) {
        const float x = std::round(pen.x(cut.begin_ns)) + 0.5F;
        if (x - last_x >= pen.px(3) && x >= axis.x0 && x <= axis.x1) {
            pen.list().add(
                Line{{x, rows.y0}, {x, rows.y1}, faded(pen.theme().dim, 0.8), pen.line_px(1), pen.px(2), pen.px(3)});
            last_x = x;
        }
    }
}

}  // namespace

void draw_pauses(const RowPen& pen) {
    if (!pen.run.paused_or_held()) {
        return;
    }
    const float least = pen.px(8);  // slow motion pauses at every line, too short to draw
    const Box& axis = pen.layout.axis;
    draw_cuts(pen, axis);
    const IndexRange in_view = wait_range(pen.run, static_cast<std::int64_t>(pen.run_ns_from_x_px(axis.x0)),
                                          static_cast<std::int64_t>(pen.run_ns_from_x_px(axis.x1)));
    const Rgba none{0, 0, 0, 0};
    const Rgba stripe = faded(pen.theme().faint, 0.3);
    for (const model::Hold& hold : pen.run.holds().list()) {
        const float x0 = std::max(axis.x0, pen.x(hold.begin_ns)), x1 = std::min(axis.x1, pen.x(hold.end_ns));
        for (const RowBox& row : pen.layout.rows) {
            if (x1 - x0 >= least && row.run == pen.index && row.kind == RowKind::lane &&
                static_cast<std::uint32_t>(row.lane) == hold.lane) {
                pen.list().add(Hatch{{x0, row.box.y0, x1, row.box.y1}, none, stripe, none, pen.px(9), pen.px(2), 0, 0});
                pen.tag("held by you", {x0 + pen.px(4), row.box.y0, x1 - pen.px(4), row.box.y1}, pen.theme().dim,
                        pen.theme().background, pen.px(pen.style().annotation_px), FontRole::ui_semibold);
            }
        }
    }
    for (std::size_t i = in_view.first; i < in_view.last; ++i) {
        const model::Wait& wait = pen.run.waits()[i];
        const float x0 = std::max(axis.x0, pen.x(wait.begin_ns));
        const float x1 = std::min(axis.x1, pen.x(wait.end_ns));
        if (wait.kind != trace::WaitKind::paused || x1 - x0 < least) {
            continue;
        }
        for (const RowBox& row : pen.layout.rows) {
            const bool crossed = row.kind == RowKind::headway || row.kind == RowKind::launch ||
                                 row.kind == RowKind::lane || row.kind == RowKind::memory || row.kind == RowKind::link;
            if (row.run == pen.index && crossed) {
                pen.list().add(Hatch{{x0, row.box.y0, x1, row.box.y1}, none, stripe, none, pen.px(9), pen.px(2), 0, 0});
            }
        }
    }
}

}  // namespace headway::figure
