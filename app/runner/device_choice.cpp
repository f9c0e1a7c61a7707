#include "app/runner/device_choice.h"

#include <dlfcn.h>

#include <algorithm>
#include <filesystem>

#include "app/lesson/assets.h"
#include "app/runner/machine.h"
#include "engine/devices/cpu/cpu_device.h"
#include "engine/devices/simulated/simulated.h"

namespace headway::runner {

namespace {

// Empty when a driver is there. Looking for it costs 0.1 ms and keeps nothing loaded.
std::string why_no_cuda() {
    const std::string built = "this build has no CUDA device";
    if (void* driver = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_LOCAL)) {
        dlclose(driver);
        return built;
    }
    return built + ", and no NVIDIA driver was found (libcuda.so.1)";
}

std::vector<std::string> numbered(const char* name, std::uint32_t count) {
    std::vector<std::string> names;
    for (std::uint32_t i = 0; i < count; ++i) {
        names.push_back(std::string(name) + " " + std::to_string(i));
    }
    return names;
}

core::Result<std::string> cost_model_file() {
    auto assets = lesson::find_assets_dir();
    if (!assets) {
        return assets.error();
    }
    const auto file = *assets / "cost_models" / "default.json";
    std::error_code problem;
    if (!std::filesystem::exists(file, problem)) {
        // A teacher's folder of lessons need not hold one.
        const auto executable = std::filesystem::read_symlink("/proc/self/exe", problem);
        if (const auto own = lesson::find_assets_dir(executable.parent_path())) {
            return (*own / "cost_models" / "default.json").string();
        }
    }
    return file.string();
}

}  // namespace

std::uint32_t default_workers() {
    return static_cast<std::uint32_t>(std::clamp(this_machine().cores - 1, 1, static_cast<int>(core::kMaxLanes)));
}

std::vector<DeviceSummary> list_devices() {
    std::vector<DeviceSummary> devices;
    devices.push_back({"cpu", devices::cpu_name(), true, "", numbered("Worker", default_workers())});
    devices.push_back({"cuda", "", false, why_no_cuda(), {}});
    auto model = cost_model_file();
    auto costs = model ? devices::load_cost_model(*model) : core::Result<devices::CostModel>(model.error());
    if (costs) {
        devices.push_back({"simulated", costs->name, true, "", numbered("Stream", kDefaultStreams)});
    } else {
        devices.push_back({"simulated", "", false, costs.error().message, {}});
    }
    return devices;
}

core::Result<void> check_device(const std::string& kind) {
    for (const auto& device : list_devices()) {
        if (device.kind == kind) {
            if (device.available) {
                return {};
            }
            return core::Error{core::ErrorKind::unavailable,
                               "the device " + kind + " is not available: " + device.reason};
        }
    }
    return core::Error{core::ErrorKind::usage, "there is no device \"" + kind + "\""};
}

core::Result<std::unique_ptr<devices::Device>> make_device(const std::string& kind, std::uint32_t workers,
                                                           std::uint32_t streams, trace::Recording& recording) {
    if (kind == "cpu") {
        return std::unique_ptr<devices::Device>(std::make_unique<devices::CpuDevice>(workers, recording));
    }
    if (kind == "simulated") {
        auto model = cost_model_file();
        if (!model) {
            return model.error();
        }
        auto costs = devices::load_cost_model(*model);
        if (!costs) {
            return costs.error();
        }
        return std::unique_ptr<devices::Device>(std::make_unique<devices::SimulatedDevice>(*costs, streams, recording));
    }
    auto available = check_device(kind);
    return available ? core::Error{core::ErrorKind::unavailable, "there is no device \"" + kind + "\""}
                     : available.error();
}

}  // namespace headway::runner
