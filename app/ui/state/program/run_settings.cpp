#include "app/ui/state/program/run_settings.h"

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

void RunSettings::poll() {
    if (!wanted_device_.empty() && !session_.looking_for_devices()) {
        set_device(std::string(wanted_device_));
    }
}

}  // namespace headway::ui
