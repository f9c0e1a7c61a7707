// What checking one program gave.
//
// Threads: any.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/core/result.h"

namespace headway::check {

enum class Outcome { passed, failed, not_reached };

struct CheckResult {
    std::string id, title, why;
    Outcome outcome = Outcome::not_reached;
    std::string sentence;    // why it failed or was not reached; "" if it passed
    std::uint32_t line = 0;  // of the program; 0: none
    std::uint64_t op = 0;    // 0: none
    std::string op_words;    // "#4 matmul"
    bool hidden = false;     // it holds in the cases that are shown, and fails in one that is not
    double points = 0, most = 0;
    std::vector<std::string> hints;  // from vague to plain; none if it passed
};

enum class Verdict {
    passed,
    failed,   // at least one check did not pass
    refused,  // the program may not be graded: it cannot be read, or uses what an exercise does not allow
    endless_loop,
    endless_output,
    out_of_memory,
    crashed,  // its process was ended
    forged,   // the recording cannot be what a run writes
};

struct CheckReport {
    std::string exercise, title, version, hash;  // of the exercise
    std::string program, program_hash;
    std::string key;      // what chose the hidden cases; "": the program's hash
    std::string headway;  // the version that checked it
    Verdict verdict = Verdict::failed;
    std::string sentence;             // the verdict, in one sentence
    std::vector<CheckResult> checks;  // the first is kRuns
    double points = 0, most = 0;
    std::uint32_t cases_run = 0, cases = 0;
    std::vector<std::string> notes;  // what the reader of the result should know, such as a missing confinement
    [[nodiscard]] bool passed() const { return verdict == Verdict::passed; }
};

const char* word_of(Outcome outcome);  // "passed", "failed", "not reached"
const char* word_of(Verdict verdict);  // "passed", "endless loop", …
std::optional<Outcome> outcome_called(std::string_view word);
std::optional<Verdict> verdict_called(std::string_view word);

// --- files ---

// `hints`: of each check that did not pass, this many.
std::string as_text(const CheckReport& report, std::size_t hints);
// One object; report_from() reads it again. It has all hints.
std::string as_json(const CheckReport& report);
core::Result<CheckReport> report_from(std::string_view json);
// Of several programs: an array of such objects, a JUnit file, a table.
std::string as_json(const std::vector<CheckReport>& reports);
std::string as_junit(const std::vector<CheckReport>& reports);
std::string as_csv(const std::vector<CheckReport>& reports);
// The results.json of Gradescope's autograder, of one program. `hints` as in as_text().
std::string as_gradescope(const CheckReport& report, std::size_t hints);

}  // namespace headway::check
