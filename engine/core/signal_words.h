// Names of signals.
#pragma once

#include <cstring>
#include <string>

namespace headway::core {

// "signal 11 (Segmentation fault)". Not thread-safe and not for signal handlers.
inline std::string signal_words(int signal) {
    return "signal " + std::to_string(signal) + " (" + strsignal(signal) + ")";
}

}  // namespace headway::core
