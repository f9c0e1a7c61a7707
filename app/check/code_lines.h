// The code in a Python program's lines. Multi-line strings are not recognised.
//
// Threads: any.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace headway::check {

// The line up to its comment, with a ~ for each character of a string.
std::string without_strings(std::string_view line);

struct CodeLine {
    std::size_t indent = 0;
    std::string code;  // without comment and spaces at both ends
};
CodeLine code_line(std::string_view line);

// The code of the lines that have some.
std::vector<std::string> code_lines(const std::vector<std::string>& source);

}  // namespace headway::check
