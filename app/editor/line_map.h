// Maps the lines of a text to those of an earlier version, to show measurements of the earlier lines.
//
// Threads: any.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace headway::editor {

// For each line of `now`, the number of the matching line of `then`, from 1; 0 for a new line. The order is
// preserved. Between the first and the last difference it is a longest common subsequence, unless that needs too
// large a table.
std::vector<std::uint32_t> line_map(const std::vector<std::string>& then, const std::vector<std::string>& now);

}  // namespace headway::editor
