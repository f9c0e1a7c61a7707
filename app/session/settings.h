// The settings of a run, and their form on the runner's command line.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "app/confinement/limits.h"
#include "engine/core/result.h"
#include "engine/trace/format.h"

namespace headway::session {

struct Settings {
    std::string program;  // a lesson's id ("train"), or the absolute path of a file or of a lesson's folder
    std::string tab;      // of a lesson or document: mxnet, pytorch, tensorflow; empty: its first
    std::string source;   // a modified text, run instead of the program's file; empty: the file
    std::string text;     // the text being run, as shown in the editor; empty: unknown
    std::string folder;   // the program's working folder; empty: the window's
    bool folder_writable = true;
    std::string device = "cpu";
    trace::BarrierPolicy barrier;
    std::vector<std::pair<std::string, std::string>> parameters;  // NAME, VALUE
    std::string free_policy;         // finish, stream, lazy; empty: the framework's default
    std::uint64_t budget_bytes = 0;  // 0: the device's default; core::kNoBudget: none
    std::uint32_t queue_limit = 0;   // 0: none
    std::uint32_t workers = 0;       // 0: the runner's default
    std::uint32_t streams = 0;       // 0: the framework's default
    std::uint32_t gpus = 0;          // of the run; 0: one
    std::string links;               // between them: pcie, pairs, ring; empty: the default
    std::vector<double> gpu_speeds;  // of each, if there are so many; empty: all 1
    std::string costs;               // for the simulated device: "t1=1us,t2=0.95us"; empty: from its cost models
    std::uint64_t seed = 0;
    bool confined = true;  // may write only in `folder` and the session's temporary folder, if the kernel supports it
    bool network = false;  // of a confined program
    confinement::Limits limits = confinement::default_limits();
    std::string issue = "op";  // "graph": issues all ops between two waits as one op
    // A GPU's: who launches ("engine", "frontend"), copies ("pinned", "pageable"), products ("float32", "tf32").
    std::string launch = "engine", copies = "pinned", products = "float32";

    friend bool operator==(const Settings&, const Settings&) = default;
};

// Whether both run the same text with the same options, even if the text is in another file.
bool same_run(const Settings& a, const Settings& b);

// "run train --device cpu …", recording into `trace_fd`, which may grow to `trace_limit` bytes. `temporary`: the
// folder for the program's temporary files; "" for the system's. Fails for a program that is to be confined but has no
// folder to write in: without one it would not be confined at all.
core::Result<std::vector<std::string>> runner_arguments(const Settings& settings, int trace_fd,
                                                        std::uint64_t trace_limit, const std::string& temporary = {});

// "512M", "1.5G", "1500", "1.5 GB" (engine/core/bytes.h); 0 for "" and "default", core::kNoBudget for "none".
core::Result<std::uint64_t> bytes_from_text(const std::string& text);

}  // namespace headway::session
