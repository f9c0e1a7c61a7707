#include "app/platform/settle_frames.h"

#include <gtest/gtest.h>

namespace headway::platform {
namespace {

// The frames that are drawn before the window waits for an event again.
int frames_until_wait(SettleFrames& settle) {
    int frames = 0;
    while (settle.next_frame()) {
        ++frames;
    }
    return frames;
}

TEST(SettleFrames, TheFirstFramesOfAWindowAreDrawnWithoutAnEvent) {
    SettleFrames settle;
    EXPECT_EQ(frames_until_wait(settle), SettleFrames::kAfterEvent);
    EXPECT_EQ(frames_until_wait(settle), 0);
}

// A click takes two frames, and what it opens is visible in the third.
TEST(SettleFrames, AnEventInTheLastSettlingFrameIsDrawnCompletely) {
    SettleFrames settle;
    frames_until_wait(settle);
    settle.event();
    for (int i = 1; i < SettleFrames::kAfterEvent; ++i) {
        ASSERT_TRUE(settle.next_frame());
    }
    ASSERT_TRUE(settle.next_frame());  // the last one; its poll brings a press and its release
    settle.event();
    EXPECT_GE(frames_until_wait(settle), 2);
}

// While text is typed the window also wakes up to let the cursor blink. A click then needs as many frames as any other.
TEST(SettleFrames, ABlinkDoesNotShortenWhatAnEventAskedFor) {
    SettleFrames settle;
    frames_until_wait(settle);
    settle.event();
    settle.at_least(1);
    EXPECT_EQ(frames_until_wait(settle), SettleFrames::kAfterEvent);
    settle.at_least(1);
    EXPECT_EQ(frames_until_wait(settle), 1);
}

}  // namespace
}  // namespace headway::platform
