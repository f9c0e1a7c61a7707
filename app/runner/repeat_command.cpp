// headway run --repeat N: once to warm up, then N times, each in a process of its own; median and spread. What is written
// down besides (report, trace, figure) is the median run's.
#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "app/model/report.h"
#include "app/runner/child_run.h"
#include "app/runner/commands.h"
#include "app/runner/device_choice.h"
#include "app/runner/interrupt.h"
#include "app/runner/job.h"

namespace headway::runner {

namespace {

using Json = nlohmann::ordered_json;

// The options of one of the runs, as words.
std::vector<std::string> words_of(const RunOptions& options) {
    std::vector<std::string> words;
    const auto add = [&words](const char* name, const std::string& value) {
        words.emplace_back(name);
        words.push_back(value);
    };
    if (!options.device.empty()) {
        add("--device", options.device);
    }
    if (options.barrier) {
        add("--barrier", to_text(*options.barrier));
    }
    for (const auto& [name, value] : options.set) {
        add("--set", name + "=" + value);
    }
    if (!options.tab.empty()) {
        add("--tab", options.tab);
    }
    for (const auto& folder : options.confine) {
        add("--confine", folder);
    }
    add("--workers", std::to_string(options.workers));
    add("--streams", std::to_string(options.streams));
    if (options.budget != 0) {
        add("--budget", std::to_string(options.budget));
    }
    if (options.queue_limit != 0) {
        add("--queue-limit", std::to_string(options.queue_limit));
    }
    add("--free-policy", std::string(memory::name_of(options.free_policy)));
    add("--seed", std::to_string(options.seed));
    add("--trace-limit", std::to_string(options.trace_limit));
    return words;
}

struct Spread {
    double median = 0, least = 0, most = 0;
};

Spread spread_of(std::vector<double> values) {
    std::sort(values.begin(), values.end());
    const std::size_t n = values.size();
    return {(values[(n - 1) / 2] + values[n / 2]) / 2, values.front(), values.back()};
}

}  // namespace

int repeat_command(const RunOptions& options) {
    if (options.trace_fd >= 0 || options.watched) {
        return fail({core::ErrorKind::usage, "--repeat is not for a run that is watched"});
    }
    auto job = make_job(options);
    if (!job) {
        return fail(job.error());
    }
    if (auto device = check_device(job->options.device); !device) {
        return fail(device.error());
    }
    if (auto outputs = check_outputs(options.report, options.trace, options.figure); !outputs) {
        return fail(outputs.error());
    }
    const Interrupts interrupts;
    const auto words = words_of(options);
    std::vector<std::unique_ptr<model::Run>> runs;  // the first one is the warm-up
    std::vector<model::Numbers> numbers;
    for (std::uint32_t i = 0; i <= options.repeat; ++i) {
        if (interrupts.asked()) {
            tell("stopped after " + std::to_string(i) + " of " + std::to_string(options.repeat + 1) + " runs");
            return kProgramFailed;
        }
        auto child = run_in_child(options.program, words);
        if (!child) {
            return fail(child.error());
        }
        if (child->status != kDone) {
            return child->status;  // the run has said why
        }
        auto run = read_run(child->recording.get());
        if (!run) {
            return fail(run.error());
        }
        runs.push_back(std::move(*run));
        numbers.push_back(runs.back()->numbers());
    }
    struct Row {
        const char* key;
        const char* name;
        double (*value)(const model::Numbers&);
    };
    constexpr Row kRows[] = {
        {"total_ns", "total", [](const model::Numbers& n) { return static_cast<double>(n.total_ns); }},
        {"blocked_ns", "blocked", [](const model::Numbers& n) { return static_cast<double>(n.blocked_ns); }},
        {"t1_ns", "t1", [](const model::Numbers& n) { return n.t1_ns; }},
        {"t2_ns", "t2", [](const model::Numbers& n) { return n.t2_ns; }},
        {"t3_ns", "t3", [](const model::Numbers& n) { return n.t3_ns; }},
    };
    Json repeat{{"runs", options.repeat}};
    std::fprintf(stderr, "headway: %s, %u runs after one to warm up\n", runs[0]->info().program.c_str(), options.repeat);
    std::fprintf(stderr, "  %-10s %12s %12s %12s %12s\n", "", "median", "least", "most", "warm-up");
    for (const Row& row : kRows) {
        std::vector<double> values;
        for (std::size_t i = 1; i < numbers.size(); ++i) {
            values.push_back(row.value(numbers[i]));
        }
        const Spread spread = spread_of(values);
        const double warmup = row.value(numbers[0]);
        std::fprintf(stderr, "  %-10s %12s %12s %12s %12s\n", row.name, time_text(spread.median).c_str(),
                     time_text(spread.least).c_str(), time_text(spread.most).c_str(), time_text(warmup).c_str());
        const auto whole = [](double ns) { return static_cast<std::int64_t>(ns + 0.5); };
        repeat[row.key] = {{"median", whole(spread.median)},
                           {"least", whole(spread.least)},
                           {"most", whole(spread.most)},
                           {"warmup", whole(warmup)}};
        if (&row == kRows) {
            for (const double value : values) {
                repeat["totals_ns"].push_back(whole(value));
            }
        }
    }
    // The run in the middle stands for them all.
    std::vector<std::size_t> order;
    for (std::size_t i = 1; i < numbers.size(); ++i) {
        order.push_back(i);
    }
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return numbers[a].total_ns < numbers[b].total_ns; });
    const model::Run& middle = *runs[order[(order.size() - 1) / 2]];
    std::string text;
    if (!options.report.empty()) {
        Json report = Json::parse(model::report_json(middle));
        report["repeat"] = std::move(repeat);
        text = report.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
    }
    return write_outputs(options, middle, text);
}

}  // namespace headway::runner
