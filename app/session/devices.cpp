#include "app/session/devices.h"

#include <chrono>
#include <utility>

#include "app/json/json.h"
#include "app/session/runner.h"

namespace headway::session {
namespace {

constexpr std::size_t kAnswerPerPoll = 128 * 1024;
constexpr std::chrono::seconds kAnswerTime{60};  // a GPU driver that hangs never answers

core::Error probe_failed(std::string message) {
    return {core::ErrorKind::failed, std::move(message)};
}

}  // namespace

DeviceList::DeviceList() : devices_{{"cpu", "CPU", true, {}}, {"simulated", "SIMULATED GPU", true, {}}} {}

void DeviceList::start() {
    auto probe =
        start_runner({.program = std::exchange(to_ask_, {}), .arguments = {"devices", "--json"}, .limit = kAnswerTime});
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

core::Result<std::vector<ListedDevice>> devices_from_json(const std::string& text) {
    const json::Document document(text);
    std::vector<ListedDevice> devices;
    for (const json::Value entry : document.root().elements()) {
        if (!entry["kind"].is_text()) {
            return probe_failed("the runner's list of devices cannot be read");
        }
        ListedDevice device;
        device.kind = entry["kind"].text();
        device.name = entry["name"].text().empty() ? device.kind : entry["name"].text();
        device.available = entry["available"].is_true();
        device.reason = entry["reason"].text();
        devices.push_back(std::move(device));
    }
    if (devices.empty()) {
        return probe_failed("the runner printed no list of devices");
    }
    return devices;
}

}  // namespace headway::session
