// A run that was folded is saved with what is there, and comes back with the same numbers and the same gaps.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <random>

#include "app/exchange/chrome/chrome_reader.h"
#include "app/model/analysis/time_range_summary.h"
#include "app/model/report/report.h"
#include "tests/unit/exchange/exported.h"
#include "tests/unit/model/long_program.h"

namespace headway::exchange {
namespace {

using model::Curve;
using model::kFoldedItems;
using model::LongProgram;
using model::OpId;
using model::Run;
using nlohmann::json;

void expect_same_sums(const Run& a_run, const Run& b_run, std::int64_t begin_ns, std::int64_t end_ns) {
    const model::TimeRangeSummary a = time_range_summary(a_run, begin_ns, end_ns);
    const model::TimeRangeSummary b = time_range_summary(b_run, begin_ns, end_ns);
    EXPECT_EQ(a.issues.count, b.issues.count);
    EXPECT_EQ(a.issues.ns, b.issues.ns);
    EXPECT_EQ(a.works.ns, b.works.ns);
    EXPECT_EQ(a.waits().count, b.waits().count);
    EXPECT_EQ(a.waits().ns, b.waits().ns);
    std::uint64_t a_ops = 0, b_ops = 0;
    for (const auto& kind : a.kinds) {
        a_ops += kind.sum.count;
    }
    for (const auto& kind : b.kinds) {
        b_ops += kind.sum.count;
    }
    EXPECT_EQ(a_ops, b_ops);
}

void expect_same_kinds(const Run& a_run, const Run& b_run) {
    const model::TimeRangeSummary a = time_range_summary(a_run, 0, a_run.now_ns() + 1);
    const model::TimeRangeSummary b = time_range_summary(b_run, 0, b_run.now_ns() + 1);
    ASSERT_EQ(a.kinds.size(), b.kinds.size());
    for (std::size_t i = 0; i < a.kinds.size(); ++i) {
        EXPECT_EQ(a.kinds[i].name, b.kinds[i].name);
        EXPECT_EQ(a.kinds[i].sum.count, b.kinds[i].sum.count);
        EXPECT_EQ(a.kinds[i].sum.ns, b.kinds[i].sum.ns);
    }
}

void expect_same_curve(const Curve& a, const Curve& b, std::int64_t end_ns, std::uint32_t seed) {
    std::mt19937 random(seed);
    ASSERT_EQ(a.size(), b.size());
    EXPECT_EQ(a.most(), b.most());
    EXPECT_EQ(a.most_at_ns(), b.most_at_ns());
    const auto below = [&random](std::int64_t n) {
        return static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(n));
    };
    for (int i = 0; i < 500; ++i) {
        const std::int64_t from = below(end_ns), to = from + 1 + below(i % 2 == 0 ? 5'000 : end_ns);
        EXPECT_EQ(a.extremes(from, to), b.extremes(from, to)) << from << " to " << to;
        EXPECT_EQ(a.at(from), b.at(from));
        EXPECT_EQ(a.exact_at(from), b.exact_at(from));
    }
}

void expect_same_ops(const Run& a, const Run& b) {
    ASSERT_EQ(a.op_count(), b.op_count());
    for (OpId id = 1; id <= a.op_count(); ++id) {
        ASSERT_EQ(a.is_folded(id), b.is_folded(id)) << id;
        const model::Op &mine = a.op(id), &other = b.op(id);
        ASSERT_EQ(mine.issue_begin_ns, other.issue_begin_ns) << id;
        ASSERT_EQ(mine.issue_end_ns, other.issue_end_ns) << id;
        ASSERT_EQ(mine.begin_ns, other.begin_ns) << id;
        ASSERT_EQ(mine.end_ns, other.end_ns) << id;
        ASSERT_EQ(mine.signature, other.signature) << id;
        ASSERT_EQ(mine.lane, other.lane) << id;
        ASSERT_EQ(mine.line, other.line) << id;
        ASSERT_EQ(mine.minibatch, other.minibatch) << id;
        ASSERT_EQ(mine.failed, other.failed) << id;
    }
    ASSERT_EQ(a.folded_parts().size(), b.folded_parts().size());
    for (std::size_t i = 0; i < a.folded_parts().size(); ++i) {
        EXPECT_EQ(a.folded_parts()[i].first, b.folded_parts()[i].first);
        EXPECT_EQ(a.folded_parts()[i].last, b.folded_parts()[i].last);
        EXPECT_EQ(a.folded_parts()[i].end_ns, b.folded_parts()[i].end_ns);
    }
}

void expect_same_waits(const Run& a, const Run& b) {
    ASSERT_EQ(a.waits().size(), b.waits().size());
    for (std::size_t i = 0; i < a.waits().size(); ++i) {
        const model::Wait &mine = a.waits()[i], &other = b.waits()[i];
        ASSERT_EQ(mine.folded, other.folded) << i;
        ASSERT_EQ(mine.begin_ns, other.begin_ns) << i;
        ASSERT_EQ(mine.end_ns, other.end_ns) << i;
        ASSERT_EQ(mine.target_op, other.target_op) << i;
        ASSERT_EQ(mine.waits_through, other.waits_through) << i;
        ASSERT_EQ(mine.issued, other.issued) << i;
        ASSERT_EQ(mine.name, other.name) << i;
    }
}

std::string around(const std::string& text, std::ptrdiff_t at) {
    const auto from = static_cast<std::size_t>(std::max<std::ptrdiff_t>(at - 200, 0));
    return from < text.size() ? text.substr(from, 400) : std::string();
}

void expect_round_trip(const LongProgram& program) {
    model::RecordingBuilder builder;
    const auto run = folded_run(program, builder);
    ASSERT_FALSE(run->folded_parts().empty());
    const std::string text = exported(*run);
    auto back = read_chrome_trace(text, "folded.json");
    ASSERT_TRUE(back) << back.error().message;
    const Run& again = *back->run;
    expect_same_ops(*run, again);
    expect_same_waits(*run, again);
    ASSERT_EQ(run->works().size(), again.works().size());
    for (std::size_t i = 0; i < run->works().size(); ++i) {
        const model::Work &mine = run->works()[i], &other = again.works()[i];
        ASSERT_EQ(mine.folded, other.folded) << i;
        ASSERT_EQ(mine.begin_ns, other.begin_ns) << i;
        ASSERT_EQ(mine.end_ns, other.end_ns) << i;
        ASSERT_EQ(mine.name, other.name) << i;
        ASSERT_EQ(mine.line, other.line) << i;
    }
    ASSERT_EQ(run->launches().size(), again.launches().size());
    for (std::size_t i = 0; i < run->launches().size(); ++i) {
        ASSERT_EQ(run->launches()[i].begin_ns, again.launches()[i].begin_ns) << i;
        ASSERT_EQ(run->launches()[i].end_ns, again.launches()[i].end_ns) << i;
        ASSERT_EQ(run->launches()[i].op, again.launches()[i].op) << i;
        ASSERT_EQ(run->launches()[i].folded, again.launches()[i].folded) << i;
    }
    EXPECT_EQ(folded_blocks(run->launches()) > 0, program.launches);
    EXPECT_EQ(run->scopes().size(), again.scopes().size());
    ASSERT_EQ(run->minibatches().size(), again.minibatches().size());
    for (std::size_t i = 0; i < run->minibatches().size(); ++i) {
        ASSERT_EQ(run->minibatches()[i].folded, again.minibatches()[i].folded) << i;
        ASSERT_EQ(run->minibatches()[i].first, again.minibatches()[i].first) << i;
    }
    const std::int64_t end_ns = run->now_ns();
    EXPECT_EQ(end_ns, again.now_ns());
    expect_same_curve(run->headway(), again.headway(), end_ns, 1);
    expect_same_curve(run->live_bytes(), again.live_bytes(), end_ns, 2);
    expect_same_curve(run->pending_bytes(), again.pending_bytes(), end_ns, 3);
    expect_same_kinds(*run, again);
    std::mt19937 random(7);
    for (int i = 0; i < 200; ++i) {
        const auto from = static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(end_ns));
        expect_same_sums(*run, again, from, from + 1 + static_cast<std::int64_t>(random() % 60'000));
    }
    for (std::size_t lane = 0; lane < run->lanes().size(); ++lane) {
        ASSERT_EQ(run->lanes()[lane].ops.size(), again.lanes()[lane].ops.size());
        for (std::size_t i = 0; i < run->lanes()[lane].ops.size(); ++i) {
            ASSERT_EQ(run->lanes()[lane].ops[i], again.lanes()[lane].ops[i]) << i;
            ASSERT_EQ(run->lanes()[lane].ops.is_folded(i), again.lanes()[lane].ops.is_folded(i)) << i;
        }
    }
    const json difference = json::diff(json::parse(model::report_json(*run)), json::parse(model::report_json(again)));
    EXPECT_TRUE(difference.empty()) << difference.dump().substr(0, 2000);
    EXPECT_FALSE(again.can_be_read_again());
    ASSERT_FALSE(back->notes.empty());
    EXPECT_NE(back->notes.back().find("sums only"), std::string::npos) << back->notes.back();
    // Saving it once more loses nothing.
    const std::string once_more = exported(again);
    const auto [at, other] = std::mismatch(text.begin(), text.end(), once_more.begin(), once_more.end());
    EXPECT_TRUE(at == text.end() && other == once_more.end())
        << "from " << at - text.begin() << " on: " << around(text, at - text.begin()) << "\n... "
        << around(once_more, at - text.begin());
}

TEST(FoldedTrace, ComesBack) {
    for (const std::uint32_t lanes : {1u, 3u}) {
        SCOPED_TRACE(lanes);
        LongProgram program;
        program.seed = lanes;
        program.lanes = lanes;
        expect_round_trip(program);
    }
}

TEST(FoldedTrace, ManyWaitsScopesAndMinibatchesComeBackToo) {
    LongProgram program;
    program.ops = 200'000;
    program.waits_every = 2;
    program.scopes_every = 4;
    program.minibatches_every = 4;
    expect_round_trip(program);
}

TEST(FoldedTrace, LaunchesAndTheFrontendsWorkComeBackToo) {
    LongProgram program;
    program.ops = 150'000;
    program.works_every = 3;
    program.launches = true;
    expect_round_trip(program);
}

TEST(FoldedTrace, WhatTheLinksCarriedComesBack) {
    LongProgram program;
    program.two_gpus = true;
    expect_round_trip(program);
}

TEST(FoldedTrace, OnlyWhatWasMeasuredCounts) {
    for (const std::size_t warm_up : {1'000ul, 15'000ul, 60'000ul}) {
        SCOPED_TRACE(warm_up);
        LongProgram program;
        program.warm_up = warm_up;
        program.last_mark = 75'000;
        program.waits_every = 3;
        expect_round_trip(program);
    }
}

// Each event for other viewers: no slice of a row overlaps another one, and each block says how many it stands for.
TEST(FoldedTrace, OtherViewersSeeTheBlocks) {
    model::RecordingBuilder builder;
    const auto run = model::folded_run({.ops = 70'000}, builder);
    const json trace = json::parse(exported(*run));
    std::uint64_t issues = 0;
    std::map<int, std::vector<std::pair<double, double>>> slices;
    for (const auto& event : trace["traceEvents"]) {
        if (event["ph"] != "X") {
            continue;
        }
        slices[event["tid"]].emplace_back(event["ts"], event["ts"].get<double>() + event["dur"].get<double>());
        if (event["cat"] == "folded" && event["args"]["of"] == "issues") {
            EXPECT_EQ(event["name"], "16384 issues, only their sums");
            issues += kFoldedItems;
        }
    }
    EXPECT_EQ(issues, run->folded_ops());
    EXPECT_EQ(trace["otherData"]["folded"]["ops"], run->folded_ops());
    for (auto& [tid, spans] : slices) {
        std::sort(spans.begin(), spans.end());
        for (std::size_t i = 1; i < spans.size(); ++i) {
            EXPECT_LE(spans[i - 1].second, spans[i].first + 1e-6) << "row " << tid;
        }
    }
}

// The text of the trace with the event of the op changed: `from` in it becomes `to`.
std::string with_op_changed(std::string text, OpId op, std::string_view from, std::string_view to) {
    const std::size_t at = text.find("\"args\":{\"op\":" + std::to_string(op) + ",");
    const std::size_t place = text.find(from, at);
    EXPECT_LT(place, text.find('\n', at));
    return text.replace(place, from.size(), to);
}

TEST(FoldedTrace, FurtherInputsOfTheOpBeforeAFoldedPartComeBack) {
    model::RecordingBuilder builder;
    const auto run = folded_run({.ops = 70'000}, builder);
    const OpId before = run->folded_parts()[0].first - 1;
    const auto inputs = [](OpId in0) { return "\"in\":[" + std::to_string(in0); };
    const std::string text = with_op_changed(
        exported(*run), before, inputs(run->op(before).in0),
        R"("forward":"a.py:7","forward_file":1,"changed":[4,1],)" + inputs(run->op(before).in0) + ",2,3,4");
    const auto back = read_chrome_trace(text, "more.json");
    ASSERT_TRUE(back) << back.error().message;
    const auto expect_more = [before](const model::Run& more) {
        EXPECT_EQ(more.op(before).forward_line, core::make_line(1, 7));
        EXPECT_EQ(more.more_inputs(before), (std::vector<core::BufferId>{3, 4}));
        EXPECT_EQ(more.more_outputs(before).size(), 1u);
        EXPECT_FALSE(more.op(before + 1).more_inputs);
        EXPECT_EQ(more.op(before + 1).forward_line, 0u);
    };
    expect_more(*back->run);
    expect_more(*read_chrome_trace(exported(*back->run), "again.json")->run);
}

TEST(FoldedTrace, AFileThatIsCutOffBeforeItsFoldedPartHasNone) {
    model::RecordingBuilder builder;
    const auto run = folded_run({.ops = 70'000}, builder);
    std::string text = exported(*run);
    text.resize(text.find("\"args\":{\"op\":1000,"));
    const auto back = read_chrome_trace(text, "cut.json");
    ASSERT_TRUE(back) << back.error().message;
    EXPECT_GE(back->run->op_count(), 998u);
    EXPECT_LT(back->run->op_count(), kFoldedItems);
    EXPECT_TRUE(back->run->folded_parts().empty());
    for (const std::string& note : back->notes) {
        EXPECT_EQ(note.find("sums only"), std::string::npos) << note;
    }
    const auto again = read_chrome_trace(exported(*back->run), "again.json");
    ASSERT_TRUE(again) << again.error().message;
    EXPECT_EQ(again->run->op_count(), back->run->op_count());
}

// A file that lacks blocks, or whose blocks say what cannot be, is still a run with all its ops.
TEST(FoldedTrace, DamagedBlocksAreLeftOut) {
    model::RecordingBuilder builder;
    const auto run = model::folded_run({}, builder);
    const std::string text = exported(*run);
    for (std::uint32_t seed = 1; seed <= 2; ++seed) {
        std::mt19937 random(seed);
        std::string damaged;
        std::size_t from = 0;
        while (from < text.size()) {
            const std::size_t end = std::min(text.find('\n', from), text.size() - 1) + 1;
            std::string line = text.substr(from, end - from);
            from = end;
            if (line.find("\"cat\":\"folded\"") != std::string::npos && random() % 4 == 0) {
                if (random() % 2 == 0) {
                    continue;
                }
                const std::size_t at = line.find("\"block\":") + 8;
                line.insert(at, std::to_string(random() % 100'000));
            }
            damaged += line;
        }
        const auto back = read_chrome_trace(damaged, "damaged.json");
        ASSERT_TRUE(back) << back.error().message;
        EXPECT_EQ(back->run->op_count(), run->op_count());
        (void)model::report_json(*back->run);
        (void)time_range_summary(*back->run, 0, run->now_ns());
    }
}

}  // namespace
}  // namespace headway::exchange
