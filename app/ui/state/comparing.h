// Comparing runs A and B: those shown, or several of each, run in turn.
//
// Threads: the UI's. No ImGui.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "app/comparison/verdict.h"
#include "app/session/rounds.h"
#include "app/session/session.h"
#include "app/ui/state/program/programs.h"
#include "app/ui/state/program_lines.h"
#include "app/ui/state/view/notices.h"
#include "app/ui/state/view/timeline_state.h"

namespace headway::ui {

class Comparing {
public:
    Comparing(session::Session& session, Programs& programs, ShownSource& source, ProgramLines& lines, Notices& notices,
              Selection& selection)
        : session_(session),
          programs_(programs),
          source_(source),
          lines_(lines),
          notices_(notices),
          selection_(selection) {}

    // Two sets of settings of the current program to run in turn: those of the run shown and the current ones, if they
    // differ; else those of A and B.
    struct Sides {
        session::Settings a, b;
    };
    [[nodiscard]] std::optional<Sides> sides() const;
    // Runs both in turn, in addition to what is shown. At the end the median runs are shown, with the verdict of all.
    void start();
    void stop();                          // completed runs count
    void drop() { rounds_.reset(); }      // shows nothing
    void forget() { compared_.reset(); }  // the repeated runs that A and B stand for
    [[nodiscard]] const session::Rounds* rounds() const { return rounds_.get(); }  // null: no comparison is running
    // The comparison of A and B: of all their runs, or of one each. Null unless there are two completely read runs.
    [[nodiscard]] const comparison::Verdict* verdict();
    // How many runs of each side the two shown stand for; 0: only themselves.
    [[nodiscard]] std::size_t runs_behind() const;
    // Why the run shown does not belong to the current settings: "of another lesson"; "" if it does.
    [[nodiscard]] std::string earlier() const;
    // The name of the run's program, if another one is chosen now, also while the run is live; "" if it is the same.
    [[nodiscard]] std::string other_program(const session::Execution* run) const;
    // Once a frame. True when something that is shown has changed.
    bool poll(double budget_ms);

private:
    void show_compared();
    core::Result<session::Settings> runnable(session::Settings settings, const char* side) const;

    session::Session& session_;
    Programs& programs_;
    ShownSource& source_;
    ProgramLines& lines_;
    Notices& notices_;
    Selection& selection_;
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
};

}  // namespace headway::ui
