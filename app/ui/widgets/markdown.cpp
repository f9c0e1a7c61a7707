#include "app/ui/widgets/markdown.h"

#include <algorithm>

namespace headway::ui {
namespace {

using Style = MarkdownSpan::Style;

void put(std::vector<MarkdownSpan>& spans, Style style, std::string_view text) {
    if (text.empty()) {
        return;
    }
    if (!spans.empty() && spans.back().style == style) {
        spans.back().text += text;
    } else {
        spans.push_back({style, std::string(text)});
    }
}

std::vector<MarkdownSpan> parse_spans(std::string_view text) {
    std::vector<MarkdownSpan> spans;
    std::size_t plain = 0, i = 0;
    while (i < text.size()) {
        std::string_view fence;
        Style style = Style::plain;
        if (text[i] == '`') {
            fence = "`";
            style = Style::code;
        } else if (text.substr(i).starts_with("**")) {
            fence = "**";
            style = Style::strong;
        } else if (text[i] == '*') {
            fence = "*";
            style = Style::emphasis;
        }
        const std::size_t from = i + fence.size();
        const std::size_t end = fence.empty() ? std::string_view::npos : text.find(fence, from);
        // A star between spaces is a multiplication sign.
        if (end == std::string_view::npos || end == from || (style != Style::code && text[from] == ' ')) {
            i += std::max<std::size_t>(1, fence.size());
            continue;
        }
        put(spans, Style::plain, text.substr(plain, i - plain));
        put(spans, style, text.substr(from, end - from));
        i = plain = end + fence.size();
    }
    put(spans, Style::plain, text.substr(plain));
    return spans;
}

}  // namespace

std::vector<MarkdownBlock> parse_markdown(std::string_view text) {
    using Kind = MarkdownBlock::Kind;
    std::vector<MarkdownBlock> blocks;
    std::string gathered;
    Kind kind = Kind::paragraph;
    const auto finish = [&] {
        if (!gathered.empty()) {
            blocks.push_back({kind, 1, parse_spans(gathered)});
        }
        gathered.clear();
        kind = Kind::paragraph;
    };
    bool in_code = false;
    while (!text.empty()) {
        const std::size_t newline = std::min(text.find('\n'), text.size());
        std::string_view line = text.substr(0, newline);
        text.remove_prefix(std::min(newline + 1, text.size()));
        if (line.ends_with('\r')) {
            line.remove_suffix(1);
        }
        if (line.starts_with("```")) {
            finish();
            if (!in_code) {
                blocks.push_back({Kind::code, 1, {{Style::code, {}}}});
            }
            in_code = !in_code;
            continue;
        }
        if (in_code) {
            std::string& code = blocks.back().spans.front().text;
            code += (code.empty() ? "" : "\n") + std::string(line);
            continue;
        }
        const std::size_t indent = std::min(line.find_first_not_of(" \t"), line.size());
        std::string_view trimmed = line.substr(indent);
        trimmed = trimmed.substr(0, trimmed.find_last_not_of(" \t") + 1);
        const std::size_t hashes = std::min(trimmed.find_first_not_of('#'), trimmed.size());
        if (trimmed.empty()) {
            finish();
        } else if (hashes >= 1 && hashes <= 6 && hashes < trimmed.size() && trimmed[hashes] == ' ') {
            finish();
            blocks.push_back({Kind::heading, static_cast<int>(hashes), parse_spans(trimmed.substr(hashes + 1))});
        } else if (trimmed.starts_with("- ") || trimmed.starts_with("* ")) {
            finish();
            kind = Kind::item;
            gathered = trimmed.substr(2);
        } else {
            gathered += (gathered.empty() ? "" : " ") + std::string(trimmed);
        }
    }
    finish();
    return blocks;
}

}  // namespace headway::ui
