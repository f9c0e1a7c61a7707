// Which waits a run is computed without, and what a replay keeps.
#include "app/model/replay/what_if.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "app/model/run/queries.h"
#include "tests/unit/model/recording_builder.h"

namespace headway::model {
namespace {

using trace::WaitKind;

struct EndWait {
    WaitKind kind;
    BufferId target = 0;
    bool first_device = false;  // waits only for the ops of the first of two devices
};

// Which of these waits after the last op are left out without barriers.
std::vector<bool> left_out(const std::vector<EndWait>& at_the_end, std::string_view barrier = "minibatch") {
    RecordingBuilder builder;
    builder.gpu_and_cpu(R"(, "barrier": ")" + std::string(barrier) + "\"");
    std::int64_t now = 0;
    const auto wait = [&](const EndWait& end) {
        if (end.first_device) {
            builder.wait_for_device(now, now + 2, 0);
        } else {
            builder.wait(now, now + 2, end.kind, end.target);
        }
        now += 2;
    };
    for (const BufferId out : {1u, 2u}) {
        builder.exec(0, builder.issue({.begin = now, .end = now + 10, .out = out, .fresh = true}), now + 10, now + 11);
        now += 11;
        wait({WaitKind::waitall});
    }
    builder.exec(0, builder.issue({.begin = now, .end = now + 10, .out = 3, .fresh = true}), now + 10, now + 11);
    now += 11;
    for (const EndWait& end : at_the_end) {
        wait(end);
    }
    builder.mark(trace::FrontendKind::program_end, now);
    const auto run = builder.read();
    const auto of = barriers_of(*run);
    EXPECT_TRUE(of(0) && of(1)) << "in between all are";
    std::vector<bool> found;
    for (std::size_t i = 2; i < run->waits().size(); ++i) {
        found.push_back(of(i));
    }
    return found;
}

using LeftOut = std::vector<bool>;
constexpr EndWait kPolicyWait{WaitKind::minibatch_barrier}, kForAll{WaitKind::waitall};
constexpr EndWait kForOne{WaitKind::wait_to_read, 3}, kForADevice{WaitKind::synchronize, 0, true};
constexpr EndWait kBlocker{WaitKind::item, 3}, kOpBarrier{WaitKind::op_barrier};

TEST(Barriers, TheProgramsLastForEverythingIsKeptAtTheEnd) {
    EXPECT_EQ(left_out({kPolicyWait, kForOne, kForAll, kForAll, kForOne}), (LeftOut{true, true, true, false, true}));
    EXPECT_EQ(left_out({kForADevice, kForAll}), (LeftOut{true, false}));
    EXPECT_EQ(left_out({kForAll, kForADevice, kPolicyWait}), (LeftOut{false, true, true}));
}

TEST(Barriers, OtherwiseTheProgramsLastIsKept) {
    EXPECT_EQ(left_out({kForOne, kForOne, kPolicyWait}), (LeftOut{true, false, true}));
    EXPECT_EQ(left_out({kForOne, kForADevice}), (LeftOut{true, false}));
}

TEST(Barriers, OtherwiseThePolicysLastIsKept) {
    EXPECT_EQ(left_out({kPolicyWait, kPolicyWait}), (LeftOut{true, false}));
    EXPECT_EQ(left_out({kOpBarrier, kPolicyWait}, "op"), (LeftOut{true, false}));
}

TEST(Barriers, PolicyBarriersAreLeftOutIfAnotherWaitRemains) {
    EXPECT_EQ(left_out({kPolicyWait, kBlocker}), (LeftOut{true, false}));
    EXPECT_EQ(left_out({kBlocker, kPolicyWait}), (LeftOut{false, true}));
    EXPECT_EQ(left_out({kOpBarrier, kPolicyWait}), (LeftOut{false, true})) << "the framework's";
}

TEST(Barriers, ABlockerAtTheEndDoesNotReplaceTheProgramsBarrier) {
    EXPECT_EQ(left_out({kBlocker, kForAll}), (LeftOut{false, false}));
    EXPECT_EQ(left_out({kForAll, kForAll, kBlocker}), (LeftOut{true, false, false}));
    EXPECT_EQ(left_out({kForOne, kBlocker}), (LeftOut{false, false}));
    EXPECT_EQ(left_out({kOpBarrier, kForAll}), (LeftOut{false, false})) << "the framework's";
}

// A blocker after the last measured op is how the program ends.
TEST(Blockers, AreThoseBeforeTheLastMeasuredOp) {
    RecordingBuilder builder;
    builder.exec(0, builder.issue({.begin = 0, .end = 10, .out = 1, .fresh = true}), 10, 20);
    builder.wait(10, 21, WaitKind::item, 1);
    builder.mark(trace::FrontendKind::measure_begin, 30);
    builder.exec(0, builder.issue({.begin = 30, .end = 40, .out = 2, .fresh = true}), 40, 50);
    builder.wait(40, 51, WaitKind::item, 2);
    builder.wait(51, 52, WaitKind::waitall);
    builder.wait(52, 53, WaitKind::op_barrier);
    builder.exec(0, builder.issue({.begin = 53, .end = 60, .out = 3, .fresh = true}), 60, 70);
    builder.wait(60, 71, WaitKind::item, 3);
    builder.mark(trace::FrontendKind::measure_end, 80);
    builder.wait(80, 81, WaitKind::item, 3);
    builder.mark(trace::FrontendKind::program_end, 90);
    const auto run = builder.read();
    const auto of = blockers_of(*run);
    LeftOut found;
    for (std::size_t i = 0; i < run->waits().size(); ++i) {
        found.push_back(of(i));
    }
    EXPECT_EQ(found, (LeftOut{false, true, false, true, false, false}));
}

TEST(WhatIfRun, ExcludesThePausesOfTheMeasuredPart) {
    RecordingBuilder builder;
    builder.exec(0, builder.issue({0, 10, 0}), 10, 20);
    builder.wait(10, 60, WaitKind::paused);
    builder.mark(trace::FrontendKind::measure_begin, 60);
    builder.exec(0, builder.issue({60, 70, 0}), 70, 80);
    builder.wait(70, 170, WaitKind::paused);
    builder.exec(0, builder.issue({170, 180, 0}), 180, 190);
    builder.wait(180, 191, WaitKind::waitall);
    builder.mark(trace::FrontendKind::measure_end, 200);
    builder.wait(200, 300, WaitKind::paused);
    builder.mark(trace::FrontendKind::program_end, 300);
    const auto run = builder.read();
    EXPECT_EQ(total_ns_of(*run), 40);
    EXPECT_EQ(without_waits(*run, [](std::size_t) { return false; }).total_ns, 40);
}

// The run has no record of its end. Without the wait, ops run during the work after the last event.
TEST(WhatIfRun, TheFrontendsLastWorkComesBeforeTheEnd) {
    RecordingBuilder builder;
    builder.exec(0, builder.issue({0, 10, 0}), 10, 100);
    builder.wait(10, 102, WaitKind::waitall);
    builder.exec(0, builder.issue({102, 112, 0}), 112, 162);
    builder.work(112, 412, "sleep");
    const auto run = builder.read();
    EXPECT_EQ(total_ns_of(*run), 412);
    EXPECT_EQ(without_waits(*run, [](std::size_t) { return false; }).total_ns, 412);
    EXPECT_EQ(without_wait(*run, 0).total_ns, 412 - 92);
}

// A wait for memory is not for ops.
TEST(WhatIfRun, AWaitForNoOpKeepsItsDurationWithoutTheLearnersHolds) {
    RecordingBuilder builder;
    builder.recording().record_hold(0, 20, 30);
    builder.wait(0, 100, WaitKind::memory);
    builder.exec(0, builder.issue({100, 110, 0}), 110, 120);
    builder.wait(110, 121, WaitKind::waitall);
    builder.mark(trace::FrontendKind::program_end, 121);
    const auto run = builder.read();
    EXPECT_EQ(total_ns_of(*run), 111);
    EXPECT_EQ(without_waits(*run, [](std::size_t) { return false; }).total_ns, 111);
}

TEST(WhatIfRun, AWaitForOneDeviceFollowsThatDevice) {
    RecordingBuilder builder;
    builder.gpu_and_cpu();
    builder.exec(1, builder.issue({0, 10, 1}), 10, 1000);
    builder.exec(0, builder.issue({10, 20, 0}), 20, 100);
    builder.wait(20, 103, WaitKind::wait_to_read);  // does not matter: until its own time
    builder.wait_for_device(103, 105, 0);
    builder.exec(0, builder.issue({105, 115, 0}), 115, 120);
    builder.wait_for_device(115, 1004, 1);
    builder.mark(trace::FrontendKind::program_end, 1004);
    const auto run = builder.read();
    const auto none = [](std::size_t) { return false; };
    EXPECT_EQ(without_waits(*run, none).total_ns, 1004);
    const WhatIfRun what_if = without_wait(*run, 0, true);
    EXPECT_EQ(what_if.ops[2].begin_ns, 100 + 2 + 10) << "after the op of the first device, not after that of the other";
    EXPECT_EQ(what_if.total_ns, 1004);
}

// A simulated GPU whose ops take the time that their family says.
std::string lazy_metadata(std::string_view lanes) {
    const std::string model =
        R"({"name": "GPU", "source": "chosen", "t1_ns": 0, "t3_ns": 7, "families": {"create": {"base_ns": 10},
            "elementwise": {"base_ns": 20}, "matmul": {"base_ns": 100}, "reduce": {"base_ns": 1},
            "update": {"base_ns": 1}, "copy": {"base_ns": 1}, "random": {"base_ns": 1}, "other": {"base_ns": 1}}})";
    return R"({"simulated": true, "device_kind": "simulated", "free_policy": "lazy", "lanes": )" + std::string(lanes) +
           R"(, "cost_models": {"device": )" + model + ", \"beside\": " + model + "}}";
}

// Ops of 10, 20 and 100 ns under the policy lazy. Op i makes buffer i.
class LazyProgram {
public:
    explicit LazyProgram(std::string_view lanes) {
        builder.metadata(lazy_metadata(lanes));
        for (std::uint16_t id = ten; id <= hundred; ++id) {
            trace::SignatureInfo info{};
            info.family = static_cast<std::uint8_t>(id - 1);
            builder.recording().signature(id, info, "(2)", "op");
        }
    }
    void op(std::uint8_t lane, BufferId in, std::uint16_t of, std::int64_t begin, std::int64_t end,
            std::int64_t issued_ns = 0) {
        builder.issue({issued_ns, issued_ns, lane, builder.issued() + 1, in, 0, true, of});
        builder.exec(lane, builder.issued(), begin, end);
    }
    // The run without some of its waits, which with all of them must have its recorded times.
    std::unique_ptr<Run> checked(std::int64_t total_ns) {
        builder.mark(trace::FrontendKind::program_end, total_ns);
        auto run = builder.read();
        EXPECT_FALSE(run->info().device_costs.empty());
        const WhatIfRun same = without_waits(
            *run, [](std::size_t) { return false; }, true);
        for (OpId id = 1; id <= run->op_count(); ++id) {
            EXPECT_EQ(same.ops[id - 1].begin_ns, run->op(id).begin_ns) << id;
            EXPECT_EQ(same.ops[id - 1].end_ns, run->op(id).end_ns) << id;
        }
        EXPECT_EQ(same.total_ns, total_ns);
        return run;
    }
    static constexpr std::uint16_t ten = 1, twenty = 2, hundred = 3;
    RecordingBuilder builder;
};

// Memory that is freed in lane order waits for its last use in other lanes, and the ops behind it with it.
TEST(WhatIfRun, AFreeOfTheLazyPolicyDelaysTheOpsBehindIt) {
    LazyProgram program(R"(["Stream 0", "Stream 1"])");
    program.op(0, 0, program.ten, 0, 10);
    program.op(1, 0, program.twenty, 0, 20);
    program.op(0, 1, program.hundred, 10, 110);
    program.op(1, 2, program.ten, 20, 30);
    program.op(1, 1, program.hundred, 30, 130);
    program.builder.drop(0, 1);  // freed in lane 0, when both that read it have ended
    program.op(0, 0, program.ten, 130, 140);
    program.builder.wait(0, 147, WaitKind::waitall);
    program.checked(147);
}

// As in a damaged file: of an op that ran, the lane is where it ran.
TEST(WhatIfRun, AnOpThatNeverRanMayNameALaneThatDoesNotExist) {
    LazyProgram program(R"(["Stream 0"])");
    program.builder.order({1, 0, 0, 0, 0, trace::OrderKind::begin, 0, 0, 0});
    program.op(0, 0, program.ten, 0, 10);
    program.builder.issue({10, 10, 120, 2, 1, 0, true, program.hundred});
    program.builder.mark(trace::FrontendKind::program_end, 10);
    const auto run = program.builder.read();
    ASSERT_TRUE(run->program_chose(2, 0));
    const WhatIfRun same = without_waits(
        *run, [](std::size_t) { return false; }, true);
    ASSERT_EQ(same.ops.size(), 2u);
    EXPECT_EQ(same.ops[1].begin_ns, 10) << "in the lane that is there";
}

// Such a wait is for all commands of the device. One of them frees memory that an op of the other device still reads.
TEST(WhatIfRun, AWaitForOneDeviceIsAlsoForItsFreesUnderTheLazyPolicy) {
    LazyProgram program(R"(["Stream 0"])");
    program.builder.recording().meta(
        trace::MetaType::device, 1,
        R"({"kind": "simulated", "simulated": true, "first_lane": 1, "lanes": ["Stream 0"]})");
    program.op(0, 0, program.ten, 0, 10);
    program.op(1, 0, program.hundred, 0, 100);
    program.builder.wait(0, 17, WaitKind::wait_to_read, 1);
    program.op(1, 1, program.twenty, 100, 120, 17);
    program.builder.drop(17, 1);  // freed in lane 0, when op 3 has ended
    program.builder.wait_for_device(17, 127, 0);
    program.op(0, 0, program.ten, 127, 137, 127);
    program.builder.wait(127, 144, WaitKind::waitall);
    const auto run = program.checked(144);
    EXPECT_EQ(without_wait(*run, 0).total_ns, 144) << "the free is at the same time";
    EXPECT_EQ(without_wait(*run, 1).total_ns, 137) << "op 4 follows the free, and the last wait returns after 7 ns";
}

}  // namespace
}  // namespace headway::model
