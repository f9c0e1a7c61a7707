// Thousands of random programs on every kind of device, with every free policy, against a plain sequential interpreter;
// then a check of the order of all ops, from the trace.
//
//   HEADWAY_RANDOM_PROGRAMS=N   number of programs for each device and policy
//   HEADWAY_RANDOM_SEED=S       run only the program with this seed
#include <gtest/gtest.h>

#include <cstdlib>
#include <iostream>
#include <string>

#include "tests/conformance/devices.h"
#include "tests/conformance/random_program.h"
#include "tests/conformance/trace_check.h"

namespace headway {
namespace {

constexpr int kPrograms = kSanitized ? 16 : 300;
constexpr std::uint64_t kRunSeed = 11;

struct Tested {
    DeviceCase device;
    memory::FreePolicy policy;
    bool gather = false;  // ops are issued together, as composites
};
std::string name_of(const Tested& tested) {
    return tested.device.name + "_" + std::string(memory::name_of(tested.policy)) + (tested.gather ? "_graphs" : "");
}
void PrintTo(const Tested& tested, std::ostream* out) {
    *out << name_of(tested);
}

std::vector<Tested> everything() {
    std::vector<Tested> all;
    for (const auto policy : {memory::FreePolicy::finish, memory::FreePolicy::stream, memory::FreePolicy::lazy}) {
        for (std::uint32_t lanes = 1; lanes <= 4; ++lanes) {
            all.push_back({{"cpu_" + std::to_string(lanes), make_cpu, lanes, true}, policy});
        }
        for (std::uint32_t lanes = 1; lanes <= 3; ++lanes) {
            all.push_back({{"simulated_" + std::to_string(lanes), make_simulated, lanes, false}, policy});
        }
        for (std::uint32_t lanes = 1; lanes <= 2; ++lanes) {
            all.push_back({{"cuda_" + std::to_string(lanes), make_cuda, lanes, true}, policy});
        }
        all.push_back({{"cpu_1", make_cpu, 1, true}, policy, true});
        all.push_back({{"cpu_3", make_cpu, 3, true}, policy, true});
        all.push_back({{"simulated_2", make_simulated, 2, false}, policy, true});
        all.push_back({{"cuda_2", make_cuda, 2, true}, policy, true});
    }
    return all;
}

class RandomProgramsTest : public testing::TestWithParam<Tested> {};

// Settings that the learner may change while a program runs: they must affect only time and memory.
void switch_settings(Bench& bench, Dice& dice, const RandomProgram::Options& options) {
    trace::Control& control = bench.recording().control();
    using trace::BarrierKind;
    constexpr trace::BarrierPolicy kBarriers[] = {{BarrierKind::none, 0},
                                                  {BarrierKind::minibatch, 0},
                                                  {BarrierKind::behind, 1},
                                                  {BarrierKind::behind, 3},
                                                  {BarrierKind::op, 0}};
    constexpr std::uint32_t kLimits[] = {1, 3, 16, 100};
    const bool free = options.held || dice.chance(0.5);
    control.barrier = trace::pack_barrier(free ? kBarriers[0] : kBarriers[dice.index(std::size(kBarriers))]);
    control.queue_limit = options.held || dice.chance(0.7) ? 0 : kLimits[dice.index(std::size(kLimits))];
    control.budget_bytes = options.out_of_memory ? static_cast<std::uint64_t>(dice.number(200, 20'000)) : 0;
    control.attention = 1;
}

TEST_P(RandomProgramsTest, EqualASequentialInterpreterAndKeepTheirOrder) {
    const Tested& tested = GetParam();
    const char* rounds = std::getenv("HEADWAY_RANDOM_PROGRAMS");
    const char* only = std::getenv("HEADWAY_RANDOM_SEED");
    const int programs = only != nullptr ? 1 : rounds != nullptr ? std::atoi(rounds) : kPrograms;

    runtime::Settings settings;
    settings.free_policy = tested.policy;
    settings.seed = kRunSeed;
    settings.gather = tested.gather;
    Bench bench(tested.device, settings);
    if (!bench.available()) {
        expect_no_fake_cuda();
        GTEST_SKIP() << bench.why();
    }
    RandomPrograms state{bench, kRunSeed, 0};
    for (int i = 0; i < programs; ++i) {
        RandomProgram::Options options;
        options.seed = only != nullptr ? std::strtoull(only, nullptr, 10) : static_cast<std::uint64_t>(i) + 1;
        Dice dice(options.seed * 1'000'003);
        options.steps = dice.number(20, 150);
        // Ops issued together fail, and are held, together. On a GPU, dependent ops are launched before the op that
        // they depend on runs, so an op that fails during execution loses the device (covered by the device's own
        // tests).
        const bool gpu = tested.device.name.starts_with("cuda");
        options.failures = dice.chance(0.3) && !tested.gather && !gpu;
        options.held = dice.chance(0.2) && !tested.gather;
        options.out_of_memory = tested.policy != memory::FreePolicy::lazy && dice.chance(0.1) && !tested.gather;
        switch_settings(bench, dice, options);
        const std::string difference = RandomProgram(state, options).run();
        ASSERT_EQ(difference, "") << "on " << name_of(tested) << "; again with HEADWAY_RANDOM_SEED=" << options.seed
                                  << " (or with HEADWAY_RANDOM_PROGRAMS=" << i + 1
                                  << "if it depends on earlier programs)";
    }
    bench->waitall();
    bench.device().settle();
    EXPECT_EQ(bench->lanes.unfinished_commands(), 0u);
    EXPECT_EQ(bench->memory.live_bytes(), 0u);

    const TraceSummary summary = check_trace(bench.recording(), tested.device.lanes);
    EXPECT_EQ(summary.problem, "") << "on " << name_of(tested) << ", " << programs << " programs";
    EXPECT_EQ(summary.ops, bench->recorder.issued());
    if (tested.gather) {
        EXPECT_GT(summary.parts, 2 * summary.ops);
        return;  // too few dependencies between ops
    }
    EXPECT_GT(summary.dependencies, summary.ops / 2);
    EXPECT_EQ(summary.across_lanes > 0, tested.device.lanes > 1);
    if (tested.device.lanes == 1) {
        EXPECT_EQ(summary.overlapping, 0u);
    }
    RecordProperty("ops", std::to_string(summary.ops));
    RecordProperty("dependencies", std::to_string(summary.dependencies));
    RecordProperty("across_lanes", std::to_string(summary.across_lanes));
    RecordProperty("overlapping", std::to_string(summary.overlapping));
}

INSTANTIATE_TEST_SUITE_P(Devices, RandomProgramsTest, testing::ValuesIn(everything()),
                         [](const auto& tested) { return name_of(tested.param); });

}  // namespace
}  // namespace headway
