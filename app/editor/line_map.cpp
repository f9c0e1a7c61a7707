#include "app/editor/line_map.h"

#include <algorithm>

namespace headway::editor {

std::vector<std::uint32_t> line_map(const std::vector<std::string>& then, const std::vector<std::string>& now) {
    std::vector<std::uint32_t> map(now.size(), 0);
    const std::size_t least = std::min(then.size(), now.size());
    std::size_t head = 0, tail = 0;
    for (; head < least && then[head] == now[head]; ++head) {
        map[head] = static_cast<std::uint32_t>(head + 1);
    }
    for (; head + tail < least && then[then.size() - 1 - tail] == now[now.size() - 1 - tail]; ++tail) {
        map[now.size() - 1 - tail] = static_cast<std::uint32_t>(then.size() - tail);
    }
    // Between head and tail: the longest common subsequence, if its table is small enough.
    const std::size_t rows = then.size() - head - tail, columns = now.size() - head - tail;
    if (rows == 0 || columns == 0 || rows * columns > 4'000'000) {
        return map;
    }
    std::vector<std::uint32_t> longest((rows + 1) * (columns + 1), 0);
    const auto at = [&](std::size_t row, std::size_t column) -> std::uint32_t& {
        return longest[row * (columns + 1) + column];
    };
    for (std::size_t row = rows; row-- > 0;) {
        for (std::size_t column = columns; column-- > 0;) {
            at(row, column) = then[head + row] == now[head + column]
                                  ? at(row + 1, column + 1) + 1
                                  : std::max(at(row + 1, column), at(row, column + 1));
        }
    }
    for (std::size_t row = 0, column = 0; row < rows && column < columns;) {
        if (then[head + row] == now[head + column]) {
            map[head + column] = static_cast<std::uint32_t>(head + row + 1);
            ++row;
            ++column;
        } else if (at(row + 1, column) >= at(row, column + 1)) {
            ++row;
        } else {
            ++column;
        }
    }
    return map;
}

}  // namespace headway::editor
