// A run as Chrome trace events, as Perfetto and others open them: one thread per lane, arrows from issue to execution,
// counters for headway and live bytes. Times are microseconds with three decimals, so no nanosecond is lost.
//
// What Headway needs to read such a file back (chrome_reader.h) stands in the events' args and in otherData: the
// settings of the run, its files, signatures and marks, and per issue the op's number, buffers and source line.
// Durations above two seconds come back to the microsecond, all else as it was.
//
// Threads: one that may read the run.
#pragma once

#include "app/exchange/files/sink.h"
#include "app/model/run/run.h"

namespace headway::exchange {

// The threads of the exported trace.
inline constexpr int kFrontendTid = 1, kWaitsTid = 2, kMinibatchesTid = 3, kDropsTid = 4, kWorkTid = 5, kLaunchTid = 6,
                     kDriverTid = 7, kCostsTid = 8, kFirstScopeTid = 10, kFirstLaneTid = 100;
// Of the stretches in which the learner held a lane, which stand in the lane's row.
inline constexpr const char* kHoldCategory = "held";
inline constexpr const char* kReservedBeside = "reserved bytes, second device";  // a counter

// False when the sink took no more.
bool write_chrome_trace(const model::Run& run, const Sink& sink);

}  // namespace headway::exchange
