#include "app/runner/execution/device_choice.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "app/lesson/assets.h"
#include "app/model/costs/cost_model_file.h"
#include "app/runner/execution/machine.h"
#include "app/runner/execution/words.h"
#include "engine/devices/cpu/cpu_device.h"
#include "engine/devices/simulated/simulated.h"

namespace headway::runner {

namespace {

std::vector<std::string> numbered(const char* name, std::uint32_t count) {
    std::vector<std::string> names;
    for (std::uint32_t i = 0; i < count; ++i) {
        names.push_back(std::string(name) + " " + std::to_string(i));
    }
    return names;
}

core::Result<std::string> cost_model_file(const char* name) {
    auto assets = lesson::find_assets_dir();
    if (!assets) {
        return assets.error();
    }
    const auto file = *assets / "cost_models" / name;
    std::error_code problem;
    if (!std::filesystem::exists(file, problem)) {
        // A custom assets folder may hold lessons only; use the installation's cost models then.
        const auto executable = std::filesystem::read_symlink("/proc/self/exe", problem);
        if (const auto own = lesson::find_assets_dir(executable.parent_path())) {
            return (*own / "cost_models" / name).string();
        }
    }
    return file.string();
}

core::Result<devices::CostModel> cost_model(const char* name = "default.json") {
    auto file = cost_model_file(name);
    return file ? model::load_cost_model(*file) : core::Result<devices::CostModel>(file.error());
}

// "t₁ 1 µs, t₂ 950 ns": the constants given by --costs.
std::string words_of(const CostChoice& chosen) {
    std::string words;
    const auto add = [&words](const char* name, const std::optional<double>& ns) {
        if (ns) {
            char text[64];
            std::snprintf(text, sizeof text, *ns < 1000 ? "%s %g ns" : "%s %g µs", name, *ns < 1000 ? *ns : *ns / 1000);
            words += (words.empty() ? "" : ", ") + std::string(text);
        }
    };
    add("t₁", chosen.t1_ns);
    add("t₂", chosen.t2_ns);
    add("t₃", chosen.t3_ns);
    return words;
}

devices::CostModel costs_of_gpu(const DeviceRequest& request, std::size_t gpu) {
    devices::CostModel costs = request.costs.device;
    costs.speed = gpu < request.gpu_speeds.size() ? request.gpu_speeds[gpu] : 1;
    return costs;
}

core::Error unavailable(const std::string& kind, const std::string& reason) {
    return {core::ErrorKind::unavailable, "the device " + kind + " is not available: " + reason};
}

}  // namespace

std::uint32_t default_workers() {
    return static_cast<std::uint32_t>(
        std::clamp(this_machine().cores - 1, 1, static_cast<int>(core::kMaxLanesOfDevice)));
}

std::vector<DeviceSummary> list_devices() {
    std::vector<DeviceSummary> devices;
    devices.push_back({"cpu", devices::cpu_name(), true, "", numbered("Worker", default_workers())});
    if (const auto gpu = devices::probe_cuda()) {
        devices.push_back({"cuda", *gpu, true, "", numbered("Stream", kDefaultStreams)});
    } else {
        devices.push_back({"cuda", "", false, gpu.error().message, {}});
    }
    if (const auto costs = cost_model()) {
        devices.push_back({"simulated", costs->name, true, "", numbered("Stream", kDefaultStreams)});
    } else {
        devices.push_back({"simulated", "", false, costs.error().message, {}});
    }
    return devices;
}

core::Result<void> check_device(const std::string& kind) {
    if (kind == "cpu") {
        return {};
    }
    if (kind == "cuda") {
        // Checks only what needs no call to CUDA; a missing GPU is reported when the device is opened.
        const auto found = devices::find_cuda();
        return found ? core::Result<void>() : unavailable(kind, found.error().message);
    }
    if (kind == "simulated") {
        const auto costs = cost_model();
        return costs ? core::Result<void>() : unavailable(kind, costs.error().message);
    }
    return usage_error("there is no device \"" + kind + "\"");
}

nlohmann::json json_of(const SimulatedCosts& costs) {
    return {{"device", model::json_of(costs.device)},
            {"beside", model::json_of(costs.cpu)},
            {"host", model::json_of(costs.host)},
            {"links", model::json_of(costs.links)}};
}

core::Result<SimulatedCosts> simulated_costs(const CostChoice& chosen) {
    auto device = cost_model();
    auto cpu = cost_model("cpu.json");
    auto file = cost_model_file("host.json");
    if (!device || !cpu || !file) {
        return !device ? device.error() : !cpu ? cpu.error() : file.error();
    }
    auto host = model::load_host_costs(*file);
    if (!host) {
        return host.error();
    }
    auto links_file = cost_model_file("links.json");
    auto links =
        links_file ? model::load_link_costs(*links_file) : core::Result<devices::LinkCosts>(links_file.error());
    if (!links) {
        return links.error();
    }
    const auto whole = [](double ns) { return static_cast<std::uint64_t>(std::llround(ns)); };
    device->t1_ns = chosen.t1_ns ? whole(*chosen.t1_ns) : device->t1_ns;
    device->t3_ns = chosen.t3_ns ? whole(*chosen.t3_ns) : device->t3_ns;
    if (chosen.t2_ns) {  // applies to every op
        device->family.fill({*chosen.t2_ns, 0, 0, 0, 0});
        device->op.fill(std::nullopt);
        links->pcie = links->nvlink = device->family[0];
    }
    if (const std::string words = words_of(chosen); !words.empty()) {
        const bool all = chosen.t1_ns && chosen.t2_ns && chosen.t3_ns;
        device->source = (all ? "" : device->source + "; ") + words + " chosen";
    }
    if (chosen.line_ns || chosen.print_ns) {
        host->line_ns = chosen.line_ns.value_or(host->line_ns);
        host->print_ns = chosen.print_ns.value_or(host->print_ns);
        host->source += "; some chosen";
    }
    return SimulatedCosts{std::move(*device), std::move(*cpu), std::move(*host), std::move(*links)};
}

core::Result<std::unique_ptr<devices::Device>> make_device(const DeviceRequest& request, trace::Recording& recording) {
    if (request.kind == "cpu") {
        return std::unique_ptr<devices::Device>(std::make_unique<devices::CpuDevice>(request.workers, recording));
    }
    if (request.kind == "cuda") {
        devices::CudaOptions options = request.cuda;
        options.streams = request.streams;
        auto device = devices::open_cuda(options, recording);
        if (!device) {
            return unavailable(request.kind, device.error().message);
        }
        return device;
    }
    if (request.kind == "simulated") {
        auto device = std::make_unique<devices::SimulatedDevice>(costs_of_gpu(request, 0), request.streams, recording);
        if (request.order != 0) {
            device->use_random_times(request.order);
        }
        return std::unique_ptr<devices::Device>(std::move(device));
    }
    return check_device(request.kind).error();
}

core::Result<void> add_gpus(const DeviceRequest& request, devices::DeviceSet& machine, trace::Recording& recording) {
    if (request.gpus < 2) {
        return {};
    }
    while (request.kind == "cuda" && machine.gpus() < request.gpus) {
        devices::CudaOptions options = request.cuda;
        options.streams = request.streams;
        options.device = static_cast<int>(machine.gpus());
        options.place = machine.next_slot();
        auto device = devices::open_cuda(options, recording);
        if (!device) {
            return unavailable(request.kind, "the run asks for " + std::to_string(request.gpus) + " GPUs, and " +
                                                 device.error().message);
        }
        machine.add_gpu(std::move(*device));
    }
    if (request.kind == "cuda") {
        return {};
    }
    while (machine.gpus() < request.gpus) {
        machine.add_gpu(std::make_unique<devices::SimulatedDevice>(costs_of_gpu(request, machine.gpus()),
                                                                   request.streams, recording, machine.next_slot(),
                                                                   "simulated"));
    }
    static_cast<devices::SimulatedDevice&>(machine[0])
        .connect(devices::Links(request.links, request.gpus, request.costs.links));
    return {};
}

devices::DeviceSet::OpenCpu cpu_opener(const DeviceRequest& request, trace::Recording& recording) {
    using Opened = core::Result<std::unique_ptr<devices::Device>>;
    return [request, &recording](const devices::DeviceSlot& place) -> Opened {
        const std::uint32_t left = std::min(core::kMaxLanes - place.first_lane, core::kMaxLanesOfDevice);
        if (request.kind == "simulated") {
            const std::uint32_t workers = request.workers_given ? std::min(request.workers, left) : 1;
            return Opened(
                std::make_unique<devices::SimulatedDevice>(request.costs.cpu, workers, recording, place, "cpu"));
        }
        devices::CpuOptions options;
        options.place = place;
        const std::uint32_t workers =
            request.workers_given ? request.workers : std::min(request.workers, kWorkersBesideAGpu);
        return Opened(std::make_unique<devices::CpuDevice>(std::min(workers, left), recording, options));
    };
}

}  // namespace headway::runner
