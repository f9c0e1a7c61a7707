// What the window's panels share: the lessons, the session, the look, the notices; and what the learner can do, one
// function each, whichever button or key asks for it.
//
// Threads: the UI's. No ImGui.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "app/lesson/lesson.h"
#include "app/model/user_data/arrangement.h"
#include "app/render/theme.h"
#include "app/session/rounds.h"
#include "app/session/session.h"
#include "app/ui/state/bookmarks.h"
#include "app/ui/state/pictures.h"
#include "app/ui/state/sources.h"
#include "app/ui/state/view_control.h"

namespace headway::ui {

// One line above the timeline, until it is closed or another of its kind takes its place.
struct Notice {
    enum class Kind { run, device, file, start } kind = Kind::run;
    enum class Tone { info, good, bad } tone = Tone::info;
    std::string text;
};

class AppState {
public:
    // `wake` is called, on another thread, when something has changed that the window does not know of.
    AppState(session::Session& session, std::vector<lesson::Lesson> lessons, std::function<void()> wake = {});

    session::Session& session;

    // --- lessons ---
    [[nodiscard]] const std::vector<lesson::Lesson>& lessons() const { return lessons_; }
    [[nodiscard]] int lesson_index() const { return lesson_; }                          // -1: none
    [[nodiscard]] std::uint64_t lessons_revision() const { return lessons_revision_; }  // counts changes of the list
    [[nodiscard]] const lesson::Lesson* lesson() const;
    // Settings become the lesson's; the runs that are shown stay.
    void choose_lesson(int index);
    bool choose_lesson(std::string_view id);  // not a recording
    void go_to(int index);                    // the same by a hand: a recording is opened again
    [[nodiscard]] std::string parameter(std::string_view name) const;
    // The reason why the value does not fit, or "".
    std::string set_parameter(const lesson::Parameter& parameter, std::string_view text);
    [[nodiscard]] bool at_default(const lesson::Parameter& parameter) const;
    void reset_parameters();

    // --- programs ---
    // A program (.py, .ipynb, .md), a lesson's folder, or else a recording: shown, and never run by that.
    core::Result<void> open(const std::filesystem::path& path);
    std::function<core::Result<void>(const std::string&)> open_recording;  // what takes all other files
    Pictures::Recorder write_recording;                                    // how a run is put into a file
    // The file of a run that no program here has recorded takes a lesson's place: there is nothing to run.
    void choose_recording(const std::filesystem::path& file);
    Sources sources;
    [[nodiscard]] editor::Document* document() const { return sources.current(); }  // null: no source to show
    [[nodiscard]] const std::vector<Tab>& tabs() const { return tabs_; }            // one or none: no choice
    [[nodiscard]] const std::string& tab() const { return session.settings.tab; }
    void set_tab(const std::string& id);
    void save();    // says where it went, or why not
    void revert();  // the lesson's own program again
    // Whether B ran the text of the document that is shown, so that its lines mean something there.
    [[nodiscard]] bool ran_document() const;
    // The document's line (from 1) where the program is, and the one at which the last run failed; 0: none.
    [[nodiscard]] std::uint32_t current_line() const;
    [[nodiscard]] std::uint32_t failed_line() const;
    [[nodiscard]] std::uint32_t selected_line() const;  // that issued the chosen op
    void set_breakpoint(std::uint32_t line, bool on);
    void run_to_line(std::uint32_t line);
    bool wide_source = false;     // the source has the whole of the left side
    bool ask_for_path = false;    // "Open…" was asked for
    bool wants_to_close = false;  // the window is to be closed, but edits are not saved
    bool may_close = false;       // and the learner has said what becomes of them
    // The folder that the program works in (it need not be there yet; empty: the window's), and whether a confined
    // program may write in it.
    [[nodiscard]] std::pair<std::string, bool> working_folder() const;
    // Where what was opened lies: empty for a lesson that came with Headway.
    [[nodiscard]] const std::filesystem::path& place() const;

    // --- runs ---
    void run();           // always a new one
    void run_or_pause();  // a new one, or pause and go on
    void stop();
    void reset();
    // Whether the program has lines to stop at (Python).
    [[nodiscard]] bool can_step_lines() const {
        return document() != nullptr && document()->kind() != editor::Document::Kind::cpp;
    }
    void step_line(trace::LineMode mode = trace::LineMode::step);
    void step_op();
    void set_barrier(trace::BarrierPolicy policy);
    // Nothing when it is not available; once it is known to be, where the devices are still being looked for.
    void set_device(std::string_view kind);
    // The reason why the text does not fit, or "".
    std::string set_budget(const std::string& text);

    // --- comparing ---
    // Two kinds of settings that can be run in turn: those of A and B; or those of the run that is shown and the ones
    // that are set now, where these differ.
    struct Sides {
        session::Settings a, b;
    };
    [[nodiscard]] std::optional<Sides> sides() const;
    // Runs both in turn, beside what is shown; in the end the runs in the middle are shown, with the verdict of all.
    void compare();
    void stop_comparing();                                                            // what is complete counts
    [[nodiscard]] const session::Rounds* comparing() const { return rounds_.get(); }  // null: nothing is compared now
    // What A and B say beside each other: of all their runs, or of one each. Null where there are not two, or they
    // are not read to their end.
    [[nodiscard]] const comparison::Verdict* verdict();
    // How many runs of each the two that are shown stand for; 0: for themselves alone.
    [[nodiscard]] std::size_t runs_behind() const;
    // Why what is shown is an earlier run's and not of what is chosen now: "of another lesson"; "" where it is not.
    [[nodiscard]] std::string earlier() const;

    // --- recordings that came along ---
    [[nodiscard]] const std::vector<std::filesystem::path>& recordings() const { return recordings_; }

    // --- pictures ---
    // All of these begin something that goes on beside the frames; a notice says how it ended, or why it cannot begin.
    Pictures pictures;
    ExportChoice& picture_choice() { return pictures.choice(); }  // remembered from the last time
    // What there is a picture to be made of; none before a run has issued anything.
    [[nodiscard]] std::optional<PictureOf> picture_of() const;
    [[nodiscard]] std::string picture_path();  // a new file, as the choice says
    void export_to(const std::string& path);   // as the choice says
    void export_again() { export_to(picture_path()); }
    void export_figure(const std::string& extension);  // "png", "svg", "pdf"; else as the choice says
    void copy_picture();                               // of the view, to the clipboard
    void save_recording();                             // the last run, beside the pictures
    void write_window(std::vector<std::uint8_t> rgba, int width, int height);
    bool ask_for_export = false;                           // "Export…" was asked for
    float window_width_px = 1600, window_height_px = 900;  // in design pixels
    std::filesystem::path picture_folder;
    bool picture_of_window_wanted = false;  // the platform's frame loop takes it

    // --- look ---
    figure::ThemeName theme = figure::ThemeName::dark;
    void next_theme();
    float user_scale = 1;
    void scale_up();
    void scale_down();
    bool show_keys = false;
    bool palette_open = false;  // over all else: nothing under it is pointed at
    // Laid over the timeline of runs that are over: the critical path, the run without barriers.
    bool show_path = false, show_what_if = false;
    void next_overlay();         // none, the path, the what_if, both
    bool lock_vertical = false;  // hands move the timeline in time only
    bool show_minimap = true;    // where the view is in the whole run
    bool snap = true;            // what is measured begins and ends at edges that are near

    // --- what stands under the timeline ---
    enum class Detail { numbers, graph, threads, measured, bookmarks, alive };
    Detail detail = Detail::numbers;
    Detail detail_before = Detail::numbers;  // that a list for the moment has taken the place of
    void next_detail();
    void show_detail(Detail shown);
    std::uint32_t graph_line = 0;  // the graph shows this line's ops; 0: all

    // --- timeline ---
    ViewControl view;
    struct Selection {
        int run = -1;  // 0: B (or the only run), 1: A; -1: nothing
        core::OpId op = 0;
        int wait = -1;  // instead of an op: index into Run::waits(), or at its end the open one
        [[nodiscard]] bool any() const { return run >= 0 && op != 0; }
        [[nodiscard]] bool any_wait() const { return run >= 0 && wait >= 0; }
    } selection;

    Bookmarks bookmarks;
    // What is kept from start to start lies in this folder: marks, and how the lanes are arranged, which is read now. A
    // notice says where that cannot be understood.
    void keep_in(const std::filesystem::path& folder);
    // Of the program that is shown, on its kind of device; another one has its own.
    [[nodiscard]] const model::Arrangement& arrangement() const;
    [[nodiscard]] std::uint64_t arrangement_revision() const { return arrangement_revision_; }
    void set_arrangement(model::Arrangement arrangement);
    // Writes it down if it has changed. The reason why it could not be kept, or "".
    std::string keep_arrangement();

    // --- notices ---
    void notify(Notice::Kind kind, Notice::Tone tone, std::string text);
    void dismiss(Notice::Kind kind);
    [[nodiscard]] const std::vector<Notice>& notices() const { return notices_; }

    // Once a frame. True when something that is shown has changed.
    bool poll(double budget_ms);

    // What the status bar says of the frames.
    double frames_per_second = 0;
    bool animating = false;

private:
    void take_lesson_settings(const lesson::Lesson& lesson);
    void take_source();
    void add_opened(lesson::Lesson lesson, const std::filesystem::path& place);
    // Starts a run of what is in the editor; `start` gives the session its word.
    void begin(const std::function<void()>& start);
    core::Result<void> prepare_run();
    void note_run();
    bool poll_pictures();
    void began(const core::Result<void>& begun);
    void hand_over_breakpoints();
    [[nodiscard]] figure::TimelineView whole_view() const;
    bool poll_comparing(double budget_ms);
    void show_compared();
    [[nodiscard]] std::string shown_text() const;  // of the document
    session::Settings runnable(session::Settings settings, const char* side);

    std::vector<lesson::Lesson> lessons_;
    int lesson_ = -1;
    std::uint64_t lessons_revision_ = 0;
    std::vector<std::filesystem::path> places_;  // of each lesson that was opened from disk: its folder or file
    std::vector<Tab> tabs_;
    std::map<std::string, std::string> tab_of_;  // that was chosen, by lesson
    const editor::Document* ran_ = nullptr;      // whose text the run `ran_started_` has
    std::string ran_tab_;
    std::uint64_t ran_started_ = 0;
    std::unique_ptr<session::Rounds> rounds_;
    // The samples behind A and B, as long as these are shown; and the verdict, of what it was last asked for.
    struct Compared {
        std::uint64_t started = 0;  // of the session, which tells one pair from the next
        comparison::Side a, b;
    };
    std::optional<Compared> compared_;
    struct Judged {
        const session::Execution *a = nullptr, *b = nullptr;
        std::uint64_t revision_a = 0, revision_b = 0, started = 0;
        friend bool operator==(const Judged&, const Judged&) = default;
    };
    Judged judged_;
    std::optional<comparison::Verdict> verdict_;
    // The document's text, as of its last edit.
    mutable std::string text_;
    mutable const editor::Document* text_of_ = nullptr;
    mutable std::uint64_t text_revision_ = 0;
    std::vector<std::filesystem::path> recordings_;
    std::vector<Notice> notices_;
    [[nodiscard]] std::pair<std::string, std::string> arranged() const;
    model::Arrangements arrangements_;
    std::uint64_t arrangement_revision_ = 0, kept_arrangement_ = 0;
    session::Phase last_phase_ = session::Phase::finished;
    std::uint64_t last_started_ = 0;
    std::string last_device_problem_;
    std::chrono::steady_clock::time_point picture_begun_;
    int picture_percent_ = -1;   // that the notice says; -1: there is none yet
    std::string wanted_device_;  // asked for before the devices were known; empty: nothing is
};

// The picture's file name: "headway-train-20261121-015635.png".
std::string picture_name(const std::string& program, const std::string& extension);

}  // namespace headway::ui
