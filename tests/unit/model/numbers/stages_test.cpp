// The formulas of equal ops, compared with the same ops one by one.
#include "app/model/numbers/stages.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace headway::model {
namespace {

// One lane and one wait, as a table of begins and ends that is filled from the end: the last op's end is the latest of
// all chains "issue the first i ops, then execute the rest".
double longest_chain(const Stages& s) {
    double longest = 0;
    for (int first = 1; first <= s.ops; ++first) {
        int in_its_lane = 0;
        for (int op = first; op <= s.ops; op += s.lanes) {
            ++in_its_lane;
        }
        longest = std::max(longest, first * s.t1_ns + in_its_lane * s.t2_ns);
    }
    return longest + s.h_ns + s.t3_ns;
}

Stages random_stages(std::mt19937& random) {
    const auto below = [&](unsigned n) { return static_cast<double>(random() % n); };
    return {static_cast<int>(random() % 30 + 1),
            static_cast<int>(random() % 6 + 1),
            below(40),
            below(10),
            below(80),
            below(20)};
}

TEST(Stages, FormulasEqualTheOpsOneByOne) {
    std::mt19937 random(1);
    for (int round = 0; round < 20'000; ++round) {
        const Stages s = random_stages(random);
        EXPECT_EQ(staged_run(s, StagedWaits::each).total_ns, waiting_each_ns(s));
        EXPECT_EQ(staged_run(s, StagedWaits::once).total_ns, waiting_once_ns(s));
        EXPECT_EQ(waiting_once_ns(s), longest_chain(s));
    }
}

TEST(Stages, OpsAreIssuedInOrderAndLanesExecuteOneAtATime) {
    std::mt19937 random(2);
    for (int round = 0; round < 2'000; ++round) {
        const Stages s = random_stages(random);
        for (const StagedWaits waits : {StagedWaits::each, StagedWaits::once}) {
            const StagedRun run = staged_run(s, waits);
            ASSERT_EQ(run.ops.size(), static_cast<std::size_t>(s.ops));
            ASSERT_EQ(run.waits.size(), waits == StagedWaits::each ? run.ops.size() : 1u);
            for (std::size_t i = 0; i < run.ops.size(); ++i) {
                EXPECT_GE(run.ops[i].begin_ns, run.ops[i].issue_end_ns + s.h_ns);
                if (i > 0) {
                    EXPECT_GE(run.ops[i].issue_begin_ns, run.ops[i - 1].issue_end_ns);
                }
                if (const auto before = i - static_cast<std::size_t>(s.lanes); before < i) {
                    EXPECT_EQ(run.ops[i].lane, run.ops[before].lane);
                    EXPECT_GE(run.ops[i].begin_ns, run.ops[before].end_ns);
                }
            }
            EXPECT_GE(run.waits.back().ready_ns, run.ops.back().end_ns);
        }
    }
}

// N = 10, t1 = 1 µs, t2 = 0.95 µs: 9.5 > 9, and yet the frontend is what takes longest.
TEST(Stages, TheChaptersConditionDoesNotSuffice) {
    const Stages s{10, 1, 1000, 0, 950, 1000};
    EXPECT_TRUE(chapters_condition(s));
    EXPECT_FALSE(execution_bound(s));
    EXPECT_EQ(waiting_once_ns(s), 10'950 + 1000);
    EXPECT_NE(waiting_once_ns(s), s.t1_ns + s.ops * s.t2_ns + s.t3_ns);
}

TEST(Stages, ExecutionBoundIsWhereSlowerOpsDelayTheEnd) {
    std::mt19937 random(3);
    for (int round = 0; round < 5'000; ++round) {
        Stages s = random_stages(random);
        // With t2 longer by 1, the busiest lane ends later by 1 for each of its ops. Where issuing is the limit, only
        // the last op ends later.
        Stages slower = s;
        slower.t2_ns += 1;
        const int longest = (s.ops + s.lanes - 1) / s.lanes;
        if (execution_bound(s)) {
            EXPECT_EQ(waiting_once_ns(slower) - waiting_once_ns(s), longest);
        } else if (s.t2_ns + 1 <= s.lanes * s.t1_ns) {
            EXPECT_EQ(waiting_once_ns(slower) - waiting_once_ns(s), 1);
        }
    }
}

}  // namespace
}  // namespace headway::model
