// What the sentences need to know about a run, computed once. Private to app/model/explanation.
//
// Threads: any that may read the run.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "app/model/analysis/critical_path.h"
#include "app/model/description/numbers.h"
#include "app/model/explanation/explanation.h"

namespace headway::model {

inline constexpr std::size_t kMostPlaces = 100;  // of one sentence

struct WaitSum {
    std::uint64_t count = 0;
    std::int64_t ns = 0;
};

struct Facts {
    Facts(const Run& run, const Numbers& numbers);

    // Barriers, blockers and limits of the measured part; without the learner's pauses.
    [[nodiscard]] WaitSum waits() const;
    [[nodiscard]] WaitSum waits(trace::WaitKind kind) const;
    // "In virtual time this run" or "This run": a time on a real clock is a fact of one run.
    [[nodiscard]] const char* subject() const;
    // When the curve first reaches its largest value in the measured part; empty if that time was folded.
    [[nodiscard]] std::optional<std::int64_t> peak_ns(const Curve& curve) const;
    // Where the waits of these kinds are; the frontend's row if there are too many of them.
    [[nodiscard]] std::vector<Place> places_of(std::initializer_list<trace::WaitKind> kinds) const;
    [[nodiscard]] Place whole(Place::Row row, int lane = -1) const;
    // The measured time contains no pauses, so that moments on the axis are moments of the program.
    [[nodiscard]] bool unpaused() const { return numbers.paused_ns == 0; }

    const Run& run;
    const Numbers& numbers;
    Run::Measured part;
    bool complete = false;       // it ended regularly
    bool folded = false;         // some ops, waits and dependencies are known as sums only
    bool long_run = false;       // more than kReplayed ops: no analysis op by op
    std::size_t lanes_used = 0;  // lanes that executed something in the measured part
    std::size_t devices_used = 0;
    std::size_t busiest_lane = 0;         // whose stream executed measured ops for longest
    std::uint64_t unfinished_before = 0;  // ops of the warm-up that had not ended when measuring began
    std::map<trace::WaitKind, WaitSum> wait_sums;
    std::optional<PathTotals> path;  // if it can be computed and adds up to the total
    int longest_wait = -1;           // index into Run::waits()
    int longest_blocker = -1;
};

// A sentence that could be shown. The ones with the lowest ranks are shown, in the order in which they were added.
struct Candidate {
    int rank = 0;
    Sentence sentence;
};
// Ranks. kFiller: shown only if there are fewer than kEnough (explanation.cpp) sentences without it.
inline constexpr int kAlways = 0, kImportant = 1, kInformative = 2, kUseful = 3, kFiller = 9;
using Candidates = std::vector<Candidate>;

void add_time(const Facts& facts, Candidates& to);     // time_sentences.cpp
void add_headway(const Facts& facts, Candidates& to);  // headway_sentences.cpp
void add_waits(const Facts& facts, Candidates& to);    // wait_sentences.cpp
void add_memory(const Facts& facts, Candidates& to);   // memory_sentences.cpp
void add_lanes(const Facts& facts, Candidates& to);    // lane_sentences.cpp
void add_races(const Facts& facts, Candidates& to);    // race_sentences.cpp
void add_remarks(const Facts& facts, Candidates& to);  // remark_sentences.cpp

}  // namespace headway::model
