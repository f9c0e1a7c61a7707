#include "app/model/analysis/overlap.h"

#include <gtest/gtest.h>

#include "tests/unit/model/recording_builder.h"

namespace headway::model {
namespace {

// Against a count of every nanosecond.
TEST(Overlap, IsCountedExactly) {
    for (std::uint32_t seed = 0; seed < 20; ++seed) {
        RecordingBuilder builder;
        RandomProgram program(builder, seed, 3);
        for (int i = 0; i < 60; ++i) {
            program.step();
        }
        program.end();
        const auto run = builder.read();
        const Run::Measured part = run->measured();
        std::int64_t any = 0, several = 0;
        std::array<std::int64_t, 3> gap{}, longest_of{};
        std::array<bool, 3> used{};
        for (std::int64_t ns = part.begin_ns; ns < part.end_ns; ++ns) {
            int running = 0;
            for (std::uint8_t lane = 0; lane < 3; ++lane) {
                const bool runs = std::any_of(program.ops.begin(), program.ops.end(), [&](const auto& op) {
                    return op.lane == lane && op.begin <= ns && ns < op.end;
                });
                const bool touches = std::any_of(program.ops.begin(), program.ops.end(), [&](const auto& op) {
                    return op.lane == lane && op.begin == op.end && op.begin == ns && op.begin > part.begin_ns;
                });
                used[lane] = used[lane] || runs || touches;
                running += runs ? 1 : 0;
                gap[lane] = runs ? 0 : touches ? 1 : gap[lane] + 1;  // an op of no length ends a gap, too
                longest_of[lane] = std::max(longest_of[lane], gap[lane]);
            }
            any += running > 0 ? 1 : 0;
            several += running > 1 ? 1 : 0;
        }
        std::int64_t longest = 0;
        for (std::size_t lane = 0; lane < 3; ++lane) {
            longest = used[lane] ? std::max(longest, longest_of[lane]) : longest;
        }
        const Overlap overlap = overlap_of(*run);
        EXPECT_EQ(overlap.any_ns, any) << "seed " << seed;
        EXPECT_EQ(overlap.several_ns, several) << "seed " << seed;
        EXPECT_EQ(overlap.copies_ns, 0);
        EXPECT_EQ(overlap.devices_ns, 0);
        const Gap found = longest_gap(*run);
        EXPECT_EQ(found.end_ns - found.begin_ns, longest) << "seed " << seed;
    }
}

}  // namespace
}  // namespace headway::model
