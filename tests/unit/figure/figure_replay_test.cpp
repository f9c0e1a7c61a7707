// Figures of a moment of a run.
#include <gtest/gtest.h>

#include <algorithm>

#include "app/figure/figure.h"
#include "app/figure/figure_numbers.h"
#include "app/model/numbers/numbers_walk.h"
#include "app/render/fonts.h"
#include "app/render/writers.h"
#include "tests/unit/figure/overlap.h"
#include "tests/unit/figure/script.h"

namespace headway::figure {
namespace {

class FigureReplays : public ::testing::Test {
protected:
    FontSet fonts_;
};

// A replay shows the figure with later events covered: never more than had happened.
TEST_F(FigureReplays, EndsWithTheWholeFigure) {
    const auto a = test::training({}, 20, false);
    const auto b = test::training({}, 20, true);
    for (const FigureSize size : kFigureSizes) {
        FigureOptions options;
        options.size = size;
        Replay replay(*a, b.get(), options, fonts_);
        const DisplayList whole = figure(*a, b.get(), options, fonts_);
        const auto last = png_bytes(replay.at(1), 1, fonts_), expected = png_bytes(whole, 1, fonts_);
        ASSERT_TRUE(last && expected);
        EXPECT_EQ(*last, *expected) << word_of(size);
        const DisplayList half = replay.at(0.5);
        EXPECT_EQ(half.width_px, whole.width_px);
        EXPECT_EQ(half.height_px, whole.height_px) << word_of(size);
        EXPECT_NE(test::find_text(half, "issued"), nullptr);
        EXPECT_EQ(test::find_text(half, "peak memory"), nullptr);
        // The cursor's line is the last item of the timeline, so nothing covers it.
        const auto pixels = pixels_of(replay.at(0), 1, fonts_);
        ASSERT_TRUE(pixels);
        const auto late = pixels_of(replay.at(0.9), 1, fonts_);
        ASSERT_TRUE(late);
        EXPECT_NE(pixels->bgrx, late->bgrx);
    }
}

// Totals and the finding do not appear before the end.
TEST_F(FigureReplays, ShowsNoLaterTotals) {
    const auto run = test::increments(5'000, 1, true);
    const std::string found = finding(*run, nullptr).substr(0, 30);
    for (const FigureSize size : {FigureSize::page, FigureSize::slide, FigureSize::column}) {
        FigureOptions options;
        options.size = size;
        Replay replay(*run, nullptr, options, fonts_);
        for (const Item& item : replay.at(0.5).items) {
            if (const auto* text = std::get_if<Text>(&item)) {
                for (const char* total : {"5,000", "4,999"}) {
                    EXPECT_EQ(text->text.find(total), std::string::npos) << text->text;
                }
                EXPECT_EQ(text->text.find(found), std::string::npos) << text->text;
            }
        }
        if (size != FigureSize::column) {  // rows of a column have no second line
            EXPECT_NE(test::find_text(replay.at(1), "5,000"), nullptr) << word_of(size);
        }
    }
    const auto failed = test::failing();
    Replay replay(*failed, nullptr, {}, fonts_);
    EXPECT_EQ(test::find_text(replay.at(0.3), "Failed"), nullptr);
    EXPECT_NE(test::find_text(replay.at(1), "Failed"), nullptr);
    EXPECT_EQ(replay.at(0.3).height_px, replay.at(1).height_px);
}

// As in the report, ops before measuring are not counted.
TEST_F(FigureReplays, CountsTheMeasuredOps) {
    test::Script script;
    for (int i = 0; i < 7; ++i) {
        script.issue({"warm", "(1)", devices::Family::other, 4}, 1000, 1000);
    }
    script.wait(trace::WaitKind::waitall, "waitall");
    script.measure_begin();
    for (int i = 0; i < 5; ++i) {
        script.issue({"op", "(1)", devices::Family::other, 4}, 1000, 1000);
    }
    script.wait(trace::WaitKind::waitall, "waitall");
    script.measure_end();
    script.issue({"after", "(1)", devices::Family::other, 4}, 1000, 1000);
    const auto run = script.finish();
    ASSERT_EQ(numbers_of(*run).ops, 5u);
    const std::vector<TimelineRun> shown{{run.get(), 'B', "", ""}};
    const auto issued = [&](double ns) {
        const auto columns = columns_at(shown, ns);
        const auto column =
            std::find_if(columns.begin(), columns.end(), [](const auto& c) { return std::string("issued") == c.head; });
        return column == columns.end() ? std::string("none") : column->cells.at(0);
    };
    EXPECT_EQ(issued(-1), "0");
    EXPECT_EQ(issued(0), "0");
    EXPECT_EQ(issued(2500), "2");
    EXPECT_EQ(issued(1e9), "5");
}

}  // namespace
}  // namespace headway::figure
