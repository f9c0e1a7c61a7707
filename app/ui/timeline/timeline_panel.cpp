#include "app/ui/timeline/timeline_panel.h"

#include <algorithm>
#include <cmath>

#include "app/figure/words.h"
#include "app/render/format.h"
#include "app/timeline/timeline_marks.h"
#include "app/ui/timeline/hover_card.h"
#include "app/ui/widgets/draw_list_painter.h"
#include "app/ui/widgets/widgets.h"

namespace headway::ui {
namespace {

// The resolution's order of magnitude: moments are printed with the same digits as long as it is the same.
int digits(double ns_per_px) {
    return static_cast<int>(std::floor(std::log10(std::max(ns_per_px, 1.0))));
}

constexpr double kNotch = 0.75, kFineNotch = 0.92, kCoarseNotch = 0.5;

}  // namespace

const model::Run* TimelinePanel::run_at(int index) const {
    return index >= 0 && index < static_cast<int>(runs_.size()) ? runs_[static_cast<std::size_t>(index)].run : nullptr;
}

TimelinePanel::Moment TimelinePanel::moment() const {
    Moment moment;
    const auto hit = hover_ ? hover_ : hit_at_cursor();
    const bool pointed = hit && !panning_ && run_at(hit->run) != nullptr;
    moment.run = pointed ? hit->run : run_at(state_.selection.run) != nullptr ? state_.selection.run : 0;
    if (const model::Run* run = run_at(moment.run)) {
        const double at = pointed ? hit->ns : state_.view.view().end_ns;
        moment.ns = std::min(static_cast<std::int64_t>(at) + run->measure_begin_ns(), run->now_ns());
        moment.op = pointed ? hit->op : 0;
    }
    return moment;
}

void TimelinePanel::choose(int run, core::OpId op, bool zoom) {
    select(run, op, zoom);
    if (!zoom && state_.selection.any() && run_at(state_.selection.run) != nullptr) {
        bring_into_view();
    }
}

bool TimelinePanel::lay_out(figure::Box area) {
    const session::Execution *a = state_.session.a(), *b = state_.session.b();
    const Key key{state_.view.view(),
                  area,
                  a != nullptr ? a->revision() + 1 : 0,
                  b != nullptr ? b->revision() + 1 : 0,
                  state_.session.started(),
                  ui_.fonts.generation(),
                  state_.bookmarks.revision(),
                  state_.arrangement_revision(),
                  ui_.theme,
                  ui_.fonts.scale(),
                  state_.earlier()};
    if (key == key_ && !layout_.rows.empty()) {
        return false;
    }
    if (key.a != key_.a || key.b != key_.b || key.started != key_.started) {
        why_.forget();
    }
    key_ = key;
    if (key.started != last_started_) {
        last_started_ = key.started;
        alive_moment_.reset();  // belongs to another run
        op_details_.forget();
    }
    const std::size_t shown_before = runs_.size();
    runs_.clear();
    const bool both = a != nullptr && a->run() != nullptr && b != nullptr && b->run() != nullptr;
    for (const auto* execution : shown()) {
        figure::TimelineRun run{
            execution->run(), both ? execution->letter : '\0', {}, {}, -1};  // a single run has no letter
        run.total_ns = execution->numbers().total_ns;
        if (execution == a && both) {
            run.note = "same time axis";
        }
        if (both && state_.runs_behind() > 1) {
            run.note = "one of " + figure::count_text(state_.runs_behind()) + " runs, near their median";
        } else if (execution->whole() || execution->live()) {
            // compared, or not finished yet
        } else if (both) {
            run.note = "not compared";
        }
        if (execution->phase() == session::Phase::recorded) {
            run.label = figure::barrier_label(*execution->run()) + " · RECORDED";
        } else if (both) {
            run.label = figure::run_label(*execution->run(), execution == a ? b->run() : a->run());
        }
        if (!state_.earlier().empty()) {
            if (run.label.empty()) {
                run.label = figure::barrier_label(*execution->run());
            }
            run.label += " · EARLIER RUN";
        }
        run.bookmarks = state_.bookmarks.of(execution->run());
        runs_.push_back(std::move(run));
    }
    if (runs_.size() != shown_before) {
        state_.selection = {};  // it refers to a run by index
        alive_moment_.reset();
    }
    figure::TimelineOptions options;
    options.area = area;
    options.view = state_.view.view();
    options.theme = ui_.theme;
    options.measure = &measure_;
    options.scale = ui_.fonts.scale();
    options.arrangement = &state_.arrangement();
    layout_ = figure::layout_timeline(runs_, options);
    options_ = options;
    return true;
}

// Repaints only when the layout has changed; an unchanged layer is shown again.
void TimelinePanel::paint_layout(ImDrawList* list, const gfx::PixelBox& bounds, float scroll, bool anew) {
    if (anew || bounds != layer_.bounds() || scroll != painted_scroll_) {
        painted_scroll_ = scroll;
        layer_.begin(bounds, colour(ui_.theme->background));
        paint(layout_.list, layer_, ui_.fonts, {0, -scroll});
        layer_.end();
    }
    layer_.show(list);
}

std::vector<const session::Execution*> TimelinePanel::shown() const {
    std::vector<const session::Execution*> shown;
    for (const auto* execution : {state_.session.b(), state_.session.a()}) {
        if (execution != nullptr && execution->run() != nullptr) {
            shown.push_back(execution);
        }
    }
    return shown;
}

void TimelinePanel::add_why(figure::DisplayList& to) {
    std::vector<WhyOverlay::Shown> runs;
    for (const auto* execution : shown()) {
        runs.push_back({execution->shared_run(), execution->grows()});
    }
    if (runs.size() == runs_.size()) {
        why_.add(layout_, options_, runs, state_.show_path, state_.show_what_if, to);
    }
}

void TimelinePanel::look_at(const figure::Hit& pointed) {
    OpDetails::Runs runs;
    WaitDetailsLookup::Run waits;
    bool grows = false;
    std::uint64_t grown = 0;  // the other run may grow at the same time
    for (const auto* execution : shown()) {
        if (static_cast<int>(runs.size()) == pointed.run && pointed.op == 0 && pointed.wait >= 0) {
            waits = execution->shared_run();
            grows = execution->grows();
            grown = grows ? execution->revision() : 0;
        }
        runs.push_back(execution->shared_run());
    }
    op_details_.look(runs, pointed.run, pointed.op, key_.a * 1'000'003 + key_.b + key_.started);
    wait_details_.look(waits, waits != nullptr ? pointed.wait : -1, grows, grown);
}

const Card& TimelinePanel::card_of(const model::Run& run, const figure::Hit& hit) {
    const bool thing = hit.op != 0 || hit.wait >= 0 || hit.work >= 0;
    const std::uint64_t revision = key_.a * 1'000'003 + key_.b + key_.started + key_.bookmarks * 7919 +
                                   op_details_.found() * 104'729 + wait_details_.found() * 1'299'709;
    const bool same = card_revision_ == revision && card_hit_.run == hit.run && card_hit_.row == hit.row &&
                      card_hit_.op == hit.op && card_hit_.wait == hit.wait && card_hit_.work == hit.work &&
                      card_hit_.scope == hit.scope && card_hit_.minibatch == hit.minibatch &&
                      card_hit_.bookmark == hit.bookmark && card_hit_.folded == hit.folded &&
                      (thing || card_hit_.ns == hit.ns) && digits(card_hit_.ns_per_px) == digits(hit.ns_per_px);
    if (!same || card_.empty()) {
        CardFindings found;
        if (hit.op != 0) {
            found.retained = op_details_.retained();
            found.match = op_details_.match();
            found.match_by_order = op_details_.match_by_order();
            found.other = run_at(op_details_.match_run());
            found.other_letter = found.other != nullptr ? letter_of(op_details_.match_run()) : '\0';
        }
        if (hit.op == 0 && hit.wait >= 0) {
            found.wait = wait_details_.details();
        }
        card_ = describe(run, hit, found);
        if (const auto& marks = runs_[static_cast<std::size_t>(hit.run)].bookmarks;
            hit.bookmark >= 0 && hit.bookmark < static_cast<int>(marks.size())) {
            card_ = describe(marks[static_cast<std::size_t>(hit.bookmark)], hit.ns_per_px);
        }
        card_hit_ = hit;
        card_revision_ = revision;
    }
    return card_;
}

void TimelinePanel::draw(ImVec2 min, ImVec2 max) {
    const session::Execution *a = state_.session.a(), *b = state_.session.b();
    const bool any = (a != nullptr && a->run() != nullptr) || (b != nullptr && b->run() != nullptr);
    if (!any || max.y - min.y < ui_.px(60)) {
        layout_.rows.clear();
        runs_.clear();
        hover_.reset();
        wait_details_.forget();
        search_.forget();
        if (!any) {
            op_details_.forget();
            why_.forget();
            draw_empty(min, max);
        }
        return;
    }
    // The strip's place is reserved even when it is not drawn, so that the timeline does not move while zooming in.
    if (state_.show_minimap) {
        const float left = std::min(min.x + ui_.px(11) + ui_.px(options_.style.label_width_px), max.x - ui_.px(30));
        minimap_.draw({std::floor(left), min.y, max.x - ui_.px(24), min.y + ui_.px(Minimap::kHeight)}, runs_,
                      key_.a * 1'000'003 + key_.b * 31 + key_.started, state_.view);
        min.y += ui_.px(Minimap::kHeight + 2);
    }
    const float search_top = min.y;
    if (search_.is_open()) {  // in a strip of its own, so that it covers nothing
        min.y += ui_.px(SearchBar::kHeight + 6);
    }
    ImGui::SetCursorScreenPos(min);
    const ImVec2 size{max.x - min.x, max.y - min.y};
    ImGui::BeginChild("timeline", size, false, ImGuiWindowFlags_NoScrollWithMouse);
    const figure::Box area{min.x + ui_.px(11), min.y, max.x - ui_.px(24), max.y};
    const bool anew = lay_out(area);
    const float height = layout_.area.height();
    reveal(size.y);
    const float scroll = height > size.y + 1 ? ImGui::GetScrollY() : 0;
    ImGui::SetCursorScreenPos({min.x, min.y - scroll});
    ImGui::InvisibleButton("timeline/area", {size.x - (height > size.y + 1 ? ui_.px(12) : 0), std::max(height, 1.0f)},
                           ImGuiButtonFlags_MouseButtonLeft | ImGuiButtonFlags_MouseButtonRight);
    const bool hovered = ImGui::IsItemHovered() && !state_.palette_open;
    const bool active = ImGui::IsItemActive() && !state_.palette_open;
    ui_.rects.insert_or_assign("timeline", WidgetRect{layout_.axis.x0, min.y, layout_.axis.x1, max.y});

    ImDrawList* list = ImGui::GetWindowDrawList();
    const gfx::PixelBox bounds{std::floor(min.x), std::floor(min.y), std::ceil(max.x), std::ceil(max.y)};
    paint_layout(list, bounds, scroll, anew);

    const ImVec2 mouse = ImGui::GetIO().MousePos;
    const ImVec2 at{mouse.x, mouse.y + scroll};
    handle_mouse(hovered || active, at);

    // Highlights of what is hovered or selected.
    figure::DisplayList marks;
    add_why(marks);
    const auto at_cursor = hover_ ? std::nullopt : hit_at_cursor();
    const auto& under = hover_ ? hover_ : at_cursor;
    const figure::Hit pointed = under && (under->op != 0 || under->wait >= 0) ? *under : chosen();
    look_at(pointed);
    const std::size_t marks_before = marks.items.size();
    add_highlights(pointed, marks);
    const std::vector<figure::Box> spare = boxes_of(marks, marks_before, scroll);
    list->PushClipRect({layout_.axis.x0 - ui_.px(4), min.y}, {layout_.axis.x1 + ui_.px(4), max.y}, true);
    if (!marks.items.empty()) {
        highlights_layer_.begin({layout_.axis.x0 - ui_.px(4), min.y, layout_.axis.x1 + ui_.px(4), max.y}, 0);
        paint(marks, highlights_layer_, ui_.fonts, {0, -scroll});
        highlights_layer_.end();
        highlights_layer_.show(list);
    }
    draw_found(list, scroll);
    draw_measure(list, scroll);
    draw_keyboard_cursor(list, scroll);
    draw_alive_moment(list, scroll);
    draw_label_drag(list, scroll);
    if (hovered && !panning_ && layout_.axis.contains(std::min(at.x, layout_.axis.x1 - 1), at.y)) {
        draw_cursor(list, at, scroll);
    }
    list->PopClipRect();
    draw_lane_menu();
    if (!label_drag_) {
        say(state_.save_arrangement());  // when the drag has ended
    }
    draw_renaming(scroll);
    ImGui::EndChild();
    draw_search(max.x - ui_.px(24), search_top);
    draw_note(min, max);

    if (editing_) {
        // the note editor is open
    } else if (hover_ && !panning_ && !measuring_ && !state_.show_keys) {
        if (const model::Run* run = run_at(hover_->run)) {
            const ImVec2 frame = ImGui::GetIO().DisplaySize;
            draw_card(ui_, ImGui::GetForegroundDrawList(), card_of(*run, *hover_), mouse, {min.x, ui_.px(60)},
                      {frame.x - ui_.px(8), frame.y - ui_.px(8)}, spare);
        }
    } else if (at_cursor && !panning_ && !measure_span_ && !state_.show_keys) {
        if (const model::Run* run = run_at(at_cursor->run)) {
            const figure::Box& row = layout_.rows[cursor_->row].box;
            draw_card(ui_, list, card_of(*run, *at_cursor), {layout_.map.x_px_from_ns(cursor_->ns), row.y1 - scroll},
                      min, max, spare);
        }
    } else if (const model::Run* run = run_at(pointed.run);
               run != nullptr && !hover_ && !panning_ && !measure_span_ && (pointed.op != 0 || pointed.wait >= 0)) {
        // The card of the selection stays next to it.
        if (const auto box = pointed.op != 0 ? layout_.box_of_op(pointed.run, pointed.op)
                                             : layout_.box_of_wait(pointed.run, pointed.wait);
            box && box->x1 > layout_.axis.x0 && box->x0 < layout_.axis.x1) {
            draw_card(ui_, list, card_of(*run, pointed),
                      {std::clamp(box->x0, layout_.axis.x0, layout_.axis.x1), box->y1 - scroll}, min, max, spare);
        }
    }
}

figure::Hit TimelinePanel::chosen() const {
    figure::Hit hit;
    const model::Run* run = run_at(state_.selection.run);
    if (run == nullptr) {
        return hit;
    }
    hit.run = state_.selection.run;
    hit.ns_per_px = layout_.map.ns_per_px();
    if (state_.selection.any() && state_.selection.op <= run->op_count()) {
        hit.op = state_.selection.op;
    } else if (state_.selection.any_wait() &&
               run->wait_at(static_cast<std::size_t>(state_.selection.wait)) != nullptr) {
        hit.row = figure::RowKind::frontend;
        hit.wait = state_.selection.wait;
    }
    return hit;
}

std::vector<figure::Box> TimelinePanel::boxes_of(const figure::DisplayList& list, std::size_t first,
                                                 float scroll) const {
    constexpr std::size_t kMost = 200;  // so many items cannot be avoided, and would be too slow to check
    std::vector<figure::Box> boxes;
    const auto add = [&](figure::Box box) {
        box.y0 -= scroll;
        box.y1 -= scroll;
        boxes.push_back(box);
    };
    for (std::size_t i = first; i < list.items.size() && boxes.size() < kMost; ++i) {
        if (const auto* rect = std::get_if<figure::Rect>(&list.items[i])) {
            add(rect->box);
        } else if (const auto* text = std::get_if<figure::Text>(&list.items[i])) {
            add(figure::box_of(*text, measure_));
        }
    }
    return boxes;
}

void TimelinePanel::add_highlights(const figure::Hit& hit, figure::DisplayList& to) {
    const float scale = ui_.fonts.scale();
    if (hit.op != 0) {
        if (const auto* retained = op_details_.retained()) {
            figure::add_retained_highlights(layout_, hit.run, hit.op, *retained, *ui_.theme, scale, to);
        }
        if (op_details_.match_run() >= 0) {
            figure::add_match_highlight(layout_, op_details_.match_run(), op_details_.match(), *ui_.theme, scale, to);
        }
        figure::add_op_marks(layout_, hit.run, hit.op, *ui_.theme, scale, to);
    } else if (hit.wait >= 0) {
        const auto* details = wait_details_.details();
        figure::add_wait_marks(layout_, hit.run, hit.wait,
                               details != nullptr ? std::span(details->causes) : std::span<const core::OpId>(),
                               *ui_.theme, scale, to);
    }
}

void TimelinePanel::handle_mouse(bool hovered, ImVec2 at) {
    const ImGuiIO& io = ImGui::GetIO();
    const bool on_axis = at.x >= layout_.axis.x0 && at.x < layout_.axis.x1;
    pointer_ns_ = layout_.map.ns_from_x_px(std::clamp(at.x, layout_.axis.x0, layout_.axis.x1));
    hover_.reset();
    if (panning_) {
        if (!ImGui::IsMouseDown(ImGuiMouseButton_Right)) {
            panning_ = false;
        } else if (io.MouseDelta.x != 0 || io.MouseDelta.y != 0) {
            state_.view.pan(-static_cast<double>(io.MouseDelta.x) * layout_.map.ns_per_px(), false);
            if (!state_.lock_vertical) {
                ImGui::SetScrollY(ImGui::GetScrollY() - io.MouseDelta.y);
            }
        }
    }
    if (measuring_) {
        const Snapped to = snapped(pointer_ns_, at.y);
        measure_span_->to_ns = to.ns;
        measure_span_->to_edge = to.edge;
        measure_span_->to_row = to.row;
        if (!ImGui::IsMouseDown(ImGuiMouseButton_Left)) {
            measuring_ = false;
        }
    }
    if (handle_labels(hovered && !panning_ && !measuring_, at) || !hovered) {
        return;
    }
    if (on_axis && !panning_ && !measuring_) {
        hover_ = layout_.hit(at.x, at.y);
    }
    if (rests_at_ && *rests_at_ == figure::Point{io.MousePos.x, io.MousePos.y} && io.MouseWheel == 0 &&
        !ImGui::IsAnyMouseDown()) {
        hover_.reset();
    } else {
        rests_at_.reset();
    }
    // Horizontal scrolling (touchpad, tilting wheel, Alt): a tenth of the view per notch. Over the labels: vertical.
    constexpr double kSideways = 0.1;
    const float sideways = io.MouseWheelH + (io.KeyAlt ? io.MouseWheel : 0);
    if (sideways != 0) {
        state_.view.pan(-static_cast<double>(sideways) * kSideways * state_.view.target().span_ns(), true);
    } else if (io.MouseWheel != 0 && at.x < layout_.axis.x0) {
        if (!state_.lock_vertical) {
            ImGui::SetScrollY(ImGui::GetScrollY() - io.MouseWheel * ui_.px(48));
        }
    } else if (io.MouseWheel != 0) {
        const double notch = io.KeyCtrl ? kFineNotch : io.KeyShift ? kCoarseNotch : kNotch;
        state_.view.zoom(pointer_ns_, std::pow(notch, static_cast<double>(io.MouseWheel)));
    }
    if (ImGui::IsMouseClicked(ImGuiMouseButton_Right)) {
        state_.view.begin_pan();
        panning_ = true;
    }
    if (ImGui::IsMouseDoubleClicked(ImGuiMouseButton_Left)) {
        if (hover_ && hover_->bookmark >= 0) {
            edit_bookmark(hover_->run, static_cast<std::size_t>(hover_->bookmark));
            return;
        }
        if (hover_ && hover_->op != 0) {
            select(hover_->run, hover_->op, true);
        } else if (hover_ && hover_->wait >= 0) {
            if (const model::Run* run = run_at(hover_->run)) {
                if (const model::Wait* wait = run->wait_at(static_cast<std::size_t>(hover_->wait))) {
                    show_wait(*run, *wait);
                }
            }
        } else {
            state_.view.fit();
        }
        end_measure();
    } else if (ImGui::IsMouseClicked(ImGuiMouseButton_Left) && on_axis) {
        end_measure();
        cursor_.reset();
        if (hover_) {
            act_on(*hover_);
        } else {
            state_.selection = {};
        }
    } else if (ImGui::IsMouseDragging(ImGuiMouseButton_Left, 4) && !measuring_ && ImGui::IsItemActive()) {
        const float from = io.MouseClickedPos[ImGuiMouseButton_Left].x;
        if (from >= layout_.axis.x0 && from < layout_.axis.x1) {
            const Snapped begin = snapped(layout_.map.ns_from_x_px(from),
                                          at.y - io.MousePos.y + io.MouseClickedPos[ImGuiMouseButton_Left].y);
            const Snapped end = snapped(pointer_ns_, at.y);
            measuring_ = true;
            state_.selection = {};
            cursor_.reset();
            measure_span_ = Span{begin.ns, end.ns, begin.edge, end.edge, begin.row, end.row};
            state_.show_detail_for_now("measured");
        }
    }
}

void TimelinePanel::draw_cursor(ImDrawList* list, ImVec2 at, float scroll) {
    const figure::Rgba c = figure::faded(ui_.theme->text, 0.45);
    const float top = layout_.axis.y0 - scroll, bottom = layout_.axis.y1 - scroll;
    const float x = std::round(at.x);
    for (float y = top; y < bottom; y += ui_.px(5)) {
        list->AddRectFilled({x, y}, {x + std::max(1.0f, std::floor(ui_.fonts.scale())), y + ui_.px(2)}, colour(c));
    }
}

void TimelinePanel::draw_empty(ImVec2 min, ImVec2 max) {
    ImDrawList* list = ImGui::GetWindowDrawList();
    const figure::Theme& t = *ui_.theme;
    const float x = (min.x + max.x) / 2, y = (min.y + max.y) / 2;
    const auto centred = [&](float at, Face face, float size, figure::Rgba c, const std::string& text) {
        draw_text(ui_, list, x - text_width(ui_, face, size, text) / 2, at, face, size, c, text);
    };
    const session::Execution* b = state_.session.b();
    if (b != nullptr && b->phase() == session::Phase::starting) {
        centred(y, Face::semibold, 18, t.dim, "Starting…");
        return;
    }
    centred(y - ui_.px(16), Face::semibold, 20, t.text, "Press Run, or the space bar");
    centred(y + ui_.px(14), Face::regular, 15, t.dim, "Every op that the program issues appears here: on the frontend");
    centred(y + ui_.px(36), Face::regular, 15, t.dim, "when it is issued, on a lane of the backend when it runs.");
}

void TimelinePanel::select(int run, core::OpId op, bool show) {
    const model::Run* r = run_at(run);
    if (r == nullptr || op == 0 || op > r->op_count()) {
        return;
    }
    state_.selection = {run, op};
    if (show) {
        const model::Op& o = r->op(op);
        const auto origin = static_cast<double>(r->measure_begin_ns());
        const auto begin = static_cast<double>(o.begin_ns == model::kPending ? o.issue_begin_ns : o.begin_ns);
        const auto end = static_cast<double>(o.end_ns == model::kPending ? o.issue_end_ns : o.end_ns);
        state_.view.show({begin - origin, std::max(begin + 1, end) - origin});
    }
}

void TimelinePanel::show_wait(const model::Run& run, const model::Wait& wait) {
    const auto origin = static_cast<double>(run.measure_begin_ns());
    state_.view.show({static_cast<double>(wait.begin_ns) - origin, static_cast<double>(wait.end_ns) - origin});
}

void TimelinePanel::fit_selection_or_all() {
    const auto target = state_.view.target();
    if (const figure::Hit hit = chosen(); hit.op != 0 || hit.wait >= 0) {
        if (hit.op != 0) {
            select(hit.run, hit.op, true);
        } else {
            const model::Run& run = *run_at(hit.run);
            show_wait(run, *run.wait_at(static_cast<std::size_t>(hit.wait)));
        }
        if (!(state_.view.target() == target)) {
            return;
        }
    }
    state_.view.fit();
}

void TimelinePanel::select_neighbour(int direction) {
    const model::Run* run = run_at(state_.selection.run);
    if (!state_.selection.any() || run == nullptr) {
        return;
    }
    const auto& op = run->op(state_.selection.op);
    if (op.begin_ns == model::kPending || op.lane >= run->lanes().size()) {
        return;
    }
    const auto& ops = run->lanes()[op.lane].ops;
    const auto found = std::lower_bound(ops.begin(), ops.end(), op.begin_ns,
                                        [run](core::OpId id, std::int64_t ns) { return run->op(id).begin_ns < ns; });
    auto index = found - ops.begin();
    while (index < static_cast<std::ptrdiff_t>(ops.size()) &&
           ops[static_cast<std::size_t>(index)] != state_.selection.op) {
        ++index;
    }
    index += direction;
    if (index >= 0 && index < static_cast<std::ptrdiff_t>(ops.size())) {
        state_.selection.op = ops[static_cast<std::size_t>(index)];
        bring_into_view();
    }
}

void TimelinePanel::select_dependency(bool forwards) {
    const model::Run* run = run_at(state_.selection.run);
    if (!state_.selection.any() || run == nullptr) {
        return;
    }
    if (!forwards) {
        const auto followed = run->dependencies(state_.selection.op);
        if (!followed.empty()) {
            state_.selection.op = followed.back();
            bring_into_view();
        }
        return;
    }
    // The first op that depends on this one. Limited, because results are normally used soon.
    constexpr core::OpId kReach = 20000;
    const auto last = static_cast<core::OpId>(std::min<std::size_t>(run->op_count(), state_.selection.op + kReach));
    for (core::OpId id = state_.selection.op + 1; id <= last; ++id) {
        const auto followed = run->dependencies(id);
        if (std::find(followed.begin(), followed.end(), state_.selection.op) != followed.end()) {
            state_.selection.op = id;
            bring_into_view();
            return;
        }
    }
}

void TimelinePanel::select_matching_op() {
    if (op_details_.match() != 0) {
        choose(op_details_.match_run(), op_details_.match(), false);
    }
}

void TimelinePanel::bring_into_view() {
    const model::Run* run = run_at(state_.selection.run);
    const auto& op = run->op(state_.selection.op);
    const auto at = static_cast<double>((op.begin_ns == model::kPending ? op.issue_begin_ns : op.begin_ns) -
                                        run->measure_begin_ns());
    const auto view = state_.view.target();
    if (at < view.begin_ns || at > view.end_ns) {
        state_.view.bring_in(at);
    }
    reveal_ = Reveal::op;
    const ImVec2 mouse = ImGui::GetIO().MousePos;
    rests_at_ = figure::Point{mouse.x, mouse.y};  // ignore what is under the pointer until it moves
}

void TimelinePanel::zoom_at_pointer(double factor) {
    const auto view = state_.view.view();
    const bool inside = pointer_ns_ > view.begin_ns && pointer_ns_ < view.end_ns;
    state_.view.zoom(inside ? pointer_ns_ : (view.begin_ns + view.end_ns) / 2, factor);
}

void TimelinePanel::pan_by_share(double share) {
    state_.view.pan(state_.view.target().span_ns() * share, true);
}

}  // namespace headway::ui
