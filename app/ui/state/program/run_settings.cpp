#include "app/ui/state/program/run_settings.h"

#include <charconv>

#include "engine/devices/simulated/cost_model.h"

namespace headway::ui {

std::string RunSettings::parameter(std::string_view name) const {
    for (const auto& [key, value] : session_.settings.parameters) {
        if (key == name) {
            return value;
        }
    }
    return {};
}

std::string RunSettings::set_parameter(const lesson::Parameter& parameter, std::string_view text) {
    auto value = lesson::accept_value(parameter, text);
    if (!value) {
        return value.error().message;
    }
    for (auto& [key, old] : session_.settings.parameters) {
        if (key == parameter.name) {
            old = *value;
        }
    }
    return {};
}

bool RunSettings::at_default(const lesson::Parameter& parameter) const {
    return this->parameter(parameter.name) == parameter.value;
}

void RunSettings::reset_parameters(const lesson::Lesson* lesson) {
    session_.settings.parameters.clear();
    if (lesson != nullptr) {
        for (const auto& p : lesson->parameters) {
            session_.settings.parameters.emplace_back(p.name, p.value);
        }
    }
}

void RunSettings::set_barrier(trace::BarrierPolicy policy) {
    session_.set_barrier(policy);
}

void RunSettings::set_device(std::string_view kind) {
    // Until the runner has reported its devices, the choice is remembered and applied then.
    wanted_device_ = session_.looking_for_devices() ? kind : std::string_view();
    for (const auto& device : session_.devices()) {
        if (device.kind == kind && device.available) {
            session_.settings.device = device.kind;
            wanted_device_.clear();
        }
    }
}

std::string RunSettings::set_budget(const std::string& text) {
    auto bytes = session::bytes_from_text(text);
    if (!bytes) {
        return bytes.error().message;
    }
    session_.set_budget(*bytes);
    return {};
}

std::string RunSettings::set_gpu_speeds(std::string_view text) {
    session::Settings& settings = session_.settings;
    if (text.empty() || text == "default") {
        settings.gpu_speeds.clear();
        return {};
    }
    const std::string problem =
        "Speeds are " + std::to_string(settings.gpus) + " numbers from 0.01 to 100, such as 1, 0.5, or default";
    std::vector<double> speeds;
    for (const char *at = text.data(), *end = at + text.size();; ++at) {
        while (at != end && *at == ' ') {
            ++at;
        }
        double speed = 0;
        const auto [rest, failed] = std::from_chars(at, end, speed);
        if (failed != std::errc{} || !(speed >= devices::kLeastSpeed && speed <= devices::kMostSpeed) ||
            (rest != end && *rest != ',')) {
            return problem;
        }
        speeds.push_back(speed);
        if (rest == end) {
            break;
        }
        at = rest;
    }
    if (speeds.size() != settings.gpus) {
        return problem;
    }
    settings.gpu_speeds = std::move(speeds);
    return {};
}

void RunSettings::poll() {
    if (!wanted_device_.empty() && !session_.looking_for_devices()) {
        set_device(std::string(wanted_device_));
    }
}

}  // namespace headway::ui
