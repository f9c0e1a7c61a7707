// Turns words into a sentence: "out of memory at op 203" becomes "Out of memory at op 203."
#pragma once

#include <string>

namespace headway::model {

[[nodiscard]] inline std::string sentence_of(std::string text) {
    if (text.empty()) {
        return text;
    }
    if (text.back() != '.' && text.back() != '!' && text.back() != '?') {
        text += '.';
    }
    if (text[0] >= 'a' && text[0] <= 'z') {
        text[0] = static_cast<char>(text[0] - 'a' + 'A');
    }
    return text;
}

}  // namespace headway::model
