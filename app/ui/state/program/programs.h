// The lessons and the opened programs: which one is chosen, its source and its tabs.
//
// Threads: the UI's. No ImGui.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "app/check/exercise.h"
#include "app/lesson/lesson.h"
#include "app/session/session.h"
#include "app/ui/state/program/sources.h"
#include "app/ui/state/view/notices.h"

namespace headway::ui {

class Programs {
public:
    // `wake` is called on another thread when a file has changed on disk.
    Programs(session::Session& session, Notices& notices, std::vector<lesson::Lesson> lessons,
             std::function<void()> wake);

    // Called when a program was chosen, before its source is opened, and when another source is shown.
    std::function<void(const lesson::Lesson&)> on_choice;
    std::function<void()> on_source;

    // --- lessons ---
    [[nodiscard]] const std::vector<lesson::Lesson>& lessons() const { return lessons_; }
    [[nodiscard]] int index() const { return index_; }                  // of the chosen lesson; -1: none
    [[nodiscard]] std::uint64_t revision() const { return revision_; }  // counts changes of the list
    [[nodiscard]] const lesson::Lesson* lesson() const;
    // Applies the lesson's settings; the runs on the screen stay.
    void choose(int index);
    bool choose(std::string_view id);  // not for recordings
    void go_to(int index);             // chosen by the user: a recording is opened again

    // --- files ---
    // Opens a program (.py, .ipynb, .md), a lesson's folder, or else a recording. Never runs anything.
    core::Result<void> open(const std::filesystem::path& path);
    // Makes a program of the learner's own, program-N.py in the folder of the learner's programs, and opens it.
    core::Result<void> open_new();
    // The exercises included with Headway.
    [[nodiscard]] const std::vector<check::Exercise>& exercises();
    // Opens the learner's file of this exercise; the first time it is a copy of the program to start from.
    core::Result<void> open_exercise(const check::Exercise& exercise);
    std::function<core::Result<void>(const std::string&)> open_recording;  // opens all other files
    // Shows the file of a run whose program is not available here in place of a lesson: it cannot be run.
    void choose_recording(const std::filesystem::path& file);
    // Recordings included with Headway.
    [[nodiscard]] const std::vector<std::filesystem::path>& recordings() const { return recordings_; }

    // --- the source ---
    Sources sources;
    [[nodiscard]] editor::Document* document() const { return sources.current(); }  // null: no source to show
    [[nodiscard]] std::string text() const;                                         // the document's
    [[nodiscard]] const std::vector<Tab>& tabs() const { return tabs_; }            // at most one: no choice
    [[nodiscard]] const std::string& tab() const { return session_.settings.tab; }
    void set_tab(const std::string& id);
    void save();    // with a notice: where it was saved, or why not
    void revert();  // back to the lesson's own program
    // The folder that the program runs in (it need not exist; empty: the window's), and whether a confined program may
    // write there.
    [[nodiscard]] std::pair<std::string, bool> working_folder() const;
    // Sets the session's source, text and folder for a run of the document.
    core::Result<void> prepare_run();

private:
    // Where the opened file or folder is; empty for a lesson that is part of Headway.
    [[nodiscard]] const std::filesystem::path& place() const;
    void take_source();
    void add_opened(lesson::Lesson lesson, const std::filesystem::path& place);

    session::Session& session_;
    Notices& notices_;
    std::vector<lesson::Lesson> lessons_;
    int index_ = -1;
    std::uint64_t revision_ = 0;
    std::vector<std::filesystem::path> places_;  // per lesson opened from disk: its folder or file
    std::vector<Tab> tabs_;
    std::map<std::string, std::string> tab_of_;  // the chosen tab, by lesson
    std::vector<std::filesystem::path> recordings_;
    std::optional<std::vector<check::Exercise>> exercises_;  // loaded when they are first asked for
    // The document's text, cached until its next edit.
    mutable std::string text_;
    mutable const editor::Document* text_of_ = nullptr;
    mutable std::uint64_t text_revision_ = 0;
};

}  // namespace headway::ui
