// The devices of this computer, as reported by the runner.
//
// Threads: the UI thread.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/process/child.h"
#include "engine/core/result.h"

namespace headway::session {

struct ListedDevice {
    std::string kind, name;  // "cuda", "NVIDIA H200"
    bool available = false;
    std::string reason;  // if not available
};

// Parses the output of `headway-runner devices --json`.
core::Result<std::vector<ListedDevice>> devices_from_json(const std::string& text);

// Queries the runner in the background; this takes a while if a GPU's driver has to wake up.
class DeviceList {
public:
    // Until the runner has answered: CPU and simulated, which are always available.
    DeviceList();
    // The runner is started by the second poll(), so that it does not compete with the first frame for the
    // processor.
    void ask(const std::string& runner) { to_ask_ = runner; }
    // Never blocks. True when the answer has arrived.
    bool poll();

    [[nodiscard]] bool asking() const { return probe_.has_value() || !to_ask_.empty(); }
    [[nodiscard]] const std::vector<ListedDevice>& devices() const { return devices_; }
    [[nodiscard]] const std::string& problem() const { return problem_; }  // why there is no answer, or ""

private:
    void start();

    std::vector<ListedDevice> devices_;
    std::string to_ask_;  // the runner, until it is started
    bool polled_ = false;
    std::optional<process::Child> probe_;
    std::string answer_, problem_;
};

}  // namespace headway::session
