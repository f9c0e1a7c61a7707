#include "app/model/analysis/wait_details.h"

#include <algorithm>
#include <map>
#include <set>

#include "app/model/analysis/predecessor.h"
#include "app/model/replay/what_if.h"
#include "app/model/run/devices.h"
#include "app/model/run/queries.h"

namespace headway::model {

namespace {

// Of the ops that a wait was for, the one that ended last; 0 if there is none, or if one has not run.
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
        if (wait.device >= 0 && device_of_lane(run, i) != static_cast<std::size_t>(wait.device)) {
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

bool was_cut_off(const Run& run, const Wait& wait) {
    return run.cut_off() && ended_by(run, wait) == 0;
}

// ---- a wait ----

WaitSplit split_of(const Run& run, std::size_t index) {
    const Wait& wait = run.waits()[index];
    WaitSplit split;
    split.return_ns = wait.waited_ns();
    split.held_ns = wait.held_ns;
    // The line's own ops: those that it issued since the previous wait.
    const OpId issued = std::min<OpId>(wait.issued, static_cast<OpId>(run.op_count()));
    const OpId earlier = index > 0 ? std::min(run.waits()[index - 1].issued, issued) : 0;
    OpId first_own = issued + 1;
    while (wait.line != 0 && first_own - 1 > earlier && run.op(first_own - 1).line == wait.line &&
           !run.is_folded(first_own - 1)) {
        --first_own;
    }
    std::size_t count = 0;
    if (wait.target != 0) {
        const auto causes = caused_by(run, wait, run.op_count(), &count);
        const auto own = std::lower_bound(causes.begin(), causes.end(), first_own);
        split.own_ops = static_cast<std::size_t>(causes.end() - own);
    } else {
        static_cast<void>(caused_by(run, wait, 0, &count));
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
    // While one lane was held another may have executed ops: this time also counts as the learner's.
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
    // From the op's latest predecessor to its own end.
    while (id != 0 && end_ns > wait.begin_ns) {
        const LatestPredecessor before = latest_predecessor(run, id, scratch);
        // When a folded predecessor ended is known only for its block, which may have ended later than this op.
        const std::int64_t ready_ns = before.op == 0 ? wait.begin_ns : std::clamp(before.ns, wait.begin_ns, end_ns);
        const std::int64_t begin_ns = std::clamp(run.op(id).begin_ns, ready_ns, end_ns);
        if (!call(id, ready_ns, begin_ns, end_ns)) {
            return;
        }
        end_ns = ready_ns;
        id = before.op;
    }
}

namespace {

void add_shares(const Run& run, std::size_t index, WaitDetails& details) {
    std::map<std::string, WaitDetails::Share> by_name;
    std::size_t ops = 0;
    walk_wait(run, index, [&](OpId op, std::int64_t, std::int64_t begin_ns, std::int64_t end_ns) {
        WaitDetails::Share& share = by_name[run.signature(run.op(op).signature).name];
        share.ns += end_ns - begin_ns;
        ++share.ops;
        return ++ops < kWaitShares;
    });
    details.many = ops == kWaitShares;
    if (details.many) {
        return;
    }
    for (auto& [name, share] : by_name) {
        share.name = name;
        details.shares.push_back(std::move(share));
    }
    std::stable_sort(details.shares.begin(), details.shares.end(),
                     [](const auto& a, const auto& b) { return a.ns > b.ns; });
}

}  // namespace

WaitDetails wait_details(const Run& run, std::size_t index, bool all) {
    WaitDetails details;
    const Wait& wait = *run.wait_at(index);
    const bool open = index >= run.waits().size();
    const std::size_t most = all && !open ? SIZE_MAX : kWaitCauses + 1;
    details.causes = caused_by(run, wait, kWaitCauses, &details.count, most);
    details.at_least = (wait.target != 0 || wait.device >= 0) && details.count >= most;
    if (!all || open || details.causes.empty() || was_cut_off(run, wait)) {
        return details;
    }
    details.split = split_of(run, index);
    add_shares(run, index, details);
    const bool over = run.state() == trace::RunState::finished || run.state() == trace::RunState::failed;
    const bool asked = trace::is_barrier(wait.kind) || trace::is_blocker(wait.kind);
    const bool can = asked && over && !run.cut_off() && run.capabilities().tensors;
    details.too_long = can && run.op_count() > kReplayed;
    if (can && !details.too_long) {
        details.without_ns = without_wait(run, index).total_ns;
        details.total_ns = total_ns_of(run);
    }
    return details;
}

// ---- an op ----

bool walk_needs(const Run& run, OpId op, std::size_t most, const std::function<void(OpId, OpId)>& call) {
    std::set<OpId> open{op};
    std::size_t looked_at = 0;
    while (!open.empty()) {
        if (looked_at++ == most) {
            return false;
        }
        const OpId by = *open.rbegin();  // dependencies have smaller ids, so this op does not come again
        open.erase(std::prev(open.end()));
        for (const OpId needed : run.dependencies(by)) {
            call(needed, by);
            open.insert(needed);
        }
    }
    return true;
}

}  // namespace headway::model
