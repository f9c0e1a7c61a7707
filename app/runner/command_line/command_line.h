// The command line, parsed and checked.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "app/runner/execution/options.h"
#include "engine/core/result.h"

namespace headway::runner {

struct CompareOptions {
    std::string program;
    RunOptions a, b;
    std::vector<std::string> words_a, words_b;  // the arguments, for the runs' own command lines
    std::string trace_a, trace_b;               // path of the trace of a recorded side; empty: the side is run
    // Number of measured runs per side; more than 1: after one warm-up each. 0: the default, enough to compare times
    // (once on the simulated device).
    std::uint32_t repeat = 0;
    std::string report, figure;
    bool replace = false;  // what an incomplete comparison writes replaces existing files; as a side's --replace
    FigureRequest figure_request;
};

struct CheckOptions {
    std::string exercise;  // an id or a folder; empty: all
    std::string program;   // a program, or a folder of them; empty: none
    std::string format = "text";
    std::string output;                 // the file to write; empty: stdout
    std::string results;                // a folder that keeps the result of each program
    std::string key;                    // chooses the hidden cases; empty: the program's hash
    std::string start;                  // where to write the program to start from
    std::uint32_t hints = 1, jobs = 0;  // jobs 0: one for each core
    bool selftest = false, list = false, mutants = true;
};

struct ExploreOptions {
    std::string program;
    RunOptions run;
    std::vector<std::string> words;  // of each run's own command line
    std::uint32_t orders = 100;
    std::uint64_t seed = 1;  // of the first order; the others follow
    std::string report;
};

enum class Subcommand { help, version, run, compare, explore, explain, figure, check, lessons, devices, bench };

struct CommandLine {
    Subcommand subcommand = Subcommand::help;
    std::string text;  // the help or version text to print
    RunOptions run;
    CompareOptions compare;
    ExploreOptions explore;
    CheckOptions check;
    FigureRequest figure;
    std::vector<std::string> words;  // explain: TRACE; figure: TRACE, FILE
    bool json = false;
};

// Parses `arguments`, without the program's name. Errors are of kind usage.
core::Result<CommandLine> parse_command_line(const std::vector<std::string>& arguments);

}  // namespace headway::runner
