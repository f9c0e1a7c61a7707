// The frontend's time, divided without gaps: the parts add up to what was measured, to the nanosecond.
//
// Issues, waits and stretches of work have records of their own. Between them the program runs, tensors are dropped and
// records are written; of the latter two the frontend measures some (trace::CostRecord), which stand for the others.
// What is left is the program's own work, but for as much as the measurements leave open.
//
// How all records (or drops) are estimated from those that were measured within the measured part: an event of weight 1
// stands for itself. One of a larger weight stands for so many; what it took beyond 8 times their median (a stall) for
// itself. The others take their mean, stalls cut off; where none has a larger weight, that of the single ones. What the
// mean may be off by, two of its deviations, is open. A drop's time is less one reading of the clock. A time without a
// core is taken off the event measured last, where that began within it. Sampling itself counts as recording.
//
// Of the issues' time the language's share goes to the program's work, times without a core during issues to
// descheduled, and a median reading of the clock for each op to recording. Open, and what follows the frontend's last
// record, is unnamed; all else between the records is work.
#pragma once

#include <cstdint>
#include <optional>

#include "engine/trace/format.h"

namespace headway::model {

class Run;

// Of times that were measured one by one, in nanoseconds. Each is one of them (the lower of two).
struct Spread {
    std::int64_t p10 = 0, median = 0, p90 = 0, most = 0;
    std::uint64_t count = 0;  // measured; 0: nothing is known
};

// Readings of the clock take a few nanoseconds: they are kept in sixteenths.
inline constexpr double kCostUnits = 16;

// What trace::CostRecord says.
struct Cost {
    std::int64_t begin_ns = 0, end_ns = 0;
    std::int64_t language_ns = 0;  // recording and totals: of all issues until then, the language's own share
    std::uint64_t amount_ns = 0;   // not scheduled
    std::uint64_t weight = 0;
    std::int64_t minor_faults = 0, major_faults = 0;  // totals
    double stamp_ns = 0, sampling_ns = 0;
    trace::CostKind kind = trace::CostKind::recording;
};

struct PageFaults {
    std::int64_t minor = 0, major = 0;
};

struct FrontendTime {
    std::int64_t issue_ns = 0;        // t1, added up
    std::int64_t work_ns = 0;         // the program's own: its instructions, the interpreter, NumPy, import, print
    std::int64_t drop_ns = 0;         // letting go of tensors
    std::int64_t wait_ns = 0;         // barriers, blockers, limits
    std::int64_t record_ns = 0;       // writing the recording
    std::int64_t descheduled_ns = 0;  // ready to run, outside waits, and other programs had the core
    std::int64_t paused_ns = 0;       // by the learner
    std::int64_t unnamed_ns = 0;      // what the measurements leave open
    std::optional<PageFaults> faults;
    Spread record_each, drop_each;  // of one record after its event, and of one drop
    [[nodiscard]] std::int64_t sum_ns() const {
        return issue_ns + work_ns + drop_ns + wait_ns + record_ns + descheduled_ns + paused_ns + unnamed_ns;
    }
};

// Of the measured part, from what its records add up to.
struct RecordedTime {
    std::int64_t issue_ns = 0, wait_ns = 0, paused_ns = 0, work_ns = 0;
    std::uint64_t issues = 0, records = 0;  // ops; ops, waits and stretches of work
    std::int64_t last_end_ns = 0;           // of the frontend's last record
};
[[nodiscard]] FrontendTime divided(const Run& run, const RecordedTime& recorded);

}  // namespace headway::model
