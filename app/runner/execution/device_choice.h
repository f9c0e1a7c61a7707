// Which devices this build and this machine have, why others are not there, and how one is made.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "app/runner/execution/words.h"
#include "engine/core/result.h"
#include "engine/devices/cuda_loader.h"
#include "engine/devices/device.h"
#include "engine/devices/device_set.h"
#include "engine/devices/simulated/cost_model.h"
#include "engine/trace/recorder.h"

namespace headway::runner {

struct DeviceSummary {
    std::string kind, name;
    bool available = false;
    std::string reason;              // why not
    std::vector<std::string> lanes;  // with the default settings
};
std::vector<DeviceSummary> list_devices();

// How many workers a CPU device has unless told otherwise: all cores but one, which is the frontend's.
std::uint32_t default_workers();
inline constexpr std::uint32_t kDefaultStreams = 2;
// Of the CPU beside a GPU, at most, unless told otherwise: each is a row of the timeline.
inline constexpr std::uint32_t kWorkersBesideAGpu = 4;

// What a run in virtual time costs: on its device, on the CPU beside it, and on the frontend.
struct SimulatedCosts {
    devices::CostModel device, beside;
    devices::HostCosts host;

    // As the recording keeps them: {"device": …, "beside": …, "host": …}, each as its file in assets/cost_models.
    [[nodiscard]] std::string to_json() const;
};
// From the files, with what was chosen in their place. Fails when a file cannot be used.
core::Result<SimulatedCosts> simulated_costs(const CostChoice& chosen);

// What kind of device a run is to have, and with what. cuda.streams is not looked at: `streams` is every GPU's.
struct DeviceWish {
    std::string kind = "cpu";
    std::uint32_t workers = 1, streams = kDefaultStreams;
    bool workers_given = false;  // else a simulated CPU has one: what it shows is the same on every machine
    devices::CudaOptions cuda;
    SimulatedCosts costs;  // looked at by the simulated device only
};

// Whether `kind` is there as far as that can be told without touching it: nothing, or a usage or unavailable error.
core::Result<void> check_device(const std::string& kind);

core::Result<std::unique_ptr<devices::Device>> make_device(const DeviceWish& wish, trace::Recording& recording);

// How the CPU beside a GPU of that kind is made, should the program ask for one. Its workers are as many as lanes are
// left. The recording outlives it.
devices::DeviceSet::OpenCpu cpu_opener(const DeviceWish& wish, trace::Recording& recording);

}  // namespace headway::runner
