#include "app/timeline/highlights/why.h"

#include <algorithm>
#include <cmath>

#include "app/render/format.h"

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

// Writes a note in the header of a run, between the text at its left and the total at its right, so that it covers no
// data. Uses the first of `choice` that fits; shortens the last one if none does.
void add_note(const TimelineLayout& layout, int run, const std::vector<std::string>& choice, const TimelineOptions& o,
              DisplayList& to) {
    const RowBox* header = row_of(layout, run, RowKind::header, -1);
    if (header == nullptr || choice.empty()) {
        return;
    }
    float left = layout.axis.x0, right = header->box.x1;
    for (const Item& item : layout.list.items) {
        const auto* text = std::get_if<Text>(&item);
        if (text == nullptr || text->baseline.y <= header->box.y0 || text->baseline.y > header->box.y1) {
            continue;
        }
        const Box box = box_of(*text, *o.measure);
        (text->anchor == Anchor::end ? right : left) =
            text->anchor == Anchor::end ? std::min(right, box.x0) : std::max(left, box.x1);
    }
    const float size = o.style.annotation_px * o.scale, pad = 5 * o.scale, apart = 14 * o.scale;
    const float room = right - left - 2 * (apart + pad);
    const auto width = [&](const std::string& words) { return o.measure->width(FontRole::ui_semibold, size, words); };
    const auto fits =
        std::find_if(choice.begin(), choice.end(), [&](const auto& words) { return width(words) <= room; });
    const std::string words =
        fits != choice.end() ? *fits : shortened(choice.back(), room, FontRole::ui_semibold, size, *o.measure);
    if (words.empty()) {
        return;
    }
    const float x = right - apart;
    // Same baseline as the header's text: the row may have a gap above it.
    const float baseline = header->box.y1 - (o.style.header_row_px * o.scale - size * kCapHeightEm) / 2;
    to.add(Rect{{x - width(words) - 2 * pad, baseline - size * 1.05F, x, baseline + size * 0.5F},
                o.theme->background,
                3 * o.scale,
                faded(o.theme->text, 0.6),
                o.scale});
    to.add(Text{{x - pad, baseline}, words, o.theme->text, size, FontRole::ui_semibold, Anchor::end});
}

// The run's time in the middle of a pixel column.
std::int64_t time_at(const TimelineLayout& layout, const model::Run& run, float x) {
    return static_cast<std::int64_t>(run.program_time().run_ns(layout.map.ns_from_x_px(x)));
}

}  // namespace

std::shared_ptr<const WhyOfRun> why_of(const model::Run& run) {
    auto why = std::make_shared<WhyOfRun>();
    model::walk_critical_path(run, [&why](const model::PathPiece& piece) { why->path.push_back(piece); });
    std::reverse(why->path.begin(), why->path.end());
    why->totals = model::critical_path(run);
    why->what_if = model::without_barriers(run, true);
    return why;
}

namespace {

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
    const auto end_segment = [&](float x) {
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
            end_segment(x);
            if (row != nullptr && here != nullptr) {
                to.add(Line{{x, line_y(*row)}, {x, line_y(*here)}, faded(colour, 0.55), thick * 0.5F});
            }
            row = here;
        }
    }
    end_segment(layout.axis.x1);
    to.add(ClipPop{});
}

void add_what_if(const TimelineLayout& layout, int run, const WhyOfRun& why, const TimelineOptions& o,
                 DisplayList& to) {
    const model::Run& model = *layout.runs[static_cast<std::size_t>(run)].run;
    const Rgba colour = o.theme->dim;
    to.add(ClipPush{{layout.axis.x0, layout.axis.y0, layout.axis.x1, layout.axis.y1}});
    const auto& what_if_ops = why.what_if.ops;
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
                return id <= what_if_ops.size() && what_if_ops[id - 1].end_ns <= t;
            });
            const bool busy = op != ops.end() && *op <= what_if_ops.size() && what_if_ops[*op - 1].begin_ns <= ns;
            if (busy && from < 0) {
                from = x;
            } else if (!busy) {
                end_bar(x);
            }
        }
        end_bar(layout.axis.x1);
    }
    if (top < bottom) {
        const float end = layout.map.x_px_from_ns(static_cast<double>(why.what_if.total_ns));
        if (end >= layout.axis.x0 && end <= layout.axis.x1) {
            to.add(Line{{end, top}, {end, bottom}, colour, 1.5F * o.scale, 4 * o.scale, 3 * o.scale});
        }
    }
    to.add(ClipPop{});
}

}  // namespace

void add_why(const TimelineLayout& layout, int run, const WhyOfRun& why, bool path, bool what_if,
             const TimelineOptions& o, DisplayList& to) {
    const auto time = [](std::int64_t ns) { return duration_text(static_cast<double>(ns)); };
    const auto share = [&](std::int64_t ns) {
        return percent_text(static_cast<double>(ns) / static_cast<double>(why.totals.total_ns()));
    };
    std::vector<std::string> choice{""};
    const auto go_on = [&](const std::vector<std::string>& more) {
        std::vector<std::string> all;
        for (const std::string& words : more) {
            for (const std::string& before : choice) {
                all.push_back(before + (before.empty() ? "" : " · ") + words);
            }
        }
        choice = std::move(all);
    };
    if (what_if) {
        add_what_if(layout, run, why, o, to);
        const std::int64_t less_ns = why.totals.total_ns() - why.what_if.total_ns;
        const std::string words = "without barriers: " + time(why.what_if.total_ns);
        go_on({words + (less_ns > 0 ? ", " + time(less_ns) + " less" : ", no less") + " (computed)",
               words + " (computed)"});
    }
    if (path) {
        add_critical_path(layout, run, why, o, to);
        if (why.totals.total_ns() > 0) {
            const std::string execute = share(why.totals.execute_ns), frontend = share(why.totals.frontend_ns);
            const std::string waking =  // lanes, and the frontend after waits
                share(why.totals.handover_ns + why.totals.return_ns);
            go_on(
                {"critical path: executing " + execute + ", frontend " + frontend + ", waking " + waking,
                 "path: executing " + execute +
                     (why.totals.frontend_ns > why.totals.handover_ns + why.totals.return_ns ? ", frontend " + frontend
                                                                                             : ", waking " + waking),
                 "path: executing " + execute});
        }
    }
    if (path || what_if) {
        add_note(layout, run, choice, o, to);
    }
}

void add_why_note(const TimelineLayout& layout, int run, const std::string& words, const TimelineOptions& o,
                  DisplayList& to) {
    add_note(layout, run, {words}, o, to);
}

}  // namespace headway::figure
