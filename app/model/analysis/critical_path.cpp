#include "app/model/analysis/critical_path.h"

#include <algorithm>
#include <vector>

#include "app/model/analysis/predecessor.h"
#include "app/model/analysis/wait_details.h"

namespace headway::model {

void walk_critical_path(const Run& run, const std::function<void(const PathPiece&)>& call) {
    using Kind = PathPiece::Kind;
    const Run::Measured part = run.measured();
    const auto& waits = run.waits();
    std::vector<OpId> scratch;
    std::int64_t now_ns = part.end_ns;
    const auto piece = [&](Kind kind, std::int64_t from_ns, OpId op, int wait) {
        from_ns = std::clamp(from_ns, part.begin_ns, now_ns);
        if (from_ns < now_ns) {
            call({kind, from_ns, now_ns, op, wait});
        }
        now_ns = from_ns;
    };
    std::size_t wait_end = waits.size();  // waits from here on are later than now_ns
    OpId op = 0;                          // the op whose execution the walk is at; 0: the frontend
    // If ops run beyond the end of the program, the path ends with the last of them.
    for (const Lane& lane : run.lanes()) {
        if (!part.has_end && !lane.ops.empty()) {
            const OpId last = lane.ops.back();
            if (run.op(last).end_ns >= part.end_ns && (op == 0 || run.op(last).end_ns > run.op(op).end_ns)) {
                op = last;
            }
        }
    }
    while (now_ns > part.begin_ns) {
        if (op != 0) {
            const LatestPredecessor before = latest_predecessor(run, op, scratch);
            piece(Kind::execute, run.op(op).begin_ns, op, -1);
            piece(Kind::handover, before.ns, op, -1);
            op = before.op;
            continue;
        }
        // On the frontend: find the last wait of nonzero length.
        while (wait_end > 0 && waits[wait_end - 1].end_ns > now_ns) {
            --wait_end;
        }
        std::size_t wait = wait_end;
        while (wait > 0 && waits[wait - 1].end_ns == waits[wait - 1].begin_ns) {
            --wait;
        }
        if (wait == 0 || waits[wait - 1].end_ns <= part.begin_ns) {
            piece(Kind::frontend, part.begin_ns, 0, -1);
            return;
        }
        wait_end = wait - 1;
        const auto index = static_cast<int>(wait_end);
        const Wait& met = waits[wait_end];
        piece(Kind::frontend, met.end_ns, 0, -1);
        if (const OpId last = ended_by(run, met); last != 0) {
            piece(Kind::wait_return, run.op(last).end_ns, 0, index);
            op = last;
        } else {
            const bool limit = met.kind == trace::WaitKind::queue_limit || met.kind == trace::WaitKind::memory ||
                               met.kind == trace::WaitKind::paused;
            piece(limit ? Kind::limit : Kind::wait_return, met.begin_ns, 0, index);
        }
    }
}

PathTotals critical_path(const Run& run) {
    using Kind = PathPiece::Kind;
    PathTotals totals;
    walk_critical_path(run, [&run, &totals](const PathPiece& piece) {
        const std::int64_t ns = piece.end_ns - piece.begin_ns;
        switch (piece.kind) {
            case Kind::frontend:
                totals.frontend_ns += ns;
                break;
            case Kind::handover:
                totals.handover_ns += ns - run.holds().held_ns(piece.begin_ns, piece.end_ns);
                break;
            case Kind::execute:
                totals.execute_ns += ns;
                ++totals.ops;
                break;
            case Kind::wait_return:
                totals.return_ns += ns;
                break;
            case Kind::limit:  // the learner's pauses are not the program's time
                totals.limit_ns +=
                    run.waits()[static_cast<std::size_t>(piece.wait)].kind == trace::WaitKind::paused ? 0 : ns;
                break;
        }
    });
    return totals;
}

}  // namespace headway::model
