// The command line, parsed and checked.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/confinement/limits.h"
#include "app/runner/execution/words.h"
#include "engine/core/result.h"
#include "engine/devices/cuda_loader.h"

namespace headway::runner {

inline constexpr std::uint64_t kDefaultTraceLimit = std::uint64_t{384} << 20;  // room for six million ops, see LiveRun

// Requested appearance of a figure. Only the syntax is checked here; app/figure draws it.
struct FigureWish {
    std::string size = "page";  // slide, column, two-columns, poster; page: the size below
    double width_px = 1600, height_px = 900;
    std::string theme = "light";
    double scale = 1;                      // PNG pixels per px
    std::optional<double> from_ns, to_ns;  // the time range to show
    std::string title;                     // empty: the finding
    double seconds = 8, fps = 0;           // of a movie; fps 0: the format's default
    std::string lanes;                     // "window", or a file with an arrangement; empty: the default order
};

// Options of one run: a member for each option of the command line.
struct RunOptions {
    std::string program;
    std::string device = "cpu";
    std::optional<trace::BarrierPolicy> barrier;  // none: as the program is written
    std::vector<std::pair<std::string, std::string>> set;
    std::string tab;  // of a document: mxnet, pytorch or tensorflow; empty: the first
    std::uint32_t workers = 1, streams = 2;
    bool workers_given = false, streams_given = false;  // on the command line, not by the machine or the profile
    std::uint64_t budget = 0;                           // 0: the device's default; core::kNoBudget: none
    std::uint32_t queue_limit = 0;                      // 0: none
    std::optional<memory::FreePolicy> free_policy;      // none: the profile's
    std::string costs;                                  // of the simulated device, as written; empty: its cost models
    CostChoice cost_choice;                             // `costs`, parsed
    std::uint64_t seed = 0;
    bool graphs = false;                // ops are issued in groups, as composite ops
    devices::CudaOptions cuda;          // launching thread, kind of copies, TF32
    std::string report, trace, figure;  // paths; empty: not requested
    bool replace = false;               // the outputs of a run that is not complete replace existing files
    bool answers = false;               // to the lesson's questions, on stdout, after the run
    bool explain = false;               // on stderr, after the run
    FigureWish figure_wish;
    std::vector<std::string> confine;  // the only folders that the program may write to; empty: no restriction
    bool network = false;              // whether a confined program may use it
    confinement::Limits limits;
    // Set by the window: an edited text to run in place of the program's file, the program's working folder, and its
    // folder for temporary files. Empty: unchanged.
    std::string source, folder, temporary;
    std::optional<std::vector<std::string>> graded;  // by headway check: the names of the program's results
    bool watched = false;                            // the program starts when the watcher is ready
    std::uint32_t repeat = 1;                        // number of measured runs; more than 1: after one warm-up
    int trace_fd = -1;  // the shared memory to record into, which another process watches; -1: private
    std::uint64_t trace_limit = kDefaultTraceLimit;
};

struct CompareOptions {
    std::string program;
    RunOptions a, b;
    std::vector<std::string> words_a, words_b;  // the arguments, for the runs' own command lines
    std::string trace_a, trace_b;               // path of the trace of a recorded side; empty: the side is run
    // Number of measured runs per side; more than 1: after one warm-up each. 0: the default, enough to compare times
    // (once on the simulated device).
    std::uint32_t repeat = 0;
    std::string report, figure;
    FigureWish figure_wish;
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

enum class Subcommand { help, version, run, compare, figure, check, lessons, devices, bench };

struct CommandLine {
    Subcommand subcommand = Subcommand::help;
    std::string text;  // the help or version text to print
    RunOptions run;
    CompareOptions compare;
    CheckOptions check;
    FigureWish figure;
    std::vector<std::string> words;  // figure: TRACE, FILE
    bool json = false;
};

// Parses `arguments`, without the program's name. Errors are of kind usage.
core::Result<CommandLine> parse_command_line(const std::vector<std::string>& arguments);

}  // namespace headway::runner
