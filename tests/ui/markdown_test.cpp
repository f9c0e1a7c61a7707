#include "app/ui/widgets/markdown.h"

#include <gtest/gtest.h>

namespace headway::ui {
namespace {

using Kind = MarkdownBlock::Kind;
using Style = MarkdownSpan::Style;

TEST(Markdown, ReadsBlocks) {
    const auto blocks = parse_markdown(
        "# Title\n\nOne line\nand the next.\n\n- first\n- second\n  goes on\n\n```\ncode  x\n\ny\n```\nend");
    ASSERT_EQ(blocks.size(), 6u);
    EXPECT_EQ(blocks[0].kind, Kind::heading);
    EXPECT_EQ(blocks[1].kind, Kind::paragraph);
    EXPECT_EQ(blocks[1].spans.front().text, "One line and the next.");
    EXPECT_EQ(blocks[2].kind, Kind::item);
    EXPECT_EQ(blocks[3].spans.front().text, "second goes on");
    EXPECT_EQ(blocks[4].kind, Kind::code);
    EXPECT_EQ(blocks[4].spans.front().text, "code  x\n\ny");
    EXPECT_EQ(blocks[5].spans.front().text, "end");
}

TEST(Markdown, ReadsStyles) {
    const auto blocks = parse_markdown("a **strong** and *soft* `y = x * 2` word");
    ASSERT_EQ(blocks.size(), 1u);
    const auto& spans = blocks[0].spans;
    ASSERT_EQ(spans.size(), 7u);
    EXPECT_EQ(spans[1].style, Style::strong);
    EXPECT_EQ(spans[1].text, "strong");
    EXPECT_EQ(spans[3].style, Style::emphasis);
    EXPECT_EQ(spans[5].style, Style::code);
    EXPECT_EQ(spans[5].text, "y = x * 2");
}

TEST(Markdown, WhatIsNotMarkdownStaysAsItIs) {
    for (const char* text : {"2 * 3 * 4", "an open `tick", "**", "a ** b", "* ", "*"}) {
        std::string all;
        for (const auto& block : parse_markdown(text)) {
            for (const auto& span : block.spans) {
                EXPECT_EQ(span.style, Style::plain) << text;
                all += span.text;
            }
        }
        EXPECT_EQ(all.empty(), false) << text;
    }
    EXPECT_TRUE(parse_markdown("").empty());
    EXPECT_TRUE(parse_markdown("\n\n \n").empty());
}

}  // namespace
}  // namespace headway::ui
