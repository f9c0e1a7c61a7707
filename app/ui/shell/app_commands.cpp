// The commands of the window: everything that buttons and keys can do, by name.
#include <algorithm>
#include <array>
#include <string>
#include <tuple>
#include <utility>

#include "app/ui/shell/app.h"
#include "app/ui/widgets/widgets.h"
#include "engine/trace/barrier_names.h"

namespace headway::ui {
namespace {

using Scope = Command::Scope;
constexpr Scope kAnywhere = Scope::anywhere, kWindow = Scope::window;
constexpr bool kRepeats = true;

}  // namespace

void App::next_barrier() {
    const auto& offered = trace::kOfferedBarriers;
    const auto* const now = std::find(offered.begin(), offered.end(), state_.session.settings.barrier);
    state_.settings.set_barrier(now == offered.end() || now + 1 == offered.end() ? offered.front() : *(now + 1));
}

void App::show_formula() {
    state_.formula.shown = !state_.formula.shown;
    state_.look.map = false;
    if (state_.formula.shown) {
        formula_.take_run();
    }
}

void App::run_typed() {
    timeline_.keep_note();
    if (lesson_.parameters().editing()) {
        run_when_entered_ = true;
    } else {
        state_.run();
    }
}

void App::escape() {
    if (state_.look.show_keys) {
        state_.look.show_keys = false;
    } else if (legend_) {
        legend_ = false;
    } else if (state_.formula.shown) {
        state_.formula.shown = false;
    } else if (timeline_.search().is_open()) {
        timeline_.close_search();
    } else {
        timeline_.clear();
    }
}

std::vector<Command> App::make_commands() {
    const auto live = [this] { return state_.session.live(); };
    const auto lines = [this] { return state_.lines.can_step(); };
    const auto source = [this] { return source_.available(); };
    std::vector<Command> all;
    // Adds commands of one group.
    std::string group;
    const auto add = [&](const char* id, const char* title, const char* keys, const char* help, Scope scope,
                         std::function<void()> run, std::function<bool()> enabled = {}, bool repeats = false) {
        all.push_back({id, group, title, keys, help, scope, repeats, std::move(run), std::move(enabled)});
    };
    // A command without keys.
    const auto name = [&](const char* id, const char* title, std::function<void()> run,
                          std::function<bool()> enabled = {}) {
        add(id, title, "", "", kWindow, std::move(run), std::move(enabled));
    };

    group = "Run";
    add("run.toggle", "Run; during a run: pause or resume", "F5, Space", "run; during a run: pause, resume", kAnywhere,
        [this, live] { live() ? state_.run_or_pause() : run_typed(); });
    add("run.new", "Run what is in the editor", "Ctrl Enter", "run what is in the editor", kAnywhere,
        [this] { run_typed(); });
    add(
        "run.stop", "Stop", "Shift F5", "stop", kAnywhere, [this] { state_.stop(); }, live);
    add("run.barrier", "Barrier: the next policy", "B", "next barrier policy, at once", kWindow,
        [this] { next_barrier(); });
    add(
        "run.compare", "Compare: run both in turn, several times each; or stop comparing", "Shift C",
        "compare: run both several times", kWindow,
        [this] { state_.comparing.rounds() != nullptr ? state_.comparing.stop() : state_.comparing.start(); },
        [this] { return state_.comparing.rounds() != nullptr || state_.comparing.sides().has_value(); });
    name("run.reset", "Reset: forget both runs", [this] { state_.reset(); });
    add(
        "step.line", "Step a line", "F10", "step a line; over calls", kAnywhere, [this] { state_.step_line(); }, lines);
    add(
        "step.over", "Step over a line", "Ctrl F10", "-", kAnywhere,
        [this] { state_.step_line(trace::LineMode::over); }, lines);
    add("step.op", "Step an op", "F11", "step an op; run to the cursor", kAnywhere, [this] { state_.step_op(); });
    add(
        "step.cursor", "Run to the cursor", "Ctrl F11", "-", kAnywhere, [this] { source_.run_to_caret(); }, lines);
    add(
        "step.breakpoint", "Breakpoint at the cursor", "F9", "breakpoint at the cursor", kAnywhere,
        [this] { source_.toggle_breakpoint(); }, source);
    add("backend.hold", "Hold / release the backend", "H", "hold the backend; let it start one op", kWindow,
        [this] { state_.session.hold_backend(!state_.session.backend_held()); });
    add(
        "backend.step", "Let the held backend start one op", "Shift H", "-", kWindow, [this] { state_.step_backend(); },
        [this, live] { return live() && state_.session.backend_held(); }, kRepeats);

    group = "Replay";
    const auto replaying = [this] { return state_.replay.on(); };
    const auto possible = [this] { return state_.replay.possible(); };
    add(
        "replay.step-back", "Replay: step back", "Shift F10", "step back (the picture only)", kAnywhere,
        [this] { state_.step_back(); }, {}, kRepeats);
    name(
        "replay.start", "Replay the run from its beginning", [this] { state_.replay.to_begin(); }, possible);
    constexpr Scope kReplay = Scope::replay;
    add(
        "replay.back", "Replay: previous event", "←", "replaying: previous, next event", kReplay,
        [this] { state_.replay.step(-1); }, replaying, kRepeats);
    add(
        "replay.forward", "Replay: next event", "→", "-", kReplay, [this] { state_.replay.step(1); }, replaying,
        kRepeats);
    add(
        "replay.begin", "Replay: to the beginning", "Home", "replaying: to the beginning, the end", kReplay,
        [this] { state_.replay.to_begin(); }, replaying);
    add(
        "replay.end", "Replay: to the end", "End", "-", kReplay, [this] { state_.replay.to_end(); }, replaying);
    add(
        "replay.play", "Replay: play, pause", "Space", "replaying: play, pause; leave", kReplay,
        [this] { state_.replay.play_or_pause(); }, replaying);
    add(
        "replay.leave", "Replay: show the whole run again", "Esc", "-", kReplay, [this] { state_.replay.leave(); },
        replaying);
    name(
        "replay.slower", "Replay: slower", [this] { state_.replay.set_slower(1); }, replaying);
    name(
        "replay.faster", "Replay: faster", [this] { state_.replay.set_slower(-1); }, replaying);

    group = "Source";
    add("source.open", "Source: open a program or a lesson", "Ctrl O", "open, save", kAnywhere,
        [this] { open_.open(); });
    add(
        "source.save", "Source: save", "Ctrl S", "-", kAnywhere, [this] { state_.source.save(); }, source);
    name("source.new", "Source: new program", [this] { new_program(); });
    name("exercise.open", "Exercises: choose one", [this] { palette_.open(exercise_entries()); }, {});
    name(
        "exercise.check", "Exercises: check my program", [this] { state_.checking.start(); },
        [this] { return state_.programs.lesson() != nullptr && !state_.programs.lesson()->exercise.empty(); });
    name(
        "source.revert", "Source: revert to the lesson's program", [this] { state_.source.revert(); },
        [this] { return source_.available() && state_.source.document()->of_lesson(); });
    add(
        "source.find", "Source: find", "Ctrl F", "find; next, previous", kAnywhere, [this] { source_.find(); }, source);
    add(
        "source.find-next", "Source: find the next", "F3", "-", kAnywhere, [this] { source_.find_next(true); }, source);
    add(
        "source.find-previous", "Source: find the previous", "Shift F3", "-", kAnywhere,
        [this] { source_.find_next(false); }, source);
    add(
        "source.edit", "Source: the editor, with room for it", "Ctrl E", "step mode, and the editor", kAnywhere,
        [this] {
            set_mode(Mode::step);
            source_.focus();
        },
        source);

    group = "Barriers";
    for (const trace::BarrierPolicy policy : trace::kOfferedBarriers) {
        name(("barrier." + trace::word_of(policy)).c_str(),
             ("Barrier: " + name_of(policy, &trace::BarrierNames::button)).c_str(),
             [this, policy] { state_.settings.set_barrier(policy); });
    }

    group = "Timeline";
    add(
        "timeline.zoom-in", "Timeline: zoom in", "W", "zoom in, out", kWindow,
        [this] { timeline_.zoom_at_pointer(0.75); }, {}, kRepeats);
    add(
        "timeline.zoom-out", "Timeline: zoom out", "S", "-", kWindow, [this] { timeline_.zoom_at_pointer(1 / 0.75); },
        {}, kRepeats);
    add(
        "timeline.left", "Timeline: move to the left", "A", "left, right", kWindow,
        [this] { timeline_.pan_by_share(-0.2); }, {}, kRepeats);
    add(
        "timeline.right", "Timeline: move to the right", "D", "-", kWindow, [this] { timeline_.pan_by_share(0.2); }, {},
        kRepeats);
    add("timeline.fit", "Timeline: fit the selection, or all", "F", "fit the selection; all", kWindow,
        [this] { timeline_.fit_selection_or_all(); });
    add("timeline.follow", "Timeline: follow the run", "End, L", "follow the run again", kWindow,
        [this] { state_.timeline.view.follow(); });
    add(
        "timeline.back", "Timeline: previous view", "Alt ←", "previous, next view", kAnywhere,
        [this] { state_.timeline.view.back(); }, [this] { return state_.timeline.view.can_go_back(); });
    add(
        "timeline.forth", "Timeline: next view", "Alt →", "-", kAnywhere, [this] { state_.timeline.view.forth(); },
        [this] { return state_.timeline.view.can_go_forth(); });
    add("timeline.find", "Timeline: find ops and waits", "/", "find; next, previous", kWindow,
        [this] { timeline_.open_search(); });
    add(
        "timeline.find-next", "Timeline: next found", "N", "-", kWindow, [this] { timeline_.search_step(1); }, {},
        kRepeats);
    add(
        "timeline.find-previous", "Timeline: previous found", "Shift N", "-", kWindow,
        [this] { timeline_.search_step(-1); }, {}, kRepeats);
    add("timeline.measure", "Timeline: measure the selection, or the view", "R", "measure; snap to edges or not",
        kWindow, [this] { timeline_.measure_chosen(); });
    add("timeline.snap", "Timeline: snap to edges when measuring, or not", "Shift R", "-", kWindow,
        [this] { state_.timeline.snap = !state_.timeline.snap; });
    // The keyboard cursor.
    struct Move {
        const char *id, *title, *keys, *help;
        int direction;
        bool to_edge, measures;
    };
    constexpr std::array<Move, 8> kMoves{
        {{"cursor.left", "Cursor: earlier", "←", "the cursor, in time", -1, false, false},
         {"cursor.right", "Cursor: later", "→", "-", 1, false, false},
         {"cursor.previous-edge", "Cursor: previous edge", "Ctrl ←", "to the previous, next edge", -1, true, false},
         {"cursor.next-edge", "Cursor: next edge", "Ctrl →", "-", 1, true, false},
         {"cursor.measure-left", "Cursor: earlier, measuring", "Shift ←", "measure with the cursor", -1, false, true},
         {"cursor.measure-right", "Cursor: later, measuring", "Shift →", "-", 1, false, true},
         {"cursor.measure-previous-edge", "Cursor: previous edge, measuring", "Ctrl Shift ←",
          "measure to the previous, next edge", -1, true, true},
         {"cursor.measure-next-edge", "Cursor: next edge, measuring", "Ctrl Shift →", "-", 1, true, true}}};
    for (const Move& move : kMoves) {
        add(
            move.id, move.title, move.keys, move.help, kWindow,
            [this, move] { timeline_.move_cursor(move.direction, move.to_edge, move.measures); }, {}, kRepeats);
    }
    add(
        "cursor.up", "Cursor: row above", "↑", "the cursor, by row", kWindow, [this] { timeline_.move_cursor_row(-1); },
        {}, kRepeats);
    add(
        "cursor.down", "Cursor: row below", "↓", "-", kWindow, [this] { timeline_.move_cursor_row(1); }, {}, kRepeats);
    add("cursor.select", "Cursor: select what is there", "Enter", "select what is at the cursor", kWindow,
        [this] { timeline_.choose_at_cursor(); });
    add("bookmark.add", "Timeline: add a bookmark with a note", "M", "add a bookmark; list them", kWindow,
        [this] { timeline_.add_bookmark(); });
    add("bookmark.list", "Timeline: list of bookmarks", "Shift M", "-", kWindow,
        [this] { state_.details.show_temporarily("bookmarks"); });
    add(
        "bookmark.next", "Timeline: next bookmark", "J", "next, previous; delete it", kWindow,
        [this] { timeline_.step_bookmark(1); }, {}, kRepeats);
    add(
        "bookmark.previous", "Timeline: previous bookmark", "Shift J", "-", kWindow,
        [this] { timeline_.step_bookmark(-1); }, {}, kRepeats);
    add("bookmark.delete", "Timeline: delete the bookmark at the cursor", "Del", "-", kWindow,
        [this] { timeline_.remove_bookmark_at_cursor(); });
    add("timeline.alive", "Memory: the tensors alive at the cursor, by line", "I", "tensors alive there, by line",
        kWindow, [this] { timeline_.show_alive_here(); });
    add("timeline.overlay", "Timeline: show the critical path, the run without barriers, both, none", "C",
        "critical path; without barriers; both", kWindow, [this] { state_.next_overlay(); });
    add("timeline.minimap", "Timeline: show / hide the overview of the whole run", "O", "overview of the whole run",
        kWindow, [this] { state_.timeline.show_minimap = !state_.timeline.show_minimap; });
    add("timeline.lock", "Timeline: lock / unlock vertical movement", "Y", "lock vertical movement", kWindow,
        [this] { state_.timeline.lock_vertical = !state_.timeline.lock_vertical; });

    group = "Ops";
    add(
        "op.next", "Op: next in its lane", ".", "next, previous op in its lane", kWindow,
        [this] { timeline_.select_neighbour(1); }, {}, kRepeats);
    add(
        "op.previous", "Op: previous in its lane", ",", "-", kWindow, [this] { timeline_.select_neighbour(-1); }, {},
        kRepeats);
    add("op.dependency", "Op: its dependency", "[", "its dependencies, its dependents", kWindow,
        [this] { timeline_.select_dependency(false); });
    add("op.dependent", "Op: its dependent", "]", "-", kWindow, [this] { timeline_.select_dependency(true); });
    add("op.matching", "Timeline: the same op in the other run", "X", "the same op in the other run", kWindow,
        [this] { timeline_.select_matching_op(); });
    add("op.deselect", "Deselect; close what is open", "Esc", "deselect", kAnywhere, [this] {
        if (!ImGui::GetIO().WantTextInput) {
            escape();
        }
    });

    group = "Explanation";
    add(
        "explain.next", "What happened: next sentence", "E", "next, previous sentence of the run", kWindow,
        [this] { lesson_.explain().step(1); }, [this] { return lesson_.explain().any(); }, kRepeats);
    add(
        "explain.previous", "What happened: previous sentence", "Shift E", "-", kWindow,
        [this] { lesson_.explain().step(-1); }, [this] { return lesson_.explain().any(); }, kRepeats);

    add("formula.show", "The formula, drawn: sliders for N, t₁, t₂, t₃", "U", "the chapter's formula, drawn", kWindow,
        [this] { show_formula(); });

    group = "Lanes";
    add(
        "lane.up", "Lane: up", "Alt ↑", "up, down (or drag the label)", kWindow, [this] { timeline_.shift_row(-1); },
        {}, kRepeats);
    add(
        "lane.down", "Lane: down", "Alt ↓", "-", kWindow, [this] { timeline_.shift_row(1); }, {}, kRepeats);
    add("lane.pin", "Lane: pin / unpin", "P", "pin, collapse, rename", kWindow, [this] { timeline_.pin_row(); });
    add("lane.collapse", "Lane: collapse / expand", "K", "-", kWindow, [this] { timeline_.collapse_row(); });
    add("lane.rename", "Lane: rename", "F2", "-", kWindow, [this] { timeline_.rename_row(); });
    add(
        "lane.taller", "Lane: taller", "=", "taller, shorter", kWindow, [this] { timeline_.resize_row(1.25f); }, {},
        kRepeats);
    add(
        "lane.shorter", "Lane: shorter", "-", "-", kWindow, [this] { timeline_.resize_row(0.8f); }, {}, kRepeats);
    name("lane.reset", "Lanes: reset order, heights and names", [this] { timeline_.reset_rows(); });

    group = "Window";
    add("window.map", "Map of the lessons", "Ctrl M", "map of the lessons", kAnywhere,
        [this] { state_.look.map = !state_.look.map; });
    name("window.tour", "Tour of the window", [this] { tour_.start(); });
    add("window.legend", "Legend: what colours and shapes mean", "Z", "legend of colours and shapes", kWindow,
        [this] { legend_ = !legend_; });
    add("mode.next", "Mode: learn, step, compare in turn", "V", "learn, step, compare", kWindow,
        [this] { set_mode(static_cast<Mode>((static_cast<std::size_t>(state_.look.mode) + 1) % kModes)); });
    for (const Mode mode : {Mode::learn, Mode::step, Mode::compare}) {
        name((std::string("mode.") + word_of(mode)).c_str(), (std::string("Mode: ") + word_of(mode)).c_str(),
             [this, mode] { set_mode(mode); });
    }
    name("engine.show", "Engine: workers, streams, GPUs, memory and costs of the next run", [this] {
        if (state_.look.mode == Mode::compare) {
            set_mode(Mode::learn);
        }
        lesson_.show_engine();
    });
    add("window.detail", "Details: the next view", "G", "numbers, output, queue, graph, threads", kWindow,
        [this] { detail_.next(); });
    for (const DetailPanel::Tab& tab : detail_.tabs()) {
        name(("detail." + std::string(tab.id)).c_str(), (std::string("Details: ") + tab.title).c_str(),
             [this, &tab] { detail_.show(tab); });
    }
    add("export.figure", "Export a figure: PNG, SVG, PDF, GIF, MP4", "F12", "export a figure", kAnywhere, [this] {
        if (!export_.shown()) {
            export_.open();
        }
    });
    for (const auto& [id, title, extension] : {std::tuple{"export.png", "Export the figure as PNG", "png"},
                                               {"export.svg", "Export the figure as SVG", "svg"},
                                               {"export.pdf", "Export the figure as PDF", "pdf"}}) {
        name(id, title, [this, extension = extension] { state_.exports.write_as(extension); });
    }
    name("export.recording", "Save the recording (readable by Headway, Perfetto and others)",
         [this] { state_.exports.save_recording(); });
    add("export.copy", "Copy the view as an image", "Ctrl Shift C", "copy the view as an image", kAnywhere,
        [this] { state_.exports.copy(); });
    add("export.window", "Save a screenshot of the window", "Shift F12", "picture of the window", kAnywhere, [this] {
        if (take_picture_) {
            take_picture_();
        }
    });
    add("window.theme", "Theme: the next", "T", "next theme", kWindow, [this] { state_.look.next_theme(); });
    for (const auto theme : figure::kThemes) {
        const std::string word = figure::theme(theme).name;
        name(("theme." + word).c_str(), ("Theme: " + word).c_str(), [this, theme] { state_.look.theme = theme; });
    }
    add(
        "window.larger", "Window: larger", "Ctrl +", "larger, smaller", kAnywhere, [this] { state_.look.scale_up(); },
        {}, kRepeats);
    add(
        "window.smaller", "Window: smaller", "Ctrl −", "-", kAnywhere, [this] { state_.look.scale_down(); }, {},
        kRepeats);
    add("window.size", "Window: the scale that suits the screen", "Ctrl 0", "the scale that suits the screen",
        kAnywhere, [this] { state_.look.user_scale = 1; });
    add("window.palette", "This list: everything, by name", "Ctrl Shift P", "everything, by name", kAnywhere,
        [this] { palette_.open(palette_entries()); });
    add("window.keys", "All keys", "?", "this list", kAnywhere,
        [this] { state_.look.show_keys = !state_.look.show_keys; });
    return all;
}

// The mode that shows a lesson's text and an exercise's task.
void App::show_to_learn() {
    if (state_.look.map || state_.look.mode == Mode::compare) {
        set_mode(Mode::learn);
    }
}

std::vector<PaletteEntry> App::exercise_entries() {
    std::vector<PaletteEntry> all;
    for (const check::Exercise& exercise : state_.included.exercises()) {
        all.push_back({"Exercise " + std::to_string(exercise.number) + ": " + exercise.title, "", [this, &exercise] {
                           show_to_learn();
                           if (auto opened = state_.programs.open_exercise(exercise); !opened) {
                               state_.notices.add(Notice::Kind::file, Notice::Tone::bad, opened.error().message);
                           }
                       }});
    }
    return all;
}

std::vector<PaletteEntry> App::palette_entries() {
    std::vector<PaletteEntry> all;
    for (const Command& command : commands_.all()) {
        all.push_back({command.title, keys_here(ui_, command.keys), command.run, command.can_run()});
    }
    // What depends on the machine, the session and the lessons found.
    all.push_back({"Export again: " + words_of(state_.exports.choice()), keys_here(ui_, "F12 F12"),
                   [this] { state_.exports.write_again(); }});
    for (const auto& device : state_.session.devices()) {
        const std::string note = !device.available            ? " (" + device.reason + ")"
                                 : device.kind == "simulated" ? " (SIMULATED)"
                                                              : "";
        all.push_back({"Device: " + device.name + note, "",
                       [this, kind = device.kind] { state_.settings.set_device(kind); }, device.available});
    }
    for (std::size_t i = 0; i < state_.programs.lessons().size(); ++i) {
        const auto& lesson = state_.programs.lessons()[i];
        // A lesson can be found by its name on the command line, too.
        all.push_back({lesson.number == 0
                           ? "Program: " + lesson.title
                           : "Lesson " + std::to_string(lesson.number) + ": " + lesson.title + " (" + lesson.id + ")",
                       "", [this, i] {
                           show_to_learn();
                           state_.programs.go_to(static_cast<int>(i));
                       }});
    }
    for (PaletteEntry& entry : exercise_entries()) {
        all.push_back(std::move(entry));
    }
    return all;
}

}  // namespace headway::ui
