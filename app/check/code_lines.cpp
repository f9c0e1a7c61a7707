#include "app/check/code_lines.h"

#include <utility>

namespace headway::check {

std::string without_strings(std::string_view line) {
    std::string bare;
    char quote = 0;
    for (std::size_t i = 0; i < line.size(); ++i) {
        const char c = line[i];
        if (quote == 0 && c == '#') {
            break;
        }
        const bool in_string = quote != 0 || c == '"' || c == '\'';
        bare += in_string ? '~' : c;
        if (quote != 0 && c == '\\' && i + 1 < line.size()) {
            bare += '~';
            ++i;
        } else if (c == '"' || c == '\'') {
            quote = quote == 0 ? c : quote == c ? '\0' : quote;
        }
    }
    return bare;
}

CodeLine code_line(std::string_view line) {
    constexpr std::string_view kSpaces = " \t\r";
    const std::string_view code = line.substr(0, without_strings(line).size());
    const auto begin = code.find_first_not_of(kSpaces);
    if (begin == std::string_view::npos) {
        return {};
    }
    return {begin, std::string(code.substr(begin, code.find_last_not_of(kSpaces) + 1 - begin))};
}

std::vector<std::string> code_lines(const std::vector<std::string>& source) {
    std::vector<std::string> lines;
    for (const std::string& line : source) {
        if (std::string code = code_line(line).code; !code.empty()) {
            lines.push_back(std::move(code));
        }
    }
    return lines;
}

}  // namespace headway::check
