// The lines of the document shown: where the program is, where it failed, and where it stops.
//
// Threads: the UI's. No ImGui.
#pragma once

#include <cstdint>
#include <string>

#include "app/session/session.h"
#include "app/ui/state/program/shown_source.h"
#include "app/ui/state/replay.h"
#include "app/ui/state/view/timeline_state.h"

namespace headway::ui {

// Lines are counted from 1; 0: none.
class ProgramLines {
public:
    ProgramLines(session::Session& session, ShownSource& source, Replay& replay, const TimelineState& timeline)
        : session_(session), source_(source), replay_(replay), timeline_(timeline) {}

    // The session's last run is of the document shown.
    void note_run();
    // Whether run B ran the text of the document shown, so that line numbers match.
    [[nodiscard]] bool ran_document() const;
    // Where the program is, or was at the replayed moment, and where the last run failed.
    [[nodiscard]] std::uint32_t current() const;
    [[nodiscard]] std::uint32_t failed() const;
    [[nodiscard]] std::uint32_t selected() const;  // of a sentence that is pointed at, else of the selected op
    // Whether the program has lines to stop at (Python).
    [[nodiscard]] bool can_step() const {
        return source_.document() != nullptr && source_.document()->kind() != editor::Document::Kind::cpp;
    }
    void set_breakpoint(std::uint32_t line, bool on);
    void hand_over_breakpoints();

private:
    session::Session& session_;
    ShownSource& source_;
    Replay& replay_;
    const TimelineState& timeline_;
    const editor::Document* ran_ = nullptr;  // whose text is run by the run `ran_started_`
    std::string ran_tab_;
    std::uint64_t ran_started_ = 0;
};

}  // namespace headway::ui
