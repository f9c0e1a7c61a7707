#include "app/model/analysis/matching_op.h"

#include <gtest/gtest.h>

#include "tests/unit/model/recording_builder.h"

namespace headway::model {
namespace {

using trace::FrontendKind;

// A recorded training loop: a warm-up, then minibatches with `steps` steps of two lines each.
struct Loop {
    int warm_up = 2, batches = 4, steps = 3;
    std::uint32_t first_line = 10;
    bool barriers = false;
};
std::unique_ptr<Run> record(const Loop& loop) {
    RecordingBuilder builder;
    const auto small = builder.signature(8);
    builder.metadata(R"({"files": ["train.py"]})");
    std::int64_t now = 0;
    BufferId next = 1;
    const auto issue = [&](std::uint32_t line) {
        builder.issue({now, now + 1, 0, next++, 0, 0, true, small, core::make_line(1, line)});
        now += 2;
    };
    for (int i = 0; i < loop.warm_up; ++i) {
        issue(loop.first_line);
        issue(loop.first_line + 1);
    }
    builder.mark(FrontendKind::measure_begin, now);
    for (int b = 0; b < loop.batches; ++b) {
        builder.mark(FrontendKind::minibatch_begin, now, static_cast<std::uint32_t>(b));
        for (int s = 0; s < loop.steps; ++s) {
            issue(loop.first_line);
            issue(loop.first_line + 1);
        }
        builder.mark(FrontendKind::minibatch_end, now, static_cast<std::uint32_t>(b));
        if (loop.barriers) {
            builder.wait(now, now + 5, trace::WaitKind::minibatch_barrier, 0, builder.issued());
            now += 5;
        }
        issue(loop.first_line + 5);  // between minibatches
    }
    builder.mark(FrontendKind::measure_end, now);
    return builder.read();
}

OpId match(const std::unique_ptr<Run>& from, OpId op, const std::unique_ptr<Run>& in) {
    IssueOrder a(*from), b(*in);
    while (a.update(0.0001)) {
    }
    b.update(0);
    return matching_op(a, op, b);
}

TEST(MatchingOps, AreIdenticalForTheSameLoop) {
    const auto a = record({}), b = record({.barriers = true});
    for (OpId op = 1; op <= a->op_count(); ++op) {
        EXPECT_EQ(match(a, op, b), op);
    }
}

TEST(MatchingOps, CountMinibatchesFromTheBeginOfMeasuring) {
    const auto a = record({.warm_up = 1}), b = record({.warm_up = 6});
    for (OpId op = 3; op <= a->op_count(); ++op) {
        EXPECT_EQ(match(a, op, b), op + 10);
    }
    EXPECT_EQ(match(a, 1, b), 1u);
    EXPECT_EQ(match(b, 3, a), 0u) << "a second round of the warm-up, which a does not have";
}

TEST(MatchingOps, AreCountedWithinTheirMinibatch) {
    const auto a = record({.steps = 2}), b = record({.steps = 5});
    // Minibatch 1 of a begins after 4 ops of warm-up, 4 of minibatch 0 and the one between: 10 to 13; that of b at
    // 16.
    EXPECT_EQ(match(a, 10, b), 16u);
    EXPECT_EQ(match(a, 13, b), 19u);
    EXPECT_EQ(match(b, 16, a), 10u);
    EXPECT_EQ(match(b, 20, a), 0u) << "the third step, where a has two";
    EXPECT_EQ(match(a, 9, b), 15u) << "between minibatches";
}

TEST(MatchingOps, DoNotExistForMissingMinibatches) {
    const auto a = record({.batches = 4}), b = record({.batches = 2});
    const auto last = static_cast<OpId>(a->op_count());
    EXPECT_EQ(match(a, last - 1, b), 0u);
    EXPECT_EQ(match(a, last, b), 0u);
    EXPECT_EQ(match(b, static_cast<OpId>(b->op_count()), a), static_cast<OpId>(b->op_count()));
}

TEST(MatchingOps, OfAnEditedProgramUseNameAndShapes) {
    const auto a = record({}), b = record({.first_line = 40});
    for (OpId op = 1; op <= a->op_count(); ++op) {
        EXPECT_EQ(match(a, op, b), op);
    }
}

// With a line inserted at the top, the former line 11 is line 12, and there is still a line 11.
TEST(MatchingOps, IgnoreLinesAfterALineWasInserted) {
    const auto a = record({}), b = record({.first_line = 11});
    for (OpId op = 1; op <= a->op_count(); ++op) {
        EXPECT_EQ(match(a, op, b), op);
    }
}

TEST(MatchingOps, AreSymmetric) {
    const auto a = record({.steps = 2}), b = record({.steps = 5, .first_line = 11});
    for (OpId op = 1; op <= a->op_count(); ++op) {
        const OpId its = match(a, op, b);
        EXPECT_TRUE(its == 0 || match(b, its, a) == op) << op;
    }
}

TEST(MatchingOps, DoNotExistForUnknownOps) {
    const auto a = record({});
    EXPECT_EQ(match(a, 0, a), 0u);
    EXPECT_EQ(match(a, 100000, a), 0u);
}

}  // namespace
}  // namespace headway::model
