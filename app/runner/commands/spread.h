// Median and spread of each number over several runs with the same settings.
//
// Threads: any.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "app/comparison/sample.h"
#include "app/model/description/numbers.h"
#include "app/model/run/run.h"

namespace headway::runner {

using comparison::median_and_range;
using comparison::MedianAndRange;

// One number of a run.
struct Measure {
    enum class Unit { ns, bytes, count } unit = Unit::ns;
    const char* key;   // in reports
    const char* name;  // in tables
    double (*of)(const model::Numbers&);
    bool model::TraceCapabilities::*recorded = nullptr;  // the capability that the trace needs for it; null: none
};
// All measures in the order of the table; the total is first.
std::span<const Measure> measures();

bool is_known(const Measure& measure, std::span<const model::Numbers> runs);  // in all runs
MedianAndRange median_and_range(const Measure& measure, std::span<const model::Numbers> runs);
std::string text_of(const Measure& measure, double value);

// The index of the run with the median total, which represents them all. With an even number, the faster of the middle
// two.
std::size_t middle_of(std::span<const model::Numbers> runs);

// {"runs": N, "total_ns": {"median", "least", "most", "warmup", "each": […]}, …, "totals_ns": [each]}. What is not
// known is null; a spread also if one of the runs lacks the number.
nlohmann::ordered_json spreads_json(std::span<const model::Numbers> runs, const model::Numbers& warm_up);

// An indented JSON object with one more member, whose value is indented JSON as well.
std::string with_member(std::string object, std::string_view name, std::string_view value);

}  // namespace headway::runner
