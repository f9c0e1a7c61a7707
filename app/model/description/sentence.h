// Turns words into a sentence.
#pragma once

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

// "out of memory at op 203" becomes "Out of memory at op 203."
[[nodiscard]] inline std::string sentence_of(std::string text) {
    text = with_full_stop(std::move(text));
    if (!text.empty() && text[0] >= 'a' && text[0] <= 'z') {
        text[0] = static_cast<char>(text[0] - 'a' + 'A');
    }
    return text;
}

}  // namespace headway::model
