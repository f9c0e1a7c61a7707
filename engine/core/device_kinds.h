// The kinds of devices, as command lines, lessons and traces name them.
#pragma once

#include <string_view>

namespace headway::core {

inline constexpr const char* kDeviceKinds = "cpu, cuda or simulated";  // for messages

[[nodiscard]] constexpr bool is_device_kind(std::string_view word) {
    return word == "cpu" || word == "cuda" || word == "simulated";
}

}  // namespace headway::core
