// Reads the text of lessons, which is Markdown (CommonMark): headings, paragraphs, lists and blocks of code; inline
// `code`, *emphasis* and **strong**. HTML is shown as written. A link whose address begins with "look:" points at
// something in the window (app/questions/look.h); any other shows its address behind its text.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace headway::ui {

struct MarkdownSpan {
    enum class Style { plain, emphasis, strong, code } style = Style::plain;
    std::string text;
    std::string look{};  // the address after "look:", of a link's text
};

struct MarkdownBlock {
    enum class Kind { heading, paragraph, item, code } kind = Kind::paragraph;
    int level = 1;                    // of a heading
    std::vector<MarkdownSpan> spans;  // for code: one span, lines separated by \n
    std::string number{};             // of an item in a numbered list: "2."
};

std::vector<MarkdownBlock> parse_markdown(std::string_view text);

}  // namespace headway::ui
