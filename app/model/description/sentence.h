// Turns words into a sentence.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

namespace headway::model {

// Adds the full stop that is missing.
[[nodiscard]] inline std::string with_full_stop(std::string text) {
    if (!text.empty() && std::string_view(".!?:").find(text.back()) == std::string_view::npos) {
        text += '.';
    }
    return text;
}

// "out of memory at op 203" becomes "Out of memory at op 203.". A name before a colon stays as it is: "matmul: needs
// two matrices."
[[nodiscard]] inline std::string sentence_of(std::string text) {
    text = with_full_stop(std::move(text));
    const std::size_t end = text.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_.");
    const bool name = end != std::string::npos && text[end] == ':';
    if (!name && !text.empty() && text[0] >= 'a' && text[0] <= 'z') {
        text[0] = static_cast<char>(text[0] - 'a' + 'A');
    }
    return text;
}

}  // namespace headway::model
