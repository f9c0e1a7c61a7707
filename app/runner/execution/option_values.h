// Parts of the command line's values.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "app/runner/execution/words.h"
#include "engine/core/result.h"

namespace headway::runner {

// Parses a number; leaves `value` unchanged if the text is empty.
template <class Number>
core::Result<void> take_count(const std::string& text, const std::string& option, std::uint64_t least,
                              std::uint64_t most, Number& value) {
    if (!text.empty()) {
        auto count = parse_count(text, option, least, most);
        if (!count) {
            return count.error();
        }
        value = static_cast<Number>(*count);
    }
    return {};
}

// Parses one of two words; sets `second` to whether it is the second one. Leaves it unchanged if the text is empty.
core::Result<void> take_word(const std::string& text, const char* option, const char* first_word,
                             const char* second_word, bool& second);

// "a,b" as two names; "-" as none.
std::vector<std::string> names_in(const std::string& text);

}  // namespace headway::runner
