// Which hand-overs of a run are typical for what came before an op.
#include <gtest/gtest.h>

#include <array>

#include "app/model/replay/replay.h"
#include "tests/unit/model/recording_builder.h"

namespace headway::model {
namespace {

constexpr std::int64_t kUnknown = TypicalOverheads::kUnknown;

TypicalOverheads typical_handovers(const Run& run) {
    TypicalOverheads typical;
    Replay replay(run, Replay::Options{{}, nullptr, nullptr, &typical, false});
    replay.step(0);
    return typical;
}

std::array<std::int64_t, TypicalOverheads::kClasses> handovers_of(const Run& run, std::size_t device = 0) {
    return std::to_array(typical_handovers(run).handover_ns[device]);
}

TEST(Handovers, AreGroupedByWhatTheOpWaitedForAndByHowLongItsLaneWasIdle) {
    constexpr std::int64_t kAsleep = TypicalOverheads::kAsleepNs;
    RecordingBuilder builder;
    const auto issue = [&](std::int64_t end, std::uint8_t lane, BufferId in = 0) {
        return builder.issue({end - 10, end, lane, builder.issued() + 1, in, 0, true});
    };
    builder.exec(0, issue(10, 0), 17, 100);         // the frontend's, and the lane was never used
    builder.exec(0, issue(20, 0), 103, 200);        // after the op before it
    builder.exec(0, issue(310, 0), 315, 1000);      // the frontend's
    builder.exec(1, issue(320, 1, 3), 1013, 1100);  // the other lane's op, and the lane was never used
    builder.exec(0, issue(330, 0, 4), 1111, 1200);  // the other lane's op
    EXPECT_EQ(handovers_of(*builder.read()), (std::array<std::int64_t, 5>{3, 5, 7, 11, 13}));

    // At the limit the lane is asleep.
    builder.exec(0, issue(1200 + kAsleep, 0), 1207 + kAsleep, 1300 + kAsleep);
    builder.exec(0, issue(1299 + 2 * kAsleep, 0), 1304 + 2 * kAsleep, 1400 + 2 * kAsleep);
    builder.exec(0, issue(1500 + 2 * kAsleep, 0), 1505 + 2 * kAsleep, 1600 + 2 * kAsleep);
    const auto run = builder.read();
    EXPECT_EQ(handovers_of(*run), (std::array<std::int64_t, 5>{3, 5, 7, 11, 13}));
    EXPECT_EQ(typical_handovers(*run).from_frontend_awake, 3u);
    EXPECT_EQ(typical_handovers(*run).from_frontend_asleep, 2u);
}

TEST(Handovers, OfSeveralThatEndTogetherTheLaneCounts) {
    RecordingBuilder builder;
    builder.issue({.begin = 0, .end = 10, .lane = 0, .out = 1, .fresh = true});
    builder.exec(0, 1, 10, 100);
    builder.issue({.begin = 10, .end = 20, .lane = 1, .out = 2, .fresh = true});
    builder.exec(1, 2, 20, 100);
    builder.issue({.begin = 90, .end = 100, .lane = 0, .out = 3, .in0 = 2, .fresh = true});
    builder.exec(0, 3, 104, 200);
    EXPECT_EQ(handovers_of(*builder.read())[0], 4);
}

// Device times are uncertain: an op may seem to begin before the op that it needs has ended, or before its issue has.
TEST(Handovers, AreNotNegative) {
    RecordingBuilder builder;
    builder.issue({.begin = 0, .end = 10, .lane = 0, .out = 1, .fresh = true});
    builder.exec(0, 1, 6, 100);
    builder.issue({.begin = 10, .end = 20, .lane = 1, .out = 2, .in0 = 1, .fresh = true});
    builder.exec(1, 2, 96, 200);
    EXPECT_EQ(handovers_of(*builder.read()), (std::array<std::int64_t, 5>{kUnknown, kUnknown, 0, kUnknown, 0}));
}

TEST(Handovers, AreThoseOfTheMeasuredPart) {
    RecordingBuilder builder;
    builder.exec(0, builder.issue({0, 10, 0}), 110, 120);
    builder.mark(trace::FrontendKind::measure_begin, 20);
    builder.exec(1, builder.issue({20, 30, 1}), 37, 50);
    builder.exec(2, builder.issue({30, 40, 2}), 47, 60);
    builder.mark(trace::FrontendKind::measure_end, 70);
    builder.exec(3, builder.issue({80, 90, 3}), 95, 100);
    const auto run = builder.read();
    EXPECT_EQ(handovers_of(*run)[2], 7);
    EXPECT_EQ(typical_handovers(*run).from_frontend_asleep, 2u);
}

TEST(Handovers, AreKnownForEachDevice) {
    RecordingBuilder builder;
    builder.gpu_and_cpu();
    builder.exec(0, builder.issue({0, 10, 0}), 17, 100);
    builder.exec(1, builder.issue({10, 20, 1}), 29, 200);
    const auto run = builder.read();
    EXPECT_EQ(handovers_of(*run, 0)[2], 7);
    EXPECT_EQ(handovers_of(*run, 1)[2], 9);
    EXPECT_EQ(typical_handovers(*run).from_frontend_asleep, 1u) << "of the first device";
}

}  // namespace
}  // namespace headway::model
