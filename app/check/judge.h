// Judges what a program did: each check passes, fails or is not reached, in all cases.
//
// Threads: any.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "app/check/case.h"
#include "app/check/exercise.h"
#include "app/check/result.h"
#include "app/check/run_facts.h"

namespace headway::check {

// How the program's process ended.
struct CaseEnd {
    Verdict verdict = Verdict::passed;  // passed: it ran to its end
    std::string sentence;               // if it did not
    std::uint32_t line = 0;
    [[nodiscard]] bool good() const { return verdict == Verdict::passed; }
};

struct CaseRun {
    Case with;
    std::shared_ptr<const RunData> run, reference;
    CaseEnd ending;
};

// `out_of_time`: it was killed because it did not end. `words`: what was written on stderr, for a run that never began.
CaseEnd ending_of(model::Run* run, bool out_of_time, const Limits& limits, const std::string& words);

// One sentence if no run of this program can have written the recording, else "". `reference`: a trusted run of another
// program with the same settings. On the simulated device all times follow from the ops, so they are computed again and
// compared; elsewhere only their order is checked.
std::string implausible(const model::Run& run, const model::Run& reference);

// Fills checks, points, verdict and sentence of a report. `start`: the lines of the program to start from.
void judge(const Exercise& exercise, std::span<const CaseRun> runs, const std::vector<std::string>& start,
           CheckReport& report);

}  // namespace headway::check
