#include "app/model/user_data/bookmark.h"

#include <gtest/gtest.h>

#include "tests/unit/model/recording_builder.h"

namespace headway::model {
namespace {

struct MadeOps {
    std::uint32_t ops = 300;
    std::string name = "add", program = "a.py";
    OpId longer = 0;            // this op takes a nanosecond longer
    std::int64_t last_ns = 3;   // of the last op
    std::int64_t begin_ns = 0;  // of the first op
    bool executed = true;
};

std::uint64_t fingerprint(const MadeOps& made) {
    RecordingBuilder builder;
    builder.metadata("{\"program\": \"" + made.program + "\", \"date\": \"2026-11-27\", \"device_kind\": \"cpu\"}");
    const std::uint16_t signature = builder.signature(4, made.name);
    for (OpId id = 1; id <= made.ops; ++id) {
        const std::int64_t ns = made.begin_ns + 10 * id;
        RecordingBuilder::Issue issue{ns, ns + 1};
        issue.signature = signature;
        builder.issue(issue);
        if (made.executed) {
            builder.exec(0, id, ns + 2, ns + 2 + (id == made.ops ? made.last_ns : 3) + (id == made.longer ? 1 : 0));
        }
    }
    return fingerprint_of(*builder.read());
}

TEST(Fingerprint, IsThatOfTheSameRun) {
    EXPECT_EQ(fingerprint({}), fingerprint({}));
    EXPECT_EQ(fingerprint({.begin_ns = 1'000}), fingerprint({})) << "an imported trace may have another origin";
}

TEST(Fingerprint, TellsRunsApart) {
    const std::uint64_t own = fingerprint({});
    EXPECT_NE(fingerprint({.program = "b.py"}), own);
    EXPECT_NE(fingerprint({.name = "mul"}), own);
    EXPECT_NE(fingerprint({.longer = 1}), own);
    EXPECT_NE(fingerprint({.longer = 64}), own);
    EXPECT_NE(fingerprint({.longer = 300 - 63}), own);
    EXPECT_NE(fingerprint({.longer = 300}), own);
    EXPECT_NE(fingerprint({.ops = 301, .executed = false}), fingerprint({.executed = false}));
}

// A trace file has durations from 2^31 ns on in coarser units.
TEST(Fingerprint, LooksAtDurationsThatATraceKeepsExactly) {
    EXPECT_EQ(fingerprint({.last_ns = 3'400'000'000}), fingerprint({.last_ns = 3'400'000'256}));
    EXPECT_NE(fingerprint({.last_ns = 2'000'000'000}), fingerprint({.last_ns = 2'000'000'001}));
}

TEST(Fingerprint, LooksAtAllOpsOfAShortRun) {
    const std::uint64_t own = fingerprint({.ops = 128});
    for (OpId id = 1; id <= 128; ++id) {
        EXPECT_NE(fingerprint({.ops = 128, .longer = id}), own) << id;
    }
}

}  // namespace
}  // namespace headway::model
