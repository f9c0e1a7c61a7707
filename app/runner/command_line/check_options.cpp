#include "app/runner/command_line/check_options.h"

#include <algorithm>
#include <array>

#include "app/runner/execution/words.h"

namespace headway::runner {

namespace {

constexpr std::array kFormats{"text", "json", "junit", "gradescope", "csv"};

// An option that would do nothing beside the others is an error.
core::Result<void> check_combination(const RawCheckOptions& raw) {
    const CheckOptions& options = raw.options;
    const bool file = !options.program.empty(), start = !options.start.empty(), key = !options.key.empty();
    const bool of_results = !options.output.empty() || !options.results.empty() || options.format != "text" ||
                            !raw.hints.empty() || !raw.jobs.empty();
    if (options.list &&
        (!options.exercise.empty() || start || key || of_results || options.selftest || raw.no_mutants)) {
        return usage_error("--list lists the exercises: it takes nothing else");
    }
    if (options.selftest && (file || start || of_results)) {
        return usage_error("--selftest checks the exercises themselves: it takes EXERCISE, --key and --no-mutants only");
    }
    if (!options.selftest && raw.no_mutants) {
        return usage_error("--no-mutants is for --selftest");
    }
    if (!options.selftest && !file && (key || of_results)) {
        return usage_error("there is no FILE to check, and all other options but --start are for checking one");
    }
    if (file && start) {
        return usage_error("--start writes the program to start from, and FILE is one to check: give one of them");
    }
    return {};
}

}  // namespace

void add_check_options(CLI::App& app, RawCheckOptions& raw) {
    CheckOptions& options = raw.options;
    app.add_option("EXERCISE", options.exercise, "an exercise's id or its folder");
    app.add_option("FILE", options.program, "a .py or .ipynb file, or a folder of them (default: show the task)");
    app.add_option("--format", options.format, "text, json, junit, gradescope or csv (default: text)");
    app.add_option("-o,--output", options.output, "FILE to write to (default: stdout)");
    app.add_option("--hints", raw.hints, "N hints for each check that does not pass (default: 1)");
    app.add_option("--results", options.results,
                   "DIR keeps the result of each program of a folder; those that it has are not checked again");
    app.add_option("--jobs", raw.jobs, "N programs of a folder at the same time (default: one for each core)");
    app.add_option(
        "--key", options.key,
        "TEXT chooses the hidden cases: the same ones for every program (default: the program's own text does)");
    app.add_option("--start", options.start, "FILE to write the program to start from to");
    app.add_flag("--list", options.list, "list the exercises");
    app.add_flag("--selftest", options.selftest, "check the exercises themselves, by their right and wrong solutions");
    app.add_flag("--no-mutants", raw.no_mutants, "with --selftest: the solutions only");
}

core::Result<CheckOptions> checked(const RawCheckOptions& raw) {
    CheckOptions options = raw.options;
    options.mutants = !raw.no_mutants;
    if (std::find(kFormats.begin(), kFormats.end(), options.format) == kFormats.end()) {
        return usage_error("--format must be text, json, junit, gradescope or csv, not \"" +
                           options.format.substr(0, 60) + "\"");
    }
    if (auto taken = take_count(raw.hints, "--hints", 0, 100, options.hints); !taken) {
        return taken.error();
    }
    if (auto taken = take_count(raw.jobs, "--jobs", 1, 256, options.jobs); !taken) {
        return taken.error();
    }
    if (options.exercise.empty() && !options.selftest && !options.list) {
        return usage_error("check needs an EXERCISE; headway check --list lists them");
    }
    if (auto good = check_combination(raw); !good) {
        return good.error();
    }
    return options;
}

}  // namespace headway::runner
