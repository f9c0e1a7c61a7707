#include "app/figure/timeline_why.h"

#include <algorithm>
#include <cmath>

#include "app/figure/format.h"

namespace headway::figure {
namespace {

const RowBox* row_of(const TimelineLayout& layout, int run, RowKind kind, int lane) {
    for (const RowBox& row : layout.rows) {
        if (row.run == run && row.kind == kind && (kind != RowKind::lane || row.lane == lane)) {
            return &row;
        }
    }
    return nullptr;
}

// Words on a ground of their own, their right end at x.
void add_words(DisplayList& to, const TimelineOptions& o, float x, float y, const std::string& words, Rgba colour) {
    const float size = o.style.mark_px * o.scale;
    const float width = o.measure->width(FontRole::ui_semibold, size, words);
    const float pad = 5 * o.scale;
    to.add(Rect{{x - width - 2 * pad, y - size, x, y + size * 0.45F}, o.theme->background, 3 * o.scale,
                faded(colour, 0.6), o.scale});
    to.add(Text{{x - pad, y}, words, colour, size, FontRole::ui_semibold, Anchor::end});
}

// The run's time in the middle of a pixel column.
std::int64_t time_at(const TimelineLayout& layout, const model::Run& run, float x) {
    return static_cast<std::int64_t>(layout.map.ns_from_x_px(x)) + run.measure_begin_ns();
}

}  // namespace

std::shared_ptr<const WhyOfRun> why_of(const model::Run& run) {
    auto why = std::make_shared<WhyOfRun>();
    model::walk_critical_path(run, [&why](const model::PathPiece& piece) { why->path.push_back(piece); });
    std::reverse(why->path.begin(), why->path.end());
    why->totals = model::critical_path(run);
    why->ghost = model::without_barriers(run, true);
    why->total_ns = run.numbers().total_ns;
    return why;
}

void add_critical_path(const TimelineLayout& layout, int run, const WhyOfRun& why, const TimelineOptions& o,
                       DisplayList& to) {
    using Kind = model::PathPiece::Kind;
    const model::Run& model = *layout.runs[static_cast<std::size_t>(run)].run;
    const Rgba colour = o.theme->text;
    const float thick = 2.5F * o.scale * o.theme->line_scale;
    to.add(ClipPush{{layout.axis.x0, layout.axis.y0, layout.axis.x1, layout.axis.y1}});
    const RowBox* row = nullptr;
    float from = layout.axis.x0;
    const auto line_y = [](const RowBox& r) { return r.content.y0 - (r.content.y0 - r.box.y0) * 0.5F; };
    const auto end_stretch = [&](float x) {
        if (row != nullptr && x > from) {
            to.add(Line{{from, line_y(*row)}, {x, line_y(*row)}, colour, thick});
        }
        from = x;
    };
    for (float x = layout.axis.x0; x < layout.axis.x1; x += std::max(1.0F, o.scale)) {
        const std::int64_t ns = time_at(layout, model, x + 0.5F);
        const auto piece = std::lower_bound(why.path.begin(), why.path.end(), ns,
                                            [](const model::PathPiece& p, std::int64_t t) { return p.end_ns <= t; });
        const RowBox* here = nullptr;
        if (piece != why.path.end() && piece->begin_ns <= ns) {
            const bool lane = piece->kind == Kind::execute || piece->kind == Kind::handover;
            here = row_of(layout, run, lane ? RowKind::lane : RowKind::frontend, lane ? model.op(piece->op).lane : -1);
        }
        if (here != row) {
            end_stretch(x);
            if (row != nullptr && here != nullptr) {
                to.add(Line{{x, line_y(*row)}, {x, line_y(*here)}, faded(colour, 0.55), thick * 0.5F});
            }
            row = here;
        }
    }
    end_stretch(layout.axis.x1);
    // In the header, left of the total.
    if (const RowBox* header = row_of(layout, run, RowKind::header, -1); header != nullptr && why.total_ns > 0) {
        const auto share = [&](std::int64_t ns) {
            return percent_text(static_cast<double>(ns) / static_cast<double>(why.total_ns));
        };
        const std::string words = "critical path: executing " + share(why.totals.execute_ns) + ", frontend " +
                                  share(why.totals.frontend_ns) + ", handing over " +
                                  share(why.totals.handover_ns + why.totals.return_ns);
        const float room = 0.5F * (layout.axis.x1 - layout.axis.x0);
        const std::string& note = layout.runs[static_cast<std::size_t>(run)].note;
        const float of_note = o.measure->width(FontRole::ui, o.style.header_px * o.scale, note) + 24 * o.scale;
        add_words(to, o, layout.axis.x1 - std::max(140 * o.scale, of_note), header->box.y1 - 10 * o.scale,
                  shortened(words, room, FontRole::ui_semibold, o.style.mark_px * o.scale, *o.measure), colour);
    }
    to.add(ClipPop{});
}

void add_ghost(const TimelineLayout& layout, int run, const WhyOfRun& why, const TimelineOptions& o, DisplayList& to) {
    const model::Run& model = *layout.runs[static_cast<std::size_t>(run)].run;
    const Rgba colour = o.theme->dim;
    to.add(ClipPush{{layout.axis.x0, layout.axis.y0, layout.axis.x1, layout.axis.y1}});
    const auto& ghosts = why.ghost.ops;
    float top = layout.axis.y1;
    float bottom = layout.axis.y0;
    for (std::size_t lane = 0; lane < model.lanes().size(); ++lane) {
        const RowBox* row = row_of(layout, run, RowKind::lane, static_cast<int>(lane));
        if (row == nullptr) {
            continue;
        }
        top = std::min(top, row->box.y0);
        bottom = std::max(bottom, row->box.y1);
        const auto& ops = model.lanes()[lane].ops;
        const float y0 = row->content.y1 - row->content.height() * 0.28F;
        float from = -1;
        const auto end_bar = [&](float x) {
            if (from >= 0) {
                to.add(Rect{{from, y0, x, row->content.y1}, faded(o.theme->background, 0.72), 0, colour, o.scale});
            }
            from = -1;
        };
        for (float x = layout.axis.x0; x < layout.axis.x1; x += std::max(1.0F, o.scale)) {
            const std::int64_t ns = time_at(layout, model, x + 0.5F);
            const auto op = std::lower_bound(ops.begin(), ops.end(), ns, [&](core::OpId id, std::int64_t t) {
                return id <= ghosts.size() && ghosts[id - 1].end_ns <= t;
            });
            const bool busy = op != ops.end() && *op <= ghosts.size() && ghosts[*op - 1].begin_ns <= ns;
            if (busy && from < 0) {
                from = x;
            } else if (!busy) {
                end_bar(x);
            }
        }
        end_bar(layout.axis.x1);
    }
    if (top < bottom) {
        const float end = layout.map.x_px_from_ns(static_cast<double>(why.ghost.total_ns));
        const float x = std::clamp(end, layout.axis.x0, layout.axis.x1);
        if (end >= layout.axis.x0 && end <= layout.axis.x1) {
            to.add(Line{{end, top}, {end, bottom}, colour, 1.5F * o.scale, 4 * o.scale, 3 * o.scale});
        }
        const std::int64_t less_ns = why.total_ns - why.ghost.total_ns;
        std::string words = "without barriers: " + duration_text(static_cast<double>(why.ghost.total_ns));
        words += less_ns > 0 ? ", " + duration_text(static_cast<double>(less_ns)) + " less" : ", no less";
        const float width = o.measure->width(FontRole::ui_semibold, o.style.mark_px * o.scale, words + " (computed)");
        add_words(to, o, std::max(x - 6 * o.scale, layout.axis.x0 + width + 20 * o.scale), top + 16 * o.scale,
                  words + " (computed)", o.theme->text);
    }
    to.add(ClipPop{});
}

}  // namespace headway::figure
