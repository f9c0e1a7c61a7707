#include "app/ui/state/view/view_control.h"

#include <gtest/gtest.h>

namespace headway::ui {
namespace {

constexpr double kFrame = 1.0 / 60;

void settle(ViewControl& view) {
    for (int i = 0; i < 60; ++i) {
        view.advance(kFrame);
    }
}

ViewControl over(double begin, double end) {
    ViewControl view;
    view.set_whole({begin, end});
    view.restart();
    return view;
}

TEST(ViewControl, ZoomKeepsTheMomentUnderThePointer) {
    ViewControl view = over(0, 1000);
    constexpr double kAt = 300;
    view.zoom(kAt, 0.75);
    while (view.advance(kFrame)) {
        const double share = (kAt - view.view().begin_ns) / view.view().span_ns();
        EXPECT_NEAR(share, 0.3, 1e-9);
    }
    EXPECT_NEAR(view.view().span_ns(), 750, 1e-6);
}

TEST(ViewControl, FurtherWheelNotchesMoveTheTarget) {
    ViewControl view = over(0, 1000);
    view.zoom(500, 0.75);
    view.advance(kFrame);
    view.zoom(500, 0.75);
    EXPECT_NEAR(view.target().span_ns(), 562.5, 1e-6);
    settle(view);
    EXPECT_NEAR(view.view().span_ns(), 562.5, 1e-6);
}

TEST(ViewControl, ArrivesAfterThreeTenthsOfASecond) {
    ViewControl view = over(0, 1000);
    view.zoom(500, 0.5);
    EXPECT_TRUE(view.advance(0.29));
    EXPECT_LT(view.view().span_ns(), 510);
    view.advance(0.02);
    EXPECT_EQ(view.view(), view.target());
    EXPECT_FALSE(view.advance(kFrame));
}

TEST(ViewControl, FollowsUntilTheUserMovesIt) {
    ViewControl view = over(0, 1000);
    view.set_whole({0, 2000});
    settle(view);
    EXPECT_EQ(view.view().end_ns, 2000);
    view.pan(100, false);
    EXPECT_FALSE(view.following());
    view.set_whole({0, 4000});
    settle(view);
    EXPECT_EQ(view.view().span_ns(), 2000);
    view.follow();
    settle(view);
    EXPECT_EQ(view.view().end_ns, 4000);
    view.set_whole({0, 5000});
    settle(view);
    EXPECT_EQ(view.view().end_ns, 5000);
}

TEST(ViewControl, AlwaysShowsPartOfTheRun) {
    ViewControl view = over(0, 1000);
    for (int i = 0; i < 200; ++i) {
        view.pan(500, false);
    }
    EXPECT_LT(view.view().begin_ns, 1000);
    for (int i = 0; i < 200; ++i) {
        view.zoom(view.view().begin_ns, 1.5);
        settle(view);
    }
    EXPECT_LE(view.view().span_ns(), 1500);
    for (int i = 0; i < 200; ++i) {
        view.zoom(500, 0.5);
        settle(view);
    }
    EXPECT_GE(view.view().span_ns(), 4.99);
}

TEST(ViewControl, UndoesAndRedoesTheUsersMoves) {
    ViewControl view = over(0, 1000);
    EXPECT_FALSE(view.can_go_back());
    view.zoom(500, 0.5);
    view.zoom(500, 0.5);  // still moving: part of the same move
    settle(view);
    EXPECT_NEAR(view.view().span_ns(), 250, 1e-6);
    view.begin_pan();
    for (int i = 0; i < 10; ++i) {
        view.pan(10, false);
    }
    const auto panned = view.view();
    view.back();
    settle(view);
    EXPECT_NEAR(view.view().begin_ns, 375, 1e-6);
    view.back();
    settle(view);
    EXPECT_EQ(view.view().span_ns(), 1000);
    EXPECT_FALSE(view.can_go_back());
    view.back();  // no earlier view
    settle(view);
    EXPECT_EQ(view.view().span_ns(), 1000);
    view.forth();
    view.forth();
    settle(view);
    EXPECT_NEAR(view.view().begin_ns, panned.begin_ns, 1e-6);
    EXPECT_FALSE(view.can_go_forth());
    view.back();
    settle(view);
    view.fit();  // discards the views to redo
    EXPECT_FALSE(view.can_go_forth());
}

TEST(ViewControl, ANewRunClearsTheHistory) {
    ViewControl view = over(0, 1000);
    view.zoom(500, 0.5);
    settle(view);
    view.restart();
    EXPECT_FALSE(view.can_go_back());
}

TEST(ViewControl, AnEmptyRunHasAView) {
    ViewControl view = over(0, 0);
    EXPECT_GT(view.view().span_ns(), 0);
}

}  // namespace
}  // namespace headway::ui
