// Names of signals.
#pragma once

#include <cstring>
#include <string>

namespace headway::core {

// "signal 11 (Segmentation fault)". Not for signal handlers.
inline std::string signal_words(int signal) {
    const char* name = sigdescr_np(signal);
    return "signal " + std::to_string(signal) + (name != nullptr ? " (" + std::string(name) + ")" : std::string());
}

}  // namespace headway::core
