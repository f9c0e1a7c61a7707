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
    EXPECT_EQ(says(15), "Line 3 goes on. The backend runs nothing; 1 op is queued.");
    EXPECT_NE(says(45).find("Line 5 waits in waitall for all 2 ops that are not finished. The backend runs nothing; "
                            "2 ops are queued."),
              std::string::npos)
        << says(45);
    EXPECT_NE(says(55).find("runs #1"), std::string::npos) << says(55);
    EXPECT_NE(says(55).find("; 1 op is queued."), std::string::npos) << says(55);
    EXPECT_NE(says(95).find("The backend has nothing to do."), std::string::npos) << says(95);
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
