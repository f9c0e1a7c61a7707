// What the program wrote to stdout and stderr, and when. Only its frontend's thread is recorded, and only the first
// part of a long output (trace::OutputRecord::kMostOfRun bytes).
//
// Threads: as of Run.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "engine/core/ids.h"
#include "engine/trace/frontend_records.h"

namespace headway::model {

class ProgramOutput {
public:
    // One call of write().
    struct Written {
        std::int64_t ns = 0;
        core::OpId issued = 0;  // ops issued before it
        bool error = false;     // to stderr
        std::size_t from = 0, bytes = 0;
    };

    // Several records of the same time are one call.
    void take(const trace::OutputRecord& record, std::int64_t ns) {
        const std::size_t bytes = std::min<std::size_t>(record.bytes, record.text.size());
        const bool error = record.stream == 2;
        ns = written_.empty() ? ns : std::max(ns, written_.back().ns);  // a damaged recording: out of order
        if (written_.empty() || written_.back().ns != ns || written_.back().error != error) {
            written_.push_back({ns, record.issued, error, text_.size(), 0});
        }
        text_.append(record.text.data(), bytes);
        written_.back().bytes += bytes;
    }
    void clear() {
        written_.clear();
        text_.clear();
    }

    [[nodiscard]] const std::vector<Written>& written() const { return written_; }  // in order
    [[nodiscard]] std::string_view text(const Written& written) const {
        return std::string_view(text_).substr(written.from, written.bytes);
    }
    // How many of written() have happened at `ns`.
    [[nodiscard]] std::size_t until(std::int64_t ns) const {
        return static_cast<std::size_t>(
            std::upper_bound(written_.begin(), written_.end(), ns,
                             [](std::int64_t at, const Written& written) { return at < written.ns; }) -
            written_.begin());
    }
    // Whether the last of the first `count` calls filled what is recorded: more may have been written after it.
    [[nodiscard]] bool may_lack(std::size_t count) const {
        return count != 0 && written_[count - 1].from + written_[count - 1].bytes >= trace::OutputRecord::kMostOfRun;
    }

private:
    std::vector<Written> written_;
    std::string text_;
};

}  // namespace headway::model
