// The window's contents: lays out the panels, and has the table of commands.
//
// Threads: the UI's.
#pragma once

#include <functional>
#include <string>
#include <utility>

#include "app/gfx/fonts.h"
#include "app/ui/details/detail_panel.h"
#include "app/ui/details/verdict_strip.h"
#include "app/ui/dialogs/dialogs.h"
#include "app/ui/dialogs/export_dialog.h"
#include "app/ui/lesson/formula_panel.h"
#include "app/ui/shell/commands.h"
#include "app/ui/shell/lesson_column.h"
#include "app/ui/shell/map_panel.h"
#include "app/ui/shell/overlays/palette.h"
#include "app/ui/shell/overlays/tour.h"
#include "app/ui/shell/status_bar.h"
#include "app/ui/shell/top_bar.h"
#include "app/ui/shell/window_layout.h"
#include "app/ui/source/source_panel.h"
#include "app/ui/state/app_state.h"
#include "app/ui/timeline/replay_bar.h"
#include "app/ui/timeline/timeline_panel.h"
#include "app/ui/widgets/focus_ring.h"
#include "app/ui/widgets/widget_rect.h"

namespace headway::ui {

class App {
public:
    App(AppState& state, gfx::Fonts& fonts);

    // Call before ImGui's frame begins. Applies the screen's scale. True when the fonts have changed.
    bool prepare(float width_px, float height_px, float content_scale);
    // Call between ImGui::NewFrame() and ImGui::Render().
    void frame();

    // An animation is running: draw the next frame soon.
    [[nodiscard]] bool animating() const { return moving_ || state_.session.running(); }
    // Moved by the user, or easing towards where the user moved it; not just following a growing run.
    [[nodiscard]] bool moving() const { return moving_ && !state_.timeline.view.following(); }
    // Asks about unsaved edits, if there are any; then may_close(), once a file that is being written is whole and
    // nothing has been edited meanwhile. Called again meanwhile: gives that file up.
    void ask_to_close();
    [[nodiscard]] bool may_close() const { return close_.may_close() && !state_.exports.pictures.job().busy(); }
    // Called when the user wants a picture of the window.
    void on_picture(std::function<void()> take) { take_picture_ = std::move(take); }
    // Names of the keys on this keyboard; see Ui::key_label.
    void set_key_labels(std::function<std::string(char)> label) { ui_.key_label = std::move(label); }
    [[nodiscard]] const FocusRing& focus_ring() const { return ring_; }
    [[nodiscard]] const WidgetRects& rects() const { return rects_; }
    // Also appends the panels' texts of the following frames to `words` (Ui::words).
    void write_words_to(std::string* words) { ui_.words = words; }
    [[nodiscard]] figure::Rgba background() const { return ui_.theme->background; }
    [[nodiscard]] LessonColumn& lesson() { return lesson_; }
    [[nodiscard]] SourcePanel& source() { return source_; }
    [[nodiscard]] TimelinePanel& timeline() { return timeline_; }
    [[nodiscard]] DetailPanel& detail() { return detail_; }
    [[nodiscard]] const CommandTable& commands() const { return commands_; }

private:
    [[nodiscard]] std::vector<Command> make_commands();
    [[nodiscard]] std::vector<PaletteEntry> palette_entries();
    [[nodiscard]] std::vector<PaletteEntry> exercise_entries();
    void draw_panes(const Pane& all);
    void draw_dividers(const WindowRoom& room, const WindowPanes& panes);
    void set_mode(Mode mode);
    void show_to_learn();
    void new_program();
    void handle_keys();
    bool handle_ring();  // true: the key was handled
    void next_barrier();
    void show_formula();  // or hide it
    void run_typed();     // a parameter that is being edited is applied first
    void escape();

    AppState& state_;
    WidgetRects rects_;
    gfx::Layer ground_;
    Ui ui_;
    TopBar top_bar_;
    MapPanel map_;
    LessonColumn lesson_;
    SourcePanel source_;
    TimelinePanel timeline_;
    DetailPanel detail_;
    VerdictStrip verdict_;
    FormulaPanel formula_;
    ReplayBar replay_;
    StatusBar status_;
    Tour tour_;
    Palette palette_;
    OpenDialog open_;
    ExportDialog export_;
    CloseDialog close_;
    std::function<void()> take_picture_;
    bool legend_ = false;  // shown
    float notices_height_ = 0;
    gfx::Layer legend_layer_;
    CommandTable commands_;
    FocusRing ring_;
    std::vector<std::string> pointed_at_;  // the first of these controls that is shown gets the ring
    float styled_scale_ = 0;
    const figure::Theme* styled_theme_ = nullptr;
    int shown_lesson_ = kNoLessonYet;
    std::uint64_t shown_run_ = 0;
    bool moving_ = false;
    bool run_when_entered_ = false;  // a run was requested while a parameter was being edited
};

// Pixels per design pixel for a window of this size: the screen's scale; larger for a large window on a screen of scale
// 1; smaller if the panels would not fit.
float automatic_scale(float width_px, float height_px, float content_scale);
// The window's final scale, including the user's factor, limited so that the panels still have room.
float window_scale(float width_px, float height_px, float content_scale, float user_scale, const figure::Theme& theme);

}  // namespace headway::ui
