#include "app/ui/timeline/minimap.h"

#include <gtest/gtest.h>

#include "tests/unit/figure/script.h"

namespace headway::ui {
namespace {

// Where nothing was issued the strip is as high as the lanes are busy: all of them, however many.
TEST(Minimap, SumsUpEveryLane) {
    figure::test::Settings settings;
    settings.foreign = true;
    settings.device_kind = "trace";
    settings.lanes = 40;
    figure::test::Script script(settings);
    const figure::test::Script::Shape decode{"decode", "", figure::test::Family::other, 0};
    for (int lane = 0; lane < 40; ++lane) {  // the second half of the time for the second half of the lanes alone
        script.issue(decode, 0, lane < 20 ? 500 : 1000, 0, 0, lane);
    }
    script.idle(1000);
    const auto run = script.finish();
    const std::vector<float> heights = minimap_heights(*run, {0, 1000}, 4);
    ASSERT_EQ(heights.size(), 4u);
    EXPECT_FLOAT_EQ(heights[0], 1);
    EXPECT_FLOAT_EQ(heights[1], 1);
    EXPECT_FLOAT_EQ(heights[2], 0.5f);
    EXPECT_FLOAT_EQ(heights[3], 0.5f);
}

}  // namespace
}  // namespace headway::ui
