#include "app/model/analysis/memory/alive.h"

#include <gtest/gtest.h>

#include <set>

#include "tests/unit/model/recording_builder.h"

namespace headway::model {
namespace {

class AliveInRandomPrograms : public ::testing::TestWithParam<std::uint32_t> {};

// Compares the groups with a brute-force search over all buffers and ops, and their sums with the curves.
TEST_P(AliveInRandomPrograms, SumUpToTheCurves) {
    static const std::string kPolicies[] = {"finish", "stream", "lazy"};
    const std::string& policy = kPolicies[GetParam() % 3];
    RecordingBuilder builder;
    builder.policy(policy);
    RandomProgram program(builder, GetParam(), 1 + GetParam() % 4);
    program.fails_every = GetParam() % 4 < 2 ? 0 : 5;
    program.composites = GetParam() % 5 < 2;
    for (int i = 0; i < 250; ++i) {
        program.step();
    }
    if (GetParam() % 2 == 0) {
        program.end();
    }
    const auto run = builder.read();
    std::mt19937 random(GetParam());
    for (int i = 0; i < 40; ++i) {
        const auto ns = static_cast<std::int64_t>(random() % static_cast<std::uint32_t>(run->now_ns() + 1));
        AliveWalk walk(*run, ns);
        while (walk.step(0.0001)) {
        }
        ASSERT_EQ(static_cast<std::int64_t>(walk.all().bytes), run->live_bytes().at(ns)) << policy << " at " << ns;
        ASSERT_EQ(policy == "stream" ? 0 : run->pending_bytes().at(ns),
                  static_cast<std::int64_t>(walk.all().pending_bytes))
            << policy << " at " << ns;

        if (GetParam() % 2 != 0) {
            continue;  // not delivered, so not in the recording
        }
        std::multiset<OpId> makers;
        for (BufferId id = 1; id < program.buffers.size(); ++id) {
            const auto& buffer = program.buffers[id];
            if (program.taken(id, policy) <= ns && ns < program.freed(id, policy)) {
                makers.insert(buffer.maker);
            }
        }
        std::multiset<OpId> found;
        for (const auto& group : walk.groups()) {
            ASSERT_LE(group.count, AliveGroup::kMostMakers);
            found.insert(group.makers.begin(), group.makers.end());
        }
        ASSERT_EQ(found, makers) << policy << " at " << ns;
    }
}

INSTANTIATE_TEST_SUITE_P(Seeds, AliveInRandomPrograms, ::testing::Range(1u, 31u));

TEST(Alive, AreGroupedByLineAndOpWithPendingOnesSeparate) {
    RecordingBuilder builder;
    const auto eight = builder.signature(8);
    builder.issue({0, 1, 0, 1, 0, 0, true, eight, core::make_line(1, 5)});
    builder.issue({1, 2, 0, 2, 1, 0, true, eight, core::make_line(1, 5)});
    builder.issue({2, 3, 0, 3, 2, 0, true, eight, core::make_line(1, 9)});
    builder.drop(4, 2);
    builder.exec(0, 1, 3, 10);
    builder.exec(0, 2, 10, 20);
    builder.exec(0, 3, 20, 30);
    const auto run = builder.read();
    AliveWalk walk(*run, 12);
    EXPECT_FALSE(walk.step(0));
    ASSERT_EQ(walk.groups().size(), 2u);
    EXPECT_EQ(walk.groups()[0].line, core::make_line(1, 5));
    EXPECT_EQ(walk.groups()[0].count, 2u);
    EXPECT_EQ(walk.groups()[0].pending_count, 1u);
    EXPECT_EQ(walk.groups()[0].makers, (std::vector<OpId>{1, 2}));
    EXPECT_EQ(walk.groups()[1].bytes, 8u);
    AliveWalk later(*run, 30);
    later.step(0);
    EXPECT_EQ(later.all().count, 2u);
    EXPECT_EQ(later.all().pending_count, 0u);
}

}  // namespace
}  // namespace headway::model
