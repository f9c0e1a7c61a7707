// What a growing run is doing now: the wait, the ops and the hold that have no record yet.
#include <algorithm>

#include "app/model/run/devices.h"
#include "app/model/run/run.h"

namespace headway::model {

void Run::look_at_open_wait() {
    const trace::Header& header = reader_->header();
    const auto begin = header.wait_begin.load(std::memory_order_acquire);
    const auto kind_name = header.wait_kind_name.load(std::memory_order_relaxed);
    const auto line = header.wait_line.load(std::memory_order_relaxed);
    const auto target = header.wait_target.load(std::memory_order_relaxed);
    const auto through = header.wait_through.load(std::memory_order_relaxed);
    const auto device = header.wait_device.load(std::memory_order_relaxed);
    // The recorder's own thread updates this time every few milliseconds, even while nothing else happens.
    const auto alive = header.last_ticks.load(std::memory_order_acquire);
    if (begin == 0 || begin != header.wait_begin.load(std::memory_order_acquire)) {
        return;
    }
    Wait wait;
    wait.kind = static_cast<trace::WaitKind>(kind_name >> 16);
    // On a virtual clock no time passes during a wait; it lasts only if the learner makes it last.
    const bool real_time = header.clock() == trace::ClockKind::ticks;
    const bool held = header.control.hold_backend.load(std::memory_order_relaxed) != 0;
    if (!real_time && wait.kind != trace::WaitKind::paused && !held) {
        return;
    }
    wait.begin_ns = ns_from_ticks(begin);
    // The wait has ended, perhaps without a record because the device was lost.
    if ((!waits_.empty() && wait.begin_ns < waits_.back().end_ns) ||
        (!ops_.empty() && wait.begin_ns < ops_.back().issue_begin_ns)) {
        return;
    }
    if (program_end_ns_ == kPending) {
        see(real_time ? ns_from_ticks(alive) : wait.begin_ns);
    }
    wait.end_ns = last_ns_;
    if (wait.begin_ns >= wait.end_ns && real_time) {
        return;
    }
    wait.end_ns = std::max(wait.begin_ns, wait.end_ns);
    wait.held_ns = wait.kind == trace::WaitKind::paused ? 0 : holds_.held_ns(wait.begin_ns, wait.end_ns);
    wait.name = string(static_cast<std::uint16_t>(kind_name));
    wait.line = line;
    wait.device = static_cast<int>(std::min<std::uint32_t>(device, core::kMaxDevices)) - 1;
    wait.target = target;
    wait.issued = static_cast<OpId>(ops_.size());
    if (target == 0) {
        wait.waits_through = through != 0 ? std::min<OpId>(through, wait.issued) : wait.issued;
    }
    wait.target_op = op_waited_for(wait, through);
    open_wait_ = std::move(wait);
}

void Run::look_at_running_ops() {
    running_.clear();
    const trace::Header& header = reader_->header();
    const bool virtual_time = header.clock() != trace::ClockKind::ticks;
    const auto alive = header.last_ticks.load(std::memory_order_acquire);
    for (std::size_t lane = 0; lane < std::min<std::size_t>(lanes_.size(), core::kMaxLanes); ++lane) {
        const trace::RunningOp& published = header.running_in(static_cast<std::uint32_t>(lane));
        const auto word = published.op_and_begin.load(std::memory_order_acquire);
        const auto virtual_begin_ns = published.virtual_begin_ns.load(std::memory_order_acquire);
        const auto op = static_cast<OpId>(word >> 32);
        // Ignore ops whose issue has not been taken yet, those that have a record by now, and a start that is not the
        // op's.
        if (op == 0 || op > ops_.size() || ops_[op - 1].end_ns != kPending || ops_[op - 1].lane != lane ||
            published.op_and_begin.load(std::memory_order_acquire) != word) {
            continue;
        }
        if (!virtual_time && program_end_ns_ == kPending) {
            see(ns_from_ticks(alive));
        }
        // The word has a limited resolution: the op began neither before its issue nor before the end of the
        // previous op.
        std::int64_t begin_ns =
            virtual_time ? static_cast<std::int64_t>(virtual_begin_ns)
                         : std::max(ns_from_ticks(trace::running_begin(word, alive)), ops_[op - 1].issue_end_ns);
        if (!lanes_[lane].ops.empty()) {
            begin_ns = std::max(begin_ns, ops_[lanes_[lane].ops.back() - 1].end_ns);
        }
        // Virtual time stands still between two events: an op may begin at the very last moment.
        if (virtual_time ? begin_ns <= last_ns_ : begin_ns < last_ns_) {
            running_.resize(lanes_.size());
            running_[lane] = {op, begin_ns};
        }
    }
}

// A hold is recorded in pieces, or when it ends. Until then, while the frontend waits, it is taken to have begun at the
// end of the last executed op.
void Run::look_at_open_hold() {
    if (!open_wait_ || open_wait_->kind == trace::WaitKind::paused || !running_.empty() ||
        reader_->header().control.hold_backend.load(std::memory_order_relaxed) == 0) {
        return;
    }
    const bool real_time = clock() == trace::ClockKind::ticks;
    std::int64_t begin_ns = std::max(open_wait_->begin_ns, last_exec_ns_);
    for (const Hold& hold : holds_.within(begin_ns, open_wait_->end_ns)) {
        begin_ns = hold.end_ns;
    }
    if (begin_ns < open_wait_->end_ns || !real_time) {
        begin_ns = std::min(begin_ns, open_wait_->end_ns);
        open_hold_ = Hold{begin_ns, open_wait_->end_ns, 0};
        open_wait_->held_ns += open_wait_->end_ns - begin_ns;
    }
}

std::int64_t Run::begun_ns(OpId id) const {
    const Op& op = this->op(id);
    const Running* running = this->running(op.lane);
    return op.begin_ns == kPending && running != nullptr && running->op == id ? running->begin_ns : op.begin_ns;
}

std::int64_t Run::recorded_until_ns(std::size_t lane) const {
    if (const Running* running = this->running(lane)) {
        return running->begin_ns;
    }
    if (lane >= lanes_.size() || open_ops_[lane] == 0) {
        return last_ns_;
    }
    const bool reports_late =
        clock() == trace::ClockKind::virtual_ns ||
        (!info_.timing.empty() && (devices_.empty() || devices_[device_of_lane(*this, lane)].kind != "cpu"));
    if (closed_ ? !cut_off() : !reports_late || program_end_ns_ != kPending) {
        return last_ns_;
    }
    return lanes_[lane].ops.empty() ? 0 : ops_[lanes_[lane].ops.back() - 1].end_ns;
}

bool Run::stopped_by_learner() const {
    // A pause is not published as a wait; slow motion is.
    const bool stopped = reader_->header().control.stop_position.load(std::memory_order_relaxed) != 0;
    return !closed_ && (stopped || (open_wait_ && (open_wait_->kind == trace::WaitKind::paused || open_hold_)));
}

}  // namespace headway::model
