#include "app/runner/commands/spread.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "app/model/numbers/format.h"
#include "app/runner/commands/commands.h"
#include "engine/core/bytes.h"
#include "engine/core/count_text.h"

namespace headway::runner {

namespace {

using model::Numbers;
using model::TraceCapabilities;
using Unit = Measure::Unit;

constexpr Measure kMeasures[] = {
    {Unit::ns, "total_ns", "total", [](const Numbers& n) { return static_cast<double>(n.total_ns); }},
    {Unit::ns, "predicted_ns", "predicted", [](const Numbers& n) { return static_cast<double>(n.predicted_ns); },
     &TraceCapabilities::issues},
    {Unit::ns, "blocked_ns", "blocked", [](const Numbers& n) { return static_cast<double>(n.blocked_ns); },
     &TraceCapabilities::waits},
    {Unit::ns, "t1_ns", "t₁", [](const Numbers& n) { return n.t1_ns; }, &TraceCapabilities::issues},
    {Unit::ns, "t2_ns", "t₂", [](const Numbers& n) { return n.t2_ns; }, &TraceCapabilities::backend},
    {Unit::ns, "t3_ns", "t₃", [](const Numbers& n) { return n.t3_ns; }, &TraceCapabilities::issues},
    {Unit::count, "ops", "ops", [](const Numbers& n) { return static_cast<double>(n.ops); }},
    {Unit::count, "headway_max", "headway", [](const Numbers& n) { return static_cast<double>(n.headway_max); },
     &TraceCapabilities::issues},
    {Unit::bytes, "live_bytes_peak", "live bytes",
     [](const Numbers& n) { return static_cast<double>(n.live_bytes_peak); }, &TraceCapabilities::memory},
    {Unit::bytes, "pending_bytes_peak", "pending bytes",
     [](const Numbers& n) { return static_cast<double>(n.pending_bytes_peak); }, &TraceCapabilities::tensors},
};

std::int64_t whole(double value) {
    return static_cast<std::int64_t>(std::llround(value));
}

nlohmann::ordered_json whole_or_null(bool known, double value) {
    return known ? nlohmann::ordered_json(whole(value)) : nlohmann::ordered_json();
}

}  // namespace

std::span<const Measure> measures() {
    return kMeasures;
}

bool is_known(const Measure& measure, std::span<const Numbers> runs) {
    const std::string_view key = measure.key;
    const bool predicted = key == "predicted_ns";
    return std::all_of(runs.begin(), runs.end(), [&](const Numbers& run) {
        if ((key == "t1_ns" && run.t1.count == 0) || (key == "t2_ns" && run.t2.count == 0) ||
            (key == "t3_ns" && run.t3.count == 0)) {
            return false;
        }
        return (measure.recorded == nullptr || run.capabilities.*measure.recorded) &&
               !(predicted && (!run.predicted || run.cut_off));
    });
}

MedianAndRange median_and_range(const Measure& measure, std::span<const Numbers> runs) {
    std::vector<double> values;
    for (const Numbers& run : runs) {
        values.push_back(measure.of(run));
    }
    return median_and_range(std::move(values));
}

std::string text_of(const Measure& measure, double value) {
    const auto whole_value = static_cast<std::uint64_t>(std::max<std::int64_t>(whole(value), 0));
    return measure.unit == Unit::ns      ? model::duration_text(value)
           : measure.unit == Unit::bytes ? core::bytes_text(whole_value)
                                         : core::count_text(whole_value);
}

std::size_t middle_of(std::span<const Numbers> runs) {
    std::vector<std::int64_t> totals;
    for (const Numbers& run : runs) {
        totals.push_back(run.total_ns);
    }
    return comparison::middle_of(totals);
}

nlohmann::ordered_json spreads_json(std::span<const Numbers> runs, const Numbers& warm_up) {
    nlohmann::ordered_json json{{"runs", runs.size()}};
    for (const Measure& measure : kMeasures) {
        const MedianAndRange spread = median_and_range(measure, runs);
        const bool known = is_known(measure, runs);
        json[measure.key] = {{"median", whole_or_null(known, spread.median)},
                             {"least", whole_or_null(known, spread.least)},
                             {"most", whole_or_null(known, spread.most)},
                             {"warmup", whole_or_null(is_known(measure, {&warm_up, 1}), measure.of(warm_up))}};
        for (const Numbers& run : runs) {
            json[measure.key]["each"].push_back(whole_or_null(is_known(measure, {&run, 1}), measure.of(run)));
        }
    }
    for (const Numbers& run : runs) {
        json["totals_ns"].push_back(run.total_ns);
    }
    return json;
}

std::string with_member(std::string object, std::string_view name, std::string_view value) {
    object.resize(object.find_last_of('}') - 1);
    object += ",\n  \"" + std::string(name) + "\": ";
    for (const char c : value.substr(0, value.find_last_not_of('\n') + 1)) {
        object += c;
        object += c == '\n' ? "  " : "";  // within texts a line's end is an escape
    }
    return object + "\n}\n";
}

}  // namespace headway::runner
