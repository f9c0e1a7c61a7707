#include "app/session/devices.h"

#include <chrono>
#include <nlohmann/json.hpp>
#include <utility>

namespace headway::session {
namespace {

constexpr std::size_t kAnswerPerPoll = 128 * 1024;
constexpr std::chrono::seconds kAnswerTime{60};  // a GPU driver that hangs never answers

core::Error failed(std::string message) {
    return {core::ErrorKind::failed, std::move(message)};
}

}  // namespace

DeviceList::DeviceList() : devices_{{"cpu", "CPU", true, {}}, {"simulated", "SIMULATED GPU", true, {}}} {}

void DeviceList::start() {
    auto probe = process::Child::start(
        {.program = std::exchange(to_ask_, {}), .arguments = {"devices", "--json"}, .limit = kAnswerTime});
    if (probe) {
        probe_ = std::move(*probe);
    } else {
        problem_ = probe.error().message;
    }
}

bool DeviceList::poll() {
    if (std::exchange(polled_, true) && !to_ask_.empty()) {
        start();
        return !probe_;
    }
    if (!probe_) {
        return false;
    }
    const auto ending = probe_->poll();
    std::string said;
    probe_->read_stdout(answer_, kAnswerPerPoll);
    probe_->read_stderr(said, kAnswerPerPoll);
    if (!ending || !probe_->output_ended()) {
        return false;
    }
    probe_.reset();
    if (ending->out_of_time) {
        problem_ = "the runner did not list the devices within " + std::to_string(kAnswerTime.count()) + " s";
    } else if (auto found = devices_from_json(answer_)) {
        devices_ = std::move(*found);
    } else {
        problem_ = found.error().message;
    }
    return true;
}

core::Result<std::vector<DeviceInfo>> devices_from_json(const std::string& text) {
    const auto json = nlohmann::json::parse(text, nullptr, false);
    if (!json.is_array() || json.empty()) {
        return failed("the runner printed no list of devices");
    }
    std::vector<DeviceInfo> devices;
    for (const auto& entry : json) {
        if (!entry.is_object() || !entry.contains("kind") || !entry["kind"].is_string()) {
            return failed("the runner's list of devices cannot be read");
        }
        const auto word = [&entry](const char* key) {
            return entry.contains(key) && entry[key].is_string() ? entry[key].get<std::string>() : std::string();
        };
        DeviceInfo device;
        device.kind = word("kind");
        device.name = word("name").empty() ? device.kind : word("name");
        device.available = entry.value("available", false);
        device.reason = word("reason");
        devices.push_back(std::move(device));
    }
    return devices;
}

}  // namespace headway::session
