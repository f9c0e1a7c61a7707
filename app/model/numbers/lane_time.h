// How long the lanes executed nothing in the measured part of a run.
//
// Threads: any that may read the run.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "app/model/run/run.h"

namespace headway::model {

// How far one lane is known at some moment of a growing run.
struct KnownLane {
    bool runs = false;  // it executes an op that has no record yet, in the measured part
    std::int64_t recorded_until_ns = 0;
};

// By lane, now.
[[nodiscard]] std::vector<KnownLane> known_lanes(const Run& run, const Run::Measured& part);

// Summed over the lanes that executed something in the measured part; lanes of one stream count as one. Warm-up ops
// that still ran in it count, and the learner's pauses do not. idle_ns, open_ns and the time of executions add up to
// all_ns.
struct LaneTime {
    std::int64_t all_ns = 0;
    std::int64_t idle_ns = 0;
    std::int64_t open_ns = 0;  // behind what is recorded of a lane
};

// `total_ns`: the measured part's duration; `busy_ns`: how long the measured ops executed, those of one stream at the
// same time once; both without pauses. `device`: only its lanes. Folded ops of the warm-up are not looked at.
[[nodiscard]] LaneTime lane_time(const Run& run, const Run::Measured& part, std::int64_t total_ns, std::int64_t busy_ns,
                                 const std::vector<KnownLane>& known, std::optional<std::size_t> device = std::nullopt);

}  // namespace headway::model
