// The options of a run on the command line; for command_line.cpp.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "app/runner/command_line/figure_options.h"
#include "app/runner/execution/options.h"

namespace headway::runner {

// The strings from CLI11, not checked yet: a member for each option.
struct RawRunOptions {
    RawFigureOptions figure_options;
    std::string program, tab, device, barrier, workers, streams, gpus, links, gpu_speeds, budget, queue_limit,
        free_policy, seed, costs, order;
    std::string issue, launch, copies, products;
    std::string report, trace, figure, trace_fd, trace_limit, repeat, source, folder, temporary;
    std::string memory_limit, time_limit, process_limit, output_limit, graded;
    std::vector<std::string> set, confine;
    bool watched = false, for_window = false, replace = false, network = false, explain = false, answers = false;
};

// For the option of a text file that is written: `-` means standard output.
CLI::Validator dash_is_standard_output();

// Adds the options that change the run itself, as opposed to its outputs.
std::vector<CLI::Option*> add_settings(CLI::App& app, RawRunOptions& raw);

// Adds all options of a run.
void add_run_options(CLI::App& app, RawRunOptions& raw);

// `app`: the command that the options were added to. Errors are of kind usage.
core::Result<RunOptions> checked(const RawRunOptions& raw, const CLI::App& app);

}  // namespace headway::runner
