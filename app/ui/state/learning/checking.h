// Checks what is in the editor against the exercise that is shown, in a process of its own.
//
// Threads: the UI's. No ImGui.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "app/check/check_process.h"
#include "app/session/session.h"
#include "app/ui/state/program/programs.h"
#include "app/ui/state/view/notices.h"

namespace headway::ui {

class Checking {
public:
    Checking(session::Session& session, Programs& programs, ShownSource& source, Notices& notices)
        : session_(session), programs_(programs), source_(source), notices_(notices) {}

    void start();  // a check in progress is ended first
    bool poll();   // once a frame; true if something that is shown has changed
    [[nodiscard]] bool busy() const { return process_.has_value(); }

    // Of the exercise that is shown; null: not checked yet.
    [[nodiscard]] const check::CheckReport* report() const { return report_ ? &*report_ : nullptr; }
    // The text has changed since it was checked.
    [[nodiscard]] bool outdated() const { return report_ && source_.text() != checked_text_; }

    // Hints of a check are shown one after another.
    [[nodiscard]] std::size_t hints_shown(std::size_t check) const { return hints_[check]; }
    void show_hint(std::size_t check) { ++hints_[check]; }

private:
    session::Session& session_;
    Programs& programs_;
    ShownSource& source_;
    Notices& notices_;
    int lesson_ = kNoLessonYet;
    std::optional<check::CheckProcess> process_;
    std::optional<check::CheckReport> report_;
    std::string text_, checked_text_;
    std::vector<std::size_t> hints_;  // by check
};

}  // namespace headway::ui
