// A text being edited: lines, caret, selection, undo. Independent of the user interface.
//
// Text is UTF-8, and lines are separated by '\n'. A position is a line and a byte offset in it, both from 0, and
// always between two characters; other positions are moved to the nearest valid one.
//
// TextEditor has many public functions because each thing that a key or the mouse does to a text is one.
//
// Threads: one.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace headway::editor {

struct Position {
    std::uint32_t line = 0, byte = 0;
    friend auto operator<=>(const Position&, const Position&) = default;
};

// A range of text, begin <= end.
struct Range {
    Position begin, end;
    [[nodiscard]] bool empty() const { return begin == end; }
    friend bool operator==(const Range&, const Range&) = default;
};

enum class Move {
    left,
    right,
    up,
    down,
    word_left,
    word_right,
    line_begin,  // the first non-blank character; if already there, the start of the line
    line_end,
    text_begin,
    text_end,
};

// `removed` lines from line `first` on were replaced by `added` lines. Breakpoints move accordingly.
struct LineChange {
    std::uint32_t first = 0, removed = 0, added = 0;
};

// One function for each editing command: all of them change text, caret and undo list together.
class TextEditor {
public:
    static constexpr std::uint32_t kIndent = 4;

    explicit TextEditor(std::string_view text = {});

    // --- the text ---
    [[nodiscard]] const std::vector<std::string>& lines() const { return lines_; }  // at least one
    [[nodiscard]] std::string text() const;
    [[nodiscard]] std::string text(Range range) const;
    [[nodiscard]] std::uint64_t revision() const { return revision_; }  // changes with every edit, including undo
    [[nodiscard]] Position end() const;
    [[nodiscard]] Position nearest(Position p) const;

    // --- caret and selection ---
    [[nodiscard]] Position caret() const { return caret_; }
    [[nodiscard]] bool has_selection() const { return caret_ != anchor_; }
    [[nodiscard]] Range selection() const;
    void place(Position p, bool select = false);  // `select`: extends the selection from its other end
    void select(Range range);
    void select_all();
    void select_word(Position p);
    void select_line(std::uint32_t line);
    void move(Move move, bool select = false, std::uint32_t times = 1);

    // --- edits; each is one undo step, and consecutive typed characters form one step ---
    void type(std::string_view text);  // replaces the selection
    void paste(std::string_view text);
    std::string cut();  // the selection, or the whole line if there is none
    void newline();     // keeps the indentation; deeper after ':'
    void indent();      // all selected lines, or blanks up to the next stop
    void outdent();
    void toggle_comment();  // adds "# " to all selected lines, or removes it
    void backspace(bool word = false);
    void erase(bool word = false);
    void replace_all(std::string_view text);  // the caret stays on its line

    bool undo();  // false: nothing to undo
    bool redo();
    [[nodiscard]] bool can_undo() const { return undone_ < edits_.size(); }
    [[nodiscard]] bool can_redo() const { return undone_ > 0; }

    // The next occurrence of `what` from `from` on, or the previous one; wraps around. Lower-case letters also
    // match capitals.
    [[nodiscard]] std::optional<Range> find(std::string_view what, Position from, bool forward = true) const;

    // The line changes since the last call, in order.
    [[nodiscard]] std::vector<LineChange> take_line_changes() { return std::exchange(changes_, {}); }

private:
    struct Edit {
        Position at;
        std::string removed, inserted;
        Position caret_before, anchor_before;
        std::uint32_t group = 0;  // edits of one group are undone together
        bool typed = false;
    };
    void replace(Range range, std::string_view text, bool typed = false);
    Position apply(Position at, std::string_view removed, std::string_view inserted);  // returns the end of `inserted`
    void begin_group() { ++group_; }
    [[nodiscard]] Position before(Position p) const;
    [[nodiscard]] Position after(Position p) const;
    [[nodiscard]] Position word_before(Position p) const;
    [[nodiscard]] Position word_after(Position p) const;
    [[nodiscard]] std::uint32_t column(Position p) const;  // characters before the position
    [[nodiscard]] Position at_column(std::uint32_t line, std::uint32_t column) const;
    [[nodiscard]] std::pair<std::uint32_t, std::uint32_t> selected_lines() const;  // first, last

    std::vector<std::string> lines_;
    Position caret_, anchor_;
    std::uint32_t wanted_column_ = 0;  // the column kept by moves up and down
    bool keep_column_ = false;
    std::vector<Edit> edits_;
    std::size_t undone_ = 0, history_bytes_ = 0;
    std::uint32_t group_ = 0;
    bool go_on_typing_ = false;
    std::uint64_t revision_ = 0;
    std::vector<LineChange> changes_;
};

// The length of the character at `byte`, at least 1. Invalid UTF-8 counts as one character per byte.
std::size_t character_bytes(std::string_view line, std::size_t byte);

}  // namespace headway::editor
