// What happened in a run and why: up to six sentences with the run's numbers (fewer where the recording contains
// less), each pointing at what it is about; and a bar whose parts add up to the measured time.
//
// Computed from the recording alone. A sentence that the recording does not support is left out. Times in virtual time
// are called so; times on a real clock are facts of this one run.
//
// Threads: any that may read the run.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "app/model/description/numbers.h"
#include "app/model/run/run.h"

namespace headway::model {

enum class Unit : std::uint8_t { ns, bytes, count, share, line };
[[nodiscard]] const char* word_of(Unit unit);

// A number in a sentence. A time named "…_at_ns" counts from the start of the measured part.
struct SentenceNumber {
    std::string id;  // "headway_max"; unique within its sentence
    Unit unit = Unit::count;
    double value = 0;  // whole, except for shares (1 is all)
    std::string text;  // as it stands in the sentence: "3,812"
};

// Something in the timeline that a sentence is about.
struct Place {
    enum class Row : std::uint8_t { run, frontend, headway, lane, memory };
    Row row = Row::run;
    int lane = -1;                          // for Row::lane; -1: all lanes
    std::int64_t begin_ns = 0, end_ns = 0;  // of the run; equal for a moment
    int wait = -1;                          // index into Run::waits(), if the range is a wait
    core::Line line = 0;                    // the source line that caused it; 0: none
};
[[nodiscard]] const char* word_of(Place::Row row);

// What a sentence says. A kind may have several wordings.
enum class SentenceKind : std::uint8_t {
    // How it ended, if not regularly.
    incomplete,
    damaged,
    overflowed,
    // How long it took, and what bounds it.
    no_ops,
    execution_bound,
    issue_bound,
    frontend_bound,
    dependency_bound,
    about_equal,
    barrier_bound,
    blocker_bound,
    mixed,
    time_until_end,
    recorded_time,
    // How far the frontend ran ahead.
    all_issued,
    ahead,
    never_ahead,
    unfinished,
    // Who waited, for what, and for how long.
    never_waited,
    one_wait,
    many_waits,
    inherited_wait,
    policy_barriers,
    framework_barriers,
    without_barriers,
    without_blockers,
    queue_limit,
    queue_full,
    memory_waits,
    // Memory.
    memory_peak,
    memory_pending,
    memory_budget,
    // The lanes.
    lanes_overlap,
    no_overlap,
    devices_overlap,
    copies_overlap,
    idle,
    // What nothing orders.
    races,
    // What else to know about the numbers.
    bounded_ops,
    busy_machine,
    late_handovers,
    late_returns,
    recording_waits,
    folded,
    pauses,
    unfinished_before,
    warm_up,
    formula,
};
inline constexpr std::size_t kSentenceKinds = static_cast<std::size_t>(SentenceKind::formula) + 1;
[[nodiscard]] const char* word_of(SentenceKind kind);

struct Sentence {
    SentenceKind kind = SentenceKind::no_ops;
    std::string text;
    std::vector<SentenceNumber> numbers;  // in the order of the text
    std::vector<std::string> names;       // other parts of the text that were copied from the recording: lanes, calls
    std::vector<Place> places;            // the first one is the most important; may be empty
};

// Predicted + named parts = measured.
struct TimeBar {
    struct Part {
        std::string name;
        std::int64_t ns = 0;  // negative: the run was faster
    };
    std::vector<Part> parts;       // the first one is "predicted"; empty: the run has no prediction
    std::int64_t measured_ns = 0;  // the sum of the parts, to the nanosecond
};
[[nodiscard]] TimeBar time_bar(const Numbers& numbers);
// "predicted 10.2 ms + hand-overs beyond their median 300 µs = measured 10.5 ms". Parts of 0 ns are left out.
[[nodiscard]] std::string text_of(const TimeBar& bar);

struct Explanation {
    std::vector<Sentence> sentences;
    TimeBar bar;
};
inline constexpr std::size_t kMostSentences = 6;

// For a run that is closed; `numbers` are its numbers. Visits all ops a few times: about a second per million ops.
[[nodiscard]] Explanation explain(const Run& run, const Numbers& numbers);

}  // namespace headway::model
