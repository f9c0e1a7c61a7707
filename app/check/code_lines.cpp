#include "app/check/code_lines.h"

namespace headway::check {

std::size_t code_end(std::string_view line) {
    char quote = 0;
    for (std::size_t i = 0; i < line.size(); ++i) {
        if (quote == 0 && line[i] == '#') {
            return i;
        }
        if (quote != 0 && line[i] == '\\') {
            ++i;
        } else if (line[i] == '"' || line[i] == '\'') {
            quote = quote == 0 ? line[i] : quote == line[i] ? '\0' : quote;
        }
    }
    return line.size();
}

std::vector<std::string> code_lines(const std::vector<std::string>& source) {
    std::vector<std::string> lines;
    for (const std::string& line : source) {
        const std::size_t end = code_end(line);
        const auto begin = line.find_first_not_of(" \t\r");
        const auto last = end == 0 ? std::string::npos : line.find_last_not_of(" \t\r", end - 1);
        if (begin < end && last != std::string::npos && last >= begin) {
            lines.push_back(line.substr(begin, last - begin + 1));
        }
    }
    return lines;
}

}  // namespace headway::check
