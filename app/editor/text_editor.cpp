#include "app/editor/text_editor.h"

#include <algorithm>

#include "app/editor/characters.h"
#include "engine/core/assert.h"

namespace headway::editor {
namespace {

// Limit for the text in the undo history; older edits are removed.
constexpr std::size_t kUndoBytes = std::size_t{64} << 20;

}  // namespace

std::size_t character_bytes(std::string_view line, std::size_t byte) {
    const auto first = static_cast<unsigned char>(byte < line.size() ? line[byte] : 0);
    const std::size_t wanted = first < 0xc2 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : first < 0xf5 ? 4 : 1;
    if (byte + wanted > line.size()) {
        return 1;
    }
    for (std::size_t i = 1; i < wanted; ++i) {
        if (!continues(line[byte + i])) {
            return 1;
        }
    }
    return wanted;
}

TextEditor::TextEditor(std::string_view text) : lines_(split(cleaned(text))) {}

std::string TextEditor::text() const {
    return text({{0, 0}, end()});
}

std::string TextEditor::text(Range range) const {
    const Position a = nearest(range.begin), b = nearest(range.end);
    if (a.line == b.line) {
        return lines_[a.line].substr(a.byte, b.byte - a.byte);
    }
    std::string text = lines_[a.line].substr(a.byte);
    for (std::uint32_t line = a.line + 1; line < b.line; ++line) {
        text += '\n';
        text += lines_[line];
    }
    text += '\n';
    return text.append(lines_[b.line], 0, b.byte);
}

Position TextEditor::end() const {
    return {static_cast<std::uint32_t>(lines_.size() - 1), static_cast<std::uint32_t>(lines_.back().size())};
}

Position TextEditor::nearest(Position p) const {
    if (p.line >= lines_.size()) {
        return end();
    }
    const std::string& line = lines_[p.line];
    p.byte = std::min(p.byte, static_cast<std::uint32_t>(line.size()));
    for (std::uint32_t back = 1; back < 4 && back <= p.byte; ++back) {
        if (character_bytes(line, p.byte - back) > back) {
            return {p.line, p.byte - back};  // a character begins there and contains p
        }
    }
    return p;
}

Position TextEditor::before(Position p) const {
    if (p.byte == 0) {
        return p.line == 0 ? p : Position{p.line - 1, static_cast<std::uint32_t>(lines_[p.line - 1].size())};
    }
    return nearest({p.line, p.byte - 1});
}

Position TextEditor::after(Position p) const {
    const std::string& line = lines_[p.line];
    if (p.byte >= line.size()) {
        return p.line + 1 < lines_.size() ? Position{p.line + 1, 0} : p;
    }
    return {p.line, p.byte + static_cast<std::uint32_t>(character_bytes(line, p.byte))};
}

Position TextEditor::word_before(Position p) const {
    if (p.byte == 0) {
        return before(p);
    }
    const std::string& line = lines_[p.line];
    std::uint32_t at = p.byte;
    while (at > 0 && is_blank(line[at - 1])) {
        --at;
    }
    if (at > 0) {
        const bool word = is_word(line[at - 1]);
        while (at > 0 && !is_blank(line[at - 1]) && is_word(line[at - 1]) == word) {
            --at;
        }
    }
    return nearest({p.line, at});
}

Position TextEditor::word_after(Position p) const {
    const std::string& line = lines_[p.line];
    if (p.byte >= line.size()) {
        return after(p);
    }
    std::uint32_t at = p.byte;
    const bool word = is_word(line[at]);
    while (at < line.size() && !is_blank(line[at]) && is_word(line[at]) == word) {
        ++at;
    }
    while (at < line.size() && is_blank(line[at])) {
        ++at;
    }
    return {p.line, at};
}

std::uint32_t TextEditor::column(Position p) const {
    std::uint32_t column = 0;
    for (std::size_t at = 0; at < p.byte; at += character_bytes(lines_[p.line], at)) {
        ++column;
    }
    return column;
}

Position TextEditor::at_column(std::uint32_t line, std::uint32_t column) const {
    std::size_t at = 0;
    for (; column > 0 && at < lines_[line].size(); --column) {
        at += character_bytes(lines_[line], at);
    }
    return {line, static_cast<std::uint32_t>(at)};
}

// --- caret and selection ---

Range TextEditor::selection() const {
    return caret_ < anchor_ ? Range{caret_, anchor_} : Range{anchor_, caret_};
}

void TextEditor::place(Position p, bool select) {
    caret_ = nearest(p);
    if (!select) {
        anchor_ = caret_;
    }
    go_on_typing_ = keep_column_ = false;
}

void TextEditor::select(Range range) {
    place(range.begin);
    place(range.end, true);
}

void TextEditor::select_all() {
    select({{0, 0}, end()});
}

void TextEditor::select_word(Position p) {
    p = nearest(p);
    const std::string& line = lines_[p.line];
    if (line.empty()) {
        place(p);
        return;
    }
    const std::size_t on = std::min<std::size_t>(p.byte, line.size() - 1);
    const auto alike = [&line, on](std::size_t i) {
        return is_word(line[i]) == is_word(line[on]) && is_blank(line[i]) == is_blank(line[on]);
    };
    std::size_t begin = on, end = on;
    while (begin > 0 && alike(begin - 1)) {
        --begin;
    }
    while (end < line.size() && alike(end)) {
        ++end;
    }
    select({{p.line, static_cast<std::uint32_t>(begin)}, {p.line, static_cast<std::uint32_t>(end)}});
}

void TextEditor::select_line(std::uint32_t line) {
    line = std::min(line, static_cast<std::uint32_t>(lines_.size() - 1));
    const Position next = line + 1 < lines_.size() ? Position{line + 1, 0} : end();
    select({{line, 0}, next});
}

void TextEditor::move(Move move, bool select, std::uint32_t times) {
    const bool vertical = move == Move::up || move == Move::down;
    if (vertical && !keep_column_) {
        wanted_column_ = column(caret_);
    }
    Position p = caret_;
    if (!select && has_selection() && (move == Move::left || move == Move::right)) {
        p = move == Move::left ? selection().begin : selection().end;
        times = 0;
    }
    const auto last = static_cast<std::uint32_t>(lines_.size() - 1);
    switch (move) {
        case Move::left:
        case Move::right:
        case Move::word_left:
        case Move::word_right:
            for (; times > 0; --times) {
                p = move == Move::left        ? before(p)
                    : move == Move::right     ? after(p)
                    : move == Move::word_left ? word_before(p)
                                              : word_after(p);
            }
            break;
        case Move::up:
            p = p.line >= times ? at_column(p.line - times, wanted_column_) : Position{0, 0};
            break;
        case Move::down:
            p = p.line + times <= last ? at_column(p.line + times, wanted_column_) : end();
            break;
        case Move::line_begin: {
            const auto text_begin = static_cast<std::uint32_t>(indentation(lines_[p.line]));
            p.byte = p.byte == text_begin ? 0 : text_begin;
            break;
        }
        case Move::line_end:
            p.byte = static_cast<std::uint32_t>(lines_[p.line].size());
            break;
        case Move::text_begin:
            p = {0, 0};
            break;
        case Move::text_end:
            p = end();
            break;
    }
    place(p, select);
    keep_column_ = vertical;
}

std::pair<std::uint32_t, std::uint32_t> TextEditor::selected_lines() const {
    const Range range = selection();
    // A selection that ends at the start of a line does not include that line.
    const bool excludes_last = range.end.byte == 0 && range.end.line > range.begin.line;
    return {range.begin.line, range.end.line - (excludes_last ? 1 : 0)};
}

// --- edits ---

Position TextEditor::apply(Position at, std::string_view removed, std::string_view inserted) {
    const auto newlines = [](std::string_view text) {
        return static_cast<std::uint32_t>(std::count(text.begin(), text.end(), '\n'));
    };
    const std::uint32_t gone = newlines(removed), come = newlines(inserted);
    HEADWAY_ASSERT(at.line + gone < lines_.size(), "an edit lies inside the text");
    const std::size_t last_newline = removed.rfind('\n');
    const std::size_t tail_from =
        last_newline == std::string_view::npos ? at.byte + removed.size() : removed.size() - last_newline - 1;
    const std::string tail = lines_[at.line + gone].substr(tail_from);
    std::vector<std::string> fresh = split(inserted);
    fresh.front().insert(0, lines_[at.line], 0, at.byte);
    const Position end{at.line + come, static_cast<std::uint32_t>(fresh.back().size())};
    fresh.back() += tail;
    const auto first = lines_.begin() + at.line;
    if (gone == come) {
        std::move(fresh.begin(), fresh.end(), first);
    } else {
        const auto place = lines_.erase(first, first + gone + 1);
        lines_.insert(place, std::make_move_iterator(fresh.begin()), std::make_move_iterator(fresh.end()));
    }
    // Inserting lines at the start of a line pushes it down, and its breakpoint moves with it.
    const bool pushes_down = at.byte == 0 && gone == 0 && come > 0 && inserted.ends_with('\n');
    changes_.push_back(pushes_down ? LineChange{at.line, 0, come} : LineChange{at.line, gone + 1, come + 1});
    ++revision_;
    return end;
}

void TextEditor::replace(Range range, std::string_view text, bool typed) {
    std::string removed = this->text(range);
    if (removed.empty() && text.empty()) {
        return;
    }
    while (undone_ > 0) {  // a new edit clears the redo history
        history_bytes_ -= edits_.back().removed.size() + edits_.back().inserted.size();
        edits_.pop_back();
        --undone_;
    }
    const Position caret = caret_, anchor = anchor_;
    caret_ = anchor_ = apply(range.begin, removed, text);
    keep_column_ = false;
    history_bytes_ += removed.size() + text.size();
    const bool joins = typed && go_on_typing_ && !edits_.empty() && edits_.back().typed && removed.empty();
    if (joins) {
        edits_.back().inserted += text;
    } else {
        edits_.push_back({range.begin, std::move(removed), std::string(text), caret, anchor, group_, typed});
    }
    go_on_typing_ = typed;
    std::size_t forget = 0;
    while (history_bytes_ > kUndoBytes && forget + 1 < edits_.size()) {
        history_bytes_ -= edits_[forget].removed.size() + edits_[forget].inserted.size();
        ++forget;
    }
    edits_.erase(edits_.begin(), edits_.begin() + static_cast<std::ptrdiff_t>(forget));
}

bool TextEditor::undo() {
    if (!can_undo()) {
        return false;
    }
    const std::uint32_t group = edits_[edits_.size() - 1 - undone_].group;
    while (can_undo() && edits_[edits_.size() - 1 - undone_].group == group) {
        const Edit& edit = edits_[edits_.size() - 1 - undone_];
        apply(edit.at, edit.inserted, edit.removed);
        caret_ = edit.caret_before;
        anchor_ = edit.anchor_before;
        ++undone_;
    }
    go_on_typing_ = keep_column_ = false;
    return true;
}

bool TextEditor::redo() {
    if (!can_redo()) {
        return false;
    }
    const std::uint32_t group = edits_[edits_.size() - undone_].group;
    while (can_redo() && edits_[edits_.size() - undone_].group == group) {
        const Edit& edit = edits_[edits_.size() - undone_];
        caret_ = anchor_ = apply(edit.at, edit.removed, edit.inserted);
        --undone_;
    }
    go_on_typing_ = keep_column_ = false;
    return true;
}

}  // namespace headway::editor
