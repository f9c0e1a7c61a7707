#include "app/render/display_list.h"

#include <gtest/gtest.h>

#include "app/render/fonts.h"
#include "app/render/utf8.h"

namespace headway::figure {
namespace {

TEST(Shortened, KeepsWhatFitsAndCutsAtCharacters) {
    const FontSet fonts;
    const std::string words = "Verzögerung 线程束 timeline";
    const float whole = fonts.width(FontRole::ui, 14, words);
    EXPECT_EQ(shortened(words, whole + 0.1F, FontRole::ui, 14, fonts), words);
    for (float room = 0; room < whole; room += 3) {
        const std::string cut = shortened(words, room, FontRole::ui, 14, fonts);
        EXPECT_LE(fonts.width(FontRole::ui, 14, cut), room + 0.01F);
        if (!cut.empty()) {
            EXPECT_TRUE(cut.ends_with("…"));
            each_char(cut, [](char32_t code, std::string_view) { EXPECT_NE(code, 0xfffdU); });
        }
    }
}

TEST(Shortened, CutsAfterAWordWhereThereAreSeveral) {
    const FontSet fonts;
    const auto cut = [&](const std::string& words, const std::string& fits) {
        return shortened(words, fonts.width(FontRole::ui, 14, fits + "…") + 0.1F, FontRole::ui, 14, fonts);
    };
    EXPECT_EQ(cut("Improving the memory footprint", "Improving the mem"), "Improving the…");
    EXPECT_EQ(cut("Improving the memory footprint", "Improv"), "Improv…");
    EXPECT_EQ(cut("CPU · AMD EPYC", "CPU · AM"), "CPU…");
    EXPECT_EQ(cut("a_very_long_name", "a_very_l"), "a_very_l…");
}

TEST(Utf8, EachInvalidByteBecomesOneReplacementCharacter) {
    std::vector<char32_t> codes;
    each_char("a\xC3\xA9\xFF\xE4\xB8z\xED\xA0\x80", [&](char32_t code, std::string_view) { codes.push_back(code); });
    EXPECT_EQ(codes, (std::vector<char32_t>{'a', 0xe9, 0xfffd, 0xfffd, 0xfffd, 'z', 0xfffd, 0xfffd, 0xfffd}));
}

TEST(Fonts, WidthIsTheSumOfCharactersAndScalesWithSize) {
    const FontSet fonts;
    const float one = fonts.width(FontRole::ui_bold, 10, "Headway");
    EXPECT_GT(one, 30);
    EXPECT_NEAR(fonts.width(FontRole::ui_bold, 30, "Headway"), 3 * one, 0.01F);
    EXPECT_NEAR(fonts.width(FontRole::ui_bold, 10, "HeadwayHeadway"), 2 * one, 0.01F);
    EXPECT_EQ(fonts.width(FontRole::mono, 10, "iii"), fonts.width(FontRole::mono, 10, "WWW"));
}

TEST(Fonts, RunsCoverTheTextInOrder) {
    const FontSet fonts;
    const std::string words = "t₁ → 线程束 µs";
    std::string joined;
    float width = 0;
    for (const auto& run : fonts.runs(FontRole::ui, words)) {
        joined += run.text;
        width += run.width_em;
    }
    EXPECT_EQ(joined, words);
    EXPECT_NEAR(width * 10, fonts.width(FontRole::ui, 10, words), 0.01F);
}

TEST(ArrowHead, PointsAlongTheEndOfTheCurve) {
    Arrow arrow;
    arrow.points = {Point{0, 0}, Point{0, 10}, Point{20, 0}, Point{20, 30}};
    arrow.head_px = 10;
    const auto head = arrow_head(arrow);
    EXPECT_EQ(head[0], (Point{20, 30}));
    EXPECT_NEAR(head[1].y, 20, 1e-4);
    EXPECT_NEAR(head[2].y, 20, 1e-4);
    EXPECT_NEAR(head[1].x + head[2].x, 40, 1e-4);
}

}  // namespace
}  // namespace headway::figure
