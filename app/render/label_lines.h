// Breaks a line that begins with a label in a column: "spent on matmul ×38 81 %, add ×38 12 %".
//
// Threads: any.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "app/render/utf8.h"

namespace headway::figure {

// In lines of at most `most` characters; all but the first begin with `label` spaces, beside the label. A line ends
// behind a comma if that leaves it at least half full, else at a space. A longer word stays whole.
inline std::vector<std::string> label_lines(std::string_view text, std::size_t label, std::size_t most) {
    std::vector<std::string> lines;
    std::string rest(text);
    for (;;) {
        std::size_t chars = 0, bytes = 0, space = 0, comma = 0;
        each_char(rest, [&](char32_t code, std::string_view part) {
            if (code == ' ' && chars > label && (chars <= most || space == 0)) {
                space = bytes;
                comma = rest[bytes - 1] == ',' && 2 * chars >= most ? bytes : comma;
            }
            ++chars;
            bytes += part.size();
        });
        const std::size_t end = comma != 0 ? comma : space;
        if (chars <= most || end == 0) {
            lines.push_back(std::move(rest));
            return lines;
        }
        lines.push_back(rest.substr(0, end));
        rest = std::string(label, ' ') + rest.substr(end + 1);
    }
}

}  // namespace headway::figure
