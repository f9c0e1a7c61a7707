#include "app/ui/timeline/timeline_panel.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "app/figure/words.h"
#include "app/render/format.h"
#include "app/timeline/highlights/highlights.h"
#include "app/ui/timeline/hover_card.h"
#include "app/ui/widgets/draw_list_painter.h"
#include "app/ui/widgets/widgets.h"

namespace headway::ui {
namespace {

constexpr double kNotch = 0.75, kFineNotch = 0.92, kCoarseNotch = 0.5;

}  // namespace

const model::Run* TimelinePanel::run_at(int index) const {
    return index >= 0 && index < static_cast<int>(runs_.size()) ? runs_[static_cast<std::size_t>(index)].run : nullptr;
}

Moment TimelinePanel::moment() const {
    Moment moment;
    if (state_.replay.on() && !runs_.empty() && runs_.front().run == &state_.replay.run()) {
        moment.ns = state_.replay.ns();
        return moment;
    }
    const auto hit = hover_ ? hover_ : hit_at_cursor();
    const bool pointed = hit && !panning_ && run_at(hit->run) != nullptr;
    moment.run = pointed                                            ? hit->run
                 : run_at(state_.timeline.selection.run) != nullptr ? state_.timeline.selection.run
                                                                    : 0;
    if (const model::Run* run = run_at(moment.run)) {
        const double at = pointed ? hit->ns : state_.timeline.view.view().end_ns;
        moment.ns = std::min(static_cast<std::int64_t>(run->program_time().run_ns(at)), run->now_ns());
        moment.op = pointed ? hit->op : 0;
    }
    return moment;
}

void TimelinePanel::choose(int run, core::OpId op, bool zoom) {
    select(run, op, zoom);
    if (!zoom) {
        bring_into_view();
    }
}

bool TimelinePanel::lay_out(figure::Box area) {
    const Key key{state_.timeline.view.view(),
                  area,
                  state_.session.version(),
                  ui_.fonts.generation(),
                  state_.bookmarks.revision(),
                  state_.arrangement.revision(),
                  ui_.theme,
                  ui_.fonts.scale(),
                  state_.comparing.earlier(),
                  state_.comparing.other_program(state_.session.b()),
                  state_.comparing.other_program(state_.session.a()),
                  state_.session.stopped(),
                  state_.look.mode};
    if (key == key_ && !layout_.rows.empty()) {
        return false;
    }
    if (!(key.runs == key_.runs)) {
        why_.forget();
    }
    key_ = key;
    if (key.runs.started != last_started_) {
        last_started_ = key.runs.started;
        state_.timeline.selection = {};  // both belong to another run
        state_.timeline.alive.reset();
        op_details_.forget();
    }
    const session::Execution *a = state_.session.a(), *b = state_.session.b();
    runs_.clear();
    kept_.clear();
    const auto executions = shown();
    const bool both = executions.size() == 2;
    for (const auto* execution : executions) {
        figure::TimelineRun run{
            execution->run(), both ? execution->letter : '\0', {}, {}, -1};  // a single run has no letter
        run.total_ns = execution->numbers().total_ns;
        if (execution == a && both) {
            run.note = "same time axis";
        }
        if (both && state_.comparing.runs_behind() > 1) {
            run.note = "one of " + figure::count_text(state_.comparing.runs_behind()) + " runs, near their median";
        } else if (execution->whole() || execution->live()) {
            // compared, or not finished yet
        } else if (both) {
            run.note = "not compared";
        }
        if (!run.note.empty()) {
            run.note = figure::duration_text(static_cast<double>(run.total_ns)) + ", " + run.note;
        }
        if (execution->phase() == session::Phase::recorded) {
            run.label = figure::barrier_label(*execution->run()) + " · RECORDED";
        } else if (both) {
            run.label = figure::run_label(*execution->run(), execution == a ? b->run() : a->run());
        }
        const std::string program = state_.comparing.other_program(execution);
        const bool earlier = !state_.comparing.earlier().empty();
        if (run.label.empty() && (earlier || !program.empty())) {
            run.label = figure::barrier_label(*execution->run());
        }
        run.label = (program.empty() ? "" : program + ": ") + run.label + (earlier ? " · EARLIER RUN" : "");
        run.bookmarks = state_.bookmarks.of(execution->run());
        runs_.push_back(std::move(run));
        kept_.push_back(execution->shared_run());
    }
    if (std::exchange(last_count_, runs_.size()) != runs_.size()) {
        state_.timeline.selection = {};  // it refers to a run by index
        state_.timeline.alive.reset();
    }
    figure::TimelineOptions options;
    options.area = area;
    options.view = state_.timeline.view.view();
    options.theme = ui_.theme;
    options.measure = &measure_;
    options.scale = ui_.fonts.scale();
    options.arrangement = &state_.arrangement.shown();
    layout_ = figure::layout_timeline(runs_, options);
    figure::add_races(layout_, *ui_.theme, options.scale, layout_.list);
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
    const session::Execution* b = state_.session.b();
    const bool only_b = state_.look.mode == Mode::step && b != nullptr && b->run() != nullptr;  // the one stepped
    for (const auto* execution : {b, only_b ? nullptr : state_.session.a()}) {
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
        why_.add(layout_, options_, runs, state_.timeline.show_path, state_.timeline.show_what_if, to);
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
    op_details_.look(runs, pointed.run, pointed.op, key_.runs);
    wait_details_.look(waits, waits != nullptr ? pointed.wait : -1, grows, grown);
}

void TimelinePanel::forget() {
    layout_.rows.clear();
    layout_.queued.clear();
    layout_.runs.clear();
    runs_.clear();
    kept_.clear();
    hover_.reset();
}

void TimelinePanel::end_frame() {
    if (drawn_in_ != ImGui::GetFrameCount()) {
        forget();
    }
}

void TimelinePanel::draw(ImVec2 min, ImVec2 max, CardPlace place, float cards_to) {
    drawn_in_ = ImGui::GetFrameCount();
    const session::Execution *a = state_.session.a(), *b = state_.session.b();
    const bool any = (a != nullptr && a->run() != nullptr) || (b != nullptr && b->run() != nullptr);
    if (!any || max.y - min.y < ui_.px(60)) {
        forget();
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
    const float strip_top = min.y;
    if (state_.timeline.show_minimap) {
        min.y += ui_.px(Minimap::kHeight + 2);
    }
    const float search_top = min.y;
    if (search_.is_open()) {  // in a strip of its own, so that it covers nothing
        min.y += ui_.px(SearchBar::kHeight + 6);
    }
    const figure::Box area{min.x + ui_.px(11), min.y, max.x - ui_.px(24), max.y};
    const bool anew = lay_out(area);
    if (state_.timeline.show_minimap) {  // after lay_out(): before it, runs_ may be gone
        const float left = std::min(min.x + ui_.px(11) + ui_.px(options_.style.label_width_px), max.x - ui_.px(30));
        minimap_.draw({std::floor(left), strip_top, max.x - ui_.px(24), strip_top + ui_.px(Minimap::kHeight)}, runs_,
                      key_.runs, state_.timeline.view);
    }
    ImGui::SetCursorScreenPos(min);
    const ImVec2 size{max.x - min.x, max.y - min.y};
    ImGui::BeginChild("timeline", size, false, ImGuiWindowFlags_NoScrollWithMouse);
    const float height = layout_.area.height();
    reveal(size.y);
    const float scroll = height > size.y + 1 ? ImGui::GetScrollY() : 0;
    ImGui::SetCursorScreenPos({min.x, min.y - scroll});
    ImGui::InvisibleButton("timeline/area", {size.x - (height > size.y + 1 ? ui_.px(12) : 0), std::max(height, 1.0f)},
                           ImGuiButtonFlags_MouseButtonLeft | ImGuiButtonFlags_MouseButtonRight);
    const bool hovered = ImGui::IsItemHovered() && !state_.look.palette_open;
    const bool active = ImGui::IsItemActive() && !state_.look.palette_open;
    ui_.rects.insert_or_assign("timeline", WidgetRect{layout_.axis.x0, min.y, layout_.axis.x1, max.y});
    ui_.rects.insert_or_assign("timeline/all", WidgetRect{min.x, min.y, max.x, max.y});

    ImDrawList* list = ImGui::GetWindowDrawList();
    const gfx::PixelBox bounds{std::floor(min.x), std::floor(min.y), std::ceil(max.x), std::ceil(max.y)};
    paint_layout(list, bounds, scroll, anew);

    const ImVec2 mouse = ImGui::GetIO().MousePos;
    const ImVec2 at{mouse.x, mouse.y + scroll};
    handle_mouse(hovered || active, at);

    // Highlights of what is hovered or selected.
    figure::DisplayList highlights;
    add_why(highlights);
    const auto at_cursor = hover_ ? std::nullopt : hit_at_cursor();
    const auto& under = hover_ ? hover_ : at_cursor;
    const figure::Hit pointed = under && (under->op != 0 || under->wait >= 0) ? *under : chosen();
    look_at(pointed);
    const std::size_t highlights_before = highlights.items.size();
    add_highlights(pointed, highlights);
    for (const model::Place& place : state_.timeline.places) {
        if (place.wait >= 0) {
            figure::add_wait_highlight(layout_, 0, place.wait, {}, *ui_.theme, ui_.fonts.scale(), highlights);
        } else {
            figure::add_place_highlight(layout_, 0, place, *ui_.theme, ui_.fonts.scale(), highlights);
        }
    }
    const std::vector<figure::Box> spare = boxes_of(highlights, highlights_before, scroll);
    list->PushClipRect({layout_.axis.x0 - ui_.px(4), min.y}, {layout_.axis.x1 + ui_.px(4), max.y}, true);
    if (!highlights.items.empty()) {
        highlights_layer_.begin({layout_.axis.x0 - ui_.px(4), min.y, layout_.axis.x1 + ui_.px(4), max.y}, 0);
        paint(highlights, highlights_layer_, ui_.fonts, {0, -scroll});
        highlights_layer_.end();
        highlights_layer_.show(list);
    }
    draw_found(list, scroll);
    draw_measure(list, scroll);
    draw_playhead(list, scroll);
    draw_keyboard_cursor(list, scroll);
    draw_alive_moment(list, scroll);
    draw_label_drag(list, scroll);
    if (hovered && !panning_ && layout_.axis.contains(std::min(at.x, layout_.axis.x1 - 1), at.y)) {
        draw_cursor(list, at, scroll);
    }
    list->PopClipRect();
    draw_lane_menu();
    if (!label_drag_) {
        say(state_.arrangement.save());  // when the drag has ended
    }
    draw_renaming(scroll);
    ImGui::EndChild();
    draw_search(max.x - ui_.px(24), search_top);
    draw_note(min, max);

    const bool docked = place == CardPlace::docked;
    docked_card_ = {};
    const auto put = [&](const Card& card, ImDrawList* to, ImVec2 beside, ImVec2 least, ImVec2 most) {
        if (docked) {
            docked_card_ = card;
        } else {
            draw_hover_card(ui_, to, card, beside, least, most, spare);
        }
    };
    if (editing_) {
        // the note editor is open
    } else if (hover_ && !panning_ && !state_.timeline.measuring && !state_.look.show_keys) {
        if (const model::Run* run = run_at(hover_->run)) {
            const ImVec2 frame = ImGui::GetIO().DisplaySize;
            put(card_of(*run, *hover_), ImGui::GetForegroundDrawList(), mouse, {min.x, ui_.px(60)},
                {frame.x - ui_.px(8), cards_to});
        }
    } else if (at_cursor && !panning_ && !state_.timeline.measured && !state_.look.show_keys) {
        if (const model::Run* run = run_at(at_cursor->run)) {
            const figure::Box& row = layout_.rows[state_.timeline.cursor->row].box;
            put(card_of(*run, *at_cursor), list,
                {layout_.map.x_px_from_ns(state_.timeline.cursor->ns), row.y1 - scroll}, min, max);
        }
    } else if (const model::Run* run = run_at(pointed.run); run != nullptr && !hover_ && !panning_ &&
                                                            (docked || !state_.timeline.measured) &&
                                                            (pointed.op != 0 || pointed.wait >= 0)) {
        // The card of the selection stays next to it.
        if (const auto box = pointed.op != 0 ? layout_.box_of_op(pointed.run, pointed.op)
                                             : layout_.box_of_wait(pointed.run, pointed.wait);
            box && (docked || (box->x1 > layout_.axis.x0 && box->x0 < layout_.axis.x1))) {
            put(card_of(*run, pointed), list, {std::clamp(box->x0, layout_.axis.x0, layout_.axis.x1), box->y1 - scroll},
                min, max);
        }
    }
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
        figure::add_op_highlight(layout_, hit.run, hit.op, *ui_.theme, scale, to);
    } else if (hit.wait >= 0) {
        const auto* details = wait_details_.details();
        figure::add_wait_highlight(layout_, hit.run, hit.wait,
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
            state_.timeline.view.pan(-static_cast<double>(io.MouseDelta.x) * layout_.map.ns_per_px(), false);
            if (!state_.timeline.lock_vertical) {
                ImGui::SetScrollY(ImGui::GetScrollY() - io.MouseDelta.y);
            }
        }
    }
    if (state_.timeline.measuring) {
        const Snapped to = snapped(pointer_ns_, at.y);
        state_.timeline.measured->to_ns = to.ns;
        state_.timeline.measured->to_edge = to.edge;
        state_.timeline.measured->to_row = to.row;
        if (!ImGui::IsMouseDown(ImGuiMouseButton_Left)) {
            state_.timeline.measuring = false;
        }
    }
    if (handle_labels(hovered && !panning_ && !state_.timeline.measuring, at) || !hovered) {
        return;
    }
    if (on_axis && !panning_ && !state_.timeline.measuring) {
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
        state_.timeline.view.pan(-static_cast<double>(sideways) * kSideways * state_.timeline.view.target().span_ns(),
                                 true);
    } else if (io.MouseWheel != 0 && at.x < layout_.axis.x0) {
        if (!state_.timeline.lock_vertical) {
            ImGui::SetScrollY(ImGui::GetScrollY() - io.MouseWheel * ui_.px(48));
        }
    } else if (io.MouseWheel != 0) {
        const double notch = io.KeyCtrl ? kFineNotch : io.KeyShift ? kCoarseNotch : kNotch;
        state_.timeline.view.zoom(pointer_ns_, std::pow(notch, static_cast<double>(io.MouseWheel)));
    }
    if (ImGui::IsMouseClicked(ImGuiMouseButton_Right)) {
        state_.timeline.view.begin_pan();
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
            state_.timeline.view.fit();
        }
        end_measure();
    } else if (ImGui::IsMouseClicked(ImGuiMouseButton_Left) && on_axis) {
        end_measure();
        state_.timeline.cursor.reset();
        if (hover_) {
            act_on(*hover_);
        } else {
            state_.timeline.selection = {};
        }
    } else if (ImGui::IsMouseDragging(ImGuiMouseButton_Left, 4) && !state_.timeline.measuring &&
               ImGui::IsItemActive()) {
        const float from = io.MouseClickedPos[ImGuiMouseButton_Left].x;
        if (from >= layout_.axis.x0 && from < layout_.axis.x1) {
            const Snapped begin = snapped(layout_.map.ns_from_x_px(from),
                                          at.y - io.MousePos.y + io.MouseClickedPos[ImGuiMouseButton_Left].y);
            const Snapped end = snapped(pointer_ns_, at.y);
            state_.timeline.measuring = true;
            state_.timeline.selection = {};
            state_.timeline.cursor.reset();
            state_.timeline.measured = MeasuredSpan{begin.ns, end.ns, begin.edge, end.edge, begin.row, end.row};
            state_.details.show_temporarily("measured");
        }
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
    const std::string keys = ui_.keys_of ? ui_.keys_of("run.toggle") : "";
    const std::string press = "ress Run" + (keys.empty() ? "" : " (" + keys + ")");
    centred(y - ui_.px(16), Face::semibold, 20, t.text,
            state_.predictions.questions().empty() || state_.predictions.all_guessed()
                ? "P" + press
                : "Predict what happens, then p" + press);
    centred(y + ui_.px(14), Face::regular, 15, t.dim, "Every op that the program issues appears here: on the frontend");
    centred(y + ui_.px(36), Face::regular, 15, t.dim, "when it is issued, on a lane of the backend when it runs.");
}

}  // namespace headway::ui
