#include "app/ui/shell/app.h"

#include <imgui_internal.h>

#include <algorithm>
#include <cmath>
#include <tuple>
#include <utility>

#include "app/gfx/imgui_compat.h"
#include "app/ui/details/line_waits.h"
#include "app/ui/shell/keys_help.h"
#include "app/ui/shell/notice_strip.h"
#include "app/ui/shell/overlays/legend_card.h"
#include "app/ui/widgets/widgets.h"

namespace headway::ui {

using gfx::Key;

float automatic_scale(float width_px, float height_px, float content_scale) {
    // A window of 3840 by 2160 on a screen of scale 1: the screen is far away or very dense.
    const float by_size = std::floor(std::min(width_px / 1920, height_px / 1080) * 4) / 4;
    const float most = std::floor(std::min(width_px / 1180, height_px / 660) * 8) / 8;
    return std::clamp(std::max({content_scale, by_size, 1.0f}), 0.75f, std::max(0.75f, most));
}

float window_scale(float width_px, float height_px, float content_scale, float user_scale, const figure::Theme& theme) {
    const float scale = automatic_scale(width_px, height_px, content_scale) * user_scale * theme.ui_scale;
    return std::clamp(scale, 0.5f, std::max(0.5f, std::min(width_px / 900, height_px / 480)));
}

App::App(AppState& state, gfx::Fonts& fonts)
    : state_(state),
      ui_{fonts, rects_, &figure::theme(state.look.theme)},
      top_bar_(state, ui_),
      map_(state, ui_),
      lesson_(state, ui_),
      source_(state, ui_),
      timeline_(state, ui_),
      detail_(state, ui_, timeline_, [this](ImVec2 min, ImVec2 max) { source_.draw(min, max, notices_height_); }),
      verdict_(state, ui_),
      formula_(state, ui_),
      replay_(state, ui_),
      status_(state, ui_),
      tour_(state, ui_),
      palette_(ui_),
      open_(state, ui_),
      export_(state, ui_),
      close_(state, ui_),
      commands_(make_commands()) {
    ui_.keys_of = [this](std::string_view id) {
        const Command* command = commands_.find(id);
        return command == nullptr ? std::string() : keys_here(ui_, command->keys);
    };
    ui_.run_command = [this](std::string_view id) {
        if (const Command* command = commands_.find(id); command != nullptr && command->can_run()) {
            command->run();
        }
    };
    ui_.point_at = [this](const std::vector<std::string>& ids) { pointed_at_ = ids; };
}

bool App::prepare(float width_px, float height_px, float content_scale) {
    ring_.feed();
    ui_.theme = &figure::theme(state_.look.theme);
    ui_.fonts.set_scale(window_scale(width_px, height_px, content_scale, state_.look.user_scale, *ui_.theme));
    const bool fonts_changed = ui_.fonts.bake();
    if (styled_scale_ != ui_.fonts.scale() || styled_theme_ != ui_.theme) {
        styled_scale_ = ui_.fonts.scale();
        styled_theme_ = ui_.theme;
        apply_style(*ui_.theme, styled_scale_);
    }
    return fonts_changed;
}

void App::frame() {
    const ImGuiIO& io = ImGui::GetIO();
    const ImVec2 size = io.DisplaySize;
    rects_.clear();
    state_.look.width_px = size.x / ui_.fonts.scale();
    state_.look.height_px = size.y / ui_.fonts.scale();
    moving_ = state_.timeline.view.advance(static_cast<double>(io.DeltaTime));
    moving_ = state_.replay.advance(static_cast<double>(io.DeltaTime)) || moving_;
    const bool entering = run_when_entered_;
    if (entering) {
        ImGui::ClearActiveID();  // the field applies what was typed, and then the run begins
    }
    const FontScope font(ui_, Face::regular, 14);

    constexpr ImGuiWindowFlags kFixed = ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove |
                                        ImGuiWindowFlags_NoSavedSettings | ImGuiWindowFlags_NoBringToFrontOnFocus |
                                        ImGuiWindowFlags_NoScrollWithMouse;
    ImGui::SetNextWindowPos({0, 0});
    ImGui::SetNextWindowSize(size);
    ImGui::Begin("headway", nullptr, kFixed);
    ground_.begin({0, 0, size.x, size.y}, 0);
    ui_.ground = &ground_;
    const float top = ui_.px(TopBar::kHeight), bottom = size.y - ui_.px(StatusBar::kHeight);
    top_bar_.draw({0, 0}, {size.x, top});
    status_.draw({0, bottom}, size);
    state_.look.palette_open = palette_.is_open();
    lesson_.update();
    // Choosing a program or starting a run leaves the map.
    if (shown_lesson_ != state_.programs.index() || shown_run_ != state_.session.started()) {
        state_.look.map = state_.look.map && shown_lesson_ == kNoLessonYet;
        state_.formula.shown = false;
        shown_lesson_ = state_.programs.index();
        shown_run_ = state_.session.started();
    }
    if (state_.look.map) {
        map_.draw({0, top}, {size.x, bottom});
        draw_notices(state_, ui_, {ui_.px(14), top + ui_.px(8)}, size.x - ui_.px(28));
    } else {
        draw_panes({{0, top}, {size.x, bottom}});
    }
    timeline_.end_frame();
    moving_ = moving_ || timeline_.computing() || lesson_.explain().busy() || detail_.computing();
    ui_.ground = nullptr;
    ground_.end();
    ground_.show(ImGui::GetBackgroundDrawList());
    open_.draw();
    export_.draw(ring_.at().empty());
    close_.draw();
    state_.exports.closing = close_.may_close();
    ImGui::End();
    if (entering) {
        run_when_entered_ = false;
        if (!lesson_.parameters().refused()) {
            state_.run();
        }
    }
    draw_legend_card(ui_, legend_layer_, legend_);
    draw_keys_help(state_, ui_, commands_);
    ui_.arrow = {};
    if (tour_.on()) {
        tour_.draw();
    } else if (palette_.is_open()) {
        palette_.draw();
    } else {
        handle_keys();
    }
    for (const std::string& id : std::exchange(pointed_at_, {})) {
        if (rects_.contains(id)) {
            ring_.put(id);
            moving_ = true;  // the column scrolls to it
            break;
        }
    }
    ring_.settle(rects_);
    if (const auto at = rects_.find(ring_.at()); at != rects_.end() && at->second.y0 < at->second.y1) {
        const float gap = ui_.px(3), line = std::max(1.0f, ui_.px(2));
        ImGui::GetForegroundDrawList()->AddRect({at->second.x0 - gap, at->second.y0 - gap},
                                                {at->second.x1 + gap, at->second.y1 + gap}, colour(ui_.theme->issue),
                                                ui_.exact_px(6), 0, line);
    }
    moving_ = moving_ || ring_.clicking() || !ui_.arrow.control.empty();
}

void App::draw_panes(const Pane& all) {
    WindowRoom room{all, ui_.fonts.scale(), state_.look.mode, state_.look.pane_shares(), source_.available()};
    // The verdict's width does not depend on its height.
    const WindowPanes without = lay_out_window(room);
    room.verdict = state_.look.mode == Mode::step ? 0 : verdict_.height(without.timeline.width());
    // Not only while it is possible to step back: the timeline keeps its place when a paused run goes on.
    const bool steps = state_.look.mode == Mode::step && (state_.replay.possible() || state_.session.live());
    room.timeline_bar = state_.replay.on() || steps ? ui_.px(ReplayBar::kHeight) : 0;
    const WindowPanes panes = lay_out_window(room);
    if (panes.lesson.shown()) {
        lesson_.draw(panes.lesson.min, panes.lesson.max);
    }
    if (state_.formula.shown) {
        const Pane rest{{panes.lesson.shown() ? panes.lesson.max.x : all.min.x, all.min.y}, all.max};
        formula_.draw(rest.min, rest.max);
        draw_notices(state_, ui_, {rest.min.x + ui_.px(14), rest.max.y - ui_.px(60)}, rest.width() - ui_.px(28));
        return;
    }
    if (panes.timeline.shown()) {
        using CardPlace = TimelinePanel::CardPlace;
        // A card at the pointer does not cover the verdict.
        const float cards_to = panes.verdict.shown() ? panes.verdict.min.y : ImGui::GetIO().DisplaySize.y - ui_.px(8);
        timeline_.draw(panes.timeline.min, panes.timeline.max,
                       panes.card.shown() ? CardPlace::docked : CardPlace::pointer, cards_to);
    }
    if (panes.card.shown() && !timeline_.draw_docked_card(panes.card.min, panes.card.max)) {
        draw_line_waits(state_, ui_, panes.card.min, panes.card.max);
    }
    if (panes.timeline_bar.shown()) {
        replay_.draw(panes.timeline_bar.min, panes.timeline_bar.max);
    }
    if (panes.verdict.shown()) {
        verdict_.draw(panes.verdict.min, panes.verdict.max);
    }
    // Notices are over the lower end of a pane that can be scrolled, so that nothing moves when one comes or goes, and
    // the timeline keeps its axis.
    const bool over_source = panes.source.shown() && source_.available();
    const Pane& under = over_source ? panes.source : panes.details.shown() ? panes.details : panes.timeline;
    const float width = under.width() - ui_.px(28);
    notices_height_ = height_of_notices(state_, ui_, width);
    if (over_source) {
        source_.draw(panes.source.min, panes.source.max, notices_height_);
    }
    if (panes.details.shown()) {
        detail_.draw(panes.details.min, panes.details.max);
    }
    draw_notices(state_, ui_, {under.min.x + ui_.px(14), under.max.y - notices_height_}, width);
    draw_dividers(room, panes);
}

// Lines between panes that can be dragged; a double click restores the default.
void App::draw_dividers(const WindowRoom& room, const WindowPanes& panes) {
    const ImGuiIO& io = ImGui::GetIO();
    struct Line {
        const char* id;
        Divider divider;
        const Pane& pane;
        bool upright;
    };
    for (const Line& line : {Line{"divider/lesson", Divider::lesson, panes.lesson_divider, true},
                             {"divider/row", Divider::row, panes.row_divider, false},
                             {"divider/left", Divider::left, panes.left_divider, true}}) {
        if (!line.pane.shown()) {
            continue;
        }
        ImGui::SetCursorScreenPos(line.pane.min);
        ImGui::InvisibleButton(line.id, {line.pane.width(), line.pane.height()});
        ui_.rects.insert_or_assign(
            line.id, WidgetRect{line.pane.min.x, line.pane.min.y, line.pane.max.x, line.pane.max.y, false});
        const bool active = ImGui::IsItemActive();
        if (!active && !ImGui::IsItemHovered()) {
            continue;
        }
        ImGui::SetMouseCursor(line.upright ? ImGuiMouseCursor_ResizeEW : ImGuiMouseCursor_ResizeNS);
        const float x = (line.pane.min.x + line.pane.max.x) / 2, y = (line.pane.min.y + line.pane.max.y) / 2;
        const float half = ui_.exact_px(1);
        const ImVec2 a = line.upright ? ImVec2{x - half, line.pane.min.y} : ImVec2{line.pane.min.x, y - half};
        const ImVec2 b = line.upright ? ImVec2{x + half, line.pane.max.y} : ImVec2{line.pane.max.x, y + half};
        ImGui::GetForegroundDrawList()->AddRectFilled(a, b, colour(ui_.theme->issue));
        PaneShares& shares = state_.look.pane_shares();
        if (ImGui::IsMouseDoubleClicked(ImGuiMouseButton_Left)) {
            shares = default_shares(state_.look.mode);
        } else if (active && (io.MouseDelta.x != 0 || io.MouseDelta.y != 0)) {
            shares = dragged(room, line.divider, io.MousePos);
        }
    }
}

void App::new_program() {
    if (auto made = state_.programs.open_new(); !made) {
        state_.notices.add(Notice::Kind::file, Notice::Tone::bad, made.error().message);
        return;
    }
    set_mode(Mode::step);
    source_.focus();
    if (editor::Document* document = state_.source.document()) {
        document->text.place(document->text.end());  // what is typed follows the first lines
    }
}

void App::ask_to_close() {
    if (close_.may_close()) {
        state_.exports.pictures.cancel();
    } else {
        close_.open();
    }
}

// Also opens the tab that belongs to the mode.
void App::set_mode(Mode mode) {
    state_.look.map = false;
    if (mode == state_.look.mode) {
        return;
    }
    state_.look.mode = mode;
    if (mode != Mode::learn) {
        state_.details.show(mode == Mode::compare ? "numbers" : "queue");
    }
}

// Tab, and the keys for the focused control.
bool App::handle_ring() {
    const ImGuiIO& io = ImGui::GetIO();
    if (ring_.clicking()) {
        return true;
    }
    if (io.WantTextInput || io.KeyCtrl || io.KeyAlt || state_.look.show_keys) {
        return false;
    }
    if (ImGui::IsMouseClicked(ImGuiMouseButton_Left)) {
        ring_.let_go();
    }
    if (gfx::key_pressed(Key::tab, true)) {
        ring_.step(rects_, io.KeyShift ? -1 : 1);
        return true;
    }
    if (gfx::key_pressed(Key::escape) && (close_popups() || !ring_.at().empty())) {
        ring_.let_go();
        return true;
    }
    if (ring_.at().empty()) {
        // In a menu that the mouse opened, ↓ and ↑ begin with the first and the last row.
        const int direction = gfx::key_pressed(Key::down, true) ? 1 : gfx::key_pressed(Key::up, true) ? -1 : 0;
        if (direction == 0 || !menu_open()) {
            return false;
        }
        ring_.step(rects_, direction);
        return true;
    }
    for (const auto& [key, dx, dy] :
         {std::tuple{Key::left, -1, 0}, {Key::right, 1, 0}, {Key::up, 0, -1}, {Key::down, 0, 1}}) {
        if (gfx::key_pressed(key, true)) {
            const auto at = rects_.find(ring_.at());
            const ArrowKeys own = dx != 0 ? ArrowKeys::sideways : ArrowKeys::upright;
            if (at != rects_.end() && at->second.arrows == own) {
                ui_.arrow = {ring_.at(), dx + dy, io.KeyShift};
            } else {
                ring_.go(rects_, dx, dy);
            }
            return true;
        }
    }
    if (gfx::key_pressed(Key::enter) || gfx::key_pressed(Key::keypad_enter) || gfx::key_pressed(Key::space)) {
        ring_.click(rects_);
        return true;
    }
    return false;
}

void App::handle_keys() {
    if (!handle_ring()) {
        commands_.handle_keys(ImGui::GetIO().WantTextInput, state_.look.show_keys);
    }
}

}  // namespace headway::ui
