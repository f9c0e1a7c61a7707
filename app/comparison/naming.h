// Names for two runs that are compared: the settings in which each differs from the other.
//
// Threads: any.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "app/model/run/run.h"

namespace headway::comparison {

// "no minibatch barrier", "barrier every minibatch", "barrier 1 behind", "barrier after every op", "barriers as
// written". A program's own waits remain under each of them, so none is called "no barrier".
[[nodiscard]] std::string barrier_words(std::string_view barrier);
// The policy that has an effect in a run: in a program without minibatches, policies for minibatches do nothing, which
// is "as-written".
[[nodiscard]] std::string acting_barrier(const model::RunInfo& info, const std::string& barrier);
// The policies that had an effect in a run, one after the other: the first with ns 0, each other one from its change.
[[nodiscard]] std::vector<model::RunInfo::BarrierChange> acting_barriers(const model::RunInfo& info);

// "n=100, wait=each", "n not set": the first two parameters in which the run differs from the other run of the same
// program.
[[nodiscard]] std::string parameters_of(const model::RunInfo& run, const model::RunInfo& other);

// "queue limit 8", "budget 48 MiB": the run's engine settings in which it differs from the other run, if both are
// known.
[[nodiscard]] std::vector<std::string> engine_settings_of(const model::RunInfo& run, const model::RunInfo& other);

struct Names {
    std::string a, b;  // "wait=once", "wait=each"; both empty: equal settings
    [[nodiscard]] bool empty() const { return a.empty() && b.empty(); }
    friend bool operator==(const Names&, const Names&) = default;
};
// The first few that differ, in this order: program, frontend, tab, device, barrier, parameters, other settings.
// Runs recorded by another program have no known settings; these are named after their recordings.
[[nodiscard]] Names names_of(const model::RunInfo& a, const model::RunInfo& b);

// True if all settings but the barrier policy are equal.
[[nodiscard]] bool differ_in_barrier_only(const model::RunInfo& a, const model::RunInfo& b);

// True if the settings explain different durations of equal ops: another device, other lanes, another kind of
// product or copy.
[[nodiscard]] bool ops_run_differently(const model::RunInfo& a, const model::RunInfo& b);

}  // namespace headway::comparison
