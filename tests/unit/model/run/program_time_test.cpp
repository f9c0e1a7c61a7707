// What the learner's pauses and holds cut out of a run's time, compared with a search millisecond by millisecond.
#include "app/model/run/program_time.h"

#include <gtest/gtest.h>

#include <random>

#include "tests/unit/model/recording_builder.h"

namespace headway::model {
namespace {

constexpr std::int64_t kMs = 1'000'000;

TEST(ProgramTime, OfARunWithoutPausesIsTheRunsTime) {
    RecordingBuilder builder;
    builder.exec(0, builder.issue({.begin = 100, .end = 110, .out = 1, .fresh = true}), 110, 120);
    builder.mark(trace::FrontendKind::measure_begin, 130);
    builder.exec(0, builder.issue({.begin = 140, .end = 150, .out = 2, .fresh = true}), 150, 160);
    const auto run = builder.read();
    EXPECT_TRUE(run->program_time().cuts().empty());
    EXPECT_EQ(run->program_time().program_ns(100), -30);
    EXPECT_EQ(run->program_time().program_ns(160), 30);
    EXPECT_EQ(run->program_time().run_ns(12.5), 142.5);
}

// The frontend issues an op and is paused at once; the lane executes it during the pause.
TEST(ProgramTime, KeepsWhatALaneExecutesDuringAPause) {
    RecordingBuilder builder;
    builder.exec(0, builder.issue({.begin = 0, .end = 1 * kMs, .out = 1, .fresh = true}), 1 * kMs, 30 * kMs);
    builder.wait(2 * kMs, 500 * kMs, trace::WaitKind::paused);
    builder.exec(0, builder.issue({.begin = 500 * kMs, .end = 501 * kMs, .out = 2, .fresh = true}), 501 * kMs,
                 510 * kMs);
    builder.mark(trace::FrontendKind::program_end, 510 * kMs);
    const auto run = builder.read();
    const ProgramTime& time = run->program_time();
    ASSERT_EQ(time.cuts().size(), 1u);
    EXPECT_EQ(time.cuts()[0], (TimeCut{30 * kMs, 500 * kMs, 0}));
    EXPECT_EQ(time.program_ns(30 * kMs), 30e6);
    EXPECT_EQ(time.program_ns(200 * kMs), 30e6);
    EXPECT_EQ(time.program_ns(500 * kMs), 30e6);
    EXPECT_EQ(time.program_ns(510 * kMs), 40e6);
    EXPECT_EQ(time.run_ns(30e6), 500e6);
    EXPECT_EQ(time.run_ns(29e6), 29e6);
    EXPECT_EQ(time.cuts_between(30e6, 30e6).size(), 1u);
    EXPECT_TRUE(time.cuts_between(31e6, 40e6).empty());
}

// A hold counts only while the frontend waits: what it issues meanwhile is the program's time.
TEST(ProgramTime, CutsAHoldOnlyWhileTheFrontendWaits) {
    RecordingBuilder builder;
    const OpId op = builder.issue({.begin = 0, .end = 10 * kMs, .out = 1, .fresh = true});
    builder.recording().record_hold(0, 10 * kMs, 300 * kMs);
    builder.work(10 * kMs, 50 * kMs, "NumPy");
    builder.wait(50 * kMs, 320 * kMs, trace::WaitKind::waitall);
    builder.exec(0, op, 300 * kMs, 320 * kMs);
    builder.mark(trace::FrontendKind::program_end, 320 * kMs);
    const auto run = builder.read();
    ASSERT_EQ(run->program_time().cuts().size(), 1u);
    EXPECT_EQ(run->program_time().cuts()[0], (TimeCut{50 * kMs, 300 * kMs, 0}));
}

TEST(ProgramTime, LeavesShortPausesOnTheAxis) {
    RecordingBuilder builder;
    builder.exec(0, builder.issue({.begin = 0, .end = 10, .out = 1, .fresh = true}), 10, 20);
    builder.wait(30, 30 + ProgramTime::kLeastCutNs - 1, trace::WaitKind::paused);
    EXPECT_TRUE(builder.read()->program_time().cuts().empty());
}

// Each time is searched once it is a second old. A pause that follows is found, too.
TEST(ProgramTime, FindsAPauseAfterLongWorkWithoutOne) {
    RecordingBuilder builder;
    const auto run = builder.open();
    const auto op = [&builder](std::int64_t begin, std::int64_t end) {
        builder.exec(0, builder.issue({.begin = begin, .end = begin + kMs, .out = 1}), begin + kMs, end);
    };
    op(0, 2 * kMs);
    builder.wait(2 * kMs, 500 * kMs, trace::WaitKind::paused);
    op(500 * kMs, 3000 * kMs);
    run->update();
    EXPECT_EQ(run->program_time().cuts().size(), 1u);
    builder.wait(3000 * kMs, 3500 * kMs, trace::WaitKind::paused);
    op(3500 * kMs, 6000 * kMs);
    run->update();
    ASSERT_EQ(run->program_time().cuts().size(), 2u);
    EXPECT_EQ(run->program_time().cuts()[1].begin_ns, 3000 * kMs);
    EXPECT_EQ(run->program_time().cuts()[1].end_ns, 3500 * kMs);
}

// Random programs that pause, hold, wait and issue, and execute on three lanes; the run is read in between.
TEST(ProgramTime, EqualsASearchOfEachMillisecond) {
    for (unsigned seed = 0; seed < 60; ++seed) {
        std::mt19937 random(seed);
        const auto below = [&](unsigned n) { return static_cast<std::int64_t>(random() % n); };
        RecordingBuilder builder;
        const auto run = builder.open();
        constexpr std::int64_t kLength = 6000;
        std::vector<bool> stopped(kLength + 2000), waiting(kLength + 2000), held(kLength + 2000), busy(kLength + 2000);
        const auto fill = [](std::vector<bool>& of, std::int64_t begin, std::int64_t end) {
            std::fill(of.begin() + begin, of.begin() + end, true);
        };
        std::array<std::int64_t, 3> free{};
        std::int64_t now = 0;
        while (now < kLength) {
            const std::int64_t begin = now;
            switch (below(4)) {
                case 0: {
                    const auto lane = static_cast<std::uint8_t>(below(3));
                    now += 1 + below(3);
                    const std::int64_t from = std::max(now, free[lane]) + below(5), to = from + 1 + below(20);
                    if (from > kLength) {
                        continue;
                    }
                    const OpId op = builder.issue({.begin = begin * kMs, .end = now * kMs, .lane = lane, .out = 1});
                    builder.exec(lane, op, from * kMs, to * kMs);
                    fill(busy, from, to);
                    free[lane] = to;
                    break;
                }
                case 1:
                    now += 1 + below(400);
                    builder.wait(begin * kMs, now * kMs, trace::WaitKind::paused);
                    fill(stopped, begin, now);
                    break;
                case 2: {
                    now += 1 + below(100);
                    if (below(2) == 0) {
                        const std::int64_t from = begin + below(static_cast<unsigned>(now - begin));
                        const std::int64_t to = from + 1 + below(static_cast<unsigned>(now - from));
                        builder.recording().record_hold(static_cast<std::uint32_t>(below(3)),
                                                        static_cast<std::uint64_t>(from * kMs),
                                                        static_cast<std::uint64_t>(to * kMs));
                        fill(held, from, to);
                    }
                    builder.wait(begin * kMs, now * kMs, trace::WaitKind::waitall);
                    fill(waiting, begin, now);
                    break;
                }
                default:
                    now += below(10);
            }
            if (below(10) == 0) {
                run->update();
            }
        }
        builder.mark(trace::FrontendKind::program_end, now * kMs);
        run->update();
        run->close();
        const ProgramTime& time = run->program_time();
        const double zero = time.program_ns(0);
        std::int64_t expected = 0;
        for (std::int64_t ms = 0; ms <= now; ++ms) {
            ASSERT_EQ(time.program_ns(ms * kMs) - zero, static_cast<double>(expected * kMs))
                << "seed " << seed << ", " << ms << " ms";
            const auto i = static_cast<std::size_t>(ms);
            const bool cut = (stopped[i] || (waiting[i] && held[i])) && !busy[i];
            if (!cut) {  // the inverse
                ASSERT_EQ(time.run_ns(time.program_ns(ms * kMs) + 0.5), static_cast<double>(ms * kMs) + 0.5);
            }
            expected += cut ? 0 : 1;
        }
        for (std::size_t i = 1; i < time.cuts().size(); ++i) {
            ASSERT_LT(time.cuts()[i - 1].end_ns, time.cuts()[i].begin_ns);
        }
        ASSERT_GT(time.cuts().size(), 3u);
    }
}

}  // namespace
}  // namespace headway::model
