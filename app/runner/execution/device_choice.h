// Which devices are available in this build on this machine, why others are not, and how devices are created.
//
// Threads: the runner's main one, which is also the run's frontend.
#pragma once

#include <cstdint>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "app/runner/execution/words.h"
#include "engine/core/result.h"
#include "engine/devices/cuda_loader.h"
#include "engine/devices/device.h"
#include "engine/devices/device_set.h"
#include "engine/devices/host_costs.h"
#include "engine/devices/simulated/cost_model.h"
#include "engine/devices/simulated/links.h"
#include "engine/trace/recorder.h"

namespace headway::runner {

struct DeviceSummary {
    std::string kind, name;
    bool available = false;
    std::string reason;              // why it is not available
    std::vector<std::string> lanes;  // with the default settings
};
std::vector<DeviceSummary> list_devices();

// Default number of workers of a CPU device: all cores but one, which is left to the frontend.
std::uint32_t default_workers();
inline constexpr std::uint32_t kDefaultStreams = 2;
// Default limit on the workers of a CPU that is used together with a GPU: each is a row of the timeline.
inline constexpr std::uint32_t kWorkersBesideAGpu = 4;

// The cost models of a run in virtual time: of its device, of the CPU used together with it, and of the frontend.
struct SimulatedCosts {
    devices::CostModel device, cpu;
    devices::HostCosts host;
    devices::LinkCosts links;
};
// As stored in the recording: {"device": …, "beside": …, "host": …, "links": …}, each in the format of its file in
// assets/cost_models.
nlohmann::json json_of(const SimulatedCosts& costs);
// Loads the cost models and applies the constants of `chosen`. Fails when a file cannot be used.
core::Result<SimulatedCosts> simulated_costs(const CostChoice& chosen);

// The device that a run needs, with its settings. cuda.streams is ignored: `streams` applies to every kind of GPU.
struct DeviceRequest {
    std::string kind = "cpu";
    std::uint32_t workers = 1, streams = kDefaultStreams;
    bool workers_given = false;  // otherwise a simulated CPU has one worker, so that runs are the same on every machine
    devices::CudaOptions cuda{};
    std::uint32_t gpus = 1;
    SimulatedCosts costs{};                             // this and what follows: used by the simulated device only
    devices::Topology links = devices::Topology::pcie;  // between several
    std::vector<double> gpu_speeds;                     // of several; empty: all 1
    std::uint64_t order = 0;                            // another order, by its seed; 0: the times of the cost model
};

// Checks that `kind` is available, as far as possible without opening it. Errors: usage, unavailable.
core::Result<void> check_device(const std::string& kind);

core::Result<std::unique_ptr<devices::Device>> make_device(const DeviceRequest& request, trace::Recording& recording);

// Adds the other GPUs to the first one, and on the simulated machine the links between all of them. Errors:
// unavailable.
core::Result<void> add_gpus(const DeviceRequest& request, devices::DeviceSet& machine, trace::Recording& recording);

// How to open the CPU when a program on a GPU uses it too. It has at most as many workers as there are lanes left.
// `recording` must outlive the result.
devices::DeviceSet::OpenCpu cpu_opener(const DeviceRequest& request, trace::Recording& recording);

}  // namespace headway::runner
