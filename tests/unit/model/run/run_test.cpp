#include "app/model/run/run.h"
#include "app/model/numbers/numbers_walk.h"
#include "app/model/run/devices.h"
#include "app/model/run/queries.h"

#include <gtest/gtest.h>

#include <set>

#include "tests/unit/model/recording_builder.h"

namespace headway::model {
namespace {

// Live and pending bytes at `ns` under a policy, computed from the program.
struct Bytes {
    std::int64_t live = 0, pending = 0;
};
Bytes bytes_at(const RandomProgram& program, std::string_view policy, std::int64_t ns) {
    Bytes bytes;
    for (BufferId id = 1; id < program.buffers.size(); ++id) {
        const auto& buffer = program.buffers[id];
        const std::int64_t taken = program.taken(id, policy);
        const std::int64_t free = program.freed(id, policy);
        const auto size = static_cast<std::int64_t>(buffer.bytes);
        bytes.live += taken <= ns && ns < free ? size : 0;
        bytes.pending += std::max(taken, buffer.dropped) <= ns && ns < free ? size : 0;
    }
    return bytes;
}

std::set<std::int64_t> moments_of(const RandomProgram& program) {
    std::set<std::int64_t> moments{-1};
    for (const auto& op : program.ops) {
        moments.insert({op.issue_begin, op.issue_end, op.begin, op.end});
    }
    for (const auto& buffer : program.buffers) {
        if (buffer.dropped != kPending) {
            moments.insert(buffer.dropped);
        }
    }
    return moments;
}

void expect_same(const Run& run, const RandomProgram& program, std::string_view policy) {
    ASSERT_EQ(run.op_count(), program.ops.size());
    for (OpId id = 1; id <= program.ops.size(); ++id) {
        const auto& made = program.ops[id - 1];
        ASSERT_EQ(run.op(id).issue_begin_ns, made.issue_begin);
        ASSERT_EQ(run.op(id).issue_end_ns, made.issue_end);
        ASSERT_EQ(run.op(id).begin_ns, made.begin);
        ASSERT_EQ(run.op(id).end_ns, made.end);
        ASSERT_EQ(run.op(id).lane, made.lane);
    }
    for (const std::int64_t ns : moments_of(program)) {
        std::int64_t headway = 0;
        for (const auto& op : program.ops) {
            headway += std::min(op.issue_end, op.begin) <= ns && ns < op.end ? 1 : 0;
        }
        ASSERT_EQ(run.headway().at(ns), headway) << ns;
        const Bytes bytes = bytes_at(program, policy, ns);
        ASSERT_EQ(run.live_bytes().at(ns), bytes.live) << policy << " " << ns;
        ASSERT_EQ(run.pending_bytes().at(ns), bytes.pending) << policy << " " << ns;
    }
}

TEST(Run, CurvesAgreeWithTheProgramUnderEveryFreePolicy) {
    for (const char* policy : {"finish", "stream", "lazy"}) {
        for (std::uint32_t seed = 0; seed < 20; ++seed) {
            RecordingBuilder builder(std::size_t{64} << 20);
            builder.policy(policy);
            RandomProgram program(builder, seed, 1 + seed % 4);
            program.fails_every = seed % 2 * 7;
            program.composites = seed % 5 < 2;
            for (int i = 0; i < 250; ++i) {
                program.step();
            }
            program.end();
            expect_same(*builder.read(), program, policy);
            ASSERT_FALSE(HasFatalFailure()) << "seed " << seed;
        }
    }
}

TEST(Run, IncrementalUpdatesGiveTheSameResult) {
    for (const char* policy : {"finish", "stream", "lazy"}) {
        for (std::uint32_t seed = 20; seed < 40; ++seed) {
            RecordingBuilder builder(std::size_t{64} << 20);
            builder.policy(policy);
            RandomProgram program(builder, seed, 1 + seed % 4);
            program.composites = seed % 5 < 2;
            auto run = builder.open();
            for (int i = 0; i < 250; ++i) {
                program.step();
                if (i % 3 == 0) {
                    run->update();
                }
            }
            program.end();
            run->update();
            expect_same(*run, program, policy);
            ASSERT_FALSE(HasFatalFailure()) << "seed " << seed;
        }
    }
}

TEST(Run, DependenciesFollowFromReadsAndOverwrites) {
    for (std::uint32_t seed = 40; seed < 52; ++seed) {
        RecordingBuilder builder(std::size_t{64} << 20);
        RandomProgram program(builder, seed, 1 + seed % 3);
        program.composites = seed % 5 < 2;
        for (int i = 0; i < 400; ++i) {
            program.step();
        }
        program.end();
        const auto run = builder.read();
        for (OpId id = 1; id <= program.ops.size(); ++id) {
            ASSERT_EQ(run->dependencies(id), program.dependencies(id)) << "seed " << seed << " op " << id;
        }
    }
}

TEST(Run, OverwritingDependsOnReaders) {
    RecordingBuilder builder;
    const auto size = builder.signature(8);
    builder.issue({0, 1, 0, 1, 0, 0, true, size});         // 1: writes buffer 1
    builder.issue({1, 2, 0, 2, 1, 1, true, size});         // 2: reads it twice
    builder.issue({2, 3, 0, 3, 2, 1, true, size});         // 3: reads it
    builder.issue({3, 4, 0, 1, 1, 3, false, 0, 0, true});  // 4: updates it in place
    builder.issue({4, 5, 0, 4, 1, 0, true, size});         // 5: reads the new version
    builder.issue({5, 6, 0, 1, 0, 0, false, size});        // 6: overwrites it
    const auto run = builder.read();
    EXPECT_EQ(run->dependencies(1), std::vector<OpId>{});
    EXPECT_EQ(run->dependencies(2), (std::vector<OpId>{1}));
    EXPECT_EQ(run->dependencies(3), (std::vector<OpId>{1, 2}));
    EXPECT_EQ(run->dependencies(4), (std::vector<OpId>{1, 2, 3}));
    EXPECT_EQ(run->dependencies(5), (std::vector<OpId>{4}));
    EXPECT_EQ(run->dependencies(6), (std::vector<OpId>{4, 5}));
    EXPECT_TRUE(run->dependencies(0).empty());
    EXPECT_TRUE(run->dependencies(7).empty());
}

TEST(Run, WaitsAreCausedByUnfinishedOps) {
    std::size_t waits = 0;
    for (std::uint32_t seed = 60; seed < 72; ++seed) {
        RecordingBuilder builder(std::size_t{64} << 20);
        RandomProgram program(builder, seed, 1 + seed % 4);
        for (int i = 0; i < 600; ++i) {
            program.step();
        }
        program.end();
        const auto run = builder.read();
        ASSERT_EQ(run->waits().size(), program.waits.size());
        for (std::size_t i = 0; i < program.waits.size(); ++i) {
            const auto& made = program.waits[i];
            const Wait& wait = run->waits()[i];
            ASSERT_EQ(wait.begin_ns, made.begin);
            ASSERT_EQ(wait.end_ns, made.end);
            ASSERT_EQ(wait.issued, made.issued);
            std::set<OpId> needed;
            if (made.target == 0) {
                for (OpId id = 1; id <= made.through; ++id) {
                    needed.insert(id);
                }
            } else {
                std::vector<OpId> open{program.writer_before(made.issued + 1, made.target)};
                while (!open.empty()) {
                    const OpId id = open.back();
                    open.pop_back();
                    if (needed.insert(id).second) {
                        const auto more = program.dependencies(id);
                        open.insert(open.end(), more.begin(), more.end());
                    }
                }
            }
            std::vector<OpId> expected;
            for (const OpId id : needed) {
                if (program.ops[id - 1].end > made.begin) {
                    expected.push_back(id);
                }
            }
            std::size_t count = 0;
            ASSERT_EQ(caused_by(*run, wait, 1000, &count), expected) << "seed " << seed << " wait " << i;
            ASSERT_EQ(count, expected.size());
            if (expected.size() > 2) {
                const auto cut = caused_by(*run, wait, 2, &count);
                ASSERT_EQ(cut, (std::vector<OpId>{expected[0], expected[1]}));
                ASSERT_EQ(count, expected.size());
            }
            ++waits;
        }
    }
    EXPECT_GT(waits, 50u);
}

TEST(Run, TakesALongRecordingInSmallBudgets) {
    RecordingBuilder builder(std::size_t{64} << 20);
    const auto size = builder.signature(4);
    constexpr OpId kOps = 150'000;
    for (OpId id = 1; id <= kOps; ++id) {
        const std::int64_t now = 10 * std::int64_t{id};
        builder.issue({now, now + 5, 0, id, id - 1, 0, true, size});
        builder.exec(0, id, 20 * std::int64_t{id}, 20 * std::int64_t{id} + 20);
        builder.drop(now + 5, id);
    }
    const auto whole = builder.read();
    auto run = builder.open();
    int updates = 1;
    while (run->update(0.01)) {
        ++updates;
    }
    EXPECT_GT(updates, 3);
    ASSERT_EQ(run->op_count(), kOps);
    EXPECT_EQ(run->now_ns(), 20 * std::int64_t{kOps} + 20);
    EXPECT_EQ(run->lanes()[0].ops.size(), kOps);
    EXPECT_EQ(run->headway().most(), 75'001);  // almost half of them are done when the last one is issued
    for (std::int64_t ns = 0; ns < run->now_ns(); ns += 997) {
        ASSERT_EQ(run->headway().at(ns), whole->headway().at(ns));
        ASSERT_EQ(run->live_bytes().at(ns), whole->live_bytes().at(ns));
        ASSERT_EQ(run->pending_bytes().at(ns), whole->pending_bytes().at(ns));
    }
    EXPECT_EQ(run->live_bytes().at(run->now_ns()), 0);
    EXPECT_EQ(run->pending_bytes().at(run->now_ns()), 0);
}

TEST(Run, MarksBecomeScopesAndMinibatches) {
    using trace::FrontendKind;
    RecordingBuilder builder;
    builder.mark(FrontendKind::scope_begin, 0, 0, "epoch");
    builder.mark(FrontendKind::minibatch_begin, 1, 0);
    builder.mark(FrontendKind::scope_begin, 2, 0, "forward");
    builder.issue({3, 4});
    builder.mark(FrontendKind::scope_end, 5, 0, "forward");
    builder.issue({6, 7});
    builder.mark(FrontendKind::minibatch_end, 8, 0);
    builder.issue({9, 10});
    builder.mark(FrontendKind::minibatch_begin, 11, 1);
    builder.issue({12, 13});
    auto run = builder.read();
    ASSERT_EQ(run->scopes().size(), 2u);
    EXPECT_EQ(run->scopes()[0].name, "epoch");
    EXPECT_EQ(run->scopes()[0].end_ns, kPending);
    EXPECT_EQ(run->scopes()[1].depth, 1);
    EXPECT_EQ(run->scopes()[1].begin_ns, 2);
    EXPECT_EQ(run->scopes()[1].end_ns, 5);
    ASSERT_EQ(run->minibatches().size(), 2u);
    EXPECT_EQ(run->minibatches()[0].first, 1u);
    EXPECT_EQ(run->minibatches()[0].last, 2u);
    EXPECT_EQ(run->minibatches()[0].issue_end_ns, 8);
    EXPECT_EQ(run->minibatches()[1].first, 4u);
    EXPECT_EQ(run->minibatches()[1].last, 4u);
    EXPECT_EQ(run->minibatches()[1].issue_end_ns, kPending);
    EXPECT_EQ(run->op(2).minibatch, 0);
    EXPECT_EQ(run->op(3).minibatch, -1);
    EXPECT_EQ(run->op(4).minibatch, 1);
    run->close();
    EXPECT_EQ(run->scopes()[0].end_ns, 13);
    EXPECT_EQ(run->minibatches()[1].issue_end_ns, 13);
    EXPECT_EQ(run->state(), trace::RunState::failed);  // it ended without an end record
}

// The end of one minibatch begins the next, and after the last one none follows.
TEST(Run, AMinibatchWithoutOpsAtTheEndIsNone) {
    using trace::FrontendKind;
    RecordingBuilder builder;
    builder.mark(FrontendKind::minibatch_begin, 1, 0);
    builder.issue({3, 4});
    builder.mark(FrontendKind::minibatch_end, 8, 0);
    builder.mark(FrontendKind::minibatch_begin, 8, 1);
    auto run = builder.read();
    EXPECT_EQ(run->minibatches().size(), 2u);  // ops may follow
    run->close();
    ASSERT_EQ(run->minibatches().size(), 1u);
    EXPECT_EQ(run->minibatches()[0].issue_end_ns, 8);
}

TEST(Run, DelaysAnExecutionUntilItsIssueArrives) {
    RecordingBuilder builder;
    builder.issue({0, 1});
    builder.exec(0, 1, 2, 5);
    builder.exec(0, 2, 5, 9);  // recorded before its issue
    auto run = builder.read();
    EXPECT_EQ(run->op_count(), 1u);
    EXPECT_EQ(run->lanes()[0].ops.size(), 1u);
    builder.issue({1, 8});
    run->update();
    EXPECT_EQ(run->op(2).end_ns, 9);
    EXPECT_EQ(run->headway().at(6), 1);  // it counts from its start, which is before the end of its issue
    EXPECT_EQ(run->headway().at(9), 0);
}

TEST(Run, ToleratesInvalidMetadata) {
    RecordingBuilder builder;
    builder.metadata(
        R"({"program": "train", "device_kind": "simulated", "simulated": true, "cores": 8, "budget": 1048576,
        "seed": -1, "barrier": 7, "parameters": {"hidden": "512", "batches": 60}, "lanes": ["Stream 0", 1],
        "new": []})");
    builder.recording().meta(trace::MetaType::file, 1, "lib/train.cpp");
    builder.recording().meta(trace::MetaType::error, 0,
                             R"({"message": "out of memory", "file": "a", "line": 3, "op": 9})");
    builder.recording().meta(trace::MetaType::result, 0, R"({"loss": [1, 2]})");
    const auto size = builder.signature(8);
    const auto run = builder.read();
    EXPECT_EQ(run->info().program, "train");
    EXPECT_TRUE(run->info().simulated);
    EXPECT_EQ(run->info().cores, 8);
    EXPECT_EQ(run->info().budget, 1'048'576u);
    EXPECT_EQ(run->info().seed, 0u);
    EXPECT_EQ(run->info().barrier, "");
    EXPECT_EQ(run->info().parameters.at("hidden"), "512");
    EXPECT_EQ(run->info().parameters.at("batches"), "60");
    ASSERT_EQ(run->lanes().size(), 2u);
    EXPECT_EQ(run->lanes()[0].name, "Stream 0");
    EXPECT_EQ(run->lanes()[1].name, "Lane 1");
    EXPECT_EQ(run->line_text(core::make_line(1, 31)), "train.cpp:31");
    EXPECT_EQ(run->line_text(core::make_line(9, 31)), "line 31");
    EXPECT_EQ(run->line_text(0), "");
    ASSERT_TRUE(run->error());
    EXPECT_EQ(run->error()->op, 9u);
    EXPECT_EQ(run->result_json(), R"({"loss": [1, 2]})");
    EXPECT_EQ(run->signature(size).name, "add");
    EXPECT_EQ(run->signature(size).shapes, "(2)");
    EXPECT_EQ(run->signature(999).name, "");
}

TEST(Run, WhatWasBeforeASecondDeviceJoinedBelongsToTheFirst) {
    RecordingBuilder builder;
    const auto size = builder.signature(8);
    builder.exec(0, builder.issue({.begin = 0, .end = 10, .out = 1, .fresh = true, .signature = size}), 10, 20);
    const auto run = builder.read();
    builder.recording().meta(trace::MetaType::device, 1, R"({"kind": "cpu", "first_lane": 1, "lanes": ["Worker 0"]})");
    builder.exec(1, builder.issue({.begin = 20, .end = 30, .lane = 1, .out = 2, .fresh = true, .signature = size}), 30,
                 40);
    run->update();
    run->close();
    ASSERT_EQ(run->devices().size(), 2u);
    EXPECT_EQ(run->devices()[0].live.at(25), 8);
    EXPECT_EQ(run->devices()[0].live.most(), 8);
    EXPECT_EQ(run->live_bytes().most(), 16);
}

TEST(Run, OneGpuHasNoLinks) {
    const auto metadata = [](int gpus) {
        return R"({"lanes": ["a"], "links": "pairs", "cost_models": {"links": {"name": "", "source": "",
                   "pcie": {"base_ns": 1}, "nvlink": {"base_ns": 1}}}, "gpus": )" +
               std::to_string(gpus) + "}";
    };
    RecordingBuilder one, two;
    one.metadata(metadata(1));
    two.metadata(metadata(2));
    EXPECT_FALSE(one.read()->info().links);
    EXPECT_TRUE(two.read()->info().links);
}

TEST(Run, FixesTheRateOfARealClockOnce) {
    RecordingBuilder builder(std::size_t{32} << 20, false);
    builder.metadata(R"({"lanes": ["Stream 0"], "device_kind": "simulated"})");
    builder.recording().meta(trace::MetaType::device, 1, R"({"kind": "cpu", "first_lane": 1, "lanes": ["Worker 0"]})");
    const std::uint16_t signature = builder.signature(100);
    auto run = builder.open();
    const core::Anchor first{builder.recording().header().first_ticks, builder.recording().header().first_ns};
    core::Anchor now;
    do {  // the first updates come before the writer has a second anchor
        now = core::read_anchor();
        const auto ticks = static_cast<std::int64_t>(now.ticks);
        const BufferId buffer = builder.issued() + 1;
        const auto lane = static_cast<std::uint8_t>(buffer % 2);
        builder.issue({ticks, ticks, lane, buffer, 0, 0, true, signature});
        builder.exec(lane, buffer, ticks, ticks + 10);
        run->update();
    } while (now.ns - first.ns < 60'000'000);
    run->close();
    const auto last = static_cast<OpId>(run->op_count());
    ASSERT_EQ(last, builder.issued());
    EXPECT_NEAR(static_cast<double>(run->op(last).issue_begin_ns), static_cast<double>(now.ns - first.ns), 1e6);
    for (OpId id = 2; id <= last; ++id) {
        ASSERT_GE(run->op(id).issue_begin_ns, run->op(id - 1).issue_begin_ns);
    }
    EXPECT_GT(run->resident_bytes().size(), 0u);
    EXPECT_GT(numbers_of(*run).rss_bytes_peak, 0u);

    // Records that were read at an earlier rate were read again.
    EXPECT_GT(run->rescaled(), 0u);
    const auto fresh = builder.read();
    for (OpId id = 1; id <= last; ++id) {  // the two runs may have a rate of their own: it differs by parts per million
        ASSERT_NEAR(static_cast<double>(run->op(id).begin_ns), static_cast<double>(fresh->op(id).begin_ns), 10'000);
        ASSERT_NEAR(static_cast<double>(run->op(id).end_ns), static_cast<double>(fresh->op(id).end_ns), 10'000);
    }
    for (const std::size_t device : {0u, 1u}) {
        ASSERT_GT(live_bytes(*fresh, device).size(), 0u);
        EXPECT_EQ(live_bytes(*run, device).size(), live_bytes(*fresh, device).size());
        EXPECT_EQ(live_bytes(*run, device).most(), live_bytes(*fresh, device).most());
    }
}

TEST(Run, SaysHowMuchOfTheRecordingItHasTaken) {
    RecordingBuilder builder;
    const auto empty = builder.open();
    EXPECT_EQ(empty->reading_text(), "reading the recording, 100 %") << "of nothing";
    for (OpId id = 1; id <= 10; ++id) {
        builder.issue({10 * id, 10 * id + 1, static_cast<std::uint8_t>(id % 2)});
        builder.exec(static_cast<std::uint8_t>(id % 2), id, 10 * id + 2, 10 * id + 5);
    }
    const auto run = builder.open();
    EXPECT_EQ(run->reading_text(), "reading the recording, 0 %");
    run->update();
    EXPECT_EQ(run->reading_text(), "reading the recording, 100 %");
}

TEST(TraceCapabilities, BothHaveOnlyWhatEachHas) {
    using Capability = bool TraceCapabilities::*;
    const Capability all[] = {&TraceCapabilities::issues, &TraceCapabilities::waits,   &TraceCapabilities::backend,
                              &TraceCapabilities::memory, &TraceCapabilities::tensors, &TraceCapabilities::settings};
    for (const Capability lacking : all) {
        TraceCapabilities one;
        const TraceCapabilities other;
        one.*lacking = false;
        for (const Capability each : all) {
            EXPECT_EQ(one.both(other).*each, each != lacking);
            EXPECT_EQ(other.both(one).*each, each != lacking);
        }
    }
}

TEST(Run, TheNumberOfAMinibatchIsNotNegative) {
    RecordingBuilder builder;
    builder.mark(trace::FrontendKind::minibatch_begin, 1, 0x8000'0000u);
    builder.issue({2, 3});
    const auto run = builder.read();
    ASSERT_EQ(run->minibatches().size(), 1u);
    EXPECT_EQ(run->minibatches()[0].index, INT32_MAX);
}

}  // namespace
}  // namespace headway::model
