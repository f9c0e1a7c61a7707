// State shared by the window's panels: lessons, session, theme, notices. Also the learner's commands, one function
// each, whichever button or key calls it.
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
#include "app/session/rounds.h"
#include "app/session/session.h"
#include "app/ui/state/bookmarks.h"
#include "app/ui/state/look.h"
#include "app/ui/state/notices.h"
#include "app/ui/state/pictures.h"
#include "app/ui/state/sources.h"
#include "app/ui/state/timeline_state.h"

namespace headway::ui {

class AppState {
public:
    // `wake` is called on another thread when the window has to look for changes.
    AppState(session::Session& session, std::vector<lesson::Lesson> lessons, std::function<void()> wake = {});

    session::Session& session;

    // --- lessons ---
    [[nodiscard]] const std::vector<lesson::Lesson>& lessons() const { return lessons_; }
    [[nodiscard]] int lesson_index() const { return lesson_; }                          // -1: none
    [[nodiscard]] std::uint64_t lessons_revision() const { return lessons_revision_; }  // counts changes of the list
    [[nodiscard]] const lesson::Lesson* lesson() const;
    // Applies the lesson's settings; the runs on the screen stay.
    void choose_lesson(int index);
    bool choose_lesson(std::string_view id);  // not for recordings
    void go_to(int index);                    // chosen by the user: a recording is opened again
    [[nodiscard]] std::string parameter(std::string_view name) const;
    // Returns the reason why the value is not accepted, or "".
    std::string set_parameter(const lesson::Parameter& parameter, std::string_view text);
    [[nodiscard]] bool at_default(const lesson::Parameter& parameter) const;
    void reset_parameters();

    // --- programs ---
    // Opens a program (.py, .ipynb, .md), a lesson's folder, or else a recording. Never runs anything.
    core::Result<void> open(const std::filesystem::path& path);
    std::function<core::Result<void>(const std::string&)> open_recording;  // opens all other files
    Pictures::Recorder write_recording;                                    // saves a run to a file
    // Shows the file of a run whose program is not available here in place of a lesson: it cannot be run.
    void choose_recording(const std::filesystem::path& file);
    Sources sources;
    [[nodiscard]] editor::Document* document() const { return sources.current(); }  // null: no source to show
    [[nodiscard]] const std::vector<Tab>& tabs() const { return tabs_; }            // at most one: no choice
    [[nodiscard]] const std::string& tab() const { return session.settings.tab; }
    void set_tab(const std::string& id);
    void save();    // with a notice: where it was saved, or why not
    void revert();  // back to the lesson's own program
    // Whether run B ran the text of the document shown, so that line numbers match.
    [[nodiscard]] bool ran_document() const;
    // The document's line (from 1) where the program is, and the one where the last run failed; 0: none.
    [[nodiscard]] std::uint32_t current_line() const;
    [[nodiscard]] std::uint32_t failed_line() const;
    [[nodiscard]] std::uint32_t selected_line() const;  // the line that issued the selected op
    void set_breakpoint(std::uint32_t line, bool on);
    void run_to_line(std::uint32_t line);
    // The folder that the program runs in (it need not exist; empty: the window's), and whether a confined program may
    // write there.
    [[nodiscard]] std::pair<std::string, bool> working_folder() const;
    // Where the opened file or folder is; empty for a lesson that is part of Headway.
    [[nodiscard]] const std::filesystem::path& place() const;

    // --- runs ---
    void run();           // always starts a new run
    void run_or_pause();  // starts a new run, or pauses and resumes the current one
    void stop();
    void reset();
    // Whether the program has lines to stop at (Python).
    [[nodiscard]] bool can_step_lines() const {
        return document() != nullptr && document()->kind() != editor::Document::Kind::cpp;
    }
    void step_line(trace::LineMode mode = trace::LineMode::step);
    void step_op();
    void set_barrier(trace::BarrierPolicy policy);
    // Ignored if the device is not available. While the devices are still being looked for: applied once it is known to
    // be.
    void set_device(std::string_view kind);
    // Returns the reason why the text is not accepted, or "".
    std::string set_budget(const std::string& text);

    // --- comparing ---
    // Two sets of settings to run in turn: those of A and B; or those of the run shown and the current ones, if they
    // differ.
    struct Sides {
        session::Settings a, b;
    };
    [[nodiscard]] std::optional<Sides> sides() const;
    // Runs both in turn, in addition to what is shown. At the end the median runs are shown, with the verdict of all.
    void compare();
    void stop_comparing();                                                            // completed runs count
    [[nodiscard]] const session::Rounds* comparing() const { return rounds_.get(); }  // null: no comparison is running
    // The comparison of A and B: of all their runs, or of one each. Null unless there are two completely read runs.
    [[nodiscard]] const comparison::Verdict* verdict();
    // How many runs of each side the two shown stand for; 0: only themselves.
    [[nodiscard]] std::size_t runs_behind() const;
    // Why the run shown does not belong to the current settings: "of another lesson"; "" if it does.
    [[nodiscard]] std::string earlier() const;

    // --- recordings included with Headway ---
    [[nodiscard]] const std::vector<std::filesystem::path>& recordings() const { return recordings_; }

    // --- pictures ---
    // These start background work. A notice says how it ended, or why it cannot start.
    Pictures pictures;
    ExportChoice& picture_choice() { return pictures.choice(); }  // remembered from the last export
    // The runs for a picture; none before a run has issued anything.
    [[nodiscard]] std::optional<PictureOf> picture_of() const;
    [[nodiscard]] std::string picture_path();  // a new file, named according to the choice
    void export_to(const std::string& path);   // in the chosen format
    void export_again() { export_to(picture_path()); }
    void export_figure(const std::string& extension);  // "png", "svg", "pdf"; other values: the chosen format
    void copy_picture();                               // the view, to the clipboard
    void save_recording();                             // the last run, next to the pictures
    void write_window(std::vector<std::uint8_t> rgba, int width, int height);
    std::filesystem::path picture_folder;

    Look look;
    void next_overlay();  // none, the critical path, the run without barriers, both

    // --- panels under the timeline ---
    // The tab shown, by its id in app/ui/details/detail_panel.cpp, and the one to return to from a tab that is only
    // shown for the moment.
    std::string detail = "numbers", lasting_detail = "numbers";
    void show_detail(std::string id);
    void show_detail_for_now(std::string id);
    void hide_detail(std::string_view id);  // one shown for the moment; the others stay
    std::uint32_t graph_line = 0;           // the graph shows this line's ops; 0: all

    // --- timeline ---
    TimelineState timeline;
    Bookmarks bookmarks;
    // The folder for saved user data: bookmarks, and the arrangement of lanes, which is read now. A notice says if it
    // cannot be read.
    void use_data_folder(const std::filesystem::path& folder);
    // For the program shown and its kind of device; others have their own.
    [[nodiscard]] const model::Arrangement& arrangement() const;
    [[nodiscard]] std::uint64_t arrangement_revision() const { return arrangement_revision_; }
    void set_arrangement(model::Arrangement arrangement);
    // Saves it if it has changed. Returns the reason why it could not be saved, or "".
    std::string save_arrangement();

    Notices notices;

    // Once a frame. True when something that is shown has changed.
    bool poll(double budget_ms);

    // For the status bar.
    double frames_per_second = 0;
    bool animating = false;

private:
    void take_lesson_settings(const lesson::Lesson& lesson);
    void take_source();
    void add_opened(lesson::Lesson lesson, const std::filesystem::path& place);
    // Starts a run of the editor's text; `start` is what starts the session.
    void begin(const std::function<void()>& start);
    core::Result<void> prepare_run();
    void note_run();
    bool poll_pictures();
    void began(const core::Result<void>& begun);
    void hand_over_breakpoints();
    [[nodiscard]] figure::TimelineView whole_view() const;
    bool poll_comparing(double budget_ms);
    void show_compared();
    [[nodiscard]] std::string shown_text() const;  // the document's
    session::Settings runnable(session::Settings settings, const char* side);

    std::vector<lesson::Lesson> lessons_;
    int lesson_ = -1;
    std::uint64_t lessons_revision_ = 0;
    std::vector<std::filesystem::path> places_;  // per lesson opened from disk: its folder or file
    std::vector<Tab> tabs_;
    std::map<std::string, std::string> tab_of_;  // the chosen tab, by lesson
    const editor::Document* ran_ = nullptr;      // whose text is run by the run `ran_started_`
    std::string ran_tab_;
    std::uint64_t ran_started_ = 0;
    std::unique_ptr<session::Rounds> rounds_;
    // The samples behind A and B, while these are shown, and the verdict last computed from them.
    struct Compared {
        std::uint64_t started = 0;  // the session's counter, which identifies the pair
        comparison::Side a, b;
    };
    std::optional<Compared> compared_;
    struct Judged {
        const session::Execution *a = nullptr, *b = nullptr;
        session::RunsVersion version;
        friend bool operator==(const Judged&, const Judged&) = default;
    };
    Judged judged_;
    std::optional<comparison::Verdict> verdict_;
    // The document's text, cached until its next edit.
    mutable std::string text_;
    mutable const editor::Document* text_of_ = nullptr;
    mutable std::uint64_t text_revision_ = 0;
    std::vector<std::filesystem::path> recordings_;
    [[nodiscard]] std::pair<std::string, std::string> arranged() const;
    model::Arrangements arrangements_;
    std::uint64_t arrangement_revision_ = 0, kept_arrangement_ = 0;
    session::Phase last_phase_ = session::Phase::finished;
    std::uint64_t last_started_ = 0;
    std::string last_device_problem_;
    std::chrono::steady_clock::time_point picture_begun_;
    int picture_percent_ = -1;   // progress shown in the notice; -1: none yet
    std::string wanted_device_;  // requested before the devices were known; empty: none
};

// The picture's file name: "headway-train-20261121-015635.png".
std::string picture_name(const std::string& program, const std::string& extension);

}  // namespace headway::ui
