// Idle time while the learner holds lanes.
#include "app/model/analysis/idle.h"

#include <gtest/gtest.h>

#include <string>

#include "tests/unit/model/recording_builder.h"

namespace headway::model {
namespace {

using trace::WaitKind;

// The learner's time counts only as paused, whatever the op waited for meanwhile.
TEST(IdleTime, OfALaneThatIsHeldIsPaused) {
    RecordingBuilder builder;
    builder.metadata(
        R"({"lanes": ["a", "b"], "gpus": 2, "links": "pairs", "cost_models": {"links": {"name": "", "source": "",
                        "pcie": {"base_ns": 1}, "nvlink": {"base_ns": 1}}}})");
    builder.recording().meta(trace::MetaType::device, 1, R"({"kind": "simulated", "first_lane": 2, "lanes": ["c"]})");
    const auto make = builder.signature(8, "fill"), copy = builder.signature(8, "copy_to_device");
    builder.issue({.begin = 0, .end = 10, .lane = 0, .out = 1, .fresh = true, .signature = make});
    builder.exec(0, 1, 10, 100);
    builder.issue({.begin = 10, .end = 20, .lane = 0, .out = 2, .fresh = true, .signature = copy});
    builder.exec(0, 2, 100, 300);
    builder.issue({.begin = 20, .end = 30, .lane = 1, .out = 1, .signature = copy});
    builder.recording().record_hold(1, 40, 47);    // while what it overwrites is computed,
    builder.recording().record_hold(1, 150, 163);  // while the other copy uses the bus,
    builder.recording().record_hold(1, 301, 329);  // and when it could begin
    builder.exec(1, 3, 330, 400);
    builder.wait(30, 400, WaitKind::waitall);
    const auto run = builder.read();
    run->close();
    const auto gap = idle_gap(*run, 1, 200);
    ASSERT_TRUE(gap);
    EXPECT_EQ(gap->causes.frontend_ns, 30);
    EXPECT_EQ(gap->causes.dependency_ns, 100 - 30 - 7);
    EXPECT_EQ(gap->causes.link_ns, 300 - 100 - 13);
    EXPECT_EQ(gap->causes.handover_ns, 330 - 300 - 28);
    EXPECT_EQ(gap->causes.paused_ns, 7 + 13 + 28);
    EXPECT_EQ(gap->causes.all_ns() + gap->causes.paused_ns, gap->end_ns - gap->begin_ns);
}

TEST(IdleTime, IsThatOfLanesWhichTheMeasuredPartUses) {
    RecordingBuilder builder;
    builder.exec(0, builder.issue({.begin = 0, .end = 10, .lane = 0, .out = 1, .fresh = true}), 10, 20);
    builder.exec(1, builder.issue({.begin = 10, .end = 20, .lane = 1, .out = 2, .fresh = true}), 20, 30);
    builder.mark(trace::FrontendKind::measure_begin, 100);
    builder.exec(0, builder.issue({.begin = 100, .end = 110, .lane = 0, .out = 3, .fresh = true}), 110, 150);
    builder.wait(110, 150, WaitKind::waitall);
    builder.mark(trace::FrontendKind::measure_end, 150);
    const auto run = builder.read();
    run->close();
    EXPECT_EQ(idle_causes(*run).frontend_ns, 10);
    EXPECT_EQ(idle_causes(*run).all_ns(), 10);
}

TEST(IdleTime, OfALaneBeginsWithTheFirstIssue) {
    RecordingBuilder builder;
    builder.exec(0, builder.issue({.begin = 5, .end = 10, .lane = 0, .out = 1, .fresh = true}), 10, 15);
    builder.mark(trace::FrontendKind::measure_begin, 20);
    builder.exec(1, builder.issue({.begin = 20, .end = 30, .lane = 1, .out = 2, .fresh = true}), 40, 50);
    const auto run = builder.read();
    const auto gap = idle_gap(*run, 1, 10);
    ASSERT_TRUE(gap);
    EXPECT_EQ(gap->begin_ns, 5);
    EXPECT_EQ(gap->end_ns, 40);
    EXPECT_EQ(gap->before, 0u);
    EXPECT_EQ(gap->causes.handover_ns, 10);
}

TEST(IdleTime, BeforeAnIssueThatTheFrontendHeldBackIsItsWait) {
    RecordingBuilder builder;
    builder.exec(0, builder.issue({.begin = 0, .end = 10, .out = 1, .fresh = true}), 10, 20);
    builder.wait(20, 30, WaitKind::paused);
    builder.wait(30, 50, WaitKind::memory);
    builder.recording().record_hold(0, 60, 65);
    builder.wait(50, 90, WaitKind::waitall);
    builder.exec(0, builder.issue({.begin = 90, .end = 95, .out = 2, .fresh = true}), 95, 99);
    const auto run = builder.read();
    const auto gap = idle_gap(*run, 0, 25);
    ASSERT_TRUE(gap);
    EXPECT_EQ(gap->before, 1u);
    EXPECT_EQ(gap->next, 2u);
    EXPECT_EQ(gap->causes.limit_ns, 20);
    EXPECT_EQ(gap->causes.barrier_ns, 40 - 5);
    EXPECT_EQ(gap->causes.paused_ns, 10 + 5);
    EXPECT_EQ(gap->causes.frontend_ns, 95 - 90);
    EXPECT_FALSE(idle_gap(*run, 0, 15)) << "busy";
    EXPECT_FALSE(idle_gap(*run, 0, 95));
    EXPECT_TRUE(idle_gap(*run, 0, 94));
    EXPECT_FALSE(idle_gap(*run, 1, 25)) << "it had no op";
}

}  // namespace
}  // namespace headway::model
