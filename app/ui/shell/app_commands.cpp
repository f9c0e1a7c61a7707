// The commands of the palette: everything that buttons and keys can do, by name.
#include "app/ui/shell/app.h"
#include "app/ui/widgets/widgets.h"

namespace headway::ui {

std::vector<Command> App::commands() {
    using trace::BarrierKind;
    std::vector<Command> all;
    const auto add = [&](std::string name, std::string keys, std::function<void()> act, bool enabled = true) {
        all.push_back({std::move(name), std::move(keys), std::move(act), enabled});
    };
    const bool live = state_.session.live();
    add("Run", "F5", [this] { state_.run(); });
    add(
        "Pause / Resume", "Space", [this] { state_.run_or_pause(); }, live);
    add(
        "Stop", "", [this] { state_.stop(); }, live);
    add(
        state_.comparing() != nullptr ? "Stop comparing" : "Compare: run both in turn, several times each", "Shift C",
        [this] { state_.comparing() != nullptr ? state_.stop_comparing() : state_.compare(); },
        state_.comparing() != nullptr || state_.sides().has_value());
    add("Reset: forget both runs", "", [this] { state_.reset(); });
    add(
        "Step a line", "F10", [this] { state_.step_line(); }, state_.can_step_lines());
    add(
        "Step over a line", "Ctrl F10", [this] { state_.step_line(trace::LineMode::over); }, state_.can_step_lines());
    add("Step an op", "F11", [this] { state_.step_op(); });
    const bool source = state_.document() != nullptr;
    add(
        "Run to the cursor", "Ctrl F11", [this] { left_.source().run_to_caret(); }, state_.can_step_lines());
    add("Hold / release the backend", "", [this] { state_.session.hold_backend(!state_.session.backend_held()); });
    add(
        "Step the held backend by one op", "", [this] { state_.session.step_backend(); },
        live && state_.session.backend_held());
    add("Source: open a program or a lesson", "Ctrl O", [this] { state_.ask_for_path = true; });
    add(
        "Source: save", "Ctrl S", [this] { state_.save(); }, source);
    add(
        "Source: revert to the lesson's program", "", [this] { state_.revert(); }, source);
    add(
        "Source: find", "Ctrl F", [this] { left_.source().find(); }, source);
    add(
        "Source: wide / narrow", "Ctrl E", [this] { state_.wide_source = !state_.wide_source; }, source);
    for (const auto& [policy, name] : {std::pair{trace::BarrierPolicy{BarrierKind::as_written, 0}, "as written"},
                                       {trace::BarrierPolicy{BarrierKind::none, 0}, "none"},
                                       {trace::BarrierPolicy{BarrierKind::minibatch, 0}, "after every minibatch"},
                                       {trace::BarrierPolicy{BarrierKind::behind, 1}, "one minibatch behind"},
                                       {trace::BarrierPolicy{BarrierKind::op, 0}, "after every op"}}) {
        add(std::string("Barrier: ") + name, "", [this, policy = policy] { state_.set_barrier(policy); });
    }
    for (const auto& device : state_.session.devices()) {
        add(
            "Device: " + device.name + (device.available ? "" : " (" + device.reason + ")"), "",
            [this, kind = device.kind] { state_.set_device(kind); }, device.available);
    }
    add("Timeline: find ops and waits", "/", [this] { timeline_.open_search(); });
    add("Timeline: fit the selection, or all", "F", [this] { timeline_.fit_selection_or_all(); });
    add("Timeline: follow the run", "End", [this] { state_.view.follow(); });
    add("Timeline: the same op in the other run", "X", [this] { timeline_.select_matching_op(); });
    add("Timeline: measure the selection, or the view", "R", [this] { timeline_.measure_chosen(); });
    add(state_.snap ? "Timeline: do not snap to edges when measuring" : "Timeline: snap to edges when measuring",
        "Shift R", [this] { state_.snap = !state_.snap; });
    add("Timeline: add a bookmark with a note", "M", [this] { timeline_.add_bookmark(); });
    add("Timeline: list of bookmarks", "Shift M", [this] { state_.show_detail(AppState::Detail::bookmarks); });
    add("Timeline: next bookmark", "J", [this] { timeline_.step_bookmark(1); });
    add("Timeline: previous bookmark", "Shift J", [this] { timeline_.step_bookmark(-1); });
    add("Timeline: delete the bookmark at the cursor", "Del", [this] { timeline_.remove_bookmark_at_cursor(); });
    add("Memory: the tensors alive at the cursor, by line", "I", [this] { timeline_.show_alive_here(); });
    add("Timeline: show / hide the overview of the whole run", "O",
        [this] { state_.show_minimap = !state_.show_minimap; });
    add(state_.lock_vertical ? "Timeline: unlock vertical movement" : "Timeline: lock vertical movement", "Y",
        [this] { state_.lock_vertical = !state_.lock_vertical; });
    add("Lane: up", "Alt ↑", [this] { timeline_.shift_row(-1); });
    add("Lane: down", "Alt ↓", [this] { timeline_.shift_row(1); });
    add("Lane: pin / unpin", "P", [this] { timeline_.pin_row(); });
    add("Lane: collapse / expand", "K", [this] { timeline_.collapse_row(); });
    add("Lane: taller", "=", [this] { timeline_.resize_row(1.25f); });
    add("Lane: shorter", "-", [this] { timeline_.resize_row(0.8f); });
    add("Lane: rename", "F2", [this] { timeline_.rename_row(); });
    add("Lanes: reset order, heights and names", "", [this] { timeline_.reset_rows(); });
    add("Timeline: show the critical path, the run without barriers, both, none", "C",
        [this] { state_.next_overlay(); });
    add(
        "Timeline: previous view", "Alt ←", [this] { state_.view.back(); }, state_.view.can_go_back());
    add(
        "Timeline: next view", "Alt →", [this] { state_.view.forth(); }, state_.view.can_go_forth());
    add("Export a figure: PNG, SVG, PDF, GIF, MP4", "F12", [this] { state_.ask_for_export = true; });
    add("Export again: " + words_of(state_.picture_choice()), "F12 F12", [this] { state_.export_again(); });
    add("Export the figure as PNG", "", [this] { state_.export_figure("png"); });
    add("Export the figure as SVG", "", [this] { state_.export_figure("svg"); });
    add("Export the figure as PDF", "", [this] { state_.export_figure("pdf"); });
    add("Save the recording (readable by Headway, Perfetto and others)", "", [this] { state_.save_recording(); });
    add("Copy the view as an image", "Ctrl Shift C", [this] { state_.copy_picture(); });
    add("Save a screenshot of the window", "Shift F12", [this] { state_.picture_of_window_wanted = true; });
    for (const auto name : {figure::ThemeName::dark, figure::ThemeName::light, figure::ThemeName::projector}) {
        add(std::string("Theme: ") + figure::theme(name).name, "T", [this, name] { state_.theme = name; });
    }
    add("Larger", "Ctrl +", [this] { state_.scale_up(); });
    add("Smaller", "Ctrl −", [this] { state_.scale_down(); });
    add("All keys", "?", [this] { state_.show_keys = true; });
    for (std::size_t i = 0; i < state_.lessons().size(); ++i) {
        const auto& lesson = state_.lessons()[i];
        add("Lesson " + std::to_string(lesson.number) + ": " + lesson.title, "",
            [this, i] { state_.go_to(static_cast<int>(i)); });
    }
    for (auto& command : all) {
        command.keys = keys_here(ui_, command.keys);
    }
    return all;
}

}  // namespace headway::ui
