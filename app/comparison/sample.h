// The data that a comparison uses: each side's settings, and for each of its runs the numbers and op durations.
//
// Threads: any that may read the runs.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "app/model/description/numbers.h"
#include "app/model/run/run.h"

namespace headway::comparison {

// How a run ended; paused_or_stepped: it finished, but the learner had intervened. Only finished runs are compared.
enum class Ended : std::uint8_t { finished, damaged, failed, crashed, stopped, paused_or_stepped, cut_off };
// "failed", "was stopped"; "" for finished.
[[nodiscard]] const char* words_of(Ended ended);

// The ops with one signature in one run.
struct OpTime {
    std::uint64_t count = 0;
    double median_ns = 0;  // execution time
};
// By name and shapes.
using OpTimes = std::map<std::string, OpTime>;
// The measured ops. Of a long run, the durations are those of a sample: one op out of each of many equal parts of the
// run, at a place that differs from part to part.
[[nodiscard]] OpTimes op_times(const model::Run& run);

struct Sample {
    model::Numbers numbers;
    std::uint64_t waits = 0;  // barriers and blockers
    Ended ended = Ended::finished;
    std::string error;        // the failure's message
    bool races = false;       // pairs of ops that nothing orders (app/model/analysis/races.h)
    bool unfinished = false;  // ops of the warm-up had not ended when measuring began: their time is measured, too
    OpTimes ops;              // may be empty: then equal ops are not checked
};

struct Side {
    model::RunInfo info;
    std::vector<Sample> samples;  // in order, without the warm-up
    bool warmed_up = false;       // a run before them was not counted
};

// `numbers` are the run's. `with_ops`: also visits a sample of the ops for their durations.
[[nodiscard]] Sample sample_of(const model::Run& run, const model::Numbers& numbers, bool with_ops);
// A side of one run.
[[nodiscard]] Side side_of(const model::Run& run, const model::Numbers& numbers);

struct MedianAndRange {
    double median = 0, least = 0, most = 0;
};
[[nodiscard]] MedianAndRange median_and_range(std::vector<double> values);  // at least one value
// The index of the run with the median total, which represents all of them. Of two candidates, the faster one.
[[nodiscard]] std::size_t middle_of(std::span<const std::int64_t> totals_ns);

}  // namespace headway::comparison
