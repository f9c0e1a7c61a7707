#include "app/model/numbers/stages.h"

#include <algorithm>

namespace headway::model {
namespace {

// How many ops the busiest lanes execute.
int longest_lane(const Stages& s) {
    return (s.ops + s.lanes - 1) / s.lanes;
}

}  // namespace

double waiting_each_ns(const Stages& s) {
    return s.ops * (s.t1_ns + s.h_ns + s.t2_ns + s.t3_ns);
}

double waiting_once_ns(const Stages& s) {
    const int longest = longest_lane(s), such_lanes = s.ops - (longest - 1) * s.lanes;
    return std::max(such_lanes * s.t1_ns + longest * s.t2_ns, s.ops * s.t1_ns + s.t2_ns) + s.h_ns + s.t3_ns;
}

bool execution_bound(const Stages& s) {
    return longest_lane(s) > 1 && s.t2_ns > s.lanes * s.t1_ns;
}

bool chapters_condition(const Stages& s) {
    return s.ops * s.t2_ns > (s.ops - 1) * s.t1_ns;
}

StagedRun staged_run(const Stages& s, StagedWaits waits) {
    StagedRun run;
    std::vector<double> lane_free_ns(static_cast<std::size_t>(s.lanes), 0);
    double now_ns = 0, last_end_ns = 0;
    const auto wait = [&] {
        const double ready_ns = std::max(now_ns, last_end_ns);
        run.waits.push_back({now_ns, ready_ns, ready_ns + s.t3_ns});
        now_ns = ready_ns + s.t3_ns;
    };
    for (int i = 0; i < s.ops; ++i) {
        StagedRun::Op op;
        op.lane = i % s.lanes;
        double& free_ns = lane_free_ns[static_cast<std::size_t>(op.lane)];
        op.issue_begin_ns = now_ns;
        op.issue_end_ns = now_ns += s.t1_ns;
        op.begin_ns = std::max(op.issue_end_ns + s.h_ns, free_ns);
        op.end_ns = free_ns = op.begin_ns + s.t2_ns;
        last_end_ns = std::max(last_end_ns, op.end_ns);
        run.ops.push_back(op);
        if (waits == StagedWaits::each) {
            wait();
        }
    }
    if (waits == StagedWaits::once) {
        wait();
    }
    run.total_ns = now_ns;
    return run;
}

}  // namespace headway::model
