#include "app/runner/execution/option_values.h"

#include <algorithm>

namespace headway::runner {

core::Result<void> take_word(const std::string& text, const char* option, const char* first_word,
                             const char* second_word, bool& second) {
    if (text.empty() || text == first_word || text == second_word) {
        second = text.empty() ? second : text == second_word;
        return {};
    }
    return core::Error{core::ErrorKind::usage, std::string(option) + " must be " + first_word + " or " + second_word +
                                                   ", not \"" + text.substr(0, 60) + "\""};
}

std::vector<std::string> names_in(const std::string& text) {
    std::vector<std::string> names;
    for (std::size_t at = 0; text != "-" && at <= text.size();) {
        const std::size_t end = std::min(text.find(',', at), text.size());
        names.push_back(text.substr(at, end - at));
        at = end + 1;
    }
    return names;
}

}  // namespace headway::runner
