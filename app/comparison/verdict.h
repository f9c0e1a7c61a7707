// The result of comparing two runs, or two samples of runs. The window, `headway compare` and figures all use these
// words. Claims follow the rules below, and each claim names its subject.
//
// Time, on a real clock:
// - One run of each allows no claim. From 2 to 4 runs are too few.
// - From kRuns runs of each on, one side is *faster* if the two-sided rank-sum test of the totals gives p <= kP
// (exact up to 60 values), and if its median is the smaller one. With five runs each this needs full separation.
// Otherwise there is no measurable difference.
// - The times are not comparable if equal ops (same name and shapes) took unequal times: if their medians differ by
// more than kOpsApart (weighted median over the ops, by the time they take), and this could explain at least
// kExplains of the difference in total. Not checked if the settings give the ops another device, other lanes or
// another kind of product.
// - A virtual clock and a real one are not comparable.
// On the simulated device a run is exact: one run of each is enough, and any difference counts.
//
// Memory (peak of the live bytes) and headway (its maximum):
// - Simulated: exact. From kRuns runs on: the same test.
// - Fewer runs on a real clock: only if the minimum of one side is at least kLarge times the maximum of the other
// (and for headway at least kLargeOps ops more).
//
// A run that failed, was stopped, paused or stepped is not compared at all. Of one with races
// (app/model/analysis/races.h) that is said beside the times: it may be faster because a wait is missing. The same
// holds for one whose warm-up had not finished when measuring began.
//
// Threads: any.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "app/comparison/naming.h"
#include "app/comparison/sample.h"

namespace headway::comparison {

inline constexpr std::size_t kRuns = 5;
inline constexpr double kP = 0.01;
inline constexpr double kLarge = 2;
inline constexpr double kLargeOps = 10;
inline constexpr double kOpsApart = 1.25;
inline constexpr double kExplains = 0.25;
inline constexpr double kBusyShare = 0.05;  // share of the total without a core from which a run counts as busy

enum class Claim : std::uint8_t {
    more,            // the subject is faster; needs more memory; runs further ahead
    no_difference,   // no measurable difference; on the simulated device: none
    not_comparable,  // Verdict::reason says why
    one_run,         // one run of each: no claim possible
    too_few_runs,    // no claim possible
    unknown,         // not contained in a trace
};

struct Finding {
    Claim claim = Claim::unknown;
    char subject = 0;  // 'A' or 'B', with Claim::more
    double ratio = 0;  // of the medians, the larger over the smaller; 0: one of them is 0, or the clocks differ
    std::optional<double> p{};           // if the test was made
    std::array<MedianAndRange, 2> of{};  // of A and B
};

// Comparison of equal ops of the two sides.
struct EqualOps {
    std::size_t matched = 0;  // signatures in both
    double ratio = 1;         // of their durations, at least 1
    char slower = 0;
    bool in_every_run = false;  // every run of one side was slower than every run of the other
};

struct Verdict {
    std::size_t runs = 0;  // per side; if the numbers differ, the smaller one
    bool warmed_up = false;
    bool simulated = false;
    Names names;
    Finding time, memory, headway;
    std::array<MedianAndRange, 2> ops{}, waits{};
    std::array<bool, 2> races{};       // of A and B: a run had one
    std::array<bool, 2> unfinished{};  // of A and B: a run's measured time contains ops of its warm-up
    EqualOps equal_ops;
    std::size_t busy_runs = 0;  // of both sides: the machine kept the frontend waiting for a core
    std::string reason;         // why nothing, or no times, can be compared; else ""

    // Whether anything was compared: a run that failed or was cut off says nothing about the program.
    [[nodiscard]] bool compares() const {
        return runs > 0 && (time.claim != Claim::not_comparable || memory.claim != Claim::not_comparable);
    }

    // The clauses of the sentence, most important first, each with its subject. The first ones can stand alone.
    std::vector<std::string> clauses;
    std::string sentence;  // all of them
    // The basis of the claims, for a caption: "medians of 5 runs each, …; rank-sum test, p = 0.0079".
    std::string evidence;
};

[[nodiscard]] Verdict verdict_of(const Side& a, const Side& b);

// A sentence of this many leading clauses, at least one.
[[nodiscard]] std::string sentence_of(const Verdict& verdict, std::size_t clauses);

// Claims as in the report: "faster", "no measurable difference", …
[[nodiscard]] const char* word_of_time(Claim claim);
[[nodiscard]] const char* word_of(Claim claim);

}  // namespace headway::comparison
