// What two runs, or two samples of runs, say beside each other. The window, `headway compare` and figures all show
// these words and no others. Nothing is claimed that the rules here do not allow, and every claim names its subject.
//
// Time, on a real clock:
// - One run of each says nothing. From 2 to 4 runs are too few.
// - From kRuns runs of each on, one side is *faster* when the two-sided rank-sum test of the totals gives p <= kP
//   (exact up to 60 runs); of five runs each that takes full separation. Otherwise there is no measurable difference.
// - The times are not comparable when equal ops (same name and shapes) took unequal times: when their medians differ
//   by more than kOpsApart (the median over the ops, each counted by the time it takes), and that could explain at
//   least kExplains of the difference in total. It is not asked where the settings give the ops another device,
//   other lanes or another kind of product.
// - A virtual clock beside a real one is not comparable.
// On the simulated device a run is exact: one of each is enough, and any difference counts.
//
// Memory (peak of the live bytes) and headway (its maximum):
// - Simulated: exact. From kRuns runs on: by the same test.
// - Fewer runs on a real clock: only where the least of one side is at least kLarge times the most of the other (and
//   for headway kLargeOps ops more).
//
// A run that failed, was stopped, or was paused or stepped by hand is not compared at all.
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

enum class Claim : std::uint8_t {
    more,            // the subject is faster; needs more memory; runs further ahead
    no_difference,   // none that could be measured; on the simulated device: none
    not_comparable,  // reason() says why
    one_run,         // of each says nothing
    too_few_runs,    // to say anything
    unknown,         // a trace does not hold it
};

struct Finding {
    Claim claim = Claim::unknown;
    char subject = 0;           // 'A' or 'B', with Claim::more
    double ratio = 0;           // of the medians, the larger over the smaller; 0: one of them is 0, or of another clock
    std::optional<double> p{};  // where the test was asked
    std::array<Spread, 2> of{};  // A's, B's
};

// Equal ops of the two sides.
struct EqualOps {
    std::size_t matched = 0;  // signatures in both
    double ratio = 1;         // how much longer they took on one side, at least 1
    char slower = 0;
    bool in_every_run = false;  // each run of the one side took longer than each of the other
};

struct Verdict {
    std::size_t runs = 0;  // of each side; of two unequal numbers the smaller one
    bool warmed_up = false;
    bool simulated = false;
    Names names;
    Finding time, memory, headway;
    std::array<Spread, 2> ops{}, waits{};
    EqualOps equal_ops;
    std::string reason;  // why nothing, or not the times, can be compared; else ""

    // The clauses of the sentence, the most important first, each with its subject. The first ones stand alone.
    std::vector<std::string> clauses;
    std::string sentence;  // all of them
    // What it rests on, for a caption: "medians of 5 runs each, …; rank-sum test, p = 0.0079".
    std::string evidence;
};

[[nodiscard]] Verdict verdict_of(const Side& a, const Side& b);

// So many of the leading clauses, at least one, as a sentence.
[[nodiscard]] std::string sentence_of(const Verdict& verdict, std::size_t clauses);

// The words of the report: "faster", "no measurable difference", …
[[nodiscard]] const char* word_of_time(Claim claim);
[[nodiscard]] const char* word_of(Claim claim);

}  // namespace headway::comparison
