// Syntax highlighting, line by line.
//
// The tokens of a line depend on what is open at its start (a multi-line string, a code block in a document), so
// lines are read in order, and each returns the state for the next.
//
// Threads: any; no shared state.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace headway::editor {

enum class Language : std::uint8_t { python, cpp, markdown };

enum class Token : std::uint8_t { plain, keyword, name, number, string, comment, prose };

// Bytes `begin` to `end` of a line. Bytes outside of all spans are plain.
struct Span {
    std::uint32_t begin = 0, end = 0;
    Token token = Token::plain;
    friend bool operator==(const Span&, const Span&) = default;
};

struct LineState {
    enum class Open : std::uint8_t { nothing, triple_single, triple_double, comment } open = Open::nothing;
    enum class Fence : std::uint8_t { none, python, other } fence = Fence::none;
    friend bool operator==(const LineState&, const LineState&) = default;
};

// Appends the line's spans, in order and without overlap; returns the state at the start of the next line.
LineState read_line(Language language, LineState state, std::string_view line, std::vector<Span>& spans);

// The spans of all lines of a changing text.
class Highlighter {
public:
    explicit Highlighter(Language language) : language_(language) {}
    // Call after the text has changed. Reads only lines that may be affected.
    void update(const std::vector<std::string>& lines);
    [[nodiscard]] const std::vector<Span>& spans(std::size_t line) const { return lines_[line].spans; }
    [[nodiscard]] std::size_t size() const { return lines_.size(); }

private:
    struct Line {
        std::string text;
        LineState before, after;
        std::vector<Span> spans;
    };
    Language language_;
    std::vector<Line> lines_;
    std::size_t known_ = 0;  // lines that have been read at least once
};

}  // namespace headway::editor
