// The code in a Python program's lines, without comments. A string that goes over several lines is not known as one.
//
// Threads: any.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace headway::check {

// Where the code of a Python line ends: at a comment, outside of strings, or at the end of the line.
std::size_t code_end(std::string_view line);

// The lines of code in a program's text: without comments, blank lines and spaces at both ends.
std::vector<std::string> code_lines(const std::vector<std::string>& source);

}  // namespace headway::check
