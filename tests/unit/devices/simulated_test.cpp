// Hand-computed timelines, the chapter's formulas, random programs against an independent implementation of the rules,
// budgets, failures and holds; all in virtual time and therefore exact.
#include "engine/devices/simulated/simulated.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <deque>
#include <random>
#include <string>
#include <vector>

#include "engine/trace/reader.h"

namespace headway::devices {
namespace {

using Records = std::vector<trace::ExecRecord>;

// A simulated device, its recording, and commands for it.
class Rig {
public:
    explicit Rig(const CostModel& model, std::uint32_t streams = 1, std::uint32_t chunks = 1) {
        // A few chunks per stream: a larger recording would spend the test's time on page faults.
        auto recording = trace::Recording::create(trace::kHeaderBytes + (streams + chunks) * trace::kChunkBytes);
        EXPECT_TRUE(recording) << recording.error().message;
        recording_ = std::move(*recording);
        device_ = std::make_unique<SimulatedDevice>(model, streams, *recording_);
        auto reader = trace::Reader::open(recording_->fd());
        EXPECT_TRUE(reader) << reader.error().message;
        reader_ = std::move(*reader);
    }

    SimulatedDevice& device() { return *device_; }
    trace::Recording& recording() { return *recording_; }

    Signature& signature(OpKind kind, std::int64_t elements = 0, double ns = 0) {
        signatures_.emplace_back();
        Signature& s = signatures_.back();
        s.kind = kind;
        s.out = Shape{elements};
        s.elements = elements;
        s.out_bytes = static_cast<std::uint64_t>(elements) * sizeof(float);
        s.simulated_ns = ns;
        return s;
    }
    Command op(OpKind kind, std::int64_t elements = 0, double ns = 0) {
        Command command;
        command.signature = &signature(kind, elements, ns);
        command.op = ++ops_;
        return command;
    }
    static Command after(Command command, std::uint8_t lane, std::uint32_t seq) {
        command.wait_lane = lane;
        command.wait_seq = seq;
        return command;
    }
    // An op that takes `ns` and does nothing.
    void busy(std::uint32_t lane, double ns) { device_->submit(lane, op(OpKind::noop, 0, ns)); }
    void busy_after(std::uint32_t lane, double ns, std::uint8_t wait_lane, std::uint32_t seq) {
        device_->submit(lane, after(op(OpKind::noop, 0, ns), wait_lane, seq));
    }
    [[nodiscard]] std::uint32_t completed(std::uint32_t lane) const { return device_->completed(lane).load(); }

    Records records(std::uint8_t lane) {
        reader_->poll();
        Records all;
        const trace::StreamId id{trace::StreamKind::lane, lane};
        for (std::uint64_t i = 0;;) {
            const auto some = reader_->records<trace::ExecRecord>(id, i);
            if (some.empty()) {
                return all;
            }
            all.insert(all.end(), some.begin(), some.end());
            i += some.size();
        }
    }

private:
    std::unique_ptr<trace::Recording> recording_;
    std::unique_ptr<trace::Reader> reader_;
    std::deque<Signature> signatures_;
    std::unique_ptr<SimulatedDevice> device_;
    core::OpId ops_ = 0;
};

void expect_record(const trace::ExecRecord& record, core::OpId op, std::uint64_t begin, std::uint64_t end) {
    EXPECT_EQ(record.op, op);
    EXPECT_EQ(record.begin, begin);
    EXPECT_EQ(record.begin + trace::unpack_duration(record.duration), end);
}

TEST(Simulated, IsLabelledSimulated) {
    CostModel model = constant_costs(1, 1, 1);
    model.name = "GPU";
    model.source = "round numbers, not measured";
    Rig rig(model, 2);
    EXPECT_EQ(rig.device().info().kind, "simulated");
    EXPECT_EQ(rig.device().info().name, "GPU (round numbers, not measured), 2 streams");
    EXPECT_TRUE(rig.device().info().simulated);
    EXPECT_TRUE(rig.device().virtual_time());
    EXPECT_EQ(rig.device().info().lane_names, (std::vector<std::string>{"Stream 0", "Stream 1"}));
    EXPECT_EQ(rig.recording().header().virtual_clock, 1u);
}

TEST(Simulated, OneLaneWithOneWaitTakesTheFormulasTime) {
    std::mt19937 generator(1);
    for (int round = 0; round < 300; ++round) {
        const std::uint64_t t1 = generator() % 1000;
        const std::uint64_t t2 = round % 10 == 0 ? t1 : generator() % 1000;
        const std::uint64_t t3 = generator() % 1000;
        const std::uint32_t n = 1 + generator() % 200;
        Rig rig(constant_costs(t1, t2, t3));
        for (std::uint32_t i = 0; i < n; ++i) {
            rig.busy(0, 0);
        }
        EXPECT_EQ(rig.device().now(), n * t1);
        rig.device().wait(0, n);
        rig.device().wait_returned();
        EXPECT_EQ(rig.device().now(), std::max(t1 + n * t2, n * t1 + t2) + t3)
            << t1 << " " << t2 << " " << t3 << " " << n;
    }
}

TEST(Simulated, OneLaneWithAWaitPerOpTakesTheSumOfTheStages) {
    Rig rig(constant_costs(5, 7, 11));
    for (std::uint32_t i = 1; i <= 100; ++i) {
        rig.busy(0, 0);
        rig.device().wait(0, i);
        rig.device().wait_returned();
    }
    EXPECT_EQ(rig.device().now(), 100u * (5 + 7 + 11));
}

TEST(Simulated, TwoLanesWithAWaitBetweenThem) {
    Rig rig(constant_costs(10, 0, 5), 2);
    rig.busy(0, 100);             // op 1: issued 10, runs 10..110
    rig.busy(1, 30);              // op 2: issued 20, runs 20..50
    rig.busy_after(1, 40, 0, 1);  // op 3: issued 30, waits for op 1: runs 110..150
    rig.busy(0, 20);              // op 4: issued 40, after op 1: runs 110..130
    rig.busy_after(0, 10, 1, 2);  // op 5: issued 50, waits for op 3: runs 150..160
    EXPECT_EQ(rig.device().now(), 50u);
    EXPECT_EQ(rig.completed(0), 0u);
    EXPECT_EQ(rig.completed(1), 1u);  // op 2 ended at 50
    rig.device().wait(1, 2);
    EXPECT_EQ(rig.device().now(), 150u);
    EXPECT_EQ(rig.completed(0), 2u);
    EXPECT_EQ(rig.completed(1), 2u);
    rig.device().wait(1, 2);  // already completed
    EXPECT_EQ(rig.device().now(), 150u);
    rig.device().advance(9);
    EXPECT_EQ(rig.completed(0), 2u);
    rig.device().advance(1);
    EXPECT_EQ(rig.completed(0), 3u);
    rig.device().wait_returned();
    EXPECT_EQ(rig.device().now(), 165u);

    const Records lane0 = rig.records(0);
    const Records lane1 = rig.records(1);
    ASSERT_EQ(lane0.size(), 3u);
    ASSERT_EQ(lane1.size(), 2u);
    expect_record(lane0[0], 1, 10, 110);
    expect_record(lane0[1], 4, 110, 130);
    expect_record(lane0[2], 5, 150, 160);
    expect_record(lane1[0], 2, 20, 50);
    expect_record(lane1[1], 3, 110, 150);
}

TEST(Simulated, CommandsWithoutAnOpCountButTakeNoTimeAndLeaveNoRecord) {
    Rig rig(constant_costs(10, 0, 0), 2);
    rig.busy(0, 100);                                     // 10..110
    rig.device().submit(1, Rig::after(Command(), 0, 1));  // no issue cost; done at 110
    EXPECT_EQ(rig.device().now(), 10u);
    rig.busy(1, 5);  // issued 20, runs 110..115
    rig.device().wait(1, 1);
    EXPECT_EQ(rig.device().now(), 110u);
    rig.device().wait(1, 2);
    EXPECT_EQ(rig.device().now(), 115u);
    ASSERT_EQ(rig.records(1).size(), 1u);
    expect_record(rig.records(1)[0], 2, 110, 115);
}

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

TEST(Simulated, ComputesRealValuesInTheOrderOfVirtualBegins) {
    Rig rig(constant_costs(1, 0, 0), 2);
    float x = 0;
    float y = 0;
    float z = 0;
    const auto add_one = [&](float* out, const float* in, double ns) {
        Command command = rig.op(OpKind::add_scalar, 1, ns);
        command.out = out;
        command.in0 = in;
        command.scalar[0] = 1;
        return command;
    };
    rig.busy(0, 100);                                               // keeps lane 0 busy until 101
    rig.device().submit(0, add_one(&x, &x, 10));                    // x = 1, at 101..111
    rig.device().submit(1, add_one(&y, &x, 10));                    // no wait, although it reads x: too early, y = 1
    rig.device().submit(1, Rig::after(add_one(&z, &x, 10), 0, 2));  // waits: z = 2
    EXPECT_EQ(x, 0.0f);
    EXPECT_EQ(y, 1.0f);
    rig.device().wait(1, 2);
    EXPECT_EQ(x, 1.0f);
    EXPECT_EQ(y, 1.0f);
    EXPECT_EQ(z, 2.0f);
    float seen = 0;
    rig.device().read(&seen, &z, 1);
    EXPECT_EQ(seen, 2.0f);
}

TEST(Simulated, HostCallsRunOnceAtTheirVirtualBegin) {
    Rig rig(constant_costs(1, 50, 0));
    int calls = 0;
    Command call = rig.op(OpKind::host_call);
    call.in0 = reinterpret_cast<const float*>(&calls);
    call.function = [](const Command&, void* context) { ++*static_cast<int*>(context); };
    rig.busy(0, 100);
    rig.device().submit(0, call);
    EXPECT_EQ(calls, 0);
    rig.device().wait(0, 2);
    EXPECT_EQ(calls, 1);
    EXPECT_EQ(rig.device().now(), 151u);  // the model's constant, because the op sets no duration
}

TEST(Simulated, HeldLanesStartNothingUntilReleased) {
    Rig rig(constant_costs(10, 0, 0), 2);
    rig.busy(0, 100);  // 10..110
    rig.busy(0, 50);   // would run 110..160
    rig.device().hold(true);
    rig.busy(1, 30);  // issued 30
    rig.device().advance(300);
    EXPECT_EQ(rig.completed(0), 1u);  // the op that had begun has ended
    EXPECT_EQ(rig.completed(1), 0u);
    rig.device().hold(false);  // at 330
    rig.device().wait(0, 2);
    EXPECT_EQ(rig.device().now(), 380u);
    expect_record(rig.records(0)[1], 2, 330, 380);
    expect_record(rig.records(1)[0], 3, 330, 360);
    // A wait for a held command releases the lanes.
    rig.device().hold(true);
    rig.busy(0, 5);  // issued 390
    rig.device().wait(0, 3);
    EXPECT_EQ(rig.device().now(), 395u);
}

TEST(Simulated, AbandonCountsEverythingWithoutRunningIt) {
    Rig rig(constant_costs(10, 0, 0), 2);
    rig.busy(0, 100);
    rig.busy(0, 100);
    rig.busy_after(1, 100, 0, 2);
    rig.device().abandon();
    EXPECT_EQ(rig.completed(0), 2u);
    EXPECT_EQ(rig.completed(1), 1u);
    rig.busy(1, 100);
    EXPECT_EQ(rig.completed(1), 2u);
    rig.device().wait(1, 2);
    EXPECT_EQ(rig.device().now(), 40u);
    EXPECT_EQ(rig.records(0).size(), 1u);  // had begun
    EXPECT_EQ(rig.records(1).size(), 0u);
}

// --- lazy policy ---

Command lazy(Command command, core::BufferId out, core::BufferId in0 = 0, core::BufferId in1 = 0) {
    command.flags = kLazyOperands;
    command.out_id = out;
    command.in0_id = in0;
    command.in1_id = in1;
    return command;
}

Command free_of(core::BufferId buffer) {
    Command command;
    command.flags = kFreeBuffer;
    command.out_id = buffer;
    return command;
}

TEST(SimulatedLazy, BytesAreAllocatedAtTheBeginAndFreedInLaneOrder) {
    Rig rig(constant_costs(10, 0, 0));
    Command make = lazy(rig.op(OpKind::fill, 100, 50), 1);  // issued 10, runs 10..60
    make.scalar[0] = 3;
    rig.device().submit(0, make);
    Command twice = lazy(rig.op(OpKind::add, 100, 50), 2, 1, 1);  // 60..110
    rig.device().submit(0, twice);
    rig.device().submit(0, free_of(1));  // at 110
    EXPECT_EQ(rig.device().lazy_bytes(), 400u);
    EXPECT_EQ(rig.device().lazy_data(2), nullptr);
    rig.device().advance(40);  // to 60
    EXPECT_EQ(rig.device().lazy_bytes(), 800u);
    rig.device().advance(49);
    EXPECT_EQ(rig.device().lazy_bytes(), 800u);
    rig.device().advance(1);  // to 110
    EXPECT_EQ(rig.device().lazy_bytes(), 400u);
    rig.device().wait(0, 3);
    EXPECT_EQ(rig.device().now(), 110u);
    EXPECT_EQ(rig.device().lazy_data(1), nullptr);
    ASSERT_NE(rig.device().lazy_data(2), nullptr);
    EXPECT_EQ(rig.device().lazy_data(2)[99], 6.0f);
    // In place: uses the existing buffer.
    Command again = lazy(rig.op(OpKind::add_scalar, 100, 50), 2, 2);
    again.scalar[0] = 1;
    float* const before = rig.device().lazy_data(2);
    rig.device().submit(0, again);
    rig.device().wait(0, 4);
    EXPECT_EQ(rig.device().lazy_data(2), before);
    EXPECT_EQ(before[0], 7.0f);
    EXPECT_EQ(rig.device().lazy_bytes(), 400u);
}

TEST(SimulatedLazy, TheBudgetFollowsVirtualTimeNotTheOrderOfIssue) {
    Rig rig(constant_costs(10, 0, 0), 2);
    rig.device().set_lazy_budget(800);
    rig.busy(0, 1000);                                               // op 1: 10..1010
    rig.device().submit(0, lazy(rig.op(OpKind::fill, 150, 10), 1));  // op 2: 1010, 600 bytes
    rig.device().submit(1, lazy(rig.op(OpKind::fill, 150, 10), 2));  // op 3: 30, 600 bytes: fits
    rig.device().submit(1, lazy(rig.op(OpKind::fill, 100, 10), 3));  // op 4: 40, 400 more: does not
    rig.device().submit(
        1, lazy(rig.op(OpKind::add_scalar, 100, 10), 4, 3));  // op 5: reads the output of op 4, which failed
    rig.device().submit(1, free_of(2));
    rig.device().wait(0, 2);
    rig.device().wait(1, 4);
    EXPECT_EQ(rig.device().lazy_bytes(), 600u);
    EXPECT_NE(rig.device().lazy_data(1), nullptr);  // by then memory was free
    EXPECT_EQ(rig.device().lazy_data(3), nullptr);
    EXPECT_EQ(rig.device().lazy_data(4), nullptr);

    auto& poison = rig.device().poison();
    ASSERT_TRUE(poison.any());
    EXPECT_FALSE(poison.failure_of(1));
    EXPECT_FALSE(poison.failure_of(2));
    for (const core::BufferId spoiled : {3u, 4u}) {
        const auto failure = poison.failure_of(spoiled);
        ASSERT_TRUE(failure);
        EXPECT_EQ(failure->op, 4u);
        EXPECT_EQ(failure->kind, core::ErrorKind::out_of_memory);
        EXPECT_EQ(failure->message,
                  "out of memory: 400 bytes asked for when the op started, 600 in use of a budget of 800");
    }
    const Records lane1 = rig.records(1);
    ASSERT_EQ(lane1.size(), 3u);
    expect_record(lane1[0], 3, 30, 40);
    expect_record(lane1[1], 4 | trace::kFailedOp, 40, 40);
    expect_record(lane1[2], 5 | trace::kFailedOp, 50, 50);
}

TEST(SimulatedLazy, MemoryFreedAtTheTimeOfAnAllocationCountsAsFree) {
    Rig rig(constant_costs(0, 0, 0), 2);
    rig.device().set_lazy_budget(400);
    rig.device().submit(0, lazy(rig.op(OpKind::fill, 100, 50), 1));  // 0..50
    rig.busy(1, 50);                                                 // 0..50
    rig.device().submit(1, lazy(rig.op(OpKind::fill, 100, 50), 2));  // at 50, submitted before …
    rig.device().submit(0, free_of(1));                              // … this, also at 50
    rig.device().wait(1, 2);
    EXPECT_FALSE(rig.device().poison().any());
    EXPECT_EQ(rig.device().lazy_bytes(), 400u);
}

TEST(Simulated, OnlyDependentsOfAFailureAreSkipped) {
    Rig rig(constant_costs(1, 10, 0));
    std::array<float, 3> value{};
    Command spoiled = rig.op(OpKind::fill, 1);
    spoiled.out_id = 1;
    rig.device().poison().fail(spoiled, core::ErrorKind::failed, "made up");
    const auto add_one = [&](std::size_t out, core::BufferId out_id, core::BufferId in_id) {
        Command command = rig.op(OpKind::add_scalar, 1);
        command.out = &value[out];
        command.in0 = &value[out];
        command.scalar[0] = 1;
        command.out_id = out_id;
        command.in0_id = in_id;
        rig.device().submit(0, command);
    };
    add_one(0, 2, 1);  // skipped
    add_one(1, 3, 2);  // skipped
    add_one(2, 4, 5);
    rig.device().wait(0, 3);
    EXPECT_EQ(value, (std::array<float, 3>{0, 0, 1}));
    EXPECT_EQ(rig.device().poison().failure_of(3)->op, 1u);
    EXPECT_FALSE(rig.device().poison().failure_of(4));
    EXPECT_EQ(rig.device().now(), 13u);  // the skipped ops took no time
}

TEST(Simulated, MemoryIsAligned) {
    Rig rig(constant_costs(1, 1, 1));
    for (const std::size_t bytes : {std::size_t{0}, std::size_t{1}, std::size_t{64}, std::size_t{1000}}) {
        void* data = rig.device().allocate(bytes);
        ASSERT_NE(data, nullptr);
        EXPECT_EQ(reinterpret_cast<std::uintptr_t>(data) % 64, 0u);
        rig.device().deallocate(data, bytes);
    }
    EXPECT_EQ(rig.device().allocate(SIZE_MAX), nullptr);
}

TEST(Simulated, AMillionQueuedCommandsNeedLittleMemoryAndAreAllRecorded) {
    Rig rig(constant_costs(1, 2, 0), 1, 10);
    const Command command = rig.op(OpKind::noop);
    for (int i = 0; i < 1'000'000; ++i) {
        rig.device().submit(0, command);
    }
    EXPECT_NEAR(rig.completed(0), 500'000, 1);
    rig.device().wait(0, 1'000'000);
    EXPECT_EQ(rig.device().now(), 2'000'001u);
    EXPECT_EQ(rig.records(0).size(), 1'000'000u);
}

}  // namespace
}  // namespace headway::devices
