// TextEditor: what typing and the editing keys do.
#include <algorithm>
#include <string>
#include <utility>

#include "app/editor/characters.h"
#include "app/editor/text_editor.h"

namespace headway::editor {

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
