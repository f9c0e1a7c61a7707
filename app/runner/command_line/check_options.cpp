#include "app/runner/command_line/check_options.h"

#include <algorithm>
#include <array>

#include "app/runner/execution/words.h"

namespace headway::runner {

namespace {

constexpr std::array kFormats{"text", "json", "junit", "gradescope", "csv"};

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
    if (!options.results.empty() && options.program.empty()) {
        return usage_error("--results needs a folder of programs");
    }
    if (options.selftest && !options.program.empty()) {
        return usage_error("--selftest takes no FILE: it checks the exercise's own solutions");
    }
    return options;
}

}  // namespace headway::runner
