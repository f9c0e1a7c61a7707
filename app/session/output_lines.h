// What a program wrote, as lines: the last kMost of them, each up to kLineBytes. What follows a carriage return
// replaces its line, as a progress bar in a terminal does.
//
// Threads: one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>

namespace headway::session {

struct OutputLine {
    std::string text;
    bool error = false;  // stderr
};

class OutputLines {
public:
    static constexpr std::size_t kMost = 5000, kLineBytes = 4000;

    // The next bytes of stdout, or of stderr.
    void add(std::string_view bytes, bool error);

    [[nodiscard]] const std::deque<OutputLine>& lines() const { return lines_; }
    [[nodiscard]] std::uint64_t cut() const { return cut_; }  // lines dropped at the front

private:
    OutputLine& open_line(bool error);

    std::deque<OutputLine> lines_;
    bool open_[2] = {false, false};      // the last line of stdout, stderr is incomplete
    bool returned_[2] = {false, false};  // and what comes next replaces it
    std::uint64_t cut_ = 0;
};

}  // namespace headway::session
