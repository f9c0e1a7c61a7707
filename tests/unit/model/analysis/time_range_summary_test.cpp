#include "app/model/analysis/time_range_summary.h"

#include <gtest/gtest.h>

#include <map>

#include "tests/unit/model/long_program.h"
#include "tests/unit/model/recording_builder.h"

namespace headway::model {
namespace {

// The part of [begin, end) within [from, to), and whether the span counts there.
TimeRangeSum part(std::int64_t begin, std::int64_t end, std::int64_t from, std::int64_t to) {
    const bool counts = begin < to && (end > from || begin >= from);
    return counts ? TimeRangeSum{1, std::min(end, to) - std::max(begin, from)} : TimeRangeSum{};
}
TimeRangeSum& operator+=(TimeRangeSum& sum, const TimeRangeSum& more) {
    sum.count += more.count;
    sum.ns += more.ns;
    return sum;
}

void expect_brute_force(const Run& run, std::int64_t from, std::int64_t to) {
    const TimeRangeSummary summary = time_range_summary(run, from, to);
    std::vector<TimeRangeSum> lanes(run.lanes().size());
    std::map<std::string, TimeRangeSum> kinds;
    TimeRangeSum issues, all;
    for (OpId id = 1; id <= run.op_count(); ++id) {
        const Op& op = run.op(id);
        issues += part(op.issue_begin_ns, op.issue_end_ns, from, to);
        if (op.begin_ns != kPending) {
            const TimeRangeSum sum = part(op.begin_ns, op.end_ns, from, to);
            lanes[op.lane] += sum;
            all += sum;
            if (sum.count > 0) {
                kinds[run.signature(op.signature).name] += sum;
            }
        }
    }
    ASSERT_EQ(summary.begin_ns, from);
    ASSERT_EQ(summary.end_ns, std::max(from, to));
    ASSERT_EQ(summary.lanes, lanes) << from << " to " << to;
    ASSERT_EQ(summary.issues, issues) << from << " to " << to;
    ASSERT_EQ(summary.ops(), all) << from << " to " << to;
    ASSERT_EQ(summary.kinds.size(), kinds.size());
    for (const auto& kind : summary.kinds) {
        ASSERT_EQ(kind.sum, kinds[kind.name]) << kind.name << ", " << from << " to " << to;
    }
    std::map<trace::WaitKind, TimeRangeSum> causes;
    for (const Wait& wait : run.waits()) {
        if (const TimeRangeSum sum = part(wait.begin_ns, wait.end_ns, from, to); sum.count > 0) {
            causes[wait.kind] += sum;
        }
    }
    ASSERT_EQ(summary.causes.size(), causes.size());
    for (const auto& cause : summary.causes) {
        ASSERT_EQ(cause.sum, causes[cause.kind]) << from << " to " << to;
    }
}

class TimeRangeSummaryOfRandomPrograms : public ::testing::TestWithParam<std::uint32_t> {};

TEST_P(TimeRangeSummaryOfRandomPrograms, AgreesWithBruteForce) {
    RecordingBuilder builder;
    const std::uint32_t lanes = 1 + GetParam() % 5;
    RandomProgram program(builder, GetParam(), lanes);
    // Some programs have more ops than the distance of stored sums.
    const int steps = GetParam() % 3 == 0 ? 9000 : 400;
    for (int i = 0; i < steps; ++i) {
        program.step();
    }
    program.end();
    const auto run = builder.read();
    std::mt19937 random(GetParam());
    const auto end = static_cast<std::uint32_t>(run->end_ns() + 20);
    for (int i = 0; i < 60; ++i) {
        const auto from = static_cast<std::int64_t>(random() % end) - 5;
        const auto length = static_cast<std::int64_t>(i % 2 == 0 ? random() % 40 : random() % end);
        expect_brute_force(*run, from, from + std::max<std::int64_t>(1, length));
    }
    expect_brute_force(*run, -10, end);
}

INSTANTIATE_TEST_SUITE_P(Seeds, TimeRangeSummaryOfRandomPrograms, ::testing::Range(1u, 25u));

TEST(TimeRangeSummary, OfNothingIsEmpty) {
    RecordingBuilder builder;
    RandomProgram program(builder, 3, 2);
    for (int i = 0; i < 50; ++i) {
        program.step();
    }
    program.end();
    const auto run = builder.read();
    EXPECT_EQ(time_range_summary(*run, 30, 30).ops(), TimeRangeSum{});
    EXPECT_EQ(time_range_summary(*run, 30, 10).issues, TimeRangeSum{});
}

TEST(TimeRangeSummary, KeepsLongSpansExact) {
    RecordingBuilder builder;
    const auto add = builder.signature(8);
    constexpr std::int64_t kLong = std::int64_t{3} << 30;  // longer than the index can store
    for (int i = 0; i < 40; ++i) {
        const OpId op = builder.issue({i * 10, i * 10 + 5, 0, 0, 0, 0, false, add});
        builder.exec(0, op, 1000 + i * kLong, 1000 + i * kLong + kLong / 2);
    }
    const auto run = builder.read();
    const TimeRangeSummary summary = time_range_summary(*run, 1000 + 7 * kLong + kLong / 4, 1000 + 20 * kLong + 1);
    EXPECT_EQ(summary.ops().count, 14u);  // 7 to 20
    EXPECT_NEAR(static_cast<double>(summary.ops().ns), static_cast<double>(kLong / 4 + 12 * (kLong / 2) + 1),
                static_cast<double>(kLong) * 1e-6);  // durations are recorded with limited resolution
}

// Compares nearest_edge() and next_edge() in this row with a search through all its edges.
void expect_edges(const Run& run, EdgeRow row, std::size_t lane, const std::vector<std::int64_t>& edges,
                  std::int64_t ns, std::int64_t reach_ns) {
    std::int64_t nearest = INT64_MAX;
    std::optional<std::int64_t> after, before;
    for (const std::int64_t edge : edges) {
        nearest = std::min(nearest, std::abs(edge - ns));
        after = edge > ns ? std::min(after.value_or(edge), edge) : after;
        before = edge < ns ? std::max(before.value_or(edge), edge) : before;
    }
    const auto found = nearest_edge(run, row, lane, ns, reach_ns);
    ASSERT_EQ(found.has_value(), nearest <= reach_ns);
    if (found) {
        ASSERT_EQ(std::abs(*found - ns), nearest);
    }
    ASSERT_EQ(next_edge(run, row, lane, ns, true), after);
    ASSERT_EQ(next_edge(run, row, lane, ns, false), before);
}

TEST(NearestEdge, AgreesWithBruteForce) {
    for (std::uint32_t seed = 1; seed < 12; ++seed) {
        RecordingBuilder builder;
        RandomProgram program(builder, seed, 3);
        for (int i = 0; i < 300; ++i) {
            program.step();
        }
        program.end();
        const auto run = builder.read();
        std::vector<std::vector<std::int64_t>> edges(run->lanes().size());
        for (std::size_t lane = 0; lane < edges.size(); ++lane) {
            for (const OpId id : run->lanes()[lane].ops) {
                edges[lane].insert(edges[lane].end(), {run->op(id).begin_ns, run->op(id).end_ns});
            }
        }
        std::mt19937 random(seed);
        for (int i = 0; i < 300; ++i) {
            const auto ns = static_cast<std::int64_t>(random() % static_cast<std::uint32_t>(run->end_ns() + 30)) - 10;
            const std::int64_t reach = random() % 30;
            const std::size_t lane = random() % 3;
            ASSERT_NO_FATAL_FAILURE(expect_edges(*run, EdgeRow::lane, lane, edges[lane], ns, reach));
        }
    }
}

TEST(NearestEdge, AgreesWithBruteForceInTheFrontendsRows) {
    RecordingBuilder builder;
    LongProgram program;
    program.ops = 2000;
    program.works_every = 5;
    program.waits_every = 10;
    write(builder, program, [] {});
    const auto run = builder.read();
    std::vector<std::int64_t> issues, waits, works;
    for (OpId id = 1; id <= run->op_count(); ++id) {
        issues.insert(issues.end(), {run->op(id).issue_begin_ns, run->op(id).issue_end_ns});
    }
    for (std::size_t i = 0; i < run->waits().size(); ++i) {
        waits.insert(waits.end(), {run->waits()[i].begin_ns, run->waits()[i].end_ns});
    }
    for (std::size_t i = 0; i < run->works().size(); ++i) {
        works.insert(works.end(), {run->works()[i].begin_ns, run->works()[i].end_ns});
    }
    std::mt19937 random(5);
    for (const auto& [row, edges] :
         {std::pair{EdgeRow::issues, &issues}, {EdgeRow::waits, &waits}, {EdgeRow::works, &works}}) {
        ASSERT_GT(edges->size(), 200u);
        for (int i = 0; i < 200; ++i) {
            const auto ns = static_cast<std::int64_t>(random() % static_cast<std::uint32_t>(run->end_ns()));
            ASSERT_NO_FATAL_FAILURE(expect_edges(*run, row, 0, *edges, ns, 20));
        }
    }
}

}  // namespace
}  // namespace headway::model
