// The learner's holds count neither as waits nor as hand-overs nor in any total: a run with holds has the same
// numbers as one without.
#include "app/model/containers/holds.h"

#include <gtest/gtest.h>

#include <random>

#include "app/model/analysis/critical_path.h"
#include "app/model/analysis/idle.h"
#include "app/model/analysis/wait_details.h"
#include "app/model/numbers/numbers_walk.h"
#include "app/model/run/queries.h"
#include "tests/unit/model/recording_builder.h"

namespace headway::model {
namespace {

TEST(Holds, CountOverlappingHoldsOnce) {
    std::mt19937 random(7);
    for (int round = 0; round < 200; ++round) {
        Holds holds;
        std::vector<bool> held(200, false);
        for (int i = 0; i < 20; ++i) {
            const auto begin = static_cast<std::int64_t>(random() % 190);
            const auto end = begin + static_cast<std::int64_t>(random() % 10);
            holds.add({begin, end, static_cast<std::uint32_t>(random() % 3)});
            std::fill(held.begin() + begin, held.begin() + end, true);
            const auto from = static_cast<std::int64_t>(random() % 200), to = static_cast<std::int64_t>(random() % 201);
            const auto expected = from < to ? std::count(held.begin() + from, held.begin() + to, true) : 0;
            ASSERT_EQ(holds.held_ns(from, to), expected) << "round " << round;
        }
    }
}

// Three ops of 100 ns on one lane, issued in 10 ns each, and a wait for all. Before each op the lane needs 4 ns to
// wake up, and the learner holds it for `held_ns`.
std::unique_ptr<Run> three_ops(RecordingBuilder& builder, std::int64_t held_ns) {
    constexpr std::int64_t kHandover = 4;
    for (int i = 0; i < 3; ++i) {
        builder.issue({.begin = i * 10, .end = i * 10 + 10, .out = 1, .in0 = 1, .line = 5, .in_place = true});
    }
    std::int64_t free_ns = 30;  // the frontend waits from here on
    for (OpId op = 1; op <= 3; ++op) {
        if (held_ns > 0) {
            builder.recording().record_hold(0, static_cast<std::uint64_t>(free_ns),
                                            static_cast<std::uint64_t>(free_ns + held_ns));
        }
        builder.exec(0, op, free_ns + held_ns + kHandover, free_ns + held_ns + kHandover + 100);
        free_ns += held_ns + kHandover + 100;
    }
    builder.wait(30, free_ns + 5, trace::WaitKind::waitall, 0, 0, 6);
    builder.mark(trace::FrontendKind::program_end, free_ns + 5);
    return builder.read();
}

// Slow motion pauses after each op. Each op is executed in the pause behind it.
TEST(Holds, PausesOfALongRunInSlowMotionAllCount) {
    constexpr std::int64_t kOps = 12'000, kEach = 100;
    RecordingBuilder builder;
    for (std::int64_t i = 0; i < kOps; ++i) {
        builder.exec(0, builder.issue({.begin = i * kEach, .end = i * kEach + 5}), i * kEach + 10, i * kEach + 60);
        builder.wait(i * kEach + 5, (i + 1) * kEach, trace::WaitKind::paused);
    }
    builder.mark(trace::FrontendKind::program_end, kOps * kEach);
    const auto run = builder.read();
    const Numbers numbers = numbers_of(*run);
    EXPECT_EQ(numbers.total_ns, 5 * kOps);
    EXPECT_EQ(numbers.backend_idle_ns, numbers.total_ns);
    EXPECT_EQ(idle_causes(*run).all_ns(), numbers.total_ns);
    EXPECT_DOUBLE_EQ(idle_share(numbers).value(), 1);
}

TEST(Holds, ChangeOnlyThePausedTime) {
    RecordingBuilder free_builder, held_builder;
    const auto free = three_ops(free_builder, 0), held = three_ops(held_builder, 1'000'000);
    const Numbers expected = numbers_of(*free), numbers = numbers_of(*held);
    EXPECT_EQ(numbers.paused_ns, 3'000'000);
    EXPECT_EQ(paused_ns_of(*held), 3'000'000);
    EXPECT_EQ(numbers.total_ns, expected.total_ns);
    EXPECT_EQ(total_ns_of(*held), expected.total_ns);
    EXPECT_EQ(numbers.blocked_ns, expected.blocked_ns);
    EXPECT_EQ(numbers.backend_idle_ns, expected.backend_idle_ns);
    EXPECT_EQ(numbers.t3.median, expected.t3.median);
    EXPECT_EQ(numbers.handover_ns, expected.handover_ns);
    EXPECT_EQ(numbers.h_ns, expected.h_ns);
    EXPECT_EQ(numbers.predicted_ns, expected.predicted_ns);
    EXPECT_STREQ(regime_word(numbers), regime_word(expected));
    EXPECT_EQ(numbers.frontend.wait_ns, expected.frontend.wait_ns);
    EXPECT_EQ(numbers.frontend.paused_ns, 3'000'000);
    std::int64_t sum_ns = numbers.predicted_ns;
    for (const PredictionPart& part : numbers.prediction_parts) {
        sum_ns += part.ns;
    }
    EXPECT_EQ(sum_ns, numbers.total_ns);

    const WaitSplit split = split_of(*held, 0), expected_split = split_of(*free, 0);
    EXPECT_EQ(split.held_ns, 3'000'000);
    EXPECT_EQ(split.handover_ns, expected_split.handover_ns);
    EXPECT_EQ(split.before_ns + split.own_ns, expected_split.before_ns + expected_split.own_ns);
    EXPECT_EQ(split.return_ns, expected_split.return_ns);

    const IdleCauses idle = idle_causes(*held), expected_idle = idle_causes(*free);
    EXPECT_EQ(idle.paused_ns, 3'000'000);
    EXPECT_EQ(idle.handover_ns, expected_idle.handover_ns);
    EXPECT_EQ(idle.dependency_ns, expected_idle.dependency_ns);
    EXPECT_EQ(idle.barrier_ns, expected_idle.barrier_ns);
}

TEST(Holds, AreReadBeforeTheirWait) {
    RecordingBuilder builder;
    const auto run = builder.open();
    builder.issue({.begin = 0, .end = 10, .out = 1, .fresh = true});
    run->update();
    builder.recording().record_hold(0, 20, 70);
    builder.exec(0, 1, 70, 90);
    builder.wait(10, 95, trace::WaitKind::waitall);
    run->update();
    ASSERT_EQ(run->waits().size(), 1u);
    EXPECT_EQ(run->waits()[0].held_ns, 50);
    EXPECT_EQ(run->waits()[0].waited_ns(), 35);
}

// Lane 1 is held while lane 0 executes: the held time is subtracted from the wait, and the parts add up to the
// rest.
TEST(Holds, OfOneLaneAreSubtractedWhileAnotherExecutes) {
    RecordingBuilder builder;
    builder.exec(0, builder.issue({.begin = 0, .end = 10, .lane = 0, .out = 1, .fresh = true, .line = 5}), 10, 510);
    builder.recording().record_hold(1, 100, 300);
    builder.exec(1, builder.issue({.begin = 10, .end = 20, .lane = 1, .out = 2, .fresh = true, .line = 5}), 300, 400);
    builder.wait(20, 515, trace::WaitKind::waitall, 0, 0, 6);
    builder.mark(trace::FrontendKind::program_end, 515);
    const auto run = builder.read();
    const WaitSplit split = split_of(*run, 0);
    EXPECT_EQ(split.held_ns, 200);
    EXPECT_EQ(split.before_ns, 290);
    EXPECT_EQ(split.return_ns, 5);
    EXPECT_EQ(split.before_ns + split.own_ns + split.handover_ns + split.return_ns, run->waits()[0].waited_ns());
}

TEST(Holds, PausesAreNotOnTheCriticalPath) {
    RecordingBuilder builder;
    builder.exec(0, builder.issue({.begin = 0, .end = 10, .out = 1, .fresh = true}), 10, 20);
    builder.wait(30, 1030, trace::WaitKind::paused);
    builder.exec(0, builder.issue({.begin = 1030, .end = 1040, .out = 2, .fresh = true}), 1040, 1090);
    builder.wait(1040, 1095, trace::WaitKind::waitall);
    builder.mark(trace::FrontendKind::program_end, 1095);
    const auto run = builder.read();
    const PathTotals path = critical_path(*run);
    EXPECT_EQ(path.limit_ns, 0);
    EXPECT_EQ(path.frontend_ns + path.handover_ns + path.execute_ns + path.return_ns + path.limit_ns,
              total_ns_of(*run));
}

}  // namespace
}  // namespace headway::model
