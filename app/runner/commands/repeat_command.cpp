// headway run --repeat N: one warm-up, then N runs, each in its own process; reports median and spread. Report, trace
// and figure are those of the median run.
#include <cstdio>
#include <nlohmann/json.hpp>
#include <span>

#include "app/model/numbers/numbers_walk.h"
#include "app/model/report/report.h"
#include "app/runner/commands/child_run.h"
#include "app/runner/commands/commands.h"
#include "app/runner/commands/spread.h"
#include "app/runner/execution/device_choice.h"
#include "app/runner/execution/interrupt.h"
#include "app/runner/execution/job.h"
#include "engine/core/system/machine_memory.h"
#include "engine/trace/barrier_names.h"

namespace headway::runner {

namespace {

// The command line of one of the runs.
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
        add("--barrier", trace::word_of(*options.barrier));
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
    if (options.network) {
        words.emplace_back("--network");
    }
    const confinement::Limits& limits = options.limits;
    if (limits.memory_bytes != 0) {
        add("--memory-limit", std::to_string(limits.memory_bytes));
    }
    if (limits.output_bytes != 0) {
        add("--output-limit", std::to_string(limits.output_bytes));
    }
    if (limits.time_ms != 0) {
        add("--time-limit", std::to_string(static_cast<double>(limits.time_ms) / 1000));
    }
    if (limits.processes != 0) {
        add("--process-limit", std::to_string(limits.processes));
    }
    if (options.workers_given) {
        add("--workers", std::to_string(options.workers));
    }
    if (options.streams_given) {
        add("--streams", std::to_string(options.streams));
    }
    if (options.gpus != 0) {
        add("--gpus", std::to_string(options.gpus));
    }
    if (!options.links.empty()) {
        add("--links", options.links);
    }
    if (!options.gpu_speeds.empty()) {
        add("--gpu-speeds", devices::text_of_speeds(options.gpu_speeds));
    }
    if (!options.costs.empty()) {
        add("--costs", options.costs);
    }
    if (options.order != 0) {
        add("--order", std::to_string(options.order));
    }
    if (options.budget != 0) {
        add("--budget", options.budget == core::kNoBudget ? "none" : std::to_string(options.budget));
    }
    if (options.queue_limit != 0) {
        add("--queue-limit", std::to_string(options.queue_limit));
    }
    if (options.free_policy) {
        add("--free-policy", std::string(memory::name_of(*options.free_policy)));
    }
    add("--issue", options.graphs ? "graph" : "op");
    add("--launch", options.cuda.launch == devices::CudaLaunch::frontend ? "frontend" : "engine");
    add("--copies", options.cuda.pinned ? "pinned" : "pageable");
    add("--products", options.cuda.tf32 ? "tf32" : "float32");
    add("--seed", std::to_string(options.seed));
    add("--trace-limit", std::to_string(options.trace_limit));
    return words;
}

// Run `number` of the series (0: the warm-up) did not end well: says so and writes what it recorded. There are no
// spreads.
int end_with(const RunOptions& options, const model::Run& run, std::uint32_t number, int status) {
    tell("this was run " + std::to_string(number + 1) + " of " + std::to_string(options.repeat + 1) +
         (options.report.empty() && options.trace.empty() && options.figure.empty()
              ? "; the series ends here"
              : "; the series ends here, and what is written is of this run alone"));
    const int written = write_outputs(options, run, {});
    return written != kDone ? written : status;
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
    if (auto ready = announce(*job); !ready) {
        return fail(ready.error());
    }
    const HeldOutputs held(options);
    const Interrupts interrupts;
    const auto words = words_of(options);
    std::vector<std::unique_ptr<model::Run>> runs;  // the first one is the warm-up
    std::vector<model::Numbers> numbers;
    for (std::uint32_t i = 0; i <= options.repeat; ++i) {
        if (interrupts.asked()) {
            tell("stopped after " + std::to_string(i) + " of " + std::to_string(options.repeat + 1) + " runs");
            return kProgramFailed;
        }
        auto child = run_in_child(options.program, words, options.limits);
        if (!child) {
            return fail(child.error());
        }
        auto run = child->read();
        if (!run) {
            return fail(run.error());
        }
        if (const int status = report_end(*child, run->get()); status != kDone) {
            return *run == nullptr ? status : end_with(options, **run, i, status);
        }
        runs.push_back(std::move(*run));
        numbers.push_back(numbers_of(*runs.back()));
    }
    const std::span<const model::Numbers> measured = std::span(numbers).subspan(1);
    const auto times = std::to_string(options.repeat) + (options.repeat == 1 ? " run" : " runs");
    tell(runs[0]->info().program + (runs[0]->info().simulated ? ", SIMULATED" : "") + ", " + times +
         " after one to warm up");
    const auto row = [](const char* name, const std::string& median, const std::string& least, const std::string& most,
                        const std::string& warm_up) {
        std::fprintf(stderr, "  %s%s%s%s%s\n", left_aligned(name, 14).c_str(), right_aligned(median, 13).c_str(),
                     right_aligned(least, 13).c_str(), right_aligned(most, 13).c_str(),
                     right_aligned(warm_up, 13).c_str());
    };
    row("", "median", "least", "most", "warm-up");
    for (const Measure& measure : measures()) {
        const MedianAndRange spread = median_and_range(measure, measured);
        const auto text = [&measure](bool known, double value) { return known ? text_of(measure, value) : "–"; };
        const bool known = is_known(measure, measured);
        row(measure.name, text(known, spread.median), text(known, spread.least), text(known, spread.most),
            text(is_known(measure, {numbers.data(), 1}), measure.of(numbers[0])));
    }
    const model::Run& middle = *runs[1 + middle_of(measured)];
    if (options.explain) {
        tell("the run with the median total:");
        tell_explanation(middle);
    }
    std::string text;
    if (!options.report.empty()) {
        const auto repeat = spreads_json(measured, numbers[0]);
        text = with_member(model::report_json(middle), "repeat",
                           repeat.dump(2, ' ', false, nlohmann::json::error_handler_t::replace));
    }
    return write_outputs(options, middle, text);
}

}  // namespace headway::runner
