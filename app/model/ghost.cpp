// The run once more, without some of its waits. With none left out every time comes out as it was recorded.
#include <algorithm>

#include "app/model/why.h"

namespace headway::model {

namespace {

class Replay {
public:
    Replay(const Run& run, const std::function<bool(std::size_t)>& is_left_out)
        : run_(run), is_left_out_(is_left_out), part_(run.measured()), lane_before_(run.lanes().size(), 0) {
        times_.reserve(run.op_count());
        finished_.reserve(run.op_count() + 1);
        finished_.push_back(INT64_MIN);
    }

    Ghost replay(bool with_ops) {
        const auto& waits = run_.waits();
        std::size_t wait = 0;
        mark(0, 0);
        for (OpId id = 1; id <= run_.op_count(); ++id) {
            for (; wait < waits.size() && waits[wait].issued < id; ++wait) {
                mark(id - 1, wait);
                take_wait(wait);
            }
            mark(id - 1, wait);
            take_op(id);
        }
        for (; wait < waits.size(); ++wait) {
            mark(static_cast<OpId>(run_.op_count()), wait);
            take_wait(wait);
        }
        mark(static_cast<OpId>(run_.op_count()), waits.size());
        Ghost ghost;
        // The end: the frontend's mark, or the later one of the program's end and the last op's. What the recording has
        // of a run that was cut off may go on a little after both.
        std::int64_t end_ns = end_ns_;
        if (const auto program_end = run_.program_end_ns(); !part_.end_marked && program_end) {
            end_ns = std::max(last_exec_ns_, *program_end + shift_ns_);
        } else if (!part_.end_marked) {
            end_ns = std::max(last_exec_ns_, frontend_end_ns_) + part_.end_ns -
                     std::max(then_last_exec_ns_, then_frontend_end_ns_);
        } else if (then_part_exec_ns_ <= part_.end_ns) {
            // The work that the program measured is still to be done before its end.
            end_ns = std::max(end_ns, part_exec_ns_);
        }
        ghost.total_ns = std::max<std::int64_t>(end_ns - begin_ns_ - paused_ns_, 0);
        if (with_ops) {
            ghost.ops = std::move(times_);
        }
        return ghost;
    }

private:
    // The program's marks are moments of the frontend.
    void mark(OpId issued, std::size_t wait) {
        if (!begun_ && (!part_.begin_marked || (issued + 1 >= part_.first && wait >= part_.first_wait))) {
            begun_ = true;
            begin_ns_ = part_.begin_ns + shift_ns_;
        }
        if (begun_ && !ended_ && part_.end_marked && issued >= part_.last && wait >= part_.waits_end) {
            ended_ = true;
            end_ns_ = part_.end_ns + shift_ns_;
        }
    }

    void take_op(OpId id) {
        const Op& op = run_.op(id);
        Ghost::Times times;
        frontend_at(op.issue_end_ns);
        if (op.begin_ns != kPending) {
            // Each thing that the start had to follow, then and now; what ended after the start in the recording (times
            // of devices are uncertain) is taken to have ended with it.
            std::int64_t gate_ns = std::min(op.issue_end_ns, op.begin_ns);
            std::int64_t new_gate_ns = gate_ns + shift_ns_;
            const auto follow = [&](OpId other) {
                if (other == 0 || other >= id || run_.op(other).end_ns == kPending) {
                    return;
                }
                const std::int64_t then_ns = std::min(run_.op(other).end_ns, op.begin_ns);
                gate_ns = std::max(gate_ns, then_ns);
                new_gate_ns = std::max(new_gate_ns, times_[other - 1].end_ns - (run_.op(other).end_ns - then_ns));
            };
            follow(lane_before_[op.lane]);
            lane_before_[op.lane] = id;
            run_.dependencies(id, scratch_);
            for (const OpId other : scratch_) {
                follow(other);
            }
            times.begin_ns = new_gate_ns + (op.begin_ns - gate_ns);
            times.end_ns = times.begin_ns + (op.end_ns - op.begin_ns);
            last_exec_ns_ = std::max(last_exec_ns_, times.end_ns);
            then_last_exec_ns_ = std::max(then_last_exec_ns_, op.end_ns);
            if (id >= part_.first && id <= part_.last) {
                part_exec_ns_ = std::max(part_exec_ns_, times.end_ns);
                then_part_exec_ns_ = std::max(then_part_exec_ns_, op.end_ns);
            }
        }
        times_.push_back(times);
        finished_.push_back(times.end_ns == kPending || finished_.back() == kPending
                                ? kPending
                                : std::max(finished_.back(), times.end_ns));
        then_finished_ns_.push_back(op.end_ns == kPending || (id > 1 && then_finished_ns_.back() == kPending)
                                        ? kPending
                                        : std::max(id > 1 ? then_finished_ns_.back() : INT64_MIN, op.end_ns));
    }

    void take_wait(std::size_t index) {
        const Wait& wait = run_.waits()[index];
        const std::int64_t took_ns = wait.end_ns - wait.begin_ns;
        if (is_left_out_(index)) {
            shift_ns_ -= took_ns;
            frontend_at(wait.end_ns);
            return;
        }
        if (wait.kind == trace::WaitKind::paused) {
            if (begun_ && !ended_) {
                paused_ns_ += took_ns;
            }
            frontend_at(wait.end_ns);
            return;
        }
        // When all that it was for had ended, then and now.
        std::int64_t then_ns = kPending;
        std::int64_t now_ns = kPending;
        if (wait.target != 0) {
            if (wait.target_writer != 0 && wait.target_writer <= times_.size()) {
                then_ns = run_.op(wait.target_writer).end_ns;
                now_ns = times_[wait.target_writer - 1].end_ns;
            }
        } else if (wait.waits_through != 0 && wait.waits_through <= times_.size()) {
            then_ns = then_finished_ns_[wait.waits_through - 1];
            now_ns = finished_[wait.waits_through];
        }
        if (then_ns == kPending || then_ns > wait.end_ns) {
            frontend_at(wait.end_ns);  // it was for something else: it takes what it took
            return;
        }
        const std::int64_t back_ns = wait.end_ns - std::max(wait.begin_ns, then_ns);
        const std::int64_t end_ns = std::max(wait.begin_ns + shift_ns_, now_ns) + back_ns;
        shift_ns_ = end_ns - wait.end_ns;
        frontend_at(wait.end_ns);
    }

    // The frontend has come to this moment of the recording.
    void frontend_at(std::int64_t then_ns) {
        then_frontend_end_ns_ = std::max(then_frontend_end_ns_, then_ns);
        frontend_end_ns_ = std::max(frontend_end_ns_, then_ns + shift_ns_);
    }

    const Run& run_;
    const std::function<bool(std::size_t)>& is_left_out_;
    Run::Measured part_;
    std::vector<OpId> lane_before_;  // the op before, in each lane
    std::vector<Ghost::Times> times_;
    std::vector<std::int64_t> finished_;          // of all ops up to this one, now; one more than ops
    std::vector<std::int64_t> then_finished_ns_;  // likewise, as recorded
    std::vector<OpId> scratch_;
    std::int64_t shift_ns_ = 0;  // the frontend's time now, less its time then
    std::int64_t begin_ns_ = 0, end_ns_ = 0, last_exec_ns_ = INT64_MIN, frontend_end_ns_ = INT64_MIN, paused_ns_ = 0;
    std::int64_t then_last_exec_ns_ = INT64_MIN, then_frontend_end_ns_ = INT64_MIN;
    std::int64_t part_exec_ns_ = INT64_MIN, then_part_exec_ns_ = INT64_MIN;  // likewise, of what was measured
    bool begun_ = false, ended_ = false;
};

}  // namespace

Ghost without_waits(const Run& run, const std::function<bool(std::size_t)>& is_left_out, bool with_ops) {
    // Waits of years stand in damaged recordings only.
    long double waited_ns = 0;
    for (const Wait& wait : run.waits()) {
        waited_ns += static_cast<long double>(wait.end_ns - wait.begin_ns);
    }
    if (waited_ns > 0x1p59L) {
        return {run.total_ns(), {}};
    }
    return Replay(run, is_left_out).replay(with_ops);
}

Ghost without_wait(const Run& run, std::size_t wait, bool with_ops) {
    return without_waits(
        run, [wait](std::size_t index) { return index == wait; }, with_ops);
}

Ghost without_barriers(const Run& run, bool with_ops) {
    const std::size_t first = run.measured().first_wait;
    return without_waits(
        run, [&run, first](std::size_t index) { return index >= first && trace::is_barrier(run.waits()[index].kind); },
        with_ops);
}

}  // namespace headway::model
