// The lessons and the opened programs, and which one is chosen.
//
// Threads: the UI's. No ImGui.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "app/check/exercise.h"
#include "app/lesson/lesson.h"
#include "app/session/session.h"
#include "app/ui/state/program/shown_source.h"
#include "app/ui/state/view/notices.h"

namespace headway::ui {

constexpr int kNoLessonYet = -2;  // differs from every Programs::index() and from -1 (none)

class Programs {
public:
    Programs(session::Session& session, Notices& notices, ShownSource& source, std::vector<lesson::Lesson> lessons);

    // Called when a program was chosen, before its source is opened.
    std::function<void(const lesson::Lesson&)> on_choice;
    // Opens all files that are not programs.
    std::function<core::Result<void>(const std::string&)> open_recording;

    [[nodiscard]] const std::vector<lesson::Lesson>& lessons() const { return lessons_; }
    [[nodiscard]] int index() const { return index_; }                  // of the chosen lesson; -1: none
    [[nodiscard]] std::uint64_t revision() const { return revision_; }  // counts changes of the list
    [[nodiscard]] const lesson::Lesson* lesson() const;
    // Of a run's program (session::Settings::program): the lesson's title, or the file's name.
    [[nodiscard]] std::string name_of(const std::string& program) const;
    // Applies the lesson's settings; the runs on the screen stay.
    void choose(int index);
    bool choose(std::string_view id);  // not for recordings
    void go_to(int index);             // chosen by the user: a recording is opened again

    // Opens a program (.py, .ipynb, .md), a lesson's folder, or else a recording. Never runs anything.
    core::Result<void> open(const std::filesystem::path& path);
    // Makes a program of the learner's own, program-N.py in the folder of the learner's programs, and opens it.
    core::Result<void> open_new();
    // Opens the learner's file of this exercise; the first time it is a copy of the program to start from.
    core::Result<void> open_exercise(const check::Exercise& exercise);
    // Shows the file of a run whose program is not available here in place of a lesson: it cannot be run.
    void choose_recording(const std::filesystem::path& file);

private:
    void add_opened(lesson::Lesson lesson, const std::filesystem::path& place);

    session::Session& session_;
    Notices& notices_;
    ShownSource& source_;
    std::vector<lesson::Lesson> lessons_;
    std::vector<std::filesystem::path> places_;  // per lesson: the folder or file it was opened from, or empty
    int index_ = -1;
    std::uint64_t revision_ = 0;
};

}  // namespace headway::ui
