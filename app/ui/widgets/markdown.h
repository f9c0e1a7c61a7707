// The Markdown subset of lessons: headings, paragraphs, lists, code blocks; inline `code`, *emphasis* and **strong**.
// Anything else is shown as written.
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
    std::vector<MarkdownSpan> spans;  // for code: one span, lines separated by \n
};

std::vector<MarkdownBlock> parse_markdown(std::string_view text);

}  // namespace headway::ui
