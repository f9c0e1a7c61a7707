// The frontend's time, split into parts without gaps: the parts add up to the measured time, to the nanosecond.
//
// Issues, waits and sections of own work have records. In the time between records the program runs, tensors are
// dropped and records are written. The frontend measures a sample of the drops and record writes
// (trace::CostRecord), from which their totals are estimated. The rest is the program's own work, except for the
// uncertainty of these estimates.
//
// How the total of all record writes (or drops) is estimated from those measured within the measured part:
// - An event of weight 1 stands for itself only.
// - An event of weight w stands for w events. The part of it above 8 medians (a stall) is counted once.
// - All other events are counted with the mean, stalls cut off. If no event has a weight above 1, it is the mean of
//   the events of weight 1.
// - Two standard deviations of the mean count as uncertainty (unnamed).
// - One clock reading is subtracted from each drop.
// - Time without a core is subtracted from the event measured last if that event began within it.
// - The sampling itself counts as recording.
//
// From the issues' time, the language's share is moved to the program's work, time without a core during issues to
// descheduled, and one clock reading (10th percentile) per op to recording. The uncertainty and the time after the
// frontend's last record are unnamed; all other time between records is work.
#pragma once

#include <cstdint>
#include <optional>

#include "engine/trace/format.h"

namespace headway::model {

class Run;

// Quantiles of durations that were measured one by one, in nanoseconds. Each is a measured value (the lower of
// two).
struct Spread {
    std::int64_t p10 = 0, median = 0, p90 = 0, most = 0;
    std::uint64_t count = 0;  // how many were measured; 0: the others are unknown
};

// A clock reading takes a few nanoseconds, so its cost is stored in sixteenths.
inline constexpr double kCostUnits = 16;

// The contents of a trace::CostRecord.
struct Cost {
    std::int64_t begin_ns = 0, end_ns = 0;
    std::int64_t language_ns = 0;  // recording and totals: the language's own share of all issues so far
    std::uint64_t amount_ns = 0;   // not scheduled
    std::uint64_t weight = 0;
    std::int64_t minor_faults = 0, major_faults = 0;  // running totals
    double stamp_ns = 0, sampling_ns = 0;
    trace::CostKind kind = trace::CostKind::recording;
};

struct PageFaults {
    std::int64_t minor = 0, major = 0;
};

struct FrontendTime {
    std::int64_t issue_ns = 0;        // sum of t1
    std::int64_t work_ns = 0;         // the program's own: its instructions, the interpreter, NumPy, import, print
    std::int64_t drop_ns = 0;         // dropping tensors
    std::int64_t wait_ns = 0;         // barriers, blockers, limits
    std::int64_t record_ns = 0;       // writing the recording
    std::int64_t descheduled_ns = 0;  // ready to run outside waits, while other programs used the core
    std::int64_t paused_ns = 0;       // by the learner
    std::int64_t unnamed_ns = 0;      // uncertainty of the measurements
    std::int64_t unknown_ns = 0;      // of unnamed_ns: after the last record, in another program's trace
    std::optional<PageFaults> faults;
    Spread record_each, drop_each;  // one record after its event, and one drop
    // The parts only, not the spreads.
    void add(const FrontendTime& other);
    [[nodiscard]] std::int64_t sum_ns() const {
        return issue_ns + work_ns + drop_ns + wait_ns + record_ns + descheduled_ns + paused_ns + unnamed_ns;
    }
};

// Sums over the records of the measured part.
struct RecordedTime {
    std::int64_t issue_ns = 0, wait_ns = 0, paused_ns = 0, work_ns = 0;
    std::uint64_t issues = 0, records = 0;  // ops; ops, waits and sections of own work
    std::int64_t last_end_ns = 0;           // end of the frontend's last record
};
// Of the measured part, including what was folded.
[[nodiscard]] FrontendTime divided(const Run& run, const RecordedTime& recorded);

// A part of the frontend's time whose records are all there.
struct FrontendPeriod {
    std::int64_t begin_ns = 0, end_ns = 0;
    std::int64_t left_out_ns = 0, left_out_language_ns = 0;  // folded parts within it, and the language's share of them
    std::int64_t language_before_ns = 0;  // a lower bound: costs before the period may have been folded
    std::uint64_t drops = 0;
};
// `language_ns`, if given, receives the language's share of the issues.
[[nodiscard]] FrontendTime divided(const Run& run, const FrontendPeriod& period, const RecordedTime& recorded,
                                   std::int64_t* language_ns = nullptr);

}  // namespace headway::model
