// What a comparison knows of its two sides: the settings that each was run with, and of each run the numbers and how
// long its ops took.
//
// Threads: any that may read the runs.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "app/model/run/run.h"

namespace headway::comparison {

// How a run came to its end. Only what finished by itself, without a hand on it, is compared.
enum class Ended : std::uint8_t { finished, failed, stopped, handled, cut_off };

// Of the ops with one signature in one run.
struct OpTime {
    std::uint64_t count = 0;
    double median_ns = 0;  // of their execution
};
// By name and shapes.
using OpTimes = std::map<std::string, OpTime>;
// Of the measured ops. Of a long run a sample is taken, evenly over the run.
[[nodiscard]] OpTimes op_times(const model::Run& run);

struct Sample {
    model::Numbers numbers;
    std::uint64_t waits = 0;  // barriers and blockers
    Ended ended = Ended::finished;
    std::string error;  // the failure's message
    OpTimes ops;        // may be empty: then it is not asked whether equal ops took equally long
};

struct Side {
    model::RunInfo info;
    std::vector<Sample> samples;  // in their order, without the warm-up
    bool warmed_up = false;       // a run before them was not counted
};

// `numbers` are the run's. With its ops' times: a walk over a sample of the ops.
[[nodiscard]] Sample sample_of(const model::Run& run, const model::Numbers& numbers, bool with_ops);
// A side of one run.
[[nodiscard]] Side side_of(const model::Run& run, const model::Numbers& numbers);

struct Spread {
    double median = 0, least = 0, most = 0;
};
[[nodiscard]] Spread spread_of(std::vector<double> values);  // of at least one
// The index of the run in the middle by its total, which stands for all of them. Of two in the middle the faster one.
[[nodiscard]] std::size_t middle_of(std::span<const std::int64_t> totals_ns);

}  // namespace headway::comparison
