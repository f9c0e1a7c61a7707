// Signals in words.
#pragma once

#include <cstring>
#include <string>

namespace headway::core {

// "signal 11 (Segmentation fault)". Not from several threads at once, nor in a signal handler.
inline std::string signal_words(int signal) {
    return "signal " + std::to_string(signal) + " (" + strsignal(signal) + ")";
}

}  // namespace headway::core
