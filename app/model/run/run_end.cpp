#include "app/model/run/run_end.h"

#include <array>
#include <csignal>

#include "app/model/description/sentence.h"
#include "app/model/run/run.h"
#include "engine/core/count_text.h"
#include "engine/core/system/signal_words.h"

namespace headway::model {
namespace {

constexpr std::array kWords{"complete", "stopped", "failed", "crashed", "overflowed", "damaged", "unknown"};

// The error with its place, unless the message names it.
std::string error_words(const RunError& error) {
    const std::string name = error.file.substr(error.file.rfind('/') + 1);
    const std::string place = error.line == 0 ? name : name + ":" + std::to_string(error.line);
    // An error of another process of the program names its own line, and one of a notebook its cell.
    const bool placed = name.empty() || error.message.find(place) != std::string::npos ||
                        error.message.find(", at " + name + ":") != std::string::npos ||
                        error.message.find(", at " + name + ", code cell ") != std::string::npos;
    return placed ? error.message : error.message + (error.line == 0 ? ", in " : ", at ") + place;
}

std::string process_words(const ProcessEnd& end) {
    if (end.signal == 0) {
        return "the program's process ended with status " + std::to_string(end.status) +
               " before the program did, as after _exit or exec";
    }
    return "the program was ended by " + core::signal_words(end.signal) +
           (end.signal == SIGKILL ? ", as when the machine's memory is full" : "");
}

// What became of the process after the program's end, while exit handlers and threads went on. "" if it ended well, or
// because the user asked for it.
std::string words_after_the_end(const ProcessEnd& end) {
    if (end.ended_well()) {
        return "";
    }
    if (!end.limit.empty()) {
        return "; after the program's end " + end.limit;
    }
    return "; after the program's end its process " + (end.signal != 0
                                                           ? "was ended by " + core::signal_words(end.signal)
                                                           : "ended with status " + std::to_string(end.status));
}

std::string missing_in(const Run& run, Verdict verdict) {
    std::string text;
    const auto add = [&text](const std::string& words) { text += (text.empty() ? "" : ", and ") + words; };
    if (const std::uint64_t lost = run.lost_records(); lost != 0 && verdict != Verdict::damaged) {
        add(core::counted(lost, "record") + " did not fit into the recording");
    }
    if (run.cut_off()) {
        const std::uint64_t open = run.op_count() - run.ended_count();
        add(core::counted(open, "issued op") + (open == 1 ? " has no end" : " have no end"));
    }
    return text;
}

}  // namespace

const char* word_of(Verdict verdict) {
    return kWords[static_cast<std::size_t>(verdict)];
}

std::optional<Verdict> verdict_called(std::string_view word) {
    for (std::size_t i = 0; i < kWords.size(); ++i) {
        if (word == kWords[i]) {
            return static_cast<Verdict>(i);
        }
    }
    return std::nullopt;
}

std::string RunEnd::text() const {
    return missing.empty() ? sentence : sentence + " " + sentence_of(missing);
}

RunEnd run_end(const Run& run, const std::optional<ProcessEnd>& process) {
    const std::string after = run.op_count() == 0
                                  ? ""
                                  : std::string(" after issuing ") + (run.lost_records() != 0 ? "at least " : "") +
                                        core::counted(run.op_count(), "op");
    const auto end = [&run](Verdict verdict, const std::string& text) {
        return RunEnd{verdict, sentence_of(text), missing_in(run, verdict)};
    };
    const bool ended = run.state() == trace::RunState::finished;
    const ProcessEnd known = process.value_or(ProcessEnd{});
    if (known.damaged) {
        return end(Verdict::damaged,
                   "Damaged: the program wrote into the recording's memory, so nothing in it can be relied on");
    }
    if (run.error() && !run.error()->stopped()) {
        return end(Verdict::failed, "Failed" + after + ": " + error_words(*run.error()));
    }
    if (run.error()) {
        return end(Verdict::stopped, error_words(*run.error()));
    }
    if (!ended && known.stop_asked) {
        return end(
            Verdict::stopped,
            "Stopped" + after + (known.killed ? ": the program did not end when it was asked to and was killed" : ""));
    }
    if (!ended && process) {
        return end(Verdict::crashed, "Crashed" + after + ": " + process_words(known));
    }
    if (run.info().file_cut_off) {
        return end(Verdict::unknown, "Incomplete: the file is cut off; it has " + core::counted(run.op_count(), "op"));
    }
    if (!ended) {
        return end(Verdict::unknown, "Incomplete: what happened" + after + " is not recorded");
    }
    if (run.lost_records() != 0) {
        return end(Verdict::overflowed, "Overflowed" + after + ": the recording was full");
    }
    const std::string ops = after.empty() ? "no ops" : core::counted(run.op_count(), "op");
    return end(Verdict::complete, "Complete: " + ops + words_after_the_end(known));
}

bool has_all_records(const Run& run) {
    const bool cut_off = run.info().file_cut_off && !run.info().foreign;
    return run.lost_records() == 0 && !cut_off && run.end().verdict != Verdict::damaged;
}

}  // namespace headway::model
