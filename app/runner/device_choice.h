// Which devices this build and this machine have, why others are not there, and how one is made.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "engine/core/result.h"
#include "engine/devices/device.h"
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

// Whether `kind` is there: nothing, or a usage or unavailable error.
core::Result<void> check_device(const std::string& kind);

core::Result<std::unique_ptr<devices::Device>> make_device(const std::string& kind, std::uint32_t workers,
                                                           std::uint32_t streams, trace::Recording& recording);

}  // namespace headway::runner
