#include "app/ui/widgets/markdown.h"

#include <gtest/gtest.h>

#include "app/ui/widgets/paragraph.h"

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

TEST(Paragraph, KeepsANumberAndItsUnitInOneLine) {
    for (const char* unit : {"ms", "µs,", "ops)", "%", "MB."}) {
        EXPECT_TRUE(stay_together("(3.10", unit)) << unit;
    }
    EXPECT_FALSE(stay_together("3.10", "and"));
    EXPECT_FALSE(stay_together("of", "ms"));
    EXPECT_FALSE(stay_together("", "ms"));
    EXPECT_TRUE(stay_together("Stream", "0"));
    EXPECT_TRUE(stay_together("line", "18,"));
    EXPECT_FALSE(stay_together("for", "6"));
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
    for (const char* text :
         {"2 * 3 * 4", "an open `tick", "**", "a ** b", "wait_to_read and wait_all", "x < 3 && y", "<b>bold</b>"}) {
        const auto blocks = parse_markdown(text);
        ASSERT_EQ(blocks.size(), 1u) << text;
        ASSERT_EQ(blocks[0].spans.size(), 1u) << text;
        EXPECT_EQ(blocks[0].spans[0].style, Style::plain) << text;
        EXPECT_EQ(blocks[0].spans[0].text, text);
    }
    EXPECT_TRUE(parse_markdown("").empty());
    EXPECT_TRUE(parse_markdown("\n\n \n").empty());
}

TEST(Markdown, ReadsListsOfEveryForm) {
    const auto blocks = parse_markdown("3. three\n4. four\n   - inner **one**\n\n     more\n\n* *\n\nend");
    ASSERT_EQ(blocks.size(), 7u);
    EXPECT_EQ(blocks[0].number, "3.");
    EXPECT_EQ(blocks[0].spans.front().text, "three");
    EXPECT_EQ(blocks[1].number, "4.");
    EXPECT_EQ(blocks[2].number, "");
    EXPECT_EQ(blocks[2].kind, Kind::item);
    EXPECT_EQ(blocks[2].spans.size(), 2u);
    EXPECT_EQ(blocks[3].kind, Kind::paragraph);
    EXPECT_EQ(blocks[3].spans.front().text, "more");
    EXPECT_EQ(blocks[4].kind, Kind::item);
    EXPECT_EQ(blocks[5].kind, Kind::item);  // an empty list in the list
    EXPECT_EQ(blocks[6].spans.front().text, "end");
}

TEST(Markdown, ShowsLinksEntitiesAndQuotes) {
    const auto blocks =
        parse_markdown("> see [the book](https://d2l.ai) &amp; <https://mxnet.io> &copy;\n\n    indented\n");
    ASSERT_EQ(blocks.size(), 2u);
    ASSERT_EQ(blocks[0].spans.size(), 1u);
    EXPECT_EQ(blocks[0].spans[0].text, "see the book (https://d2l.ai) & https://mxnet.io &copy;");
    EXPECT_EQ(blocks[1].kind, Kind::code);
    EXPECT_EQ(blocks[1].spans[0].text, "indented");
}

TEST(Markdown, LinksThatPointIntoTheWindowKeepTheirAddress) {
    const auto blocks =
        parse_markdown("See [the *last* wait](<look:last(w in waits where w.ns &gt; 5us)>), [all](look:ops).");
    ASSERT_EQ(blocks.size(), 1u);
    const auto& spans = blocks[0].spans;
    ASSERT_EQ(spans.size(), 7u);
    EXPECT_EQ(spans[0].look, "");
    for (const std::size_t i : {1, 2, 3}) {
        EXPECT_EQ(spans[i].look, "last(w in waits where w.ns > 5us)");
    }
    EXPECT_EQ(spans[2].text, "last");
    EXPECT_EQ(spans[4].text, ", ");
    EXPECT_EQ(spans[5].look, "ops");
    EXPECT_EQ(spans[6].text, ".");
}

TEST(Markdown, ACodeBlockMayBeEmpty) {
    const auto blocks = parse_markdown("```\n```\n");
    ASSERT_EQ(blocks.size(), 1u);
    ASSERT_EQ(blocks[0].spans.size(), 1u);
    EXPECT_EQ(blocks[0].spans[0].text, "");
}

}  // namespace
}  // namespace headway::ui
