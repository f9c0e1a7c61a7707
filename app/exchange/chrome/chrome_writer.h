// Writes a run as Chrome trace events for Perfetto and other viewers: one thread per lane, arrows from issue to
// execution, counters for headway and live bytes. Times are microseconds with three decimals, so no nanosecond is
// lost.
//
// The events' args and otherData contain what Headway needs to read the file back (chrome_reader.h): the run's
// settings, files, signatures and the measured part, and for each issue the op's number, buffers and source line.
// Durations above two seconds are restored with microsecond resolution, everything else exactly.
//
// Of a run that was folded (app/model/run/folding.h) the file lists what is there op by op, one event for each folded
// block, and the numbers of the whole run (chrome_folds.h).
//
// Threads: one that may read the run.
#pragma once

#include "app/exchange/files/sink.h"
#include "app/model/run/run.h"

namespace headway::exchange {

// Thread ids of the exported trace.
inline constexpr int kFrontendTid = 1, kWaitsTid = 2, kMinibatchesTid = 3, kDropsTid = 4, kWorkTid = 5, kLaunchTid = 6,
                     kDriverTid = 7, kCostsTid = 8, kFoldedTid = 9, kFirstScopeTid = 10, kFirstLaneTid = 100,
                     kOutputTid = 1000, kDeepScopeTid = 2000;
// Of the scopes at this depth: those that do not fit below the lanes are behind everything else.
inline constexpr int scope_tid(int depth) {
    return (kFirstScopeTid + depth < kFirstLaneTid ? kFirstScopeTid : kDeepScopeTid) + depth;
}
// Category of the time ranges in which the learner held a lane; they are in the lane's row.
inline constexpr const char* kHoldCategory = "held";
inline constexpr const char* kReservedSecondDevice = "reserved bytes, second device";  // a counter

// False if the sink failed.
[[nodiscard]] bool write_chrome_trace(const model::Run& run, const Sink& sink);

}  // namespace headway::exchange
