#include "app/ui/state/program_lines.h"

#include <filesystem>
#include <set>

namespace headway::ui {

namespace fs = std::filesystem;

void ProgramLines::note_run() {
    if (source_.document() != nullptr) {
        source_.document()->note_run();
    }
    ran_ = source_.document();
    ran_tab_ = source_.tab();
    ran_started_ = session_.started();
}

bool ProgramLines::ran_document() const {
    return source_.document() != nullptr && source_.document() == ran_ && ran_started_ == session_.started() &&
           session_.b() != nullptr && ran_tab_ == source_.tab();
}

std::uint32_t ProgramLines::current() const {
    if (!(session_.live() || replay_.on()) || !ran_document() || session_.b()->run() == nullptr) {
        return 0;
    }
    const core::Line line = replay_.on() ? replay_.moment().line : session_.current_line();
    const std::string& file = session_.b()->run()->file(core::file_of(line));
    return fs::path(file).filename() == source_.document()->path().filename()
               ? source_.document()->line_of_run(core::number_of(line))
               : 0;
}

std::uint32_t ProgramLines::failed() const {
    const model::Run* run = ran_document() ? session_.b()->run() : nullptr;
    if (run == nullptr || !run->error() ||
        fs::path(run->error()->file).filename() != source_.document()->path().filename()) {
        return 0;
    }
    return source_.document()->line_of_run(run->error()->line);
}

std::uint32_t ProgramLines::selected() const {
    const model::Run* run = ran_document() ? session_.b()->run() : nullptr;
    if (run == nullptr) {
        return 0;
    }
    const Selection& selection = timeline_.selection;
    core::Line line = 0;
    if (!timeline_.places.empty() && timeline_.places[0].line != 0) {
        line = timeline_.places[0].line;
    } else if (selection.any() && selection.run == 0 && selection.op <= run->op_count()) {
        line = run->op(selection.op).line;
    } else {
        return 0;
    }
    return fs::path(run->file(core::file_of(line))).filename() == source_.document()->path().filename()
               ? source_.document()->line_of_run(core::number_of(line))
               : 0;
}

void ProgramLines::set_breakpoint(std::uint32_t line, bool on) {
    if (can_step()) {
        source_.document()->set_breakpoint(line, on);
        hand_over_breakpoints();
    }
}

// Sends the breakpoints to the runner. It counts lines in the text that it runs; during a run only that text's document
// sets breakpoints.
void ProgramLines::hand_over_breakpoints() {
    const bool live = session_.live();
    if (live && !ran_document()) {
        return;
    }
    std::set<std::uint32_t> lines;
    if (can_step()) {
        for (const auto line : source_.document()->breakpoints()) {
            lines.insert(live ? source_.document()->run_line(line) : line);
        }
    }
    session_.set_breakpoints(std::move(lines));
}

}  // namespace headway::ui
