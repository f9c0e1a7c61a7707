// The devices of this machine, as the runner tells of them.
//
// Threads: the UI's.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/session/child_process.h"
#include "engine/core/result.h"

namespace headway::session {

struct DeviceInfo {
    std::string kind, name;  // "cuda", "NVIDIA H200"
    bool available = false;
    std::string reason;  // why not
};

// The devices that `headway-runner devices --json` lists.
core::Result<std::vector<DeviceInfo>> devices_from_json(const std::string& text);

// Asks the runner, which takes a moment where a GPU's driver has to wake up.
class DeviceList {
public:
    // CPU and simulated, which are always there, until the runner has answered.
    DeviceList();
    // The runner starts at the second poll(), behind the first frame, which has no processor to spare.
    void ask(const std::string& runner) { to_ask_ = runner; }
    // Never waits. True when the answer has come.
    bool poll();

    [[nodiscard]] bool asking() const { return probe_.has_value() || !to_ask_.empty(); }
    [[nodiscard]] const std::vector<DeviceInfo>& devices() const { return devices_; }
    [[nodiscard]] const std::string& problem() const { return problem_; }  // why there is no answer, or ""

private:
    void start();

    std::vector<DeviceInfo> devices_;
    std::string to_ask_;  // the runner, until it starts
    bool polled_ = false;
    std::optional<ChildProcess> probe_;
    std::string answer_, problem_;
};

}  // namespace headway::session
