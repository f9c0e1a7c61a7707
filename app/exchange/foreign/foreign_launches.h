// Calls that launched work on the GPU: how much of each was issuing, and what delayed its return. Private to
// app/exchange.
//
// Threads: one.
#pragma once

#include <cstdint>
#include <unordered_map>

#include "app/exchange/foreign/foreign_spans.h"

namespace headway::exchange {

enum class Stall : std::uint8_t {
    none,
    queue_full,      // the driver's queue was full until the GPU had executed some ops: a wait
    staging,         // the call copied pageable memory to a buffer that the GPU can read
    allocation,      // memory was allocated or freed at the same time
    first_launch,    // the first launch in the trace: the driver initialises itself
    kernel_loading,  // the first launch of this kernel: its code is loaded
    unknown,
};
// The label on the timeline: "first launch".
const char* word_of(Stall stall);

struct HostLaunch {
    std::int64_t begin_ns = 0, end_ns = 0;  // of the call
    core::Line line = 0;
    std::uint32_t call = 0;    // its name, as an index into ForeignTrace
    bool waits = false;        // returns when the GPU has finished: not an issue
    bool reads_value = false;  // waits for a value, on the host
    // Set by find_stalls(): the part of the call that issued, and what the rest was.
    std::int64_t issue_begin_ns = 0, issue_end_ns = 0;
    Stall stall = Stall::none;
};
using HostLaunches = std::unordered_map<std::uint32_t, HostLaunch>;        // by correlation
using DeviceWork = std::unordered_map<std::uint32_t, const ForeignSpan*>;  // by correlation; of several spans the first
DeviceWork device_work(const ForeignTrace& trace);

// A launch is a stall if it takes more than 8 times the median of its kind, and at least 20 µs more. Then the issue
// is assumed to take the median: at the call's end, or at its start if the GPU had begun by then.
void find_stalls(const ForeignTrace& trace, const DeviceWork& work, HostLaunches& launches);

}  // namespace headway::exchange
