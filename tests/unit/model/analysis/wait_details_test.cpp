#include "app/model/analysis/wait_details.h"

#include <gtest/gtest.h>

#include "tests/unit/model/recording_builder.h"

namespace headway::model {
namespace {

using trace::WaitKind;

enum class WaitsFor { everything, tensor, device };

// `ops` ops of 10 ns, each of which reads what the one before it wrote. The frontend then waits for them.
WaitDetails details_of_chain(std::size_t ops, WaitsFor what, bool all) {
    RecordingBuilder builder;
    const auto count = static_cast<std::int64_t>(ops);
    for (std::int64_t i = 0; i < count; ++i) {
        builder.exec(0, builder.issue({.begin = i, .end = i + 1, .out = 1, .in0 = 1, .in_place = true}), count + 10 * i,
                     count + 10 * i + 10);
    }
    if (what == WaitsFor::device) {
        builder.wait_for_device(count, 11 * count, 0);
    } else {
        builder.wait(count, 11 * count, WaitKind::waitall, what == WaitsFor::tensor ? 1 : 0);
    }
    return wait_details(*builder.read(), 0, all);
}

TEST(WaitDetails, StopsCountingAtTheLimitWhereItMustBeQuick) {
    for (const WaitsFor what : {WaitsFor::tensor, WaitsFor::device}) {
        const WaitDetails few = details_of_chain(kWaitCauses, what, false);
        EXPECT_EQ(few.count, kWaitCauses);
        EXPECT_FALSE(few.at_least);
        const WaitDetails many = details_of_chain(kWaitCauses + 100, what, false);
        EXPECT_EQ(many.count, kWaitCauses + 1);
        EXPECT_TRUE(many.at_least) << "there may be more";
        EXPECT_EQ(many.causes.size(), kWaitCauses);
        const WaitDetails whole = details_of_chain(kWaitCauses + 100, what, true);
        EXPECT_EQ(whole.count, kWaitCauses + 100);
        EXPECT_FALSE(whole.at_least);
    }
    // All ops that were issued: counted without looking at each.
    const WaitDetails everything = details_of_chain(kWaitCauses + 100, WaitsFor::everything, false);
    EXPECT_EQ(everything.count, kWaitCauses + 100);
    EXPECT_FALSE(everything.at_least);
}

TEST(WaitDetails, ExecutionTimesAreGroupedByNameLongestFirst) {
    RecordingBuilder builder;
    const auto add = builder.signature(8, "add"), matmul = builder.signature(8, "matmul");
    std::int64_t issued = 0, free = 100;
    for (const auto signature : {add, matmul, add}) {
        const auto op = builder.issue(
            {.begin = issued, .end = issued + 1, .out = 1, .in0 = 1, .signature = signature, .in_place = true});
        ++issued;
        const std::int64_t took = signature == add ? 30 : 100;
        builder.exec(0, op, free, free + took);
        free += took;
    }
    builder.wait(110, free + 5, WaitKind::waitall);
    const WaitDetails details = wait_details(*builder.read(), 0);
    ASSERT_EQ(details.shares.size(), 2u);
    EXPECT_EQ(details.shares[0].name, "matmul");
    EXPECT_EQ(details.shares[0].ns, 100);
    EXPECT_EQ(details.shares[0].ops, 1u);
    EXPECT_EQ(details.shares[1].name, "add");
    EXPECT_EQ(details.shares[1].ns, 20 + 30) << "from the start of the wait";
    EXPECT_EQ(details.shares[1].ops, 2u);
    EXPECT_FALSE(details.many);
}

TEST(WaitDetails, HasNoSharesOfTooManyOps) {
    const WaitDetails few = details_of_chain(kWaitShares - 1, WaitsFor::everything, true);
    EXPECT_FALSE(few.many);
    EXPECT_EQ(few.shares.size(), 1u);
    const WaitDetails many = details_of_chain(kWaitShares, WaitsFor::everything, true);
    EXPECT_TRUE(many.many);
    EXPECT_TRUE(many.shares.empty());
}

TEST(WaitDetails, OwnOpsOfAWaitForATensorAreThoseThatItNeeds) {
    RecordingBuilder builder;
    builder.exec(0, builder.issue({.begin = 0, .end = 10, .out = 1, .fresh = true, .line = 6}), 10, 110);
    builder.exec(0, builder.issue({.begin = 10, .end = 20, .out = 1, .in0 = 1, .line = 7, .in_place = true}), 110, 140);
    builder.exec(0, builder.issue({.begin = 20, .end = 30, .out = 2, .fresh = true, .line = 7}), 140, 150);
    builder.wait(30, 141, WaitKind::item, 1, 0, 7);
    const WaitSplit split = split_of(*builder.read(), 0);
    EXPECT_EQ(split.before_ops, 1u);
    EXPECT_EQ(split.own_ops, 1u);
    EXPECT_EQ(split.before_ns, 80);
    EXPECT_EQ(split.own_ns, 30);
    EXPECT_EQ(split.return_ns, 1);
}

TEST(WaitDetails, OwnOpsOfAWaitForAllAreThoseThatHaveNotEnded) {
    RecordingBuilder builder;
    builder.exec(0, builder.issue({.begin = 0, .end = 10, .lane = 0, .out = 1, .fresh = true, .line = 6}), 10, 350);
    builder.exec(1, builder.issue({.begin = 10, .end = 20, .lane = 1, .out = 2, .fresh = true, .line = 7}), 20, 90);
    builder.wait(100, 355, WaitKind::waitall, 0, 0, 7);
    const WaitSplit split = split_of(*builder.read(), 0);
    EXPECT_EQ(split.before_ops, 1u);
    EXPECT_EQ(split.own_ops, 0u) << "it ended before the wait";
    EXPECT_EQ(split.before_ns, 250);
    EXPECT_EQ(split.own_ns, 0);
}

// What leaving a wait out would save is computed for a barrier or blocker of a whole run that was not cut off.
TEST(WaitDetails, SaysWhatARunWouldTakeWithoutABarrier) {
    const auto without = [](WaitKind kind, trace::RunState state) {
        RecordingBuilder builder;
        builder.exec(0, builder.issue({.begin = 0, .end = 10, .out = 1, .fresh = true}), 10, 110);
        builder.wait(10, 112, kind);
        builder.exec(0, builder.issue({.begin = 112, .end = 122, .out = 1, .in0 = 1, .in_place = true}), 122, 222);
        builder.wait(122, 224, WaitKind::waitall);
        builder.mark(trace::FrontendKind::program_end, 224);
        builder.recording().header().state = static_cast<std::uint32_t>(state);
        const auto run = builder.read();
        const WaitDetails details = wait_details(*run, 0);
        EXPECT_EQ(details.without_ns ? details.total_ns : 0, details.without_ns ? 224 : 0);
        return details.without_ns;
    };
    EXPECT_EQ(without(WaitKind::waitall, trace::RunState::finished), 212);
    EXPECT_EQ(without(WaitKind::item, trace::RunState::failed), 212);
    EXPECT_EQ(without(WaitKind::queue_limit, trace::RunState::finished), std::nullopt);
    EXPECT_EQ(without(WaitKind::memory, trace::RunState::finished), std::nullopt);
    EXPECT_EQ(without(WaitKind::waitall, trace::RunState::running), std::nullopt);
}

}  // namespace
}  // namespace headway::model
