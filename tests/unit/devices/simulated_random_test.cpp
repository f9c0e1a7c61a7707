// Random programs on the simulated device, against a separate implementation of its rules.
#include <algorithm>
#include <cstring>
#include <random>
#include <vector>

#include "tests/unit/devices/simulated_rig.h"

namespace headway::devices {
namespace {

// A program as a list, so that both the device and the reference implementation can run it.
struct Step {
    enum Kind { submit, wait, advance } kind = submit;
    std::uint32_t lane = 0;
    std::uint64_t ns = 0;
    bool no_op = false;
    std::uint8_t wait_lane = kNoLaneWait;
    std::uint32_t seq = 0;
};

std::vector<Step> random_program(std::mt19937& generator, std::uint32_t lanes) {
    std::vector<Step> steps;
    std::vector<std::uint32_t> submitted(lanes, 0);
    const std::uint64_t longest = generator() % 3 == 0 ? 3 : 200;  // short ones make ties
    for (int i = 0; i < 120; ++i) {
        Step step;
        step.lane = generator() % lanes;
        const auto dice = generator() % 12;
        if (dice == 0 && submitted[step.lane] > 0) {
            step.kind = Step::wait;
            step.seq = 1 + generator() % submitted[step.lane];
        } else if (dice == 1) {
            step.kind = Step::advance;
            step.ns = generator() % longest;
        } else {
            step.ns = generator() % longest;
            step.no_op = dice == 2;
            const auto other = static_cast<std::uint8_t>(generator() % lanes);
            if (generator() % 2 == 0 && submitted[other] > 0) {
                step.wait_lane = other;
                step.seq = 1 + generator() % submitted[other];
            }
            ++submitted[step.lane];
        }
        steps.push_back(step);
    }
    for (std::uint32_t lane = 0; lane < lanes; ++lane) {
        if (submitted[lane] > 0) {
            steps.push_back({Step::wait, lane, 0, false, kNoLaneWait, submitted[lane]});
        }
    }
    return steps;
}

struct Outcome {
    std::vector<Records> lanes;
    std::vector<std::uint64_t> clock;                   // after each step
    std::vector<std::vector<std::uint32_t>> completed;  // after each step
};

Outcome run_on_device(const std::vector<Step>& steps, std::uint32_t lanes, std::uint64_t t1) {
    Rig rig(constant_costs(t1, 0, 0), lanes);
    Outcome outcome;
    for (const Step& step : steps) {
        if (step.kind == Step::wait) {
            rig.device().wait(step.lane, step.seq);
        } else if (step.kind == Step::advance) {
            rig.device().advance(step.ns);
        } else {
            Command command = step.no_op ? Command() : rig.op(OpKind::noop, 0, static_cast<double>(step.ns));
            command.wait_lane = step.wait_lane;
            command.wait_seq = step.seq;
            rig.device().submit(step.lane, command);
        }
        outcome.clock.push_back(rig.device().now());
        std::vector<std::uint32_t> counts;
        for (std::uint32_t lane = 0; lane < lanes; ++lane) {
            counts.push_back(rig.completed(lane));
        }
        outcome.completed.push_back(counts);
    }
    for (std::uint32_t lane = 0; lane < lanes; ++lane) {
        outcome.lanes.push_back(rig.records(static_cast<std::uint8_t>(lane)));
    }
    return outcome;
}

// The rules of simulated.h, computed with all ends known in advance.
Outcome run_by_the_rule(const std::vector<Step>& steps, std::uint32_t lanes, std::uint64_t t1) {
    Outcome outcome;
    outcome.lanes.resize(lanes);
    std::vector<std::vector<std::uint64_t>> ends(lanes);
    std::uint64_t clock = 0;
    core::OpId ops = 0;
    for (const Step& step : steps) {
        if (step.kind == Step::wait) {
            clock = std::max(clock, ends[step.lane][step.seq - 1]);
        } else if (step.kind == Step::advance) {
            clock += step.ns;
        } else {
            clock += step.no_op ? 0 : t1;
            std::uint64_t begin = std::max(clock, ends[step.lane].empty() ? 0 : ends[step.lane].back());
            if (step.wait_lane != kNoLaneWait) {
                begin = std::max(begin, ends[step.wait_lane][step.seq - 1]);
            }
            const std::uint64_t ns = step.no_op ? 0 : step.ns;
            ends[step.lane].push_back(begin + ns);
            if (!step.no_op) {
                outcome.lanes[step.lane].push_back({begin, trace::pack_duration(ns), ++ops});
            }
        }
        outcome.clock.push_back(clock);
        std::vector<std::uint32_t> counts;
        for (const auto& lane : ends) {
            counts.push_back(static_cast<std::uint32_t>(
                std::count_if(lane.begin(), lane.end(), [&](std::uint64_t end) { return end <= clock; })));
        }
        outcome.completed.push_back(counts);
    }
    return outcome;
}

bool same(const Records& a, const Records& b) {
    return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof a[0]) == 0);
}

TEST(Simulated, RandomProgramsFollowTheRule) {
    std::mt19937 generator(2);
    for (int round = 0; round < 400; ++round) {
        const std::uint32_t lanes = 1 + generator() % 4;
        const std::uint64_t t1 = generator() % 3 == 0 ? 0 : 1 + generator() % 40;
        const auto steps = random_program(generator, lanes);
        const Outcome expected = run_by_the_rule(steps, lanes, t1);
        const Outcome got = run_on_device(steps, lanes, t1);
        ASSERT_EQ(got.clock, expected.clock) << round;
        ASSERT_EQ(got.completed, expected.completed) << round;
        for (std::uint32_t lane = 0; lane < lanes; ++lane) {
            ASSERT_TRUE(same(got.lanes[lane], expected.lanes[lane])) << round << " lane " << lane;
        }
    }
}

TEST(Simulated, TheSameProgramGivesIdenticalTimes) {
    std::mt19937 generator(3);
    const auto steps = random_program(generator, 3);
    const Outcome first = run_on_device(steps, 3, 7);
    const Outcome second = run_on_device(steps, 3, 7);
    EXPECT_EQ(first.clock, second.clock);
    EXPECT_EQ(first.completed, second.completed);
    for (std::size_t lane = 0; lane < 3; ++lane) {
        EXPECT_TRUE(same(first.lanes[lane], second.lanes[lane])) << lane;
    }
}

}  // namespace
}  // namespace headway::devices
