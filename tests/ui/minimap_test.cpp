#include "app/ui/timeline/minimap.h"

#include <gtest/gtest.h>

#include "tests/unit/figure/script.h"

namespace headway::ui {
namespace {

// Without issues in the trace, the height is the share of busy lanes: of all lanes, however many.
TEST(Minimap, SumsUpEveryLane) {
    figure::test::Settings settings;
    settings.foreign = true;
    settings.device_kind = "trace";
    settings.lanes = 40;
    figure::test::Script script(settings);
    const figure::test::Script::Shape decode{"decode", "", figure::test::Family::other, 0};
    for (int lane = 0; lane < 40; ++lane) {  // the lanes of the second half run only in the second half of the time
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
