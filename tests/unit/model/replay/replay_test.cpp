// A replay covers the run as it was when the replay began, even if the run is updated between its steps.
#include "app/model/replay/replay.h"

#include <gtest/gtest.h>

#include <string>

#include "app/model/numbers/numbers_walk.h"
#include "app/model/run/queries.h"
#include "tests/unit/model/recording_builder.h"

namespace headway::model {
namespace {

constexpr OpId kOps = 4000;  // several steps
constexpr double kOnePiece_ms = 1e-9;

// Costs with t1 = 5, t2 = 10 for every op, as in recordings of the simulated device.
std::string simulated_metadata() {
    std::string families;
    for (const char* name : {"create", "elementwise", "matmul", "reduce", "update", "copy", "random", "other"}) {
        families += (families.empty() ? "" : ",") + ("\"" + std::string(name)) + "\": {\"base_ns\": 10}";
    }
    const std::string model =
        R"({"name": "GPU", "source": "chosen", "t1_ns": 5, "t3_ns": 7, "families": {)" + families + "}}";
    return R"({"simulated": true, "device_kind": "simulated", "lanes": ["Stream 0"], "cost_models": {"device": )" +
           model + ", \"beside\": " + model + "}}";
}

class Growing {
public:
    explicit Growing(bool simulated) {
        if (simulated) {
            builder.metadata(simulated_metadata());
        }
    }
    void ops(OpId count) {
        for (OpId i = 0; i < count; ++i) {
            const OpId id = builder.issue({now_, now_ + 5});
            now_ += 5;
            free_ = std::max(free_, now_) + 10;
            builder.exec(0, id, free_ - 10, free_);
        }
    }
    void wait(std::int64_t return_ns = 7) {
        builder.wait(now_, free_ + return_ns, trace::WaitKind::waitall);
        now_ = free_ + return_ns;
    }
    void measure() { builder.mark(trace::FrontendKind::measure_begin, now_); }
    RecordingBuilder builder{std::size_t{64} << 20};

private:
    std::int64_t now_ = 0, free_ = 0;
};

class ReplayOfAGrowingRun : public testing::TestWithParam<bool> {};

TEST_P(ReplayOfAGrowingRun, CoversTheRunAtItsBegin) {
    Growing growing(GetParam());
    growing.ops(kOps);
    growing.wait();
    const auto run = growing.builder.read();
    ASSERT_EQ(run->info().device_costs.size(), GetParam() ? 2u : 0u) << "of the simulated device, or not";
    const std::int64_t total_ns = total_ns_of(*run);
    Replay replay(*run, Replay::Options{{}, nullptr, nullptr, nullptr, true});
    ASSERT_TRUE(replay.step(kOnePiece_ms)) << "there is more";
    growing.ops(10 * kOps);
    growing.wait();
    run->update();
    ASSERT_EQ(run->op_count(), 11 * kOps);
    while (replay.step(kOnePiece_ms)) {
    }
    EXPECT_EQ(replay.total_ns(), total_ns);
    EXPECT_EQ(replay.op_times().size(), kOps);
}

TEST_P(ReplayOfAGrowingRun, GivesNoPrediction) {
    Growing growing(GetParam());
    growing.ops(kOps);
    growing.wait();
    const auto run = growing.builder.read();
    NumbersWalk walk(*run);
    for (int i = 0; i < 6; ++i) {  // the prediction has begun but not ended
        ASSERT_TRUE(walk.step(kOnePiece_ms));
    }
    growing.ops(10 * kOps);
    growing.wait();
    run->update();
    while (walk.step(kOnePiece_ms)) {
    }
    EXPECT_FALSE(walk.numbers().predicted);
    EXPECT_STREQ(regime_word(walk.numbers()), "");
    const Numbers now = numbers_of(*run);
    EXPECT_TRUE(now.predicted);
    EXPECT_EQ(now.predicted_ns, now.total_ns);
}

// Sums of times have to stay far from the limits of 64 bits.
TEST(Replay, RefusesTimesThatCouldOverflow) {
    constexpr std::int64_t kLimit_ns = std::int64_t{1} << 58;
    for (const std::int64_t end_ns : {kLimit_ns / 2, kLimit_ns, kLimit_ns + kLimit_ns / 2}) {
        RecordingBuilder builder;
        builder.exec(0, builder.issue({.begin = end_ns - 10, .end = end_ns - 9}), end_ns - 5, end_ns);
        builder.mark(trace::FrontendKind::program_end, end_ns);
        EXPECT_EQ(Replay::can(*builder.read()), end_ns < kLimit_ns) << end_ns;
    }
}

TEST(Prediction, IgnoresTheWarmUpInMedians) {
    Growing growing(false);
    growing.ops(2);
    growing.wait(2'000'000);
    growing.measure();
    growing.ops(2);
    growing.wait(10);
    const Numbers numbers = numbers_of(*growing.builder.read());
    EXPECT_EQ(numbers.total_ns, 5 + 2 * 10 + 10);
    EXPECT_EQ(numbers.predicted_ns, numbers.total_ns);
}

// Waits for one device and for the other have different returns.
TEST(Prediction, KeepsTheReturnsOfASimulatedRun) {
    Growing growing(true);
    for (const std::int64_t return_ns : {7, 3, 7, 3, 3}) {
        growing.ops(2);
        growing.wait(return_ns);
    }
    const auto run = growing.builder.read();
    const Numbers numbers = numbers_of(*run);
    EXPECT_EQ(numbers.predicted_ns, numbers.total_ns);
    EXPECT_EQ(numbers.total_ns, run->end_ns());
    for (const PredictionPart& part : numbers.prediction_parts) {
        EXPECT_EQ(part.ns, 0) << part.name;
    }
}

// The device detects that an op cannot run only when the op begins.
TEST(Prediction, AFailedOpTakesNoTimeOnTheSimulatedDevice) {
    RecordingBuilder builder;
    builder.metadata(simulated_metadata());
    builder.exec(0, builder.issue({0, 5}), 5, 15);
    builder.exec(0, builder.issue({5, 10}) | trace::kFailedOp, 15, 15);
    builder.exec(0, builder.issue({10, 15}), 15, 25);
    builder.wait(15, 32, trace::WaitKind::waitall);
    const auto run = builder.read();
    EXPECT_EQ(numbers_of(*run).predicted_ns, 32);
    EXPECT_EQ(numbers_of(*run).total_ns, 32);
}

// Where one device's ops have no costs, they take what they took.
TEST(Prediction, NeedsTheCostsOfEachDeviceToComputeTimes) {
    RecordingBuilder builder;
    builder.metadata(simulated_metadata());
    builder.recording().meta(trace::MetaType::device, 1, R"({"kind": "cpu", "first_lane": 1, "lanes": ["Worker 0"]})");
    builder.exec(0, builder.issue({0, 5}), 5, 15);
    builder.exec(1, builder.issue({.begin = 5, .end = 10, .lane = 1}), 10, 43);
    builder.wait(10, 50, trace::WaitKind::waitall);
    const auto run = builder.read();
    EXPECT_EQ(numbers_of(*run).predicted_ns, 50);
}

INSTANTIATE_TEST_SUITE_P(Backends, ReplayOfAGrowingRun, testing::Bool(),
                         [](const auto& test) { return test.param ? "simulated" : "recorded"; });

}  // namespace
}  // namespace headway::model
