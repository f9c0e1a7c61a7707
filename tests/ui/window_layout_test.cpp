#include "app/ui/shell/window_layout.h"

#include <gtest/gtest.h>

#include <array>
#include <random>
#include <vector>

namespace headway::ui {
namespace {

WindowRoom room_of(float width, float height, Mode mode) {
    WindowRoom room;
    room.all = {{0, 56}, {width, height - 30}};
    room.mode = mode;
    room.shares = default_shares(mode);
    return room;
}

std::vector<Pane> shown(const WindowPanes& p) {
    std::vector<Pane> all;
    for (const Pane& pane : {p.lesson, p.timeline, p.timeline_bar, p.verdict, p.source, p.details, p.card}) {
        if (pane.shown()) {
            all.push_back(pane);
        }
    }
    return all;
}

bool overlap(const Pane& a, const Pane& b) {
    return a.min.x < b.max.x && b.min.x < a.max.x && a.min.y < b.max.y && b.min.y < a.max.y;
}

TEST(WindowLayout, PanesAreInsideTheRoomAndNeverOverlap) {
    std::mt19937 random(7);
    const auto between = [&](float least, float most) {
        return std::uniform_real_distribution<float>(least, most)(random);
    };
    for (int i = 0; i < 20'000; ++i) {
        WindowRoom room = room_of(between(300, 4000), between(200, 2400), static_cast<Mode>(i % 3));
        room.scale = between(0.5f, 3);
        room.shares = {between(0.05f, 0.95f), between(0.05f, 0.95f), between(0.05f, 0.95f)};
        room.source = between(0, 1) < 0.8f;
        room.verdict = between(0, 1) < 0.5f ? 0 : between(20, 60);
        room.timeline_bar = between(0, 1) < 0.5f ? 0 : between(20, 60);
        const auto panes = shown(lay_out_window(room));
        const bool tiny = room.all.width() < 500 * room.scale || room.all.height() < 330 * room.scale;
        ASSERT_TRUE(tiny || !panes.empty()) << i;
        for (std::size_t a = 0; a < panes.size(); ++a) {
            ASSERT_GE(panes[a].min.x, room.all.min.x);
            ASSERT_GE(panes[a].min.y, room.all.min.y);
            ASSERT_LE(panes[a].max.x, room.all.max.x);
            ASSERT_LE(panes[a].max.y, room.all.max.y);
            for (std::size_t b = a + 1; b < panes.size(); ++b) {
                ASSERT_FALSE(overlap(panes[a], panes[b])) << i << ": " << a << " and " << b;
            }
        }
    }
}

TEST(WindowLayout, EachModeShowsItsPanes) {
    for (const auto& [width, height] : {std::pair{1280.0f, 720.0f}, {1920.0f, 1080.0f}}) {
        const WindowPanes learn = lay_out_window(room_of(width, height, Mode::learn));
        EXPECT_TRUE(learn.lesson.shown() && learn.timeline.shown() && learn.source.shown() && learn.details.shown());
        EXPECT_LT(learn.timeline.max.y, learn.source.min.y);
        EXPECT_LT(learn.source.max.x, learn.details.min.x);
        const WindowPanes step = lay_out_window(room_of(width, height, Mode::step));
        EXPECT_TRUE(step.lesson.shown() && step.timeline.shown() && step.source.shown() && step.details.shown());
        EXPECT_LT(step.source.max.y, step.timeline.min.y);
        EXPECT_GT(step.source.height(), learn.source.height());
        const WindowPanes compare = lay_out_window(room_of(width, height, Mode::compare));
        EXPECT_FALSE(compare.lesson.shown() || compare.source.shown());
        EXPECT_TRUE(compare.timeline.shown() && compare.details.shown() && compare.card.shown());
        EXPECT_EQ(compare.timeline.width(), width);
    }
}

TEST(WindowLayout, ADividerFollowsThePointer) {
    for (const Mode mode : {Mode::learn, Mode::step, Mode::compare}) {
        WindowRoom room = room_of(1920, 1080, mode);
        room.shares = dragged(room, Divider::row, {900, 600});
        const WindowPanes panes = lay_out_window(room);
        EXPECT_NEAR((panes.row_divider.min.y + panes.row_divider.max.y) / 2, 600, 6) << name_of(mode);
        room.shares = dragged(room, Divider::left, {1200, 900});
        EXPECT_NEAR(lay_out_window(room).left_divider.min.x, 1200, 10) << name_of(mode);
        if (mode != Mode::compare) {
            room.shares = dragged(room, Divider::lesson, {600, 400});
            EXPECT_NEAR(lay_out_window(room).lesson.max.x, 600, 1) << name_of(mode);
        }
    }
}

TEST(WindowLayout, ASmallWindowKeepsTheTimelineOrTheSource) {
    const WindowPanes learn = lay_out_window(room_of(500, 330, Mode::learn));
    EXPECT_TRUE(learn.timeline.shown());
    EXPECT_FALSE(learn.source.shown());
    EXPECT_TRUE(lay_out_window(room_of(500, 330, Mode::step)).source.shown());
}

TEST(WindowLayout, ModesHaveWords) {
    for (const Mode mode : {Mode::learn, Mode::step, Mode::compare}) {
        EXPECT_EQ(mode_called(word_of(mode), Mode::learn), mode);
    }
    EXPECT_EQ(mode_called("nonsense", Mode::step), Mode::step);
}

}  // namespace
}  // namespace headway::ui
