#include "engine/runtime/run_control.h"

#include <time.h>

#include <algorithm>
#include <optional>

namespace headway::runtime {

using trace::FrontendKind;
using trace::WaitKind;

namespace {

constexpr std::int64_t kPausePollNs = 500'000;
constexpr WaitEvent kPause{WaitKind::paused, "paused"};
constexpr WaitEvent kSlowMotion{WaitKind::paused, "slow motion"};

void sleep_ns(std::int64_t ns) {
    const timespec t{ns / 1'000'000'000, static_cast<long>(ns % 1'000'000'000)};
    nanosleep(&t, nullptr);
}

}  // namespace

RunControl::RunControl(Lanes& lanes, SourceLines& lines, FrontendRecorder& recorder, MemoryManager& memory,
                       const Settings& settings)
    : control_(recorder.recording().control()),
      lanes_(lanes),
      lines_(lines),
      recorder_(recorder),
      memory_(memory),
      recorded_barrier_(settings.barrier) {
    const auto unless_chosen = [](auto& setting, auto not_chosen, auto value) {
        setting.compare_exchange_strong(not_chosen, value);
    };
    unless_chosen(control_.barrier, trace::kNotChosen, pack_barrier(settings.barrier));
    unless_chosen(control_.budget_bytes, trace::kNotChosen, settings.budget_bytes);
    unless_chosen(control_.queue_limit, trace::kNoLimitChosen, settings.queue_limit);
    set_gathers(settings.gather);
    read();
}

void RunControl::read() {
    learners_barrier_ = trace::unpack_barrier(control_.barrier.load());
    if (!(learners_barrier_ == recorded_barrier_)) {
        recorded_barrier_ = learners_barrier_;
        recorder_.program_event(FrontendKind::barrier, static_cast<std::uint16_t>(learners_barrier_.kind),
                                learners_barrier_.behind);
    }
    memory_.set_budget(control_.budget_bytes.load());
    const auto limit = control_.queue_limit.load();
    if (limit != queue_limit_) {
        queue_limit_ = limit;
        recent_.assign(limit, {0, 0});
    }
    op_delay_ns_ = control_.op_delay_ns.load();
    if (op_delay_ns_ == 0) {
        lanes_.set().slow_down(0);
    }
    line_delay_us_ = static_cast<std::uint32_t>(control_.line_delay_ns.load() / 1000);
    reasons_ = (reasons_ & (kGathers | kForked)) | (barrier().kind == trace::BarrierKind::op ? kOpBarrier : 0u) |
               (queue_limit_ != 0 ? kQueueLimit : 0u) | (control_.pause.load() != 0 ? kPaused : 0u) |
               (op_delay_ns_ != 0 ? kDelay : 0u);
    if (control_.stop.load() != 0) {
        lanes_.set().abandon();
        throw ProgramError(stopped_error());
    }
}

void RunControl::read_if_asked() {
    if (control_.attention.exchange(0) != 0) {
        read();
    }
}

trace::BarrierPolicy RunControl::barrier() const {
    return learners_barrier_.kind == trace::BarrierKind::as_written ? written_barrier_ : learners_barrier_;
}

void RunControl::set_written_barrier(trace::BarrierPolicy policy) {
    written_barrier_ = policy;
    read();
}

// --- pausing ---

void RunControl::stay_paused(bool at_a_line) {
    const auto begin = recorder_.begin_pause();
    const auto begin_ns = core::monotonic_ns();
    const auto resume = [&] {
        control_.stop_position.store(static_cast<std::uint32_t>(trace::StopPosition::no));
        paused_ns_ += core::monotonic_ns() - begin_ns;
        recorder_.end_wait(begin, kPause);
    };
    control_.stop_position.store(
        static_cast<std::uint32_t>(at_a_line ? trace::StopPosition::before_line : trace::StopPosition::within_line));
    try {
        for (;;) {
            read_if_asked();
            if ((reasons_ & kPaused) == 0) {
                break;
            }
            auto steps = control_.step_ops.load();
            if (steps != 0 && (at_a_line || control_.step_ops.compare_exchange_strong(steps, steps - 1))) {
                break;
            }
            sleep_ns(kPausePollNs);
            lanes_.device(0).attend();
        }
    } catch (const ProgramError&) {  // stopped while paused
        resume();
        throw;
    }
    resume();
}

void RunControl::attend() {
    read_if_asked();
    if ((reasons_ & kPaused) != 0) {
        stay_paused();
    }
}

void RunControl::stop_at_line(int depth) {
    read_if_asked();
    const auto number = core::number_of(lines_.current());
    const auto mode = static_cast<trace::LineMode>(control_.line_mode.load());
    const bool marked = control_.breakpoint_count.load() != 0 && number < 4096 &&
                        (control_.breakpoints[number / 64].load() >> (number % 64) & 1) != 0;
    if (marked || mode == trace::LineMode::step || (mode == trace::LineMode::over && depth <= stopped_depth_) ||
        (mode == trace::LineMode::until && number == control_.until_line.load())) {
        control_.line_mode.store(0);
        control_.pause.store(1);
        reasons_ |= kPaused;
    }
    if ((reasons_ & kPaused) != 0) {
        stay_paused(true);
        stopped_depth_ = depth;
    } else if (line_delay_us_ != 0) {
        const auto begin = recorder_.now();
        const auto begin_ns = core::monotonic_ns();
        const auto end_ns = begin_ns + std::int64_t{line_delay_us_} * 1000;
        while (core::monotonic_ns() < end_ns && control_.attention.load() == 0) {
            sleep_ns(std::min<std::int64_t>(end_ns - core::monotonic_ns(), 10'000'000));
        }
        paused_ns_ += core::monotonic_ns() - begin_ns;
        recorder_.end_wait(begin, kSlowMotion);
    }
}

double RunControl::program_seconds() const {
    if (lanes_.virtual_time()) {
        return static_cast<double>(recorder_.now()) * 1e-9;
    }
    return static_cast<double>(core::monotonic_ns() - paused_ns_) * 1e-9;
}

// --- around an op ---

void RunControl::wait(std::uint32_t lane, std::uint32_t seq, const WaitEvent& event) {
    const auto begin = recorder_.begin_wait(event);
    lanes_.wait(lane, seq);
    lanes_.device_of(lane).wait_returned();
    recorder_.end_wait(begin, event);
}

void RunControl::before_issue() {
    expect_own_process();
    attend();
    if ((reasons_ & kQueueLimit) != 0) {
        // Wait for the op that must finish before one more fits. Earlier issues have waited for all ops before it.
        const auto [lane, seq] = recent_[recorder_.issued() % queue_limit_];
        if (seq != 0 && !lanes_.finished(lane, seq)) {
            wait(lane, seq, {WaitKind::queue_limit, "queue limit", 0, recorder_.issued() + 1 - queue_limit_});
        }
    }
}

void RunControl::limit_queue(std::uint32_t lane, std::uint32_t seq) {
    auto& ops = looked_at_[lane];
    ops.push_back({seq, recorder_.issued()});
    const std::uint32_t completed = lanes_.look(lane);
    const auto pass = [&ops](std::uint32_t until) {
        std::optional<QueuedOp> last;
        for (; !ops.empty() && core::reached(until, ops.front().seq); ops.pop_front()) {
            last = ops.front();
        }
        return last;
    };
    pass(completed);
    if (seq - completed <= kMostQueued) {
        return;
    }
    if (const auto last = pass(seq - kMostQueued / 2)) {
        const core::BufferId target = lanes_.count() > 1 ? trace::kWaitForLane | lane : 0;
        wait(lane, last->seq, {WaitKind::queue_limit, "queue full", target, last->op});
    }
}

bool RunControl::wait_after_issue(std::uint32_t lane, std::uint32_t seq) {
    const core::OpId op = recorder_.issued();
    if ((reasons_ & kQueueLimit) != 0) {
        recent_[(op - 1) % queue_limit_] = {lane, seq};
    }
    const bool waits = (reasons_ & kOpBarrier) != 0;
    if (waits) {
        wait(lane, seq, {WaitKind::op_barrier, "op barrier", 0, op});
    }
    if ((reasons_ & kDelay) != 0) {
        slow_lanes_alike();
        const auto begin = recorder_.now();
        sleep_ns(static_cast<std::int64_t>(op_delay_ns_));
        paused_ns_ += static_cast<std::int64_t>(op_delay_ns_);
        recorder_.end_wait(begin, kSlowMotion);
    }
    return waits;
}

// Slows the lanes by the same factor as the frontend.
void RunControl::slow_lanes_alike() {
    constexpr double kLeastNs = 500, kMostNs = 100'000;  // an op beyond that is the frontend's own work
    const std::int64_t now_ns = core::monotonic_ns() - paused_ns_;
    const double spent_ns = std::clamp(static_cast<double>(now_ns - last_op_ns_), kLeastNs, kMostNs);
    op_ns_ = op_ns_ == 0 ? spent_ns : 0.9 * op_ns_ + 0.1 * spent_ns;
    last_op_ns_ = now_ns;
    lanes_.set().slow_down(static_cast<float>(static_cast<double>(op_delay_ns_) / op_ns_));
}

// --- child processes ---

void RunControl::leave_to_the_parent() {
    recorder_.stop();
    recorder_.recording().leave_to_the_parent();
    reasons_ |= kForked;
}

void RunControl::refuse_in_child() const {
    lines_.raise(core::ErrorKind::failed,
                 "this process was forked off by the program: ops run in the program's own process only");
}

}  // namespace headway::runtime
