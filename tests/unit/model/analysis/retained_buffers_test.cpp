#include "app/model/analysis/memory/retained_buffers.h"

#include <gtest/gtest.h>

#include <set>

#include "tests/unit/model/recording_builder.h"

namespace headway::model {
namespace {

class RetainedBuffersInRandomPrograms : public ::testing::TestWithParam<std::uint32_t> {};

// Compares with a brute-force search over all ops for each buffer.
TEST_P(RetainedBuffersInRandomPrograms, AgreeWithBruteForce) {
    static const std::string kPolicies[] = {"finish", "stream", "lazy"};
    const std::string& policy = kPolicies[GetParam() % 3];
    RecordingBuilder builder;
    builder.policy(policy);
    RandomProgram program(builder, GetParam(), 1 + GetParam() % 4);
    program.fails_every = GetParam() % 4 < 2 ? 0 : 5;
    program.composites = GetParam() % 5 < 2;
    for (int i = 0; i < 200; ++i) {
        program.step();
    }
    program.end();
    const auto run = builder.read();
    for (OpId id = 1; id <= run->op_count(); ++id) {
        RetainedBuffersWalk walk(*run, id);
        while (walk.step(0.0001)) {
        }
        const auto& own = program.ops[id - 1];
        std::set<BufferId> touched(own.reads.begin(), own.reads.end());
        touched.insert(own.more_out.begin(), own.more_out.end());
        if (own.out != 0) {
            touched.insert(own.out);
        }
        ASSERT_EQ(walk.retained().size(), touched.size()) << id;
        for (const RetainedBuffer& retained_buffer : walk.retained()) {
            SCOPED_TRACE("op " + std::to_string(id) + ", buffer " + std::to_string(retained_buffer.buffer) + ", " +
                         policy);
            ASSERT_TRUE(touched.contains(retained_buffer.buffer));
            const auto& buffer = program.buffers[retained_buffer.buffer];
            EXPECT_EQ(retained_buffer.role, buffer.maker == id                           ? RetainedBuffer::Role::made
                                            : program.writes(id, retained_buffer.buffer) ? RetainedBuffer::Role::changed
                                                                                         : RetainedBuffer::Role::read);
            EXPECT_EQ(retained_buffer.maker, buffer.maker);
            EXPECT_EQ(retained_buffer.bytes, buffer.bytes);
            EXPECT_EQ(retained_buffer.dropped_ns, buffer.dropped);
            EXPECT_EQ(retained_buffer.taken_ns, program.taken(retained_buffer.buffer, policy));
            std::int64_t all_end = 0, others_end = 0;
            for (OpId op = 1; op <= program.ops.size(); ++op) {
                if (program.reads(op, retained_buffer.buffer) || program.writes(op, retained_buffer.buffer)) {
                    all_end = std::max(all_end, program.ops[op - 1].end);
                    others_end = std::max(others_end, op == id ? 0 : program.ops[op - 1].end);
                }
            }
            if (buffer.dropped == kPending) {
                EXPECT_EQ(retained_buffer.freed_ns, kPending);
                EXPECT_EQ(retained_buffer.alone_ns, 0);
            } else if (policy == "stream") {
                EXPECT_EQ(retained_buffer.freed_ns, buffer.dropped);
                EXPECT_EQ(retained_buffer.alone_ns, 0);
            } else {
                EXPECT_EQ(retained_buffer.freed_ns, std::max(buffer.dropped, all_end));
                // The same as checking each nanosecond: after all other uses, and not before the op was issued.
                const std::int64_t from =
                    std::max({buffer.dropped, others_end, own.issue_begin, retained_buffer.taken_ns});
                EXPECT_EQ(retained_buffer.alone_ns, std::max<std::int64_t>(own.end - from, 0));
            }
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Seeds, RetainedBuffersInRandomPrograms, ::testing::Range(1u, 19u));

TEST(RetainedBuffers, OfAnOpThatHasNotEndedAreOpen) {
    RecordingBuilder builder;
    const auto eight = builder.signature(8);
    builder.issue({0, 1, 0, 1, 0, 0, true, eight, 0});
    builder.issue({1, 2, 0, 2, 1, 0, true, eight, 0});
    builder.drop(4, 1);
    builder.exec(0, 1, 3, 10);
    const auto run = builder.read();
    RetainedBuffersWalk walk(*run, 2);
    EXPECT_FALSE(walk.step(0));
    ASSERT_EQ(walk.retained().size(), 2u);
    EXPECT_EQ(walk.retained()[0].role, RetainedBuffer::Role::made);
    const RetainedBuffer& input = walk.retained()[1];
    EXPECT_EQ(input.maker, 1u);
    EXPECT_TRUE(input.open);
    EXPECT_EQ(input.freed_ns, kPending);
    EXPECT_EQ(input.last, 1u);
    EXPECT_EQ(input.alone_ns, run->now_ns() - 10);
}

TEST(RetainedBuffers, DoNotExistForUnknownOps) {
    RecordingBuilder builder;
    const auto run = builder.read();
    RetainedBuffersWalk walk(*run, 7);
    EXPECT_FALSE(walk.step(0));
    EXPECT_TRUE(walk.retained().empty());
}

}  // namespace
}  // namespace headway::model
