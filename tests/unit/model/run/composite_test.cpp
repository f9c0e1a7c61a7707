// Composite ops in the model: their parts, further outputs, and the memory of those.
#include <gtest/gtest.h>

#include "app/model/numbers/numbers_walk.h"
#include "tests/unit/model/recording_builder.h"

namespace headway::model {
namespace {

TEST(Composites, PartsBelongToTheOpWhoseRecordFollows) {
    RecordingBuilder builder;
    const auto small = builder.signature(8);
    const auto large = builder.signature(1024);
    builder.issue({0, 1, 0, 1, 0, 0, true, small});
    builder.issue({2, 3, 0, 2, 1, 0, true, small});
    builder.exec(0, 1, 5, 10);
    builder.part(0, large, 10, 14);
    builder.part(0, small, 14, 18);
    auto run = builder.read();
    EXPECT_TRUE(run->parts(2).empty());  // the op's own record has not arrived
    builder.exec(0, 2, 10, 20);
    run->update();
    EXPECT_TRUE(run->parts(1).empty());
    const auto parts = run->parts(2);
    ASSERT_EQ(parts.size(), 2u);
    EXPECT_EQ(parts[0].signature, large);
    EXPECT_EQ(parts[0].begin_ns, 10);
    EXPECT_EQ(parts[1].end_ns, 18);
    EXPECT_EQ(numbers_of(*run).parts, 2u);
    EXPECT_EQ(numbers_of(*run).ops, 2u);
    EXPECT_EQ(run->op(2).end_ns, 20);
}

TEST(Composites, WithMorePartsThanABatchAreReadCompletely) {
    constexpr int kParts = 70'000;
    RecordingBuilder builder(std::size_t{64} << 20);
    const auto small = builder.signature(8);
    builder.issue({0, 1, 0, 1, 0, 0, true, small});
    for (int i = 0; i < kParts; ++i) {
        builder.part(0, small, 10 + i, 11 + i);
    }
    builder.exec(0, 1, 10, 10 + kParts);
    const auto run = builder.read();
    EXPECT_EQ(run->op(1).end_ns, 10 + kParts);
    EXPECT_EQ(numbers_of(*run).parts, static_cast<std::uint64_t>(kParts));
}

TEST(Composites, FurtherOutputsAllocateAndFreeMemory) {
    for (const char* policy : {"finish", "stream", "lazy"}) {
        RecordingBuilder builder;
        builder.policy(policy);
        const auto main = builder.signature(100);
        const auto more = builder.signature(1000);
        builder.issue({0, 1, 0, 1, 0, 0, true, main});
        builder.more_output(2, true, more);
        builder.drop(2, 2);  // an intermediate result
        builder.exec(0, 1, 10, 20);
        auto run = builder.read();
        EXPECT_EQ(run->live_bytes().at(15), policy == std::string("stream") ? 100 : 1100) << policy;
        EXPECT_EQ(run->live_bytes().at(25), 100) << policy;
        EXPECT_EQ(run->pending_bytes().at(25), 0) << policy;
    }
}

// A lane may be faster than the frontend's records, and the run may be read in between.
TEST(Composites, FurtherOutputsMayBeReadAfterTheEndOfTheOp) {
    for (const char* policy : {"finish", "stream", "lazy"}) {
        RecordingBuilder builder;
        builder.policy(policy);
        const auto main = builder.signature(100);
        const auto more = builder.signature(1000);
        const auto run = builder.open();
        builder.issue({0, 1, 0, 1, 0, 0, true, main});
        builder.exec(0, 1, 10, 20);
        run->update();
        builder.more_output(2, true, more);
        builder.drop(15, 2);
        builder.drop(30, 1);
        run->update();
        EXPECT_EQ(run->live_bytes().at(12), 1100) << policy;
        EXPECT_EQ(run->live_bytes().at(18), policy == std::string("stream") ? 100 : 1100) << policy;
        EXPECT_EQ(run->live_bytes().at(25), 100) << policy;
        EXPECT_EQ(run->live_bytes().at(30), 0) << policy;
    }
}

TEST(Composites, DependenciesGoThroughFurtherOutputs) {
    RecordingBuilder builder;
    const auto s = builder.signature(8);
    builder.issue({0, 1, 0, 1, 0, 0, true, s});  // 1: makes 1
    builder.issue({2, 3, 0, 2, 1, 0, true, s});  // 2: reads 1
    builder.issue({4, 5, 0, 3, 1, 0, true, s});  // 3: composite, reads 1 and 2, makes 3 and 4, changes 1
    builder.more_inputs(2, 0);
    builder.more_output(4, true, s);
    builder.more_output(1, false, s);
    builder.issue({6, 7, 0, 5, 4, 0, true, s});  // 4: reads 4
    builder.issue({8, 9, 0, 6, 1, 0, true, s});  // 5: reads 1 after the change
    auto run = builder.read();
    EXPECT_EQ(run->dependencies(3), (std::vector<OpId>{1, 2}));
    EXPECT_EQ(run->dependencies(4), (std::vector<OpId>{3}));
    EXPECT_EQ(run->dependencies(5), (std::vector<OpId>{3}));
}

// No recorder writes this, but a file can contain it.
TEST(Composites, AnOpThatNamesABufferTwiceDoesNotDependOnItself) {
    RecordingBuilder builder;
    const auto s = builder.signature(8);
    builder.issue({0, 1, 0, 1, 0, 0, true, s});
    builder.more_output(1, false, s);
    builder.more_output(2, true, s);
    builder.more_output(2, false, s);
    builder.more_inputs(2, 0);
    builder.issue({2, 3, 0, 3, 2, 0, true, s});
    const auto run = builder.read();
    EXPECT_TRUE(run->dependencies(1).empty());
    EXPECT_TRUE(run->dependencies_with_reasons(1).empty());
    EXPECT_EQ(run->dependencies(2), (std::vector<OpId>{1}));
}

}  // namespace
}  // namespace headway::model
