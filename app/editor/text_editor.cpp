#include "app/editor/text_editor.h"

#include <algorithm>

#include "engine/core/assert.h"

namespace headway::editor {
namespace {

// Limit for the text in the undo history; older edits are removed.
constexpr std::size_t kUndoBytes = std::size_t{64} << 20;

bool continues(char c) {
    return (static_cast<unsigned char>(c) & 0xc0) == 0x80;
}

// Letters, digits, '_', and all non-ASCII characters.
bool is_word(char c) {
    const auto u = static_cast<unsigned char>(c);
    return u >= 0x80 || (u >= '0' && u <= '9') || (u >= 'A' && u <= 'Z') || (u >= 'a' && u <= 'z') || u == '_';
}
bool is_blank(char c) {
    return c == ' ' || c == '\t';
}

char lower(char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

std::size_t indentation(std::string_view line) {
    std::size_t n = 0;
    while (n < line.size() && is_blank(line[n])) {
        ++n;
    }
    return n;
}

std::vector<std::string> split(std::string_view text) {
    std::vector<std::string> lines;
    while (true) {
        const std::size_t newline = text.find('\n');
        lines.emplace_back(text.substr(0, newline));
        if (newline == std::string_view::npos) {
            return lines;
        }
        text.remove_prefix(newline + 1);
    }
}

// Normalises line ends and removes NUL bytes.
std::string cleaned(std::string_view text) {
    std::string clean;
    clean.reserve(text.size());
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] == '\r') {
            clean += '\n';
            i += i + 1 < text.size() && text[i + 1] == '\n' ? 1 : 0;
        } else if (text[i] != '\0') {
            clean += text[i];
        }
    }
    return clean;
}

bool ends_with_colon(std::string_view line) {
    // Ignore a comment after the colon. A '#' inside a string is rare before a ':'.
    const std::size_t hash = line.find(" #");
    line = line.substr(0, hash);
    while (!line.empty() && is_blank(line.back())) {
        line.remove_suffix(1);
    }
    return line.ends_with(':');
}

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
    // A selection that ends at the begin of a line does not include that line.
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
    // Inserting lines at the begin of a line pushes it down, and its breakpoint moves with it.
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

void TextEditor::type(std::string_view text) {
    const std::string clean = cleaned(text);
    if (clean.empty()) {
        return;
    }
    begin_group();
    const bool one_word = clean.find('\n') == std::string::npos;
    replace(selection(), clean, one_word);
}

void TextEditor::paste(std::string_view text) {
    begin_group();
    replace(selection(), cleaned(text));
}

std::string TextEditor::cut() {
    begin_group();
    if (!has_selection()) {
        const Position caret = caret_;
        select_line(caret_.line);
        if (!has_selection()) {
            place(caret);
            return {};
        }
    }
    std::string text = this->text(selection());
    replace(selection(), {});
    return text;
}

void TextEditor::newline() {
    begin_group();
    const Range range = selection();
    const std::string& line = lines_[range.begin.line];
    const std::string_view left = std::string_view(line).substr(0, range.begin.byte);
    std::string text = "\n" + line.substr(0, std::min<std::size_t>(indentation(line), range.begin.byte));
    if (ends_with_colon(left)) {
        text.append(kIndent, ' ');
    } else {
        // No statement of the same block can follow these.
        const std::string_view words = left.substr(indentation(left));
        for (const std::string_view last : {"return", "pass", "break", "continue", "raise"}) {
            const bool is = words.starts_with(last) && (words.size() == last.size() || !is_word(words[last.size()]));
            if (is && text.size() > kIndent) {
                text.resize(text.size() - kIndent);
            }
        }
    }
    replace(range, text);
}

void TextEditor::indent() {
    begin_group();
    const auto [first, last] = selected_lines();
    if (first == last && selection().begin.line == selection().end.line) {
        replace(selection(), std::string(kIndent - column(selection().begin) % kIndent, ' '));
        return;
    }
    for (std::uint32_t line = first; line <= last; ++line) {
        if (!lines_[line].empty()) {
            replace({{line, 0}, {line, 0}}, std::string(kIndent, ' '));
        }
    }
    select({{first, 0}, {last, static_cast<std::uint32_t>(lines_[last].size())}});
}

void TextEditor::outdent() {
    begin_group();
    const auto [first, last] = selected_lines();
    const bool block = has_selection();
    const Position caret = caret_;
    std::uint32_t removed = 0;
    for (std::uint32_t line = first; line <= last; ++line) {
        std::uint32_t blanks = 0;
        while (blanks < kIndent && blanks < lines_[line].size() && is_blank(lines_[line][blanks])) {
            ++blanks;
            if (lines_[line][blanks - 1] == '\t') {
                break;
            }
        }
        replace({{line, 0}, {line, blanks}}, {});
        removed = blanks;
    }
    if (block) {
        select({{first, 0}, {last, static_cast<std::uint32_t>(lines_[last].size())}});
    } else {
        place({caret.line, caret.byte > removed ? caret.byte - removed : 0});
    }
}

void TextEditor::toggle_comment() {
    begin_group();
    const auto [first, last] = selected_lines();
    const Position caret = caret_;
    const bool block = has_selection();
    bool all = true;
    std::size_t depth = std::string::npos;
    for (std::uint32_t line = first; line <= last; ++line) {
        const std::size_t begin = indentation(lines_[line]);
        if (begin < lines_[line].size()) {
            all = all && lines_[line][begin] == '#';
            depth = std::min(depth, begin);
        }
    }
    if (depth == std::string::npos) {
        return;  // only empty lines
    }
    for (std::uint32_t line = first; line <= last; ++line) {
        const auto begin = static_cast<std::uint32_t>(indentation(lines_[line]));
        if (begin == lines_[line].size()) {
            continue;
        }
        if (all) {
            const bool blank = begin + 1 < lines_[line].size() && lines_[line][begin + 1] == ' ';
            replace({{line, begin}, {line, begin + (blank ? 2 : 1)}}, {});
        } else {
            const Position at{line, static_cast<std::uint32_t>(depth)};
            replace({at, at}, "# ");
        }
    }
    if (block) {
        select({{first, 0}, {last, static_cast<std::uint32_t>(lines_[last].size())}});
    } else {
        place({caret.line, all ? caret.byte - std::min<std::uint32_t>(caret.byte, 2) : caret.byte + 2});
    }
}

void TextEditor::backspace(bool word) {
    begin_group();
    Range range = selection();
    if (range.empty()) {
        range.begin = word ? word_before(range.end) : before(range.end);
        // In the indentation: back to the previous indentation stop.
        const std::string& line = lines_[range.end.line];
        const std::uint32_t byte = range.end.byte;
        if (!word && byte > 0 && byte <= indentation(line) && line.find('\t') >= byte) {
            range.begin = {range.end.line, (byte - 1) / kIndent * kIndent};
        }
    }
    replace(range, {});
}

void TextEditor::erase(bool word) {
    begin_group();
    Range range = selection();
    if (range.empty()) {
        range.end = word ? word_after(range.begin) : after(range.begin);
    }
    replace(range, {});
}

void TextEditor::replace_all(std::string_view text) {
    const std::string clean = cleaned(text);
    if (clean == this->text()) {
        return;
    }
    begin_group();
    // Replace only what differs, so that breakpoints on other lines do not move.
    const auto now = split(clean);
    std::size_t head = 0, tail = 0;
    const std::size_t least = std::min(now.size(), lines_.size());
    while (head + 1 < least && now[head] == lines_[head]) {
        ++head;
    }
    while (head + tail + 1 < least && now[now.size() - 1 - tail] == lines_[lines_.size() - 1 - tail]) {
        ++tail;
    }
    std::string middle;
    for (std::size_t i = head; i < now.size() - tail; ++i) {
        middle += (i > head ? "\n" : "") + now[i];
    }
    const Position caret = caret_;
    const auto last = static_cast<std::uint32_t>(lines_.size() - 1 - tail);
    replace({{static_cast<std::uint32_t>(head), 0}, {last, static_cast<std::uint32_t>(lines_[last].size())}}, middle);
    place(caret);
}

std::optional<Range> TextEditor::find(std::string_view what, Position from, bool forward) const {
    if (what.empty()) {
        return std::nullopt;
    }
    const bool exact = std::any_of(what.begin(), what.end(), [](char c) { return c >= 'A' && c <= 'Z'; });
    const auto alike = [exact](char a, char b) { return exact ? a == b : lower(a) == lower(b); };
    const auto found = [&](std::uint32_t line, std::size_t byte) {
        return Range{{line, static_cast<std::uint32_t>(byte)}, {line, static_cast<std::uint32_t>(byte + what.size())}};
    };
    const auto count = static_cast<std::uint32_t>(lines_.size());
    from = nearest(from);
    for (std::uint32_t i = 0; i <= count; ++i) {
        const std::uint32_t line = forward ? (from.line + i) % count : (from.line + count - i % count) % count;
        const std::string& text = lines_[line];
        if (forward) {
            const auto begin = text.begin() + (i == 0 ? from.byte : 0);
            const auto at = std::search(begin, text.end(), what.begin(), what.end(), alike);
            if (at != text.end()) {
                return found(line, static_cast<std::size_t>(at - text.begin()));
            }
        } else {
            const auto end = text.begin() + static_cast<std::ptrdiff_t>(i == 0 ? from.byte : text.size());
            const auto at = std::find_end(text.begin(), end, what.begin(), what.end(), alike);
            if (at != end) {
                return found(line, static_cast<std::size_t>(at - text.begin()));
            }
        }
    }
    return std::nullopt;
}

}  // namespace headway::editor
