#include "app/ui/widgets/frame_pace.h"

#include <gtest/gtest.h>

namespace headway::ui {
namespace {

TEST(FramePace, LeavesTimeForTheRunOnFewCores) {
    const FramePace follow = frame_pace({.live = true, .behind = true}, 2),
                    input = frame_pace({.live = true, .input = true}, 2);
    EXPECT_LE(follow.frame_s, 1.0 / 30);
    EXPECT_GT(follow.frame_s, 1.0 / 40);
    EXPECT_LT(follow.intake_ms, 5);
    EXPECT_DOUBLE_EQ(input.frame_s, 1.0 / 60);
    EXPECT_LT(input.intake_ms, 5);
}

TEST(FramePace, DrawsLessOftenIfFramesAreExpensive) {
    EXPECT_DOUBLE_EQ(frame_pace({.live = true, .frame_ms = 2}, 2).frame_s, 1.0 / 31);
    EXPECT_DOUBLE_EQ(frame_pace({.live = true, .frame_ms = 16}, 2).frame_s, 0.08);
    EXPECT_DOUBLE_EQ(frame_pace({.live = true, .frame_ms = 500}, 2).frame_s, 0.1);
    EXPECT_DOUBLE_EQ(frame_pace({.live = true, .input = true, .frame_ms = 16}, 2).frame_s, 1.0 / 60);
    EXPECT_DOUBLE_EQ(frame_pace({.live = true, .frame_ms = 16}, 8).frame_s, 1.0 / 60);
}

TEST(FramePace, DoesNotSlowDownOnManyCores) {
    for (const unsigned cores : {0u, 4u, 64u}) {
        EXPECT_DOUBLE_EQ(frame_pace({.live = true}, cores).frame_s, 1.0 / 60) << cores;
    }
    // The run has ended, and the rest of its recording is read.
    EXPECT_GT(frame_pace({.behind = true}, 2).intake_ms, frame_pace({}, 2).intake_ms);
}

}  // namespace
}  // namespace headway::ui
