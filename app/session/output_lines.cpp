#include "app/session/output_lines.h"

#include <algorithm>

namespace headway::session {

void OutputLines::add(std::string_view bytes, bool error) {
    bool& open = open_[error ? 1 : 0];
    std::size_t from = 0;
    while (from < bytes.size()) {
        const std::size_t end = std::min(bytes.find('\n', from), bytes.size());
        std::string_view piece = bytes.substr(from, end - from);
        if (piece.ends_with('\r')) {
            piece.remove_suffix(1);
        }
        OutputLine* line = nullptr;
        if (open) {
            const auto last =
                std::find_if(lines_.rbegin(), lines_.rend(), [error](const OutputLine& l) { return l.error == error; });
            line = last != lines_.rend() ? &*last : nullptr;
        }
        if (line == nullptr) {
            line = &lines_.emplace_back(OutputLine{{}, error});
        }
        if (line->text.size() < kLineBytes) {
            line->text += piece.substr(0, kLineBytes - line->text.size());
            if (line->text.size() >= kLineBytes) {
                line->text += "…";
            }
        }
        open = end == bytes.size();
        from = end + 1;
    }
    while (lines_.size() > kMost) {
        lines_.pop_front();
        ++cut_;
    }
}

}  // namespace headway::session
