// The chapter's model of N equal ops: the frontend issues each in t1, a lane begins it h later at the earliest and
// executes it in t2, and a wait returns t3 after the last op it waited for has ended. Here as formulas, and op by op.
//
// The ops do not depend on each other. Op i goes to lane i modulo the number of lanes.
//
// Threads: any.
#pragma once

#include <vector>

namespace headway::model {

// Times in nanoseconds.
struct Stages {
    int ops = 10;   // N, at least 1
    int lanes = 1;  // S, at least 1
    double t1_ns = 0, h_ns = 0, t2_ns = 0, t3_ns = 0;
    friend bool operator==(const Stages&, const Stages&) = default;
};

// N·(t1+h+t2+t3): the frontend waits for each op.
[[nodiscard]] double waiting_each_ns(const Stages& stages);
// The frontend waits once, for all: max(m·t1 + c·t2, N·t1 + t2) + h + t3, where c = ceil(N/S) is how many ops the
// busiest lanes execute, and m = N - (c-1)·S is how many lanes have that many. With one lane this is
// max(t1 + N·t2, N·t1 + t2) + h + t3. It is exact: an op begins when it was issued or when its lane's last op has
// ended, so the last end is the largest (i - j·S)·t1 + h + (j+1)·t2 over op i and the j ops before it in its lane; that
// is linear in j, so the largest is at one of the two ends.
[[nodiscard]] double waiting_once_ns(const Stages& stages);
// Whether the lanes limit the run and not the frontend, when it waits once: t2 > S·t1. With as many lanes as ops or
// more, never.
[[nodiscard]] bool execution_bound(const Stages& stages);
// The chapter's condition for its formula t1 + N·t2 + t3, which is about one lane: N·t2 > (N-1)·t1. It is necessary,
// and with h = 0 not sufficient: between (N-1)/N·t1 and t1, t2 meets it, and N·t1 + t2 is longer.
[[nodiscard]] bool chapters_condition(const Stages& stages);

// The same op by op.
struct StagedRun {
    struct Op {
        int lane = 0;
        double issue_begin_ns = 0, issue_end_ns = 0, begin_ns = 0, end_ns = 0;
    };
    // The frontend waits from begin_ns until the awaited op has ended, at ready_ns, and the return takes until end_ns.
    struct Wait {
        double begin_ns = 0, ready_ns = 0, end_ns = 0;
    };
    std::vector<Op> ops;
    std::vector<Wait> waits;
    double total_ns = 0;
};
enum class StagedWaits { each, once };
[[nodiscard]] StagedRun staged_run(const Stages& stages, StagedWaits waits);

}  // namespace headway::model
