// The little Markdown that lessons are written in: headings, paragraphs, lists, code blocks; `code`, *emphasis* and
// **strong** inside. Anything else is shown as it is written.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace headway::ui {

struct MarkdownSpan {
    enum class Style { plain, emphasis, strong, code } style = Style::plain;
    std::string text;
};

struct MarkdownBlock {
    enum class Kind { heading, paragraph, item, code } kind = Kind::paragraph;
    int level = 1;                    // of a heading
    std::vector<MarkdownSpan> spans;  // of code: one span, lines apart by \n
};

std::vector<MarkdownBlock> parse_markdown(std::string_view text);

}  // namespace headway::ui
