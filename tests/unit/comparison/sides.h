// Samples of runs with given totals, memory and headway.
#pragma once

#include <string>
#include <vector>

#include "app/comparison/verdict.h"

namespace headway::comparison {

inline constexpr std::int64_t kMs = 1'000'000;
inline constexpr std::uint64_t kMB = 1'000'000;

inline model::RunInfo info(const std::string& barrier = "none") {
    model::RunInfo info;
    info.program = "train";
    info.frontend = "C++";
    info.device_kind = info.device_name = "cpu";
    info.barrier = barrier;
    info.free_policy = "finish";
    info.workers = 1;
    return info;
}

inline Sample sample(std::int64_t total_ns, std::uint64_t bytes = 61 * kMB, std::uint64_t headway = 40) {
    Sample sample;
    sample.numbers.total_ns = total_ns;
    sample.numbers.live_bytes_peak = bytes;
    sample.numbers.headway_max = headway;
    sample.numbers.ops = 1000;
    sample.ops = {{"matmul (8×8)·(8×8)", {100, 1000}}, {"add (8×8)", {100, 50}}};
    return sample;
}

inline Side side(const model::RunInfo& info, const std::vector<std::int64_t>& totals_ms, std::uint64_t bytes = 61 * kMB,
                 std::uint64_t headway = 40) {
    Side side{info, {}, true};
    for (const std::int64_t ms : totals_ms) {
        side.samples.push_back(sample(ms * kMs, bytes, headway));
    }
    return side;
}

}  // namespace headway::comparison
