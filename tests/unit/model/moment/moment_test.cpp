#include "app/model/moment/moment.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdio>
#include <set>

#include "tests/unit/model/recording_builder.h"

namespace headway::model {
namespace {

// The same moment, from what the random program did, op by op.
struct Expected {
    std::uint64_t issued = 0, headway = 0;
    std::vector<LaneMoment> lanes;
};

Expected recomputed(const RandomProgram& program, std::uint32_t lanes, std::int64_t ns) {
    Expected e;
    e.lanes.resize(lanes);
    for (std::size_t i = 0; i < program.ops.size(); ++i) {
        const auto& op = program.ops[i];
        LaneMoment& lane = e.lanes[op.lane];
        const auto id = static_cast<OpId>(i + 1);
        e.issued += op.issue_end <= ns ? 1 : 0;
        if (op.end <= ns) {
            ++lane.done;
        } else if (op.begin <= ns) {
            lane.running = id;
        } else if (op.issue_end <= ns) {
            ++lane.queued;
            if (lane.waiting.size() < 8) {
                lane.waiting.push_back(id);
            }
        }
        e.headway += std::min(op.issue_end, op.begin) <= ns && op.end > ns ? 1 : 0;
    }
    return e;
}

std::set<std::int64_t> event_times(const RandomProgram& program) {
    std::set<std::int64_t> times;
    for (const auto& op : program.ops) {
        times.insert({op.issue_end, op.begin, op.end});
    }
    for (const auto& wait : program.waits) {
        times.insert({wait.begin, wait.end});
    }
    return times;
}

TEST(Moment, EqualsTheStateRecomputedFromTheFirstEvent) {
    std::mt19937 random(11);
    for (std::uint32_t seed = 1; seed <= 200; ++seed) {
        RecordingBuilder builder;
        const std::uint32_t lanes = 1 + seed % 4;
        RandomProgram program(builder, seed, lanes);
        program.composites = seed % 3 == 0;
        for (int i = 0; i < 120; ++i) {
            program.step();
        }
        program.end();
        const auto run = builder.read();
        ASSERT_EQ(run->op_count(), program.ops.size());
        const std::int64_t end = run->now_ns() + 5;
        for (int i = 0; i < 40; ++i) {
            const auto ns = std::uniform_int_distribution<std::int64_t>(-2, end)(random);
            const Moment moment = moment_at(*run, ns);
            const Expected expected = recomputed(program, lanes, ns);
            ASSERT_EQ(moment.issued, expected.issued) << seed << " at " << ns;
            ASSERT_EQ(moment.headway, expected.headway) << seed << " at " << ns;
            for (std::size_t lane = 0; lane < run->lanes().size(); ++lane) {
                ASSERT_EQ(moment.lanes[lane].running, expected.lanes[lane].running) << seed << " at " << ns;
                ASSERT_EQ(moment.lanes[lane].done, expected.lanes[lane].done) << seed << " at " << ns;
                ASSERT_EQ(moment.lanes[lane].queued, expected.lanes[lane].queued) << seed << " at " << ns;
                ASSERT_EQ(moment.lanes[lane].waiting, expected.lanes[lane].waiting) << seed << " at " << ns;
            }
            for (std::size_t wait = 0; wait < program.waits.size(); ++wait) {
                const bool in_it = program.waits[wait].begin <= ns && program.waits[wait].end > ns;
                ASSERT_EQ(moment.wait == static_cast<int>(wait), in_it) << seed << " at " << ns;
            }
            for (const LaneMoment& lane : moment.lanes) {
                for (const OpId id : lane.waiting) {
                    std::vector<OpId> needs = program.dependencies(id);
                    std::erase_if(needs, [&](OpId need) { return program.ops[need - 1].end <= ns; });
                    std::sort(needs.begin(), needs.end());
                    ASSERT_EQ(needs_at(*run, id, ns), needs);
                }
            }
        }
    }
}

TEST(Moment, KnowsTheMemoryOfThatMoment) {
    RecordingBuilder builder;
    const auto small = builder.signature(8), large = builder.signature(64);
    builder.exec(0, builder.issue({.begin = 0, .end = 10, .out = 1, .fresh = true, .signature = small}), 20, 30);
    builder.exec(0, builder.issue({.begin = 10, .end = 20, .out = 2, .fresh = true, .signature = large}), 30, 50);
    builder.drop(25, 1);
    builder.wait(25, 60, trace::WaitKind::waitall);
    const auto run = builder.read();
    EXPECT_EQ(moment_at(*run, 22).live_bytes, 8u + 64u);
    EXPECT_EQ(moment_at(*run, 22).pending_bytes, 0u);
    EXPECT_EQ(moment_at(*run, 28).pending_bytes, 8u) << "dropped, and still needed by the op that makes it";
    EXPECT_EQ(moment_at(*run, 55).live_bytes, 64u);
    EXPECT_EQ(moment_at(*run, 55).pending_bytes, 0u);
}

TEST(Moment, SteppingVisitsEachEventForwardsAndBackwards) {
    for (std::uint32_t seed = 1; seed <= 40; ++seed) {
        RecordingBuilder builder;
        RandomProgram program(builder, seed, 1 + seed % 3);
        for (int i = 0; i < 80; ++i) {
            program.step();
        }
        program.end();
        const auto run = builder.read();
        const std::set<std::int64_t> times = event_times(program);
        std::vector<std::int64_t> forwards, backwards;
        for (auto at = next_event_ns(*run, *times.begin() - 10); at; at = next_event_ns(*run, *at)) {
            forwards.push_back(*at);
        }
        ASSERT_EQ(forwards, std::vector<std::int64_t>(times.begin(), times.end())) << seed;
        for (auto at = previous_event_ns(*run, *times.rbegin() + 10); at; at = previous_event_ns(*run, *at)) {
            backwards.push_back(*at);
        }
        std::reverse(backwards.begin(), backwards.end());
        ASSERT_EQ(backwards, forwards) << seed;
        EXPECT_EQ(events_until(*run, *times.begin() - 1), 0u);
        EXPECT_EQ(events_until(*run, *times.rbegin()), 3 * program.ops.size() + 2 * program.waits.size());
    }
}

TEST(Moment, OfARunInProgressListsTheOpsThatHaveNotRun) {
    RecordingBuilder builder;
    builder.metadata(R"({"lanes": ["Worker 0", "Worker 1"]})");
    for (std::int64_t i = 0; i < 4; ++i) {
        builder.issue({10 * i, 10 * i + 10, static_cast<std::uint8_t>(i == 2 ? 1 : 0)});
    }
    builder.exec(0, 1, 15, 20);
    const auto run = builder.read();
    const Moment all = moment_at(*run, 40), first = moment_at(*run, 40, 1);
    EXPECT_EQ(all.lanes[0].queued, 2u);
    EXPECT_EQ(all.lanes[0].waiting, (std::vector<OpId>{2, 4}));
    EXPECT_EQ(all.lanes[1].waiting, (std::vector<OpId>{3}));
    EXPECT_EQ(first.lanes[0].queued, 2u);
    EXPECT_EQ(first.lanes[0].waiting, (std::vector<OpId>{2}));
}

TEST(Moment, SaysWhatGoesOn) {
    RecordingBuilder builder;
    builder.issue({0, 10, 0, 1, 0, 0, true, 0, core::make_line(1, 3)});
    builder.issue({20, 30, 0, 2, 1, 0, true, 0, core::make_line(1, 4)});
    builder.wait(40, 100, trace::WaitKind::waitall, 0, 2, core::make_line(1, 5));
    builder.exec(0, 1, 50, 60);
    builder.exec(0, 2, 60, 90);
    const auto run = builder.read();
    const std::string name = run->signature(run->op(1).signature).name;
    const auto says = [&](std::int64_t ns) {
        const Moment moment = moment_at(*run, ns);
        return frontend_sentence(*run, moment) + " " + backend_sentence(*run, moment);
    };
    EXPECT_EQ(says(5).substr(0, 16), "Line 3 issues #1") << says(5);
    EXPECT_EQ(
        says(15),
        "The frontend runs the program's own code, at or after line 3. The backend runs nothing; 1 op is queued.");
    EXPECT_NE(says(45).find("Line 5 waits in waitall for all 2 ops that are not finished. The backend runs nothing; "
                            "2 ops are queued."),
              std::string::npos)
        << says(45);
    EXPECT_NE(says(55).find("runs #1"), std::string::npos) << says(55);
    EXPECT_NE(says(55).find("; 1 op is queued."), std::string::npos) << says(55);
    EXPECT_EQ(says(65).substr(0, says(65).find(". ")), "Line 5 waits in waitall for the one op that is not finished");
    EXPECT_EQ(says(95),
              "Line 5 waits in waitall, which returns: all that it waited for is finished. The backend has nothing to "
              "do.");
    EXPECT_EQ(moment_at(*run, 110).line, core::make_line(1, 5)) << "what began last, though it is over";
}

// One wait of each kind, at 40 to 100; ops 1 to 3 are issued, and op 1 ends at 50, op 2 at 70, op 3 at 90.
TEST(Moment, SaysWhatAWaitIsFor) {
    using trace::WaitKind;
    const auto says = [](std::int64_t ns, WaitKind kind, BufferId target = 0, OpId through = 3,
                         core::Line line = core::make_line(1, 5)) {
        RecordingBuilder builder;
        for (std::uint32_t i = 1; i <= 3; ++i) {
            builder.issue({10 * i - 10, 10 * i, static_cast<std::uint8_t>(i - 1), i, 0, 0, true});
            builder.exec(static_cast<std::uint8_t>(i - 1), i, 40, 30 + 20 * i);
        }
        builder.wait(40, 100, kind, target, through, line);
        builder.mark(trace::FrontendKind::program_end, 110);
        const auto run = builder.read();
        return frontend_sentence(*run, moment_at(*run, ns));
    };
    EXPECT_EQ(says(45, WaitKind::waitall), "Line 5 waits in waitall for all 3 ops that are not finished.");
    EXPECT_EQ(says(55, WaitKind::waitall), "Line 5 waits in waitall for all 2 ops that are not finished.");
    EXPECT_EQ(says(75, WaitKind::waitall), "Line 5 waits in waitall for the one op that is not finished.");
    EXPECT_EQ(says(95, WaitKind::waitall),
              "Line 5 waits in waitall, which returns: all that it waited for is finished.");
    // A barrier that lags behind is for the earlier ops.
    EXPECT_EQ(says(45, WaitKind::minibatch_barrier, 0, 2),
              "Line 5 waits in minibatch barrier for 2 of the 3 ops that are not finished.");
    EXPECT_EQ(says(75, WaitKind::minibatch_barrier, 0, 2),
              "Line 5 waits in minibatch barrier, which returns: all that it waited for is finished.");
    EXPECT_EQ(says(45, WaitKind::print, 2).substr(0, 28), "Line 5 waits in print for #2")
        << says(45, WaitKind::print, 2);
    EXPECT_EQ(says(75, WaitKind::print, 2), "Line 5 waits in print, which returns: its result is there.");
    EXPECT_EQ(says(45, WaitKind::queue_limit), "Line 5 waits for room in the queue: 3 ops are not finished.");
    EXPECT_EQ(says(75, WaitKind::queue_limit), "Line 5 waits for room in the queue: 1 op is not finished.");
    EXPECT_EQ(says(45, WaitKind::memory), "Line 5 waits for memory to be freed.");
    EXPECT_EQ(says(45, WaitKind::recording), "Line 5 is held back by Headway: its recording is full.");
    EXPECT_EQ(says(45, WaitKind::paused), "Line 5 is paused by you.");
    EXPECT_EQ(says(45, WaitKind::memory, 0, 3, 0), "The frontend waits for memory to be freed.");
    EXPECT_EQ(says(35, WaitKind::memory, 0, 3, 0), "The frontend runs the program's own code.");
    EXPECT_EQ(says(-5, WaitKind::memory), "Nothing has been issued yet.");
    EXPECT_EQ(says(115, WaitKind::memory), "The program has ended.");
}

TEST(Moment, SaysWhichDeviceAWaitIsFor) {
    RecordingBuilder builder;
    builder.metadata(R"({"device_kind": "cuda", "device_name": "NVIDIA H100", "lanes": ["Stream 0"]})");
    builder.recording().meta(trace::MetaType::device, 1,
                             R"({"kind": "cpu", "name": "CPU, 1 worker", "first_lane": 1, "lanes": ["Worker 0"]})");
    trace::StreamWriter<trace::FrontendRecord> frontend(builder.recording(), trace::kFrontendStream);
    const auto wait = static_cast<std::uint8_t>(static_cast<std::uint8_t>(trace::FrontendKind::wait) |
                                                trace::wait_for_device(core::DeviceId{1}));
    frontend.add(
        {40, 60, 0, wait, static_cast<std::uint8_t>(trace::WaitKind::waitall), core::make_line(1, 5), 0, 0, 0});
    const auto run = builder.read();
    EXPECT_EQ(frontend_sentence(*run, moment_at(*run, 45)), "Line 5 waits in waitall for the ops of CPU, 1 worker.");
}

TEST(Moment, SaysWhatTheFrontendComputesAndHowManyLanesRun) {
    RecordingBuilder builder;
    builder.work(0, 10, "NumPy", core::make_line(1, 2));
    for (std::uint32_t i = 1; i <= 4; ++i) {
        builder.issue({10 * i, 10 * i + 5, static_cast<std::uint8_t>(i - 1), i, 0, 0, true});
        builder.exec(static_cast<std::uint8_t>(i - 1), i, 60, 60 + 10 * i);
    }
    const auto run = builder.read();
    const auto lanes = [&](std::int64_t ns) { return backend_sentence(*run, moment_at(*run, ns)); };
    EXPECT_EQ(frontend_sentence(*run, moment_at(*run, 5)), "Line 2 computes by itself (NumPy).");
    EXPECT_EQ(lanes(5), "The backend has nothing to do.");
    EXPECT_TRUE(lanes(65).ends_with(" and 2 more lanes run ops.")) << lanes(65);
    EXPECT_TRUE(lanes(75).ends_with(" and 1 more lane runs an op.")) << lanes(75);
    EXPECT_NE(lanes(85).find(" runs #3 "), std::string::npos) << lanes(85);
    EXPECT_NE(lanes(85).find(", "), std::string::npos) << lanes(85);
}

TEST(Moment, OfARunOfAMillionOpsIsFoundWithinAFrame) {
    RecordingBuilder builder(std::size_t{1} << 30);
    constexpr std::int64_t kOps = 1'000'000;
    for (std::int64_t i = 0; i < kOps; ++i) {
        builder.issue({10 * i, 10 * i + 5, static_cast<std::uint8_t>(i % 2), static_cast<BufferId>(i + 1), 0, 0, true});
        builder.exec(static_cast<std::uint8_t>(i % 2), static_cast<OpId>(i + 1), 20 * i + 6, 20 * i + 24);
    }
    const auto run = builder.read();
    std::mt19937_64 random(5);
    const auto begin = std::chrono::steady_clock::now();
    constexpr int kMoments = 200;
    std::uint64_t sum = 0;
    for (int i = 0; i < kMoments; ++i) {
        const auto ns = static_cast<std::int64_t>(random() % (20 * kOps));
        sum += moment_at(*run, ns).issued + events_until(*run, ns);
        sum += static_cast<std::uint64_t>(next_event_ns(*run, ns).value_or(0));
    }
    const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - begin;
    EXPECT_GT(sum, 0u);
    EXPECT_LT(took.count() / kMoments, 16) << "milliseconds for each moment";
    std::printf("%.4f ms for each moment of a run of 1,000,000 ops\n", took.count() / kMoments);
}

}  // namespace
}  // namespace headway::model
