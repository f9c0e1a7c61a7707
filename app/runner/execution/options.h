// What a run is asked to do: the options of the command line, checked.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/confinement/limits.h"
#include "app/runner/execution/words.h"
#include "engine/devices/cuda_loader.h"

namespace headway::runner {

inline constexpr std::uint64_t kDefaultTraceLimit = std::uint64_t{384} << 20;  // room for six million ops, see LiveRun

// Requested appearance of a figure. Only the syntax is checked here; app/figure draws it.
struct FigureRequest {
    std::string size = "page";  // slide, column, two-columns, poster; page: the size below
    double width_px = 1600, height_px = 900;
    bool fit_height = true;  // lower if the rows do not fill that height
    std::string theme = "light";
    double scale = 1;                      // PNG pixels per px
    std::optional<double> from_ns, to_ns;  // the time range to show
    std::string title;                     // empty: the finding
    double seconds = 8, fps = 0;           // of an animation; fps 0: the format's default
    std::string lanes;                     // "window", or a file with an arrangement; empty: the default order
};

// Options of one run: a member for each option of the command line.
struct RunOptions {
    std::string program;
    std::string device = "cpu";
    std::optional<trace::BarrierPolicy> barrier;  // none: the lesson's, else as the program is written
    std::vector<std::pair<std::string, std::string>> set;
    std::string tab;  // of a document: mxnet, pytorch or tensorflow; empty: the first
    std::uint32_t workers = 1, streams = 2;
    bool workers_given = false, streams_given = false;  // on the command line, not by the machine or the profile
    std::uint32_t gpus = 0;                             // of the run; 0: the lesson's, else 1
    std::string links;                              // between them: pcie, pairs, ring; empty: the lesson's, else pcie
    std::vector<double> gpu_speeds;                 // relative to the cost model; empty: the lesson's, else 1
    std::uint64_t budget = 0;                       // 0: the device's default; core::kNoBudget: none
    std::uint32_t queue_limit = 0;                  // 0: none
    std::optional<memory::FreePolicy> free_policy;  // none: the profile's
    std::string costs;                              // of the simulated device, as written; empty: its cost models
    CostChoice cost_choice;                         // `costs`, parsed
    std::uint64_t seed = 0;
    std::uint64_t order = 0;            // simulated: another order of the ops, by its seed; 0: that of the costs
    bool graphs = false;                // ops are issued in groups, as composite ops
    devices::CudaOptions cuda;          // launching thread, kind of copies, TF32
    std::string report, trace, figure;  // paths; empty: not requested
    bool replace = false;               // the outputs of a run that is not complete replace existing files
    bool answers = false;               // to the lesson's questions, on stdout, after the run
    bool explain = false;               // on stderr, after the run
    FigureRequest figure_request;
    std::vector<std::string> confine;  // the only folders that the program may write to; empty: no restriction
    bool network = false;              // whether a confined program may use it
    confinement::Limits limits;
    // Set by the window: an edited text to run in place of the program's file, the program's working folder, and its
    // folder for temporary files. Empty: unchanged.
    std::string source, folder, temporary;
    std::optional<std::vector<std::string>> graded;  // by headway check: the names of the program's results
    bool for_window = false;                         // a window reads the recording and is this process's parent
    bool watched = false;                            // the program starts when the watcher is ready
    std::uint32_t repeat = 1;                        // number of measured runs; more than 1: after one warm-up
    int trace_fd = -1;  // the shared memory to record into, which another process watches; -1: private
    std::uint64_t trace_limit = kDefaultTraceLimit;
};

}  // namespace headway::runner
