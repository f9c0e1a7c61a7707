// The window's contents: places the panels, and turns keys into what the learner can do.
//
// Threads: the UI's.
#pragma once

#include <functional>
#include <string>
#include <utility>

#include "app/gfx/fonts.h"
#include "app/ui/details/detail_panel.h"
#include "app/ui/dialogs/dialogs.h"
#include "app/ui/dialogs/export_dialog.h"
#include "app/ui/shell/left_panel.h"
#include "app/ui/shell/palette.h"
#include "app/ui/shell/status_bar.h"
#include "app/ui/shell/top_bar.h"
#include "app/ui/state/app_state.h"
#include "app/ui/timeline/timeline_panel.h"
#include "app/ui/widgets/focus_ring.h"
#include "app/ui/widgets/widget_rect.h"

namespace headway::ui {

class App {
public:
    App(AppState& state, gfx::Fonts& fonts);

    // Before ImGui's frame begins: takes in the screen's scale. True when the fonts have changed.
    bool prepare(float width_px, float height_px, float content_scale);
    // Between ImGui::NewFrame() and ImGui::Render().
    void frame();

    // Something moves by itself: the next frame is wanted soon.
    [[nodiscard]] bool animating() const { return moving_ || state_.session.running(); }
    // By a hand, or towards where one sent it; not because a run grows.
    [[nodiscard]] bool moving() const { return moving_ && !state_.view.following(); }
    // How the keys of this keyboard are called; see Ui::key_label.
    void set_key_labels(std::function<std::string(char)> label) { ui_.key_label = std::move(label); }
    [[nodiscard]] const FocusRing& focus_ring() const { return ring_; }
    [[nodiscard]] const WidgetRects& rects() const { return rects_; }
    // The panels' texts of the frames to come go there, too (Ui::words).
    void write_words_to(std::string* words) { ui_.words = words; }
    [[nodiscard]] figure::Rgba background() const { return ui_.theme->background; }
    [[nodiscard]] TimelinePanel& timeline() { return timeline_; }
    [[nodiscard]] DetailPanel& detail() { return detail_; }

private:
    void handle_keys();
    void handle_program_keys();
    bool handle_ring();  // true: the key was for the controls
    void handle_timeline_keys();
    void next_barrier();
    [[nodiscard]] std::vector<Command> commands();

    AppState& state_;
    WidgetRects rects_;
    gfx::Layer ground_;
    Ui ui_;
    TopBar top_bar_;
    LeftPanel left_;
    TimelinePanel timeline_;
    DetailPanel detail_;
    StatusBar status_;
    Palette palette_;
    OpenDialog open_;
    ExportDialog export_;
    FocusRing ring_;
    float styled_scale_ = 0;
    const figure::Theme* styled_theme_ = nullptr;
    bool moving_ = false;
    bool run_when_entered_ = false;  // a run was asked for while a parameter was being typed
};

// Pixels per design pixel for a window of this size: the screen's, more on a large window of a plain screen, less
// where the panels would not fit.
float automatic_scale(float width_px, float height_px, float content_scale);
// The scale that such a window has: never so large that its panels have no room at all.
float window_scale(float width_px, float height_px, float content_scale, float user_scale, const figure::Theme& theme);

}  // namespace headway::ui
