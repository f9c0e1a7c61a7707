// Calls that handed work to the GPU: what of each was issuing, and what kept it from returning at once. Private to
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
    queue_full,      // the driver takes no more until the GPU has done some of it: a wait
    staging,         // the call copied pageable memory to where the GPU can read it
    allocation,      // memory was taken or given back at the same time
    first_launch,    // the trace's first: the driver sets itself up
    kernel_loading,  // the first launch of this kernel: its code is loaded
    unknown,
};
// "first launch"; as the timeline calls it.
const char* word_of(Stall stall);

struct HostLaunch {
    std::int64_t begin_ns = 0, end_ns = 0;  // of the call
    core::Line line = 0;
    std::uint32_t call = 0;    // its name, in ForeignTrace
    bool waits = false;        // it returns when the GPU has done what it asked for: no issue
    bool reads_value = false;  // it waits to know a value, on the host
    // After find_stalls(): the part of the call that issued, and what the rest of it was.
    std::int64_t issue_begin_ns = 0, issue_end_ns = 0;
    Stall stall = Stall::none;
};
using HostLaunches = std::unordered_map<std::uint32_t, HostLaunch>;        // by correlation
using DeviceWork = std::unordered_map<std::uint32_t, const ForeignSpan*>;  // likewise; of several the first
DeviceWork device_work(const ForeignTrace& trace);

// A launch stalls that takes more than 8 times the median of its kind, and 20 µs more. Then it issued for as long as
// the median: at its end, or at its begin where the GPU had begun by then.
void find_stalls(const ForeignTrace& trace, const DeviceWork& work, HostLaunches& launches);

}  // namespace headway::exchange
