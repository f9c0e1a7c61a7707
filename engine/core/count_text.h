// Formats counts for sentences.
//
// Threads: any.
#pragma once

#include <cstdint>
#include <string>

namespace headway::core {

// "1,204".
inline std::string count_text(std::uint64_t n) {
    std::string digits = std::to_string(n);
    for (std::size_t behind = 3; behind < digits.size(); behind += 4) {
        digits.insert(digits.size() - behind, ",");
    }
    return digits;
}

// "1 op", "1,204 ops".
inline std::string counted(std::uint64_t n, const char* one, const char* many) {
    return count_text(n) + " " + (n == 1 ? one : many);
}
inline std::string counted(std::uint64_t n, const std::string& one) {
    return counted(n, one.c_str(), (one + "s").c_str());
}

}  // namespace headway::core
