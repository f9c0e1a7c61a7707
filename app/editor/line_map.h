// Which lines of a text were lines of an earlier text, so that what was measured of those can stand beside these.
//
// Threads: any.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace headway::editor {

// For each line of `now` the number of the line of `then` that it was, from 1; 0 for a line that was not there. Order
// is kept. Between the first and the last difference it is a longest common subsequence while that is no large table.
std::vector<std::uint32_t> line_map(const std::vector<std::string>& then, const std::vector<std::string>& now);

}  // namespace headway::editor
