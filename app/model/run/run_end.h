// How a run ended, and what its recording lacks: one verdict and one sentence for the report, figures, the window,
// saved traces and stderr.
//
// Threads: any.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace headway::model {

class Run;

// What is known about the end of the program's process, apart from the recording.
struct ProcessEnd {
    int status = 0, signal = 0;  // exit status; signal 0: it exited by itself
    bool stop_asked = false;     // the user asked for a stop
    bool killed = false;         // … and the process was killed, as it did not end
    bool damaged = false;        // the program wrote into the recording's memory
    std::string limit{};         // a sentence: the limit that the run has exceeded; "": none

    // With status 0, or because the user asked for it.
    [[nodiscard]] bool ended_well() const { return stop_asked || (signal == 0 && status == 0); }
};

enum class Verdict {
    complete,
    stopped,     // by the user
    failed,      // with an error: an exception, a failed op
    crashed,     // the program's process ended before the program did: a signal, os._exit, exec
    overflowed,  // the recording was full
    damaged,     // the recording contains what Headway did not write
    unknown,     // the recording is of a run in progress, or its file was cut off
};
[[nodiscard]] const char* word_of(Verdict verdict);
[[nodiscard]] std::optional<Verdict> verdict_called(std::string_view word);

struct RunEnd {
    Verdict verdict = Verdict::complete;
    std::string sentence;  // "Crashed after issuing 12 ops: the program was ended by signal 11 (Segmentation fault)."
    // What the recording lacks, without a full stop: "3 issued ops have no end"; "" if nothing is known to be missing.
    std::string missing;
    [[nodiscard]] bool complete() const { return verdict == Verdict::complete; }
    // Both, as two sentences.
    [[nodiscard]] std::string text() const;
};

// For a run that is closed. `end`: empty if the process is not known, as for traces of other programs.
[[nodiscard]] RunEnd run_end(const Run& run, const std::optional<ProcessEnd>& end);

// Whether the recording has all of the run's records, as it wrote them: else sums, counts, medians, peaks and times
// between two records are not known.
[[nodiscard]] bool has_all_records(const Run& run);

}  // namespace headway::model
