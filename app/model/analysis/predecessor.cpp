#include "app/model/analysis/predecessor.h"

#include <algorithm>

namespace headway::model {

namespace {

// Index of an op in its lane; the lane's size if it has not run.
std::size_t place_in_lane(const Run& run, OpId id) {
    const auto& ops = run.lanes()[run.op(id).lane].ops;
    const auto at = std::lower_bound(ops.begin(), ops.end(), id);
    return at != ops.end() && *at == id ? static_cast<std::size_t>(at - ops.begin()) : ops.size();
}

}  // namespace

LatestPredecessor latest_predecessor(const Run& run, OpId id, std::vector<OpId>& scratch) {
    const Op& op = run.op(id);
    LatestPredecessor latest{std::min(op.issue_end_ns, op.begin_ns), 0};
    const auto consider = [&](OpId other) {
        if (other != 0 && other < id && run.op(other).end_ns != kPending) {
            const std::int64_t ns = std::min(run.op(other).end_ns, op.begin_ns);
            if (ns > latest.ns) {
                latest = {ns, other};
            }
        }
    };
    if (const std::size_t place = place_in_lane(run, id); place > 0 && place < run.lanes()[op.lane].ops.size()) {
        consider(run.lanes()[op.lane].ops[place - 1]);
    }
    run.dependencies(id, scratch);
    for (const OpId other : scratch) {
        consider(other);
    }
    return latest;
}

}  // namespace headway::model
