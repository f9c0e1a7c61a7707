// What follows what in the streams of a program (program_streams.h): vector clocks, and what the recording keeps of
// them.
#include <algorithm>

#include "engine/runtime/op_queue.h"
#include "engine/runtime/program_streams.h"

namespace headway::runtime {

using core::after;
using trace::OrderKind;

bool ProgramStreams::join(LaneSeqs& into, const LaneSeqs& from) const {
    bool changed = false;
    for (std::uint32_t lane = 0; lane < queue_.lanes.count(); ++lane) {
        if (from[lane] != 0 && (into[lane] == 0 || after(from[lane], into[lane]))) {
            into[lane] = from[lane];
            changed = true;
        }
    }
    return changed;
}

LaneSeqs ProgramStreams::clock_at(std::uint32_t lane, std::uint32_t seq) const {
    const auto& history = history_[lane];
    const auto next =
        std::find_if(history.rbegin(), history.rend(), [seq](const Snapshot& at) { return !after(at.seq, seq); });
    LaneSeqs clock{};
    if (next != history.rend()) {
        clock = next->clock;
    } else if (!history.empty()) {
        clock = history.front().clock;
    }
    clock[lane] = seq;
    return clock;
}

bool ProgramStreams::follows(std::uint32_t lane, std::uint32_t other, std::uint32_t seq) const {
    const std::uint32_t known = clock_[lane][other];
    return other == lane || (known != 0 && !after(seq, known));
}

StreamPoint ProgramStreams::point(std::uint32_t lane) {
    expect_stream(lane);
    prepare();
    return point_of(lane);
}

StreamPoint ProgramStreams::point_of(std::uint32_t lane) const {
    StreamPoint point{lane, queue_.lanes.submitted()[lane], last_op_[lane], clock_[lane]};
    for (const PendingWait& wait : waits_[lane]) {
        point.waits[wait.lane] = wait.op;
    }
    join(point.clock, host_);
    if (point.seq != 0) {
        point.clock[lane] = point.seq;
    }
    return point;
}

void ProgramStreams::wait(std::uint32_t lane, const StreamPoint& point) {
    expect_stream(lane);
    prepare();
    if (point.lane != lane && active_) {
        order_after(lane, point);
    }
}

void ProgramStreams::order_after(std::uint32_t lane, const StreamPoint& point) {
    changed_[lane] |= join(clock_[lane], point.clock);
    if (point.seq != 0 && !queue_.lanes.finished(point.lane, point.seq)) {
        queue_.lanes.submit_wait(lane, point.lane, point.seq);
    }
    for (std::uint32_t other = 0; other < queue_.lanes.count(); ++other) {
        add_wait(lane, other, point.waits[other]);
    }
    add_wait(lane, point.lane, point.op);
}

void ProgramStreams::add_wait(std::uint32_t lane, std::uint32_t other, core::OpId op) {
    if (op == 0 || other == lane) {
        return;
    }
    auto& waits = waits_[lane];
    const auto same = std::find_if(waits.begin(), waits.end(), [=](const PendingWait& w) { return w.lane == other; });
    if (same == waits.end()) {
        waits.push_back({other, op, queue_.lines.current()});
    } else if (op > same->op) {  // a wait for this one includes the earlier one
        *same = {other, op, queue_.lines.current()};
    }
}

void ProgramStreams::record_host_wait(std::uint32_t lane, core::OpId op) {
    if (op != 0) {
        record({queue_.recorder.issued() + 1, op, 0, 0, queue_.lines.current(), OrderKind::host_wait,
                static_cast<std::uint8_t>(lane), static_cast<std::uint8_t>(lane), 0});
    }
}

void ProgramStreams::record_host_waits(const StreamPoint& point) {
    for (std::uint32_t lane = 0; lane < queue_.lanes.count(); ++lane) {
        record_host_wait(lane, point.waits[lane]);
    }
}

bool ProgramStreams::finished(const StreamPoint& point) {
    prepare();
    if (point.seq != 0 && !queue_.lanes.finished(point.lane, point.seq)) {
        return false;
    }
    if (join(host_, point.clock)) {
        record_host_wait(point.lane, point.op);  // no wait is recorded that contains it
        record_host_waits(point);
    }
    return true;
}

void ProgramStreams::host_waited(const StreamPoint& point) {
    if (join(host_, point.clock)) {
        record_host_waits(point);
    }
}

void ProgramStreams::host_waits_for_lanes(std::uint32_t begin, std::uint32_t end) {
    for (std::uint32_t lane = begin; lane < end; ++lane) {
        if (!waits_[lane].empty() && join(host_, clock_[lane])) {
            for (const PendingWait& wait : waits_[lane]) {
                record_host_wait(wait.lane, wait.op);
            }
        }
    }
}

void ProgramStreams::host_waited(const LaneSeqs& seqs, std::uint32_t begin, std::uint32_t end, core::OpId through) {
    if (!active_) {
        waited_op_ = std::max(waited_op_, through);
        waited_ = queue_.lanes.submitted();
        return;
    }
    for (std::uint32_t lane = begin; lane < end; ++lane) {
        if (seqs[lane] != 0) {
            join(host_, clock_at(lane, seqs[lane]));
        }
    }
}

void ProgramStreams::host_waited(std::uint32_t lane, std::uint32_t seq, core::OpId through) {
    LaneSeqs seqs{};
    seqs[lane] = seq;
    host_waited(seqs, lane, lane + 1, through);
}

}  // namespace headway::runtime
