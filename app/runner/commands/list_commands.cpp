// headway lessons, headway devices
#include <cstdio>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "app/runner/commands/commands.h"
#include "app/runner/execution/device_choice.h"
#include "app/runner/execution/job.h"

namespace headway::runner {

namespace {

using nlohmann::ordered_json;

// Integers are written without a decimal point.
ordered_json number_json(double value) {
    if (value == static_cast<double>(static_cast<std::int64_t>(value))) {
        return static_cast<std::int64_t>(value);
    }
    return value;
}

ordered_json parameter_json(const lesson::Parameter& parameter) {
    ordered_json json{
        {"name", parameter.name}, {"label", parameter.label}, {"help", parameter.help}, {"value", parameter.value}};
    if (parameter.choices.empty()) {
        json["least"] = number_json(parameter.least);
        json["most"] = number_json(parameter.most);
        json["whole"] = parameter.whole;
    } else {
        json["choices"] = parameter.choices;
    }
    return json;
}

std::string dump(const ordered_json& json) {
    return json.dump(2, ' ', false, ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace

int lessons_command(bool json) {
    std::vector<core::Error> refused;
    const auto lessons = usable_lessons(refused);
    std::string text;
    if (json) {
        ordered_json list = ordered_json::array();
        for (const auto& lesson : lessons) {
            ordered_json parameters = ordered_json::array();
            for (const auto& parameter : lesson.parameters) {
                parameters.push_back(parameter_json(parameter));
            }
            ordered_json tabs = ordered_json::array();
            for (const auto& [tab, file] : lesson.tabs) {
                tabs.push_back(tab);
            }
            list.push_back({{"id", lesson.id},
                            {"number", lesson.number},
                            {"title", lesson.title},
                            {"program", lesson.program},
                            {"device", lesson.device},
                            {"barrier", lesson.barrier},
                            {"tabs", tabs},
                            {"parameters", parameters}});
        }
        text = dump(list);
    } else {
        for (const auto& lesson : lessons) {
            char line[160];
            std::snprintf(line, sizeof line, "%3d  %-14.40s %.80s\n", lesson.number, lesson.id.c_str(),
                          lesson.title.c_str());
            text += line;
            for (const auto& parameter : lesson.parameters) {
                text += "       --set " + parameter.name + "=" + parameter.value + "  " + range_of(parameter) +
                        (parameter.help.empty() ? "" : "; " + parameter.help) + "\n";
            }
        }
    }
    int status = print_result(text);
    for (const auto& error : refused) {
        status = fail(error);
    }
    return status;
}

namespace {

bool has_pytorch_module() {
    std::error_code failed;
    const auto executable = std::filesystem::read_symlink("/proc/self/exe", failed);
    return std::filesystem::exists(executable.parent_path() / "libheadway_torch.so", failed);
}

}  // namespace

int devices_command(bool json) {
    const auto devices = list_devices();
    std::string text;
    if (json) {
        ordered_json list = ordered_json::array();
        for (const auto& device : devices) {
            list.push_back({{"kind", device.kind},
                            {"name", device.name},
                            {"available", device.available},
                            {"reason", device.reason},
                            {"lanes", device.lanes}});
        }
        text = dump(list);
    } else {
        for (const auto& device : devices) {
            text +=
                device.kind + std::string(12 - std::min<std::size_t>(device.kind.size(), 11), ' ') +
                (device.available ? device.name + ": " + list_of(device.lanes) : "not available: " + device.reason) +
                "\n";
        }
        text += has_pytorch_module() ? "PyTorch     programs that import torch get the real one: docs/pytorch.md\n"
                                     : "PyTorch     programs that import torch get a small dialect: "
                                       "scripts/run --with-pytorch installs the real one\n";
        text +=
            "\nThe device cuda has not run on a GPU yet. Its kernels' values, memory accesses and races, and its host\n"
            "code are tested on a CPU; clocks, overlap, the driver and cuBLAS cannot be.\n";
    }
    return print_result(text);
}

}  // namespace headway::runner
