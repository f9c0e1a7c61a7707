// The command line, as words and numbers that have been checked.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/runner/execution/words.h"
#include "engine/core/result.h"
#include "engine/devices/cuda_loader.h"

namespace headway::runner {

inline constexpr std::uint64_t kDefaultTraceLimit = std::uint64_t{1} << 30;  // 16 million ops

// How a figure is to look. Only what the words mean is checked here; app/figure draws it.
struct FigureWish {
    std::string size = "page";  // slide, column, two-columns, poster; page: as wide and high as
    double width_px = 1600, height_px = 900;
    std::string theme = "light";
    double scale = 1;                      // pixels of a PNG per px
    std::optional<double> from_ns, to_ns;  // only this stretch of time
    std::string title;                     // empty: the finding
    double seconds = 8, fps = 0;           // of a moving one; 0: as its kind has them
    std::string lanes;                     // "window", or a file with an arrangement; empty: in the order of the run
};

// What one run is to be like.
struct RunOptions {
    std::string program;
    std::string device = "cpu";
    std::optional<trace::BarrierPolicy> barrier;  // none: as the program is written
    std::vector<std::pair<std::string, std::string>> set;
    std::string tab;  // of a document: mxnet, pytorch or tensorflow; empty: its first
    std::uint32_t workers = 1, streams = 2;
    bool workers_given = false, streams_given = false;  // by the command line, not by the machine or the profile
    std::uint64_t budget = 0;                           // 0: the device's default; core::kNoBudget: none
    std::uint32_t queue_limit = 0;                      // 0: none
    std::optional<memory::FreePolicy> free_policy;      // none: the profile's
    std::string costs;                                  // of the simulated device, as given; empty: its cost models'
    CostChoice cost_choice;                             // the same
    std::uint64_t seed = 0;
    bool graphs = false;                // ops are issued together, as composites
    devices::CudaOptions cuda;          // who launches, how copies go, TF32
    std::string report, trace, figure;  // files; empty: not wanted
    FigureWish figure_wish;
    std::vector<std::string> confine;  // folders in which alone the program may write; empty: wherever it can
    // For a window: a changed text that is run in place of the program's own file, the folder that the program works
    // in, and the one for what is temporary. Empty: as they are.
    std::string source, folder, temporary;
    bool watched = false;      // the program begins once the watcher has set its wishes
    std::uint32_t repeat = 1;  // how often it is measured; more than once: after one run to warm up
    int trace_fd = -1;         // record into this descriptor, which somebody else watches
    std::uint64_t trace_limit = kDefaultTraceLimit;
};

struct CompareOptions {
    std::string program;
    RunOptions a, b;
    std::vector<std::string> words_a, words_b;  // as they were given, for the runs' own command lines
    std::string trace_a, trace_b;               // a recorded side: the trace's file; empty: it is run
    // How often each is measured; more than once: after one to warm up. 0: as often as it takes to say something of
    // time (on the simulated device, once).
    std::uint32_t repeat = 0;
    std::string report, figure;
    FigureWish figure_wish;
};

enum class Subcommand { help, version, run, compare, figure, check, lessons, devices, bench };

struct CommandLine {
    Subcommand subcommand = Subcommand::help;
    std::string text;  // help
    RunOptions run;
    CompareOptions compare;
    FigureWish figure;
    std::vector<std::string> words;  // figure: TRACE, FILE; check: EXERCISE, FILE
    bool json = false;
};

// `arguments` without the program's name. Errors are of kind usage.
core::Result<CommandLine> parse_command_line(const std::vector<std::string>& arguments);

}  // namespace headway::runner
