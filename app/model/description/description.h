// What is known about a run apart from its events: how it was made, what its trace contains, why it failed.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "engine/core/ids.h"
#include "engine/core/result.h"
#include "engine/devices/simulated/cost_model.h"
#include "engine/devices/simulated/links.h"

namespace headway::model {

using core::OpId;

// A run's metadata, a member for each entry: what the runner wrote before the first op, and how a file was imported.
struct RunInfo {
    std::string program, title;
    std::string frontend;  // the language that issues: C++, Python
    std::string tab;       // chosen tab of a lesson or document: mxnet, pytorch, …; empty: the first one
    std::string torch;     // that the program imported: "PyTorch 1.13.1", "Headway's dialect"; empty: none, or unknown
    // Of the real PyTorch: ops on CPU tensors, which the frontend itself computes and which are not ops of the run, and
    // the time that they took (0 in virtual time). Empty if not all of them were counted.
    std::optional<std::uint64_t> cpu_ops, cpu_ops_ns;
    std::string device_kind, device_name;
    bool simulated = false;
    bool foreign = false;  // recorded by another program, so only part of the metadata is known
    // The source of the ops' times ("cupti", "events"; empty: the lanes read the host's clock), why no better source
    // was used, and the uncertainty relative to the host's clock.
    std::string timing, timing_note;
    std::uint64_t timing_uncertainty_ns = 0;
    std::string launch, copies, products;  // cuda: "engine", "pinned", "float32"; else empty
    std::string cpu, os;
    int cores = 0;
    std::string barrier, free_policy, issue;  // as on the command line
    // The framework whose behaviour the run imitates ("PyTorch", "Headway"), and the settings that were chosen
    // instead of that framework's: "free_policy", "streams", "workers".
    std::string profile;
    std::vector<std::string> chosen;
    std::vector<devices::CostModel> device_costs;  // the parsed models: of the run's device, and of a CPU beside GPUs
    std::optional<devices::Links> links;           // of a simulated machine with several GPUs
    std::vector<devices::CostModel> gpu_costs;     // of each of them, if their speeds differ; else empty
    std::string cost_models;  // of a run in virtual time: JSON, {"device": …, "beside": …, "host": …}
    // Barriers that the learner chose while the run was in progress, in order.
    struct BarrierChange {
        std::int64_t ns = 0;
        std::string barrier;  // as on the command line
    };
    std::vector<BarrierChange> barrier_changes;
    bool no_minibatches = false;  // the run has ended without minibatches: barriers between them never act
    std::uint32_t workers = 0, streams = 0, queue_limit = 0;
    std::uint64_t budget = 0, seed = 0;  // budget chosen by the user; 0: none chosen, or "none"
    // The budget in effect (0: no limit), and whether it is the default; empty if the recording does not contain
    // it.
    std::optional<std::uint64_t> budget_in_effect;
    std::optional<bool> budget_is_default;
    std::string date;  // ISO, local
    std::string version;
    std::map<std::string, std::string> parameters;
    bool live_sampled = false;  // live bytes come from samples, not from the ops (traces of other programs)
    // Imported files: how many events were left out or repaired, and whether the file ended before the trace did.
    std::uint64_t left_out = 0, repaired = 0;
    bool file_cut_off = false;
    // For each lane, the first lane of its stream; empty: each lane is a stream of its own. In another program's
    // trace a stream has several lanes if its ops ran at the same time.
    std::vector<std::uint32_t> lane_streams;
};

// "profile PyTorch: 1 stream, free policy stream", or with settings that were chosen: "profile PyTorch: 1 stream;
// chosen: free policy finish". Empty if the recording names no profile.
[[nodiscard]] std::string profile_words(const RunInfo& info);

// The speed of each GPU, relative to its cost model: "1, 0.25". Empty if all have speed 1.
[[nodiscard]] std::string speed_words(const RunInfo& info);

// What a trace contains. A run of the engine contains everything. Another program's trace may not; numbers and
// curves for what is missing are meaningless and must not be shown.
struct TraceCapabilities {
    bool issues = true;    // issue times of at least some ops: t1, t3, headway, what a wait was for, predictions
    bool waits = true;     // waits of the frontend
    bool backend = true;   // lanes are a backend's, idle where no op is; else they are threads by nesting depth
    bool memory = true;    // allocated bytes
    bool tensors = true;   // which tensors hold them: pending bytes, and dependencies
    bool settings = true;  // seed, policies, hardware, and the frontend's own work
    [[nodiscard]] TraceCapabilities both(const TraceCapabilities& other) const;  // contained in both traces
};

struct RunError {
    std::string message, file;
    std::uint32_t line = 0;
    OpId op = 0;
    core::ErrorKind kind = core::ErrorKind::failed;
    // The learner stopped the run: not a failure.
    [[nodiscard]] bool stopped() const { return kind == core::ErrorKind::stopped; }
};

}  // namespace headway::model
