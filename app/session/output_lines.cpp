#include "app/session/output_lines.h"

#include <algorithm>

namespace headway::session {

OutputLine& OutputLines::open_line(bool error) {
    if (open_[error ? 1 : 0]) {
        const auto last =
            std::find_if(lines_.rbegin(), lines_.rend(), [error](const OutputLine& l) { return l.error == error; });
        if (last != lines_.rend()) {
            return *last;
        }
    }
    return lines_.emplace_back(OutputLine{{}, error});
}

void OutputLines::add(std::string_view bytes, bool error) {
    bool &open = open_[error ? 1 : 0], &returned = returned_[error ? 1 : 0];
    std::size_t from = 0;
    while (from < bytes.size()) {
        const std::size_t end = std::min(bytes.find_first_of("\n\r", from), bytes.size());
        const std::string_view piece = bytes.substr(from, end - from);
        OutputLine& line = open_line(error);
        if (returned && !piece.empty()) {
            line.text.clear();
            returned = false;
        }
        if (line.text.size() < kLineBytes) {
            line.text += piece.substr(0, kLineBytes - line.text.size());
            if (line.text.size() >= kLineBytes) {
                line.text += "…";
            }
        }
        open = end == bytes.size() || bytes[end] == '\r';
        returned = open && (returned || end < bytes.size());
        from = end + 1;
    }
    while (lines_.size() > kMost) {
        lines_.pop_front();
        ++cut_;
    }
}

}  // namespace headway::session
