// State shared by the window's panels, in parts: each panel uses those that it needs. Here are the parts, and the
// commands that start and step runs, whichever button or key calls them. AppState has many
// public members because it is the list of the parts.
//
// Threads: the UI's. No ImGui.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "app/lesson/lesson.h"
#include "app/session/session.h"
#include "app/ui/state/comparing.h"
#include "app/ui/state/exports.h"
#include "app/ui/state/learning/checking.h"
#include "app/ui/state/learning/formula_state.h"
#include "app/ui/state/learning/predictions.h"
#include "app/ui/state/program/included_files.h"
#include "app/ui/state/program/programs.h"
#include "app/ui/state/program/run_settings.h"
#include "app/ui/state/program/shown_source.h"
#include "app/ui/state/program_lines.h"
#include "app/ui/state/replay.h"
#include "app/ui/state/saved/progress.h"
#include "app/ui/state/view/bookmarks.h"
#include "app/ui/state/view/detail_tabs.h"
#include "app/ui/state/view/look.h"
#include "app/ui/state/view/notices.h"
#include "app/ui/state/view/row_arrangement.h"
#include "app/ui/state/view/timeline_state.h"

namespace headway::ui {

class AppState {
public:
    // `wake` is called on another thread when the window has to look for changes.
    AppState(session::Session& session, std::vector<lesson::Lesson> lessons, const std::function<void()>& wake = {});
    AppState(const AppState&) = delete;
    AppState& operator=(const AppState&) = delete;

    // A part may use those above it.
    session::Session& session;
    Notices notices;
    Look look;
    DetailTabs details;
    FormulaState formula;
    TimelineState timeline;
    Bookmarks bookmarks;
    RowArrangement arrangement;
    RunSettings settings;
    IncludedFiles included;
    ShownSource source;
    Programs programs;
    Replay replay;
    ProgramLines lines;
    Predictions predictions;
    Checking checking;
    Progress progress;
    Comparing comparing;
    Exports exports;

    // --- runs ---
    void run();           // always starts a new run
    void run_or_pause();  // starts a new run, or pauses and resumes the current one
    void stop();
    void reset();
    void step_line(trace::LineMode mode = trace::LineMode::step);
    void step_op();
    void run_to_line(std::uint32_t line);
    void step_backend();  // while it is held: one more op
    // Replays the event before. If that is not possible, a notice says why.
    void step_back();

    void next_overlay();  // none, the critical path, the run without barriers, both

    // The folder for saved user data: bookmarks, and the progress and the arrangement of lanes, which are read now. A
    // notice says if they cannot be read.
    void use_data_folder(const std::filesystem::path& folder);

    // Once a frame. True when something that is shown has changed.
    bool poll(double budget_ms);

private:
    void take_settings(const lesson::Lesson& lesson);
    // Starts a run of the editor's text; `start` is what starts the session.
    void begin(const std::function<void()>& start);
    void note_progress();
    void note_failure();
    [[nodiscard]] figure::TimelineView whole_view() const;

    session::Phase last_phase_ = session::Phase::finished;
    std::uint64_t last_started_ = 0;
    std::uint64_t early_failure_of_ = 0;  // the run, as in session.started(), whose failure was told before its end
    Mode last_mode_ = Mode::learn;
    std::string last_device_problem_;
};

}  // namespace headway::ui
