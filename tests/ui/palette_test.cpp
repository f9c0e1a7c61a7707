#include "app/ui/shell/overlays/palette.h"

#include <gtest/gtest.h>

namespace headway::ui {
namespace {

const std::vector<std::string> kNames{"Run",
                                      "Barrier: none",
                                      "Barrier: after every minibatch",
                                      "Theme: dark",
                                      "Lesson 14: Improving the memory footprint",
                                      "Reset: forget both runs"};

std::string best(std::string_view typed) {
    const auto order = rank_names(kNames, typed);
    return order.empty() ? "" : kNames[order[0]];
}

TEST(Palette, ShowsAllInTheirOrderWhenNothingIsTyped) {
    EXPECT_EQ(rank_names(kNames, ""), (std::vector<std::size_t>{0, 1, 2, 3, 4, 5}));
}

TEST(Palette, FindsByPartsOfWords) {
    EXPECT_EQ(best("run"), "Run");
    EXPECT_EQ(best("mini"), "Barrier: after every minibatch");
    EXPECT_EQ(best("bar no"), "Barrier: none");
    EXPECT_EQ(best("DARK"), "Theme: dark");
    EXPECT_EQ(best("memory"), "Lesson 14: Improving the memory footprint");
    EXPECT_EQ(best("14"), "Lesson 14: Improving the memory footprint");
}

TEST(Palette, DropsScatteredLettersIfAWordMatches) {
    EXPECT_EQ(rank_names(kNames, "bar").size(), 2u);
}

TEST(Palette, RequiresAllThatIsTyped) {
    EXPECT_EQ(best("runx"), "");
    EXPECT_EQ(best("dark theme"), "");  // the order of the words matters
}

}  // namespace
}  // namespace headway::ui
