#include "app/model/why.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>

namespace headway::model {

namespace {

// Where an op stands in its lane; the lane's size when it has not run.
std::size_t place_in_lane(const Run& run, OpId id) {
    const auto& ops = run.lanes()[run.op(id).lane].ops;
    const auto at = std::lower_bound(ops.begin(), ops.end(), id);
    return at != ops.end() && *at == id ? static_cast<std::size_t>(at - ops.begin()) : ops.size();
}

// What an op's start had to follow, and when that was over.
struct Gate {
    std::int64_t ns = 0;
    OpId op = 0;  // 0: its own issue
};

// The last thing that was over before it started. Times of devices are a little uncertain, so what seems to end after
// the start counts as ending with it.
Gate gate_of(const Run& run, OpId id, std::vector<OpId>& scratch) {
    const Op& op = run.op(id);
    Gate gate{std::min(op.issue_end_ns, op.begin_ns), 0};
    const auto consider = [&](OpId other) {
        if (other != 0 && other < id && run.op(other).end_ns != kPending) {
            const std::int64_t ns = std::min(run.op(other).end_ns, op.begin_ns);
            if (ns > gate.ns) {
                gate = {ns, other};
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
    return gate;
}

// Of the ops that a wait was for, the one that ended last; 0 when none, or one that has not run.
OpId last_cause(const Run& run, const Wait& wait) {
    if (wait.kind == trace::WaitKind::paused) {
        return 0;
    }
    if (wait.target != 0) {
        const OpId op = wait.target_op;
        return op != 0 && run.op(op).end_ns != kPending ? op : 0;
    }
    OpId last = 0;
    std::size_t executed = 0;
    for (std::size_t i = 0; i < run.lanes().size(); ++i) {
        const Lane& lane = run.lanes()[i];
        if (wait.device >= 0 && run.device_of_lane(i) != static_cast<std::size_t>(wait.device)) {
            continue;
        }
        const auto end = std::upper_bound(lane.ops.begin(), lane.ops.end(), wait.waits_through);
        executed += static_cast<std::size_t>(end - lane.ops.begin());
        if (end != lane.ops.begin()) {
            const OpId id = *(end - 1);
            last = last == 0 || run.op(id).end_ns > run.op(last).end_ns ? id : last;
        }
    }
    return executed == wait.waits_through || wait.device >= 0 ? last : 0;
}

}  // namespace

OpId ended_by(const Run& run, const Wait& wait) {
    const OpId last = last_cause(run, wait);
    return last != 0 && run.op(last).end_ns > wait.begin_ns && run.op(last).end_ns <= wait.end_ns ? last : 0;
}

// ---- a wait ----

WaitSplit split_of(const Run& run, std::size_t index) {
    const Wait& wait = run.waits()[index];
    WaitSplit split;
    split.return_ns = wait.waited_ns();
    split.held_ns = wait.held_ns;
    // The line's own: what it issued since the wait before.
    const OpId issued = std::min<OpId>(wait.issued, static_cast<OpId>(run.op_count()));
    const OpId earlier = index > 0 ? std::min(run.waits()[index - 1].issued, issued) : 0;
    OpId first_own = issued + 1;
    while (wait.line != 0 && first_own - 1 > earlier && run.op(first_own - 1).line == wait.line) {
        --first_own;
    }
    std::size_t count = 0;
    if (wait.target != 0) {
        const auto causes = run.caused_by(wait, run.op_count(), &count);
        const auto own = std::lower_bound(causes.begin(), causes.end(), first_own);
        split.own_ops = static_cast<std::size_t>(causes.end() - own);
    } else {
        static_cast<void>(run.caused_by(wait, 0, &count));
        for (OpId own = first_own; own <= std::min(wait.waits_through, issued); ++own) {
            split.own_ops += run.op(own).end_ns > wait.begin_ns ? 1 : 0;
        }
        split.own_ops = std::min(split.own_ops, count);
    }
    split.before_ops = count - split.own_ops;

    const OpId last = ended_by(run, wait);
    if (last == 0) {
        return split;
    }
    // While one lane was held another may have executed: that is the learner's time, too.
    const auto unheld_ns = [&run](std::int64_t begin_ns, std::int64_t end_ns) {
        return end_ns - begin_ns - run.holds().held_ns(begin_ns, end_ns);
    };
    split.return_ns = unheld_ns(run.op(last).end_ns, wait.end_ns);
    walk_wait(run, index, [&](OpId op, std::int64_t ready_ns, std::int64_t begin_ns, std::int64_t end_ns) {
        (op < first_own ? split.before_ns : split.own_ns) += unheld_ns(begin_ns, end_ns);
        split.handover_ns += unheld_ns(ready_ns, begin_ns);
        return true;
    });
    return split;
}

void walk_wait(const Run& run, std::size_t index,
               const std::function<bool(OpId, std::int64_t, std::int64_t, std::int64_t)>& call) {
    const Wait& wait = run.waits()[index];
    std::vector<OpId> scratch;
    OpId id = ended_by(run, wait);
    std::int64_t end_ns = id == 0 ? wait.begin_ns : run.op(id).end_ns;
    // From what each had to follow, to its own end.
    while (id != 0 && end_ns > wait.begin_ns) {
        const Gate gate = gate_of(run, id, scratch);
        const std::int64_t ready_ns = gate.op == 0 ? wait.begin_ns : std::max(gate.ns, wait.begin_ns);
        const std::int64_t begin_ns = std::clamp(run.op(id).begin_ns, ready_ns, end_ns);
        if (!call(id, ready_ns, begin_ns, end_ns)) {
            return;
        }
        end_ns = ready_ns;
        id = gate.op;
    }
}

namespace {

void add_shares(const Run& run, std::size_t index, WaitFacts& facts) {
    std::map<std::string, WaitFacts::Share> by_name;
    std::size_t ops = 0;
    walk_wait(run, index, [&](OpId op, std::int64_t, std::int64_t begin_ns, std::int64_t end_ns) {
        WaitFacts::Share& share = by_name[run.signature(run.op(op).signature).name];
        share.ns += end_ns - begin_ns;
        ++share.ops;
        return ++ops < kWaitShares;
    });
    facts.many = ops == kWaitShares;
    if (facts.many) {
        return;
    }
    for (auto& [name, share] : by_name) {
        share.name = name;
        facts.shares.push_back(std::move(share));
    }
    std::stable_sort(facts.shares.begin(), facts.shares.end(),
                     [](const auto& a, const auto& b) { return a.ns > b.ns; });
}

}  // namespace

WaitFacts facts_of(const Run& run, std::size_t index, bool all) {
    WaitFacts facts;
    const Wait& wait = *run.wait_at(index);
    const bool open = index >= run.waits().size();
    const std::size_t most = all && !open ? SIZE_MAX : kWaitCauses + 1;
    facts.causes = run.caused_by(wait, kWaitCauses, &facts.count, most);
    facts.at_least = (wait.target != 0 || wait.device >= 0) && facts.count >= most;
    // Of a run that was cut off, it may have ended before what it was for.
    if (!all || open || facts.causes.empty() || (run.cut_off() && ended_by(run, wait) == 0)) {
        return facts;
    }
    facts.split = split_of(run, index);
    add_shares(run, index, facts);
    const bool over = run.state() == trace::RunState::finished || run.state() == trace::RunState::failed;
    const bool asked = trace::is_barrier(wait.kind) || trace::is_blocker(wait.kind);
    const bool can = asked && over && !run.cut_off() && run.told().tensors;
    facts.too_long = can && run.op_count() > kReplayed;
    if (can && !facts.too_long) {
        facts.without_ns = without_wait(run, index).total_ns;
        facts.total_ns = run.total_ns();
    }
    return facts;
}

// ---- an op ----

bool walk_needs(const Run& run, OpId op, std::size_t most, const std::function<void(OpId, OpId)>& call) {
    std::set<OpId> open{op};
    std::size_t looked_at = 0;
    while (!open.empty()) {
        if (looked_at++ == most) {
            return false;
        }
        const OpId by = *open.rbegin();  // what it needs comes before it, so it does not come again
        open.erase(std::prev(open.end()));
        for (const OpId needed : run.dependencies(by)) {
            call(needed, by);
            open.insert(needed);
        }
    }
    return true;
}

// ---- the run ----

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
    std::size_t wait_end = waits.size();  // waits from here on lie after now_ns
    OpId op = 0;                          // being on this op's execution; 0: on the frontend
    // A program that ends while its ops go on ends with the last of them.
    for (const Lane& lane : run.lanes()) {
        if (!part.end_marked && !lane.ops.empty()) {
            const OpId last = lane.ops.back();
            if (run.op(last).end_ns >= part.end_ns && (op == 0 || run.op(last).end_ns > run.op(op).end_ns)) {
                op = last;
            }
        }
    }
    while (now_ns > part.begin_ns) {
        if (op != 0) {
            const Gate gate = gate_of(run, op, scratch);
            piece(Kind::execute, run.op(op).begin_ns, op, -1);
            piece(Kind::handover, gate.ns, op, -1);
            op = gate.op;
            continue;
        }
        // On the frontend: back to the last wait that was for something.
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
            piece(Kind::hand_back, run.op(last).end_ns, 0, index);
            op = last;
        } else {
            const bool limit = met.kind == trace::WaitKind::queue_limit || met.kind == trace::WaitKind::memory ||
                               met.kind == trace::WaitKind::paused;
            piece(limit ? Kind::limit : Kind::hand_back, met.begin_ns, 0, index);
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
            case Kind::hand_back:
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
