// What tells two runs apart, in words: each is named by the settings in which it differs from the other.
//
// Threads: any.
#pragma once

#include <string>
#include <string_view>

#include "app/model/run/run.h"

namespace headway::comparison {

// "no barrier", "barrier every minibatch", "barrier 1 behind", "barrier after every op", "barriers as written".
[[nodiscard]] std::string barrier_words(std::string_view barrier);
// The policy that acts in a run: of a program without minibatches, which a policy between them leaves as it is
// written, "as-written". And its words.
[[nodiscard]] std::string acting_barrier(const model::RunInfo& info, const std::string& barrier);
[[nodiscard]] std::string barrier_words(const model::RunInfo& info, const std::string& barrier);

// "wait=each, n=100": the parameters of the same program in which the run differs from the other; the first two.
[[nodiscard]] std::string parameters_of(const model::RunInfo& run, const model::RunInfo& other);

struct Names {
    std::string a, b;  // "wait=once", "wait=each"; both empty: the same settings
    [[nodiscard]] bool empty() const { return a.empty() && b.empty(); }
    friend bool operator==(const Names&, const Names&) = default;
};
// Of program, frontend, tab, device, barrier, parameters and the rest, in this order, the first few that differ. Of
// runs that another program recorded, whose settings are not known, the names of the recordings.
[[nodiscard]] Names names_of(const model::RunInfo& a, const model::RunInfo& b);

// Whether equal ops of the two may take different times for a reason that the settings name: another device, other
// lanes, another kind of product or copy.
[[nodiscard]] bool ops_run_differently(const model::RunInfo& a, const model::RunInfo& b);

}  // namespace headway::comparison
