// TimelinePanel: measuring, and the keyboard cursor.
#include <cmath>

#include "app/gfx/imgui_compat.h"
#include "app/model/analysis/time_range_summary.h"
#include "app/model/run/devices.h"
#include "app/render/format.h"
#include "app/timeline/timeline_rows.h"
#include "app/ui/timeline/timeline_panel.h"
#include "app/ui/widgets/widgets.h"

namespace headway::ui {

using figure::RowKind;

namespace {

constexpr float kSnapReach = 7;  // design px
constexpr double kSteps = 100;   // cursor steps across the view

// The best edge in one row. Calls `find(kind, lane)` for each kind of span in it.
template <class Find, class Better>
std::optional<std::int64_t> edge_in(const figure::RowBox& row, Find find, Better better) {
    using model::EdgeRow;
    if (row.kind == RowKind::lane) {
        return find(EdgeRow::lane, static_cast<std::size_t>(row.lane));
    }
    std::optional<std::int64_t> best;
    if (row.kind == RowKind::frontend) {
        for (const EdgeRow kind : {EdgeRow::waits, EdgeRow::works, EdgeRow::issues}) {
            const std::optional<std::int64_t> edge = find(kind, std::size_t{0});
            if (edge && (!best || better(*edge, *best))) {
                best = edge;
            }
        }
    }
    return best;
}

bool has_spans(const figure::RowBox& row) {
    return row.kind == RowKind::lane || row.kind == RowKind::frontend;
}

}  // namespace

TimelinePanel::Snapped TimelinePanel::snapped(double ns, float y) const {
    const Snapped free{std::round(ns), false, {}};
    if (!state_.timeline.snap || gfx::key_down(gfx::Key::left_alt)) {
        return free;
    }
    const auto reach = static_cast<std::int64_t>(std::ceil(ui_.exact_px(kSnapReach) * layout_.map.ns_per_px()));
    const auto in_row = std::find_if(layout_.rows.begin(), layout_.rows.end(), [y](const figure::RowBox& row) {
        return row.run >= 0 && y >= row.box.y0 && y < row.box.y1 && has_spans(row);
    });
    std::optional<Snapped> best;
    for (const figure::RowBox& row : layout_.rows) {
        if (row.run < 0 || !has_spans(row) || (in_row != layout_.rows.end() && &row != &*in_row)) {
            continue;
        }
        const model::Run& run = *runs_[static_cast<std::size_t>(row.run)].run;
        const std::int64_t run_ns = std::llround(run.program_time().run_ns(ns));
        const auto edge = edge_in(
            row, [&](model::EdgeRow kind, std::size_t lane) { return nearest_edge(run, kind, lane, run_ns, reach); },
            [run_ns](std::int64_t a, std::int64_t b) { return std::abs(a - run_ns) < std::abs(b - run_ns); });
        if (edge) {
            const double at = run.program_time().program_ns(*edge);
            if (!best || std::abs(at - ns) < std::abs(best->ns - ns)) {
                best = Snapped{at, true, {row.run, row.kind, row.lane}};
            }
        }
    }
    return best.value_or(free);
}

void TimelinePanel::measure(double from_ns, double to_ns) {
    state_.timeline.measured = MeasuredSpan{std::round(from_ns), std::round(to_ns), false, false, {}, {}};
    state_.details.show_temporarily("measured");
}

void TimelinePanel::end_measure() {
    state_.timeline.measured.reset();
    state_.timeline.measuring = false;
    state_.details.hide("measured");
}

void TimelinePanel::measure_chosen() {
    if (const core::OpId chosen_op = chosen().op; chosen_op != 0) {
        const model::Run* run = run_at(state_.timeline.selection.run);
        const model::Op& op = run->op(chosen_op);
        const bool ran = op.begin_ns != model::kPending;
        const model::ProgramTime& time = run->program_time();
        measure(time.program_ns(ran ? op.begin_ns : op.issue_begin_ns),
                time.program_ns(ran ? op.end_ns : op.issue_end_ns));
        state_.timeline.measured->from_edge = state_.timeline.measured->to_edge = true;
        state_.timeline.measured->from_row = state_.timeline.measured->to_row = {
            state_.timeline.selection.run, ran ? RowKind::lane : RowKind::frontend, ran ? op.lane : -1};
    } else if (!runs_.empty()) {
        measure(state_.timeline.view.view().begin_ns, state_.timeline.view.view().end_ns);
    }
}

void TimelinePanel::clear() {
    if (state_.timeline.measured) {
        end_measure();
    } else if (state_.timeline.cursor) {
        state_.timeline.cursor.reset();
    } else {
        state_.timeline.selection = {};
        state_.timeline.sentence = state_.timeline.look = -1;
    }
}

// ---- the keyboard cursor ----

Cursor& TimelinePanel::hold_cursor() {
    const auto view = state_.timeline.view.target();
    if (!state_.timeline.cursor) {
        state_.timeline.cursor = Cursor{};
        state_.timeline.cursor->ns = std::round((view.begin_ns + view.end_ns) / 2);
        const auto lane = std::find_if(layout_.rows.begin(), layout_.rows.end(),
                                       [](const figure::RowBox& row) { return row.kind == RowKind::lane; });
        state_.timeline.cursor->row =
            lane != layout_.rows.end() ? static_cast<std::size_t>(lane - layout_.rows.begin()) : 0;
        if (const core::OpId chosen_op = chosen().op; chosen_op != 0) {
            const model::Run* run = run_at(state_.timeline.selection.run);
            const model::Op& op = run->op(chosen_op);
            for (std::size_t i = 0; i < layout_.rows.size(); ++i) {
                const auto& row = layout_.rows[i];
                if (row.kind == RowKind::lane && row.run == state_.timeline.selection.run && row.lane == op.lane &&
                    op.begin_ns != model::kPending) {
                    state_.timeline.cursor->row = i;
                    state_.timeline.cursor->ns = run->program_time().program_ns(op.begin_ns);
                }
            }
        }
        state_.timeline.cursor->measured_from_ns = state_.timeline.cursor->ns;
    }
    state_.timeline.cursor->row =
        std::min(state_.timeline.cursor->row, layout_.rows.empty() ? 0 : layout_.rows.size() - 1);
    return *state_.timeline.cursor;
}

void TimelinePanel::move_cursor(int direction, bool to_edge, bool measures) {
    if (layout_.rows.empty()) {
        return;
    }
    const bool fresh = !state_.timeline.cursor;
    Cursor& cursor = hold_cursor();
    if (fresh && !measures && !to_edge) {
        return;  // the first key press only shows the cursor
    }
    const auto view = state_.timeline.view.target();
    const double before = cursor.ns;
    const figure::RowBox& row = layout_.rows[cursor.row];
    bool edge = false;
    if (const model::Run* run = run_at(row.run); to_edge && run != nullptr && has_spans(row)) {
        const std::int64_t from = std::llround(run->program_time().run_ns(cursor.ns));
        const bool forwards = direction > 0;
        const auto next = edge_in(
            row, [&](model::EdgeRow kind, std::size_t lane) { return next_edge(*run, kind, lane, from, forwards); },
            [forwards](std::int64_t a, std::int64_t b) { return forwards ? a < b : a > b; });
        if (next) {
            cursor.ns = run->program_time().program_ns(*next);
            edge = true;
        }
    } else {
        cursor.ns = std::round(cursor.ns + direction * std::max(1.0, view.span_ns() / kSteps));
    }
    if (!edge) {
        const auto whole = state_.timeline.view.whole();
        cursor.ns = std::clamp(cursor.ns, std::min(whole.begin_ns, before), std::max(whole.end_ns, before));
    }
    if (measures) {
        if (!state_.timeline.measured) {
            cursor.measured_from_ns = before;
        }
        measure(cursor.measured_from_ns, cursor.ns);
        state_.timeline.measured->to_edge = edge;
        state_.timeline.measured->to_row = {row.run, row.kind, row.lane};
    } else {
        end_measure();
        cursor.measured_from_ns = cursor.ns;
    }
    if (cursor.ns < view.begin_ns || cursor.ns > view.end_ns) {
        state_.timeline.view.pan(cursor.ns - (view.begin_ns + view.end_ns) / 2, true);
    }
}

void TimelinePanel::move_cursor_row(int direction) {
    if (layout_.rows.empty()) {
        return;
    }
    const bool fresh = !state_.timeline.cursor;
    Cursor& cursor = hold_cursor();
    for (std::size_t i = cursor.row; !fresh;) {
        if ((direction < 0 && i == 0) || (direction > 0 && i + 1 >= layout_.rows.size())) {
            break;
        }
        i = direction < 0 ? i - 1 : i + 1;
        if (layout_.rows[i].run >= 0 && layout_.rows[i].kind != RowKind::header) {
            cursor.row = i;
            reveal_ = Reveal::row;
            break;
        }
    }
}

// Scrolls rows into view, no further than needed.
void TimelinePanel::reveal(float height) {
    const bool row =
        reveal_ == Reveal::row && state_.timeline.cursor && state_.timeline.cursor->row < layout_.rows.size();
    const auto box = row ? std::optional(layout_.rows[state_.timeline.cursor->row].box)
                     : reveal_ == Reveal::op
                         ? layout_.box_of_op(state_.timeline.selection.run, state_.timeline.selection.op)
                         : std::nullopt;
    reveal_ = Reveal::nothing;
    if (!box || layout_.area.height() <= height + 1) {
        return;
    }
    const float margin = ui_.px(24), scroll = ImGui::GetScrollY();
    const float top = box->y0 - layout_.area.y0 - margin, bottom = box->y1 - layout_.area.y0 + margin - height;
    if (scroll > top || scroll < bottom) {
        ImGui::SetScrollY(std::max(0.0f, scroll > top ? top : bottom));
    }
}

std::optional<figure::Hit> TimelinePanel::hit_at_cursor() const {
    if (!state_.timeline.cursor || state_.timeline.cursor->row >= layout_.rows.size()) {
        return std::nullopt;
    }
    const figure::Box& box = layout_.rows[state_.timeline.cursor->row].content;
    return layout_.hit(layout_.map.x_px_from_ns(state_.timeline.cursor->ns), (box.y0 + box.y1) / 2);
}

void TimelinePanel::choose_at_cursor() {
    if (const auto bookmark = bookmark_at_cursor()) {
        edit_bookmark(bookmark->first, bookmark->second);
    } else if (const auto hit = hit_at_cursor()) {
        act_on(*hit);
    }
}

void TimelinePanel::show_alive(int run, double ns, int device) {
    if (const model::Run* r = run_at(run)) {
        state_.timeline.alive =
            Moment{run, std::min<std::int64_t>(std::llround(r->program_time().run_ns(ns)), r->now_ns()), 0, device};
        state_.details.show_temporarily("alive");
    }
}

void TimelinePanel::show_alive_here() {
    const Moment here = moment();
    if (const model::Run* run = run_at(here.run)) {
        // Without a pointer or a cursor: the run's memory peak.
        const bool pointed = hover_ || state_.timeline.cursor;
        const std::int64_t ns = pointed ? here.ns : run->live_bytes().most_at_ns();
        show_alive(here.run, run->program_time().program_ns(ns));
    }
}

// Highlights the moment whose tensors are listed.
void TimelinePanel::draw_alive_moment(ImDrawList* list, float scroll) {
    const model::Run* run = state_.timeline.alive ? run_at(state_.timeline.alive->run) : nullptr;
    if (run == nullptr || state_.details.shown != "alive") {
        return;
    }
    for (const figure::RowBox& row : layout_.rows) {
        if (row.kind == RowKind::memory && row.run == state_.timeline.alive->run &&
            (state_.timeline.alive->device < 0 || row.lane == state_.timeline.alive->device)) {
            const float x =
                std::round(layout_.map.x_px_from_ns(run->program_time().program_ns(state_.timeline.alive->ns)));
            // Up to the curve, so that it does not cross the row's label.
            const auto device = static_cast<std::size_t>(std::max(row.lane, 0));
            const auto top = static_cast<double>(figure::memory_top(runs_, device));
            const double share = static_cast<double>(live_bytes(*run, device).at(state_.timeline.alive->ns)) / top;
            const float base = row.content.y1 - scroll;
            const float y = base - row.content.height() * static_cast<float>(std::clamp(share, 0.0, 1.0));
            const ImU32 c = colour(ui_.theme->memory_text);
            list->AddRectFilled({x, y}, {x + std::max(1.0f, ui_.px(2)), row.box.y1 - scroll}, c);
            list->AddTriangleFilled({x + ui_.px(1), base - ui_.px(8)}, {x - ui_.px(5), row.box.y1 - scroll},
                                    {x + ui_.px(7), row.box.y1 - scroll}, c);
        }
    }
}

// Handles a click on `hit`.
void TimelinePanel::act_on(const figure::Hit& hit) {
    if (hit.bookmark >= 0) {
        state_.timeline.selection = {};
        go_to_bookmark(hit.run, static_cast<std::size_t>(hit.bookmark));
    } else if (hit.row == RowKind::memory) {
        state_.timeline.selection = {};
        show_alive(hit.run, hit.ns, hit.lane);
    } else if (hit.op != 0) {
        select(hit.run, hit.op, false);
    } else if (hit.wait >= 0) {
        state_.timeline.selection = {hit.run, 0, hit.wait};
    } else {
        state_.timeline.selection = {};
    }
}

void TimelinePanel::draw_keyboard_cursor(ImDrawList* list, float scroll) {
    if (!state_.timeline.cursor || state_.timeline.cursor->row >= layout_.rows.size()) {
        return;
    }
    const figure::RowBox& row = layout_.rows[state_.timeline.cursor->row];
    const float x = std::round(layout_.map.x_px_from_ns(state_.timeline.cursor->ns)), line = std::max(1.0f, ui_.px(2));
    const ImU32 c = colour(ui_.theme->issue);
    list->AddRectFilled({x, layout_.axis.y0 - scroll}, {x + std::max(1.0f, line / 2), layout_.axis.y1 - scroll},
                        colour(figure::faded(ui_.theme->issue, 0.6)));
    list->AddRectFilled({x - line, row.box.y0 - scroll}, {x + line, row.box.y1 - scroll}, c);
    ui_.rects.insert_or_assign("timeline/cursor",
                               WidgetRect{x - line, row.box.y0 - scroll, x + line, row.box.y1 - scroll});
}

void TimelinePanel::draw_measure(ImDrawList* list, float scroll) {
    if (!state_.timeline.measured) {
        return;
    }
    const figure::Theme& t = *ui_.theme;
    const double from = state_.timeline.measured->begin(), to = state_.timeline.measured->end();
    const float x0 = std::round(layout_.map.x_px_from_ns(from)), x1 = std::round(layout_.map.x_px_from_ns(to));
    const float top = layout_.axis.y0 - scroll, bottom = layout_.axis.y1 - scroll;
    list->AddRectFilled({x0, top}, {x1, bottom}, colour(figure::faded(t.text, 0.09)));
    const float line = std::max(1.0f, std::floor(ui_.fonts.scale()));
    list->AddRectFilled({x0, top}, {x0 + line, bottom}, colour(t.text));
    list->AddRectFilled({x1, top}, {x1 + line, bottom}, colour(t.text));
    const std::string text = figure::duration_text(to - from);
    const float width = text_width(ui_, Face::mono_bold, 13, text) + ui_.px(16);
    const float x =
        std::clamp((x0 + x1 - width) / 2, layout_.axis.x0, std::max(layout_.axis.x0, layout_.axis.x1 - width));
    const float y = std::max(top + ui_.px(34), ImGui::GetWindowPos().y + ui_.px(34));
    list->AddRectFilled({x, y}, {x + width, y + ui_.px(24)}, colour(t.text), ui_.exact_px(5));
    draw_text(ui_, list, x + ui_.px(8), y + ui_.px(17), Face::mono_bold, 13, t.background, text);
    // A diamond on the edge that an end has snapped to.
    const auto diamond = [&](double ns, bool edge, const RowPlace& place) {
        if (const figure::RowBox* row = row_at(place); edge && row != nullptr) {
            const float cx = std::round(layout_.map.x_px_from_ns(ns));
            const float cy = (row->content.y0 + row->content.y1) / 2 - scroll, r = ui_.exact_px(6);
            ui_.rects.insert_or_assign("measure/edge", WidgetRect{cx - r, cy - r, cx + r, cy + r});
            list->AddQuadFilled({cx - r, cy}, {cx, cy - r}, {cx + r, cy}, {cx, cy + r}, colour(t.background));
            list->AddQuadFilled({cx - r * 0.7f, cy}, {cx, cy - r * 0.7f}, {cx + r * 0.7f, cy}, {cx, cy + r * 0.7f},
                                colour(t.text));
        }
    };
    diamond(state_.timeline.measured->from_ns, state_.timeline.measured->from_edge, state_.timeline.measured->from_row);
    diamond(state_.timeline.measured->to_ns, state_.timeline.measured->to_edge, state_.timeline.measured->to_row);
}

const figure::RowBox* TimelinePanel::row_at(const RowPlace& place) const {
    const auto row = std::find_if(layout_.rows.begin(), layout_.rows.end(), [&](const figure::RowBox& r) {
        return place.run >= 0 && r.run == place.run && r.kind == place.kind && r.lane == place.lane;
    });
    return row == layout_.rows.end() ? nullptr : &*row;
}

}  // namespace headway::ui
