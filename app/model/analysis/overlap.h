// How long lanes executed ops at the same time.
//
// Threads: any that may read the run.
#pragma once

#include <cstdint>

#include "app/model/run/run.h"

namespace headway::model {

// All within the measured part.
struct Overlap {
    std::int64_t any_ns = 0;      // at least one lane executed an op
    std::int64_t several_ns = 0;  // at least two did
    std::int64_t devices_ns = 0;  // two or more devices of the run did
    std::int64_t copies_ns = 0;   // values were copied between a device and the host, or between GPUs
    std::int64_t beside_ns = 0;   // … while another lane executed an op that is not such a copy
    bool host_copies = false;     // some of these copies are from or to the host
    bool gpu_copies = false;      // some are between GPUs
};
// Visits all ops. Lanes of one stream count as one. Meaningless for a run that was folded.
[[nodiscard]] Overlap overlap_of(const Run& run);

// Ops of the warm-up that had not ended when the measured part began. They are executed within it, but do not count as
// its ops.
[[nodiscard]] std::uint64_t unfinished_at_begin(const Run& run);

// A time in which a lane executed nothing, in the measured part.
struct Gap {
    std::size_t lane = 0;
    std::int64_t begin_ns = 0, end_ns = 0;
};
// The longest one of all lanes that executed something; empty (begin = end) if there is none.
[[nodiscard]] Gap longest_gap(const Run& run);

}  // namespace headway::model
