#include "app/model/run/tally.h"

#include <algorithm>
#include <bit>

#include "app/model/run/devices.h"
#include "app/model/run/queries.h"

namespace headway::model {

LineCost& Tally::cost_of(core::Line line) {
    if (last_line_ >= lines_.size() || lines_[last_line_].line != line) {
        const auto [place, fresh] = index_of_line_.try_emplace(line, lines_.size());
        if (fresh) {
            lines_.push_back({line});
        }
        last_line_ = place->second;
    }
    return lines_[last_line_];
}

Tally::OfDevice& Tally::device_at(std::size_t device) {
    if (device >= devices.size()) {
        devices.resize(device + 1);
    }
    return devices[device];
}

std::vector<LineCost> Tally::lines() const {
    std::vector<LineCost> lines = lines_;
    std::sort(lines.begin(), lines.end(), [](const LineCost& a, const LineCost& b) { return a.line < b.line; });
    return lines;
}

RecordedTime Tally::recorded() const {
    RecordedTime recorded;
    recorded.issue_ns = op_issue_ns;
    recorded.wait_ns = blocked_ns;
    recorded.paused_ns = paused_ns;
    recorded.work_ns = recorded_work_ns;
    recorded.issues = issued;
    recorded.records = records;
    recorded.last_end_ns = last_end_ns;
    return recorded;
}

// Waits, their returns, and whether any ops were left to wait for.
void Tally::add(const Run& run, const Run::Measured& part, const Wait& wait) {
    ++records;
    last_end_ns = std::max(last_end_ns, wait.end_ns);
    add_to(paused_ns, paused_in(run, wait, part));
    if (wait.kind == trace::WaitKind::paused) {
        return;
    }
    if (const int device = device_of(run, wait); device >= 0) {
        OfDevice& sums = device_at(static_cast<std::size_t>(device));
        ++sums.waits;
        add_to(sums.waited_ns, wait.waited_ns());
    }
    add_to(blocked_ns, wait.waited_ns());
    if (wait.kind == trace::WaitKind::recording) {
        add_to(recording_wait_ns, wait.waited_ns());
    }
    add_to(cost_of(wait.line).blocked_ns, wait.waited_ns());
    const bool asked = trace::is_barrier(wait.kind) || trace::is_blocker(wait.kind);
    if (asked) {
        const std::int64_t done_ns = wait.target == 0      ? finished_ns(run, wait.waits_through, wait.device)
                                     : wait.target_op != 0 ? run.op(wait.target_op).end_ns
                                                           : wait.begin_ns;
        const std::int64_t back_ns =
            std::max<std::int64_t>(wait.end_ns - std::max(wait.begin_ns, std::min(done_ns, wait.end_ns)), 0);
        if (done_ns == kPending || (run.info().foreign && done_ns > wait.end_ns)) {
            // What it was for never ended. Or that was one stream or a copy: another program's trace does not contain
            // when that ended.
        } else if (done_ns > wait.begin_ns) {
            returns.add(back_ns);
        } else {
            idle_returns.add(back_ns);
        }
    }
    if (!waited_for_all(run, wait)) {
        waits_between = true;
    } else if (wait.issued > last_full_wait) {
        ++full_waits;
        last_full_wait = wait.issued;
    }
}

// The frontend's own work; does not overlap issues and waits.
void Tally::add(const Run::Measured& part, const Work& work) {
    if (const std::int64_t ns = clipped(work.begin_ns, work.end_ns, part); ns > 0) {
        add_to(recorded_work_ns, ns);
        ++records;
        last_end_ns = std::max(last_end_ns, work.end_ns);
        add_to(cost_of(work.line).recorded_work_ns, ns);
    }
}

void Tally::add(const Run& run, const Run::Measured& part, OpId id, bool ended) {
    const Op& op = run.op(id);
    const std::int64_t issue_ns = issue_ns_of(run, id);
    add_to(op_issue_ns, issue_ns);
    LineCost& cost = cost_of(op.line);
    add_to(cost.issue_ns, issue_ns);
    ++cost.ops;
    if (op.forward_line != 0) {
        LineCost& forward = cost_of(op.forward_line);
        ++forward.backward_ops;
        add_to(forward.backward_ns, ended ? op.end_ns - op.begin_ns : 0);
    }
    if (!op.not_issued) {
        ++issued;
        ++records;
        // Otherwise the op was issued by another op's launch or, in another program's trace, by a call that waited.
        if (issue_ns > 0 || (op.issue_begin_ns == op.issue_end_ns && !run.info().foreign)) {
            issues.add(issue_ns);
        }
        last_end_ns = std::max(last_end_ns, op.issue_end_ns);
    }
    if (ended) {
        const std::size_t stream = stream_of_lane(run, op.lane);
        if (stream >= lane_busy_ns.size()) {
            lane_busy_ns.resize(stream + 1);
        }
        if (!op.failed) {  // most of those that failed were refused and never ran
            executions.add(op.end_ns - op.begin_ns);
        }
        add_to(backend_busy_ns, op.end_ns - op.begin_ns);
        add_to(lane_busy_ns[stream], clipped(op.begin_ns, op.end_ns, part));
        parts += run.parts(id).size();
        lanes_used.set(stream);
        signatures.insert(op.signature);
        OfDevice& device = device_at(device_of_lane(run, op.lane));
        ++device.ops;
        add_to(device.busy_ns, op.end_ns - op.begin_ns);
        if (!run.pauses().list().empty()) {
            const std::int64_t in_pauses_ns =
                run.pauses().held_ns(std::max(op.begin_ns, part.begin_ns), std::min(op.end_ns, part.end_ns));
            add_to(busy_in_pauses_ns, in_pauses_ns);
            add_to(device.busy_in_pauses_ns, in_pauses_ns);
        }
        if (op.links != 0 && !op.failed) {
            const Signature& copy = run.signature(op.signature);
            add_copy(op.links, {1, devices::copied_bytes(copy.out_bytes, copy.moved_bytes), op.end_ns - op.begin_ns});
        }
    }
}

void Tally::add_copy(std::uint32_t links_used, const OfLink& copy) {
    links.resize(std::max<std::size_t>(links.size(), static_cast<std::size_t>(std::bit_width(links_used))));
    for (std::size_t i = 0; i < links.size(); ++i) {
        if ((links_used >> i & 1) != 0) {
            links[i].copies += copy.copies;
            links[i].bytes += copy.bytes;
            add_to(links[i].busy_ns, copy.busy_ns);
        }
    }
}

void Tally::add(const Run::Measured& part, const Launch& launch) {
    if (launch.op >= part.first && launch.op <= part.last) {
        add_to(launch_ns, launch.end_ns - launch.begin_ns);
    }
}

void Tally::merge(const Tally& other) {
    add_to(paused_ns, other.paused_ns);
    add_to(blocked_ns, other.blocked_ns);
    add_to(backend_busy_ns, other.backend_busy_ns);
    add_to(busy_in_pauses_ns, other.busy_in_pauses_ns);
    add_to(op_issue_ns, other.op_issue_ns);
    add_to(recorded_work_ns, other.recorded_work_ns);
    add_to(launch_ns, other.launch_ns);
    add_to(recording_wait_ns, other.recording_wait_ns);
    parts += other.parts;
    full_waits += other.full_waits;
    last_full_wait = std::max(last_full_wait, other.last_full_wait);
    waits_between = waits_between || other.waits_between;
    issued += other.issued;
    records += other.records;
    last_end_ns = std::max(last_end_ns, other.last_end_ns);
    lanes_used |= other.lanes_used;
    signatures.insert(other.signatures.begin(), other.signatures.end());
    issues.merge(other.issues);
    executions.merge(other.executions);
    returns.merge(other.returns);
    idle_returns.merge(other.idle_returns);
    lane_busy_ns.resize(std::max(lane_busy_ns.size(), other.lane_busy_ns.size()));
    for (std::size_t lane = 0; lane < other.lane_busy_ns.size(); ++lane) {
        add_to(lane_busy_ns[lane], other.lane_busy_ns[lane]);
    }
    for (std::size_t i = 0; i < other.devices.size(); ++i) {
        OfDevice& mine = device_at(i);
        mine.ops += other.devices[i].ops;
        mine.waits += other.devices[i].waits;
        add_to(mine.busy_ns, other.devices[i].busy_ns);
        add_to(mine.waited_ns, other.devices[i].waited_ns);
        add_to(mine.busy_in_pauses_ns, other.devices[i].busy_in_pauses_ns);
    }
    for (std::size_t i = 0; i < other.links.size(); ++i) {
        add_copy(std::uint32_t{1} << i, other.links[i]);
    }
    for (const LineCost& cost : other.lines_) {
        LineCost& mine = cost_of(cost.line);
        add_to(mine.issue_ns, cost.issue_ns);
        add_to(mine.blocked_ns, cost.blocked_ns);
        add_to(mine.recorded_work_ns, cost.recorded_work_ns);
        mine.ops += cost.ops;
        mine.backward_ops += cost.backward_ops;
        add_to(mine.backward_ns, cost.backward_ns);
    }
}

}  // namespace headway::model
