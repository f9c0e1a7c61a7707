#include "app/ui/shell/app.h"

#include <imgui_internal.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <tuple>

#include "app/gfx/imgui_compat.h"
#include "app/ui/shell/keys_help.h"
#include "app/ui/shell/notice_strip.h"
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
      ui_{fonts, rects_, &figure::theme(state.theme)},
      top_bar_(state, ui_),
      left_(state, ui_),
      timeline_(state, ui_),
      detail_(state, ui_, timeline_),
      status_(state, ui_),
      palette_(ui_),
      open_(state, ui_),
      export_(state, ui_) {}

bool App::prepare(float width_px, float height_px, float content_scale) {
    ring_.feed();
    ui_.theme = &figure::theme(state_.theme);
    ui_.fonts.set_scale(window_scale(width_px, height_px, content_scale, state_.user_scale, *ui_.theme));
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
    state_.window_width_px = size.x / ui_.fonts.scale();
    state_.window_height_px = size.y / ui_.fonts.scale();
    moving_ = state_.view.advance(static_cast<double>(io.DeltaTime));
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
    const float left = left_.width(size.x);
    top_bar_.draw({0, 0}, {size.x, top});
    status_.draw({0, bottom}, size);
    left_.draw({0, top}, {left, bottom});

    float y = top + ui_.px(8);
    const float edge = ui_.px(14);
    y += draw_notices(state_, ui_, {left + edge, y}, size.x - left - 2 * edge);
    const float table = detail_.height(size.x - left - ui_.px(34), bottom - y);
    const float table_top = bottom - table - (table > 0 ? ui_.px(16) : 0);
    state_.palette_open = palette_.is_open();
    timeline_.draw({left, y}, {size.x, table_top - ui_.px(table > 0 ? 10 : 0)});
    moving_ = moving_ || timeline_.moving();
    if (table > 0) {
        detail_.draw({left + edge, table_top}, {size.x - ui_.px(20), table_top + table});
        moving_ = moving_ || detail_.moving();
    }
    ui_.ground = nullptr;
    ground_.end();
    ground_.show(ImGui::GetBackgroundDrawList());
    open_.draw();
    export_.draw(ring_.at().empty());
    draw_close_dialog(state_, ui_);
    ImGui::End();
    if (entering) {
        run_when_entered_ = false;
        if (!left_.parameters().refused()) {
            state_.run();
        }
    }
    draw_keys_help(state_, ui_);
    if (palette_.is_open()) {
        palette_.draw();
    } else {
        handle_keys();
    }
    ring_.settle(rects_);
    if (const auto at = rects_.find(ring_.at()); at != rects_.end()) {
        const float gap = ui_.px(3), line = std::max(1.0f, ui_.px(2));
        ImGui::GetForegroundDrawList()->AddRect({at->second.x0 - gap, at->second.y0 - gap},
                                                {at->second.x1 + gap, at->second.y1 + gap}, colour(ui_.theme->issue),
                                                ui_.exact_px(6), 0, line);
    }
    moving_ = moving_ || ring_.clicking();
}

void App::next_barrier() {
    using trace::BarrierKind;
    constexpr std::array<trace::BarrierPolicy, 5> kOrder{{{BarrierKind::as_written, 0},
                                                          {BarrierKind::none, 0},
                                                          {BarrierKind::minibatch, 0},
                                                          {BarrierKind::behind, 1},
                                                          {BarrierKind::op, 0}}};
    const auto found = std::find(kOrder.begin(), kOrder.end(), state_.session.settings.barrier);
    const auto next = found == kOrder.end() || found + 1 == kOrder.end() ? kOrder.begin() : found + 1;
    state_.set_barrier(*next);
}

// Keys for running the program; they work wherever the focus is.
void App::handle_program_keys() {
    const ImGuiIO& io = ImGui::GetIO();
    if (ImGui::IsPopupOpen("", ImGuiPopupFlags_AnyPopupId | ImGuiPopupFlags_AnyPopupLevel)) {
        return;
    }
    const bool run_asked = (gfx::key_pressed(Key::f5) && !io.KeyShift && !state_.session.live()) ||
                           (io.KeyCtrl && (gfx::key_pressed(Key::enter) || gfx::key_pressed(Key::keypad_enter)));
    if (run_asked && left_.parameters().editing()) {
        run_when_entered_ = true;
        return;
    }
    if (gfx::key_pressed(Key::f5)) {
        io.KeyShift ? state_.stop() : state_.run_or_pause();
    }
    if (gfx::key_pressed(Key::f9)) {
        left_.source().toggle_breakpoint();
    }
    if (gfx::key_pressed(Key::f10)) {
        state_.step_line(io.KeyCtrl ? trace::LineMode::over : trace::LineMode::step);
    }
    if (gfx::key_pressed(Key::f11)) {
        io.KeyCtrl ? left_.source().run_to_caret() : state_.step_op();
    }
    if (gfx::key_pressed(Key::f3)) {
        left_.source().find_next(!io.KeyShift);
    }
    if (!io.KeyCtrl || io.KeyAlt) {
        return;
    }
    if (gfx::key_pressed(Key::enter) || gfx::key_pressed(Key::keypad_enter)) {
        state_.run();
    } else if (gfx::key_pressed(Key::s)) {
        state_.save();
    } else if (gfx::key_pressed(Key::o)) {
        state_.ask_for_path = true;
    } else if (gfx::key_pressed(Key::f) && left_.source().available()) {
        left_.source().find();
    } else if (gfx::key_pressed(Key::e) && left_.source().available()) {
        state_.wide_source = !state_.wide_source;
        left_.source().focus();
    }
}

// Tab, and the keys for the focused control.
bool App::handle_ring() {
    const ImGuiIO& io = ImGui::GetIO();
    if (ring_.clicking()) {
        return true;
    }
    if (io.WantTextInput || io.KeyCtrl || io.KeyAlt || state_.show_keys) {
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
        return false;
    }
    for (const auto& [key, dx, dy] :
         {std::tuple{Key::left, -1, 0}, {Key::right, 1, 0}, {Key::up, 0, -1}, {Key::down, 0, 1}}) {
        if (gfx::key_pressed(key, true)) {
            ring_.go(rects_, dx, dy);
            return true;
        }
    }
    if (gfx::key_pressed(Key::enter) || gfx::key_pressed(Key::keypad_enter) || gfx::key_pressed(Key::space)) {
        ring_.click(rects_);
        return true;
    }
    return false;
}

// Keys for the timeline: measuring, bookmarks, lanes.
void App::handle_timeline_keys() {
    const ImGuiIO& io = ImGui::GetIO();
    for (const auto& [key, direction] : {std::pair{Key::left, -1}, {Key::right, 1}}) {
        if (gfx::key_pressed(key, true)) {
            timeline_.move_cursor(direction, false, io.KeyShift);
        }
    }
    for (const auto& [key, direction] : {std::pair{Key::up, -1}, {Key::down, 1}}) {
        if (gfx::key_pressed(key, true)) {
            timeline_.move_cursor_row(direction);
        }
    }
    if (gfx::key_pressed(Key::enter)) {
        timeline_.choose_at_cursor();
    }
    if (gfx::key_pressed(Key::r)) {
        io.KeyShift ? void(state_.snap = !state_.snap) : timeline_.measure_chosen();
    }
    if (gfx::key_pressed(Key::m)) {
        io.KeyShift ? state_.show_detail(AppState::Detail::bookmarks) : timeline_.add_bookmark();
    }
    if (gfx::key_pressed(Key::j, true)) {
        timeline_.step_bookmark(io.KeyShift ? -1 : 1);
    }
    if (gfx::key_pressed(Key::del)) {
        timeline_.remove_bookmark_at_cursor();
    }
    if (gfx::key_pressed(Key::i)) {
        timeline_.show_alive_here();
    }
    if (gfx::key_pressed(Key::o)) {
        state_.show_minimap = !state_.show_minimap;
    }
    if (gfx::key_pressed(Key::p)) {
        timeline_.pin_row();
    }
    if (gfx::key_pressed(Key::k)) {
        timeline_.collapse_row();
    }
    if (gfx::key_pressed(Key::equal, true) || gfx::key_pressed(Key::keypad_add, true)) {
        timeline_.resize_row(1.25f);
    }
    if (gfx::key_pressed(Key::minus, true) || gfx::key_pressed(Key::keypad_subtract, true)) {
        timeline_.resize_row(0.8f);
    }
    if (gfx::key_pressed(Key::f2)) {
        timeline_.rename_row();
    }
    if (gfx::key_pressed(Key::y)) {
        state_.lock_vertical = !state_.lock_vertical;
    }
}

void App::handle_keys() {
    const ImGuiIO& io = ImGui::GetIO();
    if (handle_ring()) {
        return;
    }
    if (io.KeyCtrl) {
        if (gfx::key_pressed(Key::equal, true) || gfx::key_pressed(Key::keypad_add, true)) {
            state_.scale_up();
        } else if (gfx::key_pressed(Key::minus, true) || gfx::key_pressed(Key::keypad_subtract, true)) {
            state_.scale_down();
        } else if (gfx::key_pressed(Key::zero)) {
            state_.user_scale = 1;
        }
    }
    if (io.KeyCtrl && io.KeyShift && gfx::key_pressed(Key::p)) {
        palette_.open(commands());
        return;
    }
    if (io.KeyAlt && gfx::key_pressed(Key::left)) {
        state_.view.back();
    } else if (io.KeyAlt && gfx::key_pressed(Key::right)) {
        state_.view.forth();
    }
    if (io.KeyAlt && !io.WantTextInput && !state_.show_keys) {
        if (gfx::key_pressed(Key::up, true)) {
            timeline_.shift_row(-1);
        } else if (gfx::key_pressed(Key::down, true)) {
            timeline_.shift_row(1);
        }
    }
    handle_program_keys();
    if (io.KeyCtrl && !io.KeyAlt && !io.WantTextInput && !state_.show_keys) {
        for (const auto& [key, direction] : {std::pair{Key::left, -1}, {Key::right, 1}}) {
            if (gfx::key_pressed(key, true)) {
                timeline_.move_cursor(direction, true, io.KeyShift);
            }
        }
    }
    if (gfx::key_pressed(Key::f12) && !export_.shown()) {
        if (io.KeyShift) {
            state_.picture_of_window_wanted = true;
        } else {
            state_.ask_for_export = true;
        }
    }
    if (io.KeyCtrl && io.KeyShift && gfx::key_pressed(Key::c)) {
        state_.copy_picture();
        return;
    }
    // Characters whose keys differ between keyboards: looks at the typed character instead of the key.
    const auto typed = [&io](char sign) {
        return !io.WantTextInput && std::find(io.InputQueueCharacters.begin(), io.InputQueueCharacters.end(),
                                              static_cast<ImWchar>(sign)) != io.InputQueueCharacters.end();
    };
    if (!state_.show_keys && (typed('[') || typed(']'))) {
        timeline_.select_dependency(typed(']'));
        return;
    }
    const bool slash = gfx::key_pressed(Key::slash);
    if (!typed('/') && !typed('?') && (io.WantTextInput || io.KeyCtrl || io.KeyAlt)) {
        return;
    }
    if (typed('?') || (slash && io.KeyShift && !typed('/'))) {
        state_.show_keys = !state_.show_keys;
    } else if (typed('/') || slash) {
        timeline_.open_search();
    } else if (gfx::key_pressed(Key::escape)) {
        if (state_.show_keys) {
            state_.show_keys = false;
        } else if (timeline_.search().is_open()) {
            timeline_.close_search();
        } else {
            timeline_.clear();
        }
    }
    if (state_.show_keys) {
        return;
    }
    if (gfx::key_pressed(Key::space)) {
        state_.run_or_pause();
    }
    if (gfx::key_pressed(Key::f)) {
        timeline_.fit_selection_or_all();
    }
    if (gfx::key_pressed(Key::end) || gfx::key_pressed(Key::l)) {
        state_.view.follow();
    }
    if (gfx::key_pressed(Key::w, true)) {
        timeline_.zoom_at_pointer(0.75);
    }
    if (gfx::key_pressed(Key::s, true)) {
        timeline_.zoom_at_pointer(1 / 0.75);
    }
    if (gfx::key_pressed(Key::a, true)) {
        timeline_.pan_by_share(-0.2);
    }
    if (gfx::key_pressed(Key::d, true)) {
        timeline_.pan_by_share(0.2);
    }
    if (gfx::key_pressed(Key::period, true)) {
        timeline_.select_neighbour(1);
    }
    if (gfx::key_pressed(Key::comma, true)) {
        timeline_.select_neighbour(-1);
    }
    if (gfx::key_pressed(Key::bracket_left)) {
        timeline_.select_dependency(false);
    }
    if (gfx::key_pressed(Key::bracket_right)) {
        timeline_.select_dependency(true);
    }
    if (gfx::key_pressed(Key::x)) {
        timeline_.select_matching_op();
    }
    handle_timeline_keys();
    if (gfx::key_pressed(Key::c)) {
        if (io.KeyShift) {
            state_.comparing() != nullptr ? state_.stop_comparing() : state_.compare();
        } else {
            state_.next_overlay();
        }
    }
    if (gfx::key_pressed(Key::n, true)) {
        timeline_.search_step(io.KeyShift ? -1 : 1);
    }
    if (gfx::key_pressed(Key::t)) {
        state_.next_theme();
    }
    if (gfx::key_pressed(Key::g)) {
        state_.next_detail();
    }
    if (gfx::key_pressed(Key::b)) {
        next_barrier();
    }
}

}  // namespace headway::ui
