// Run control by the learner: policies and limits changed during the run, pausing, stepping, slow motion.
#include <time.h>

#include <algorithm>

#include "engine/runtime/runtime.h"

namespace headway::runtime {

using memory::FreePolicy;
using trace::FrontendKind;
using trace::WaitKind;

namespace {

constexpr std::uint64_t kNoBudget = ~std::uint64_t{0};
constexpr std::int64_t kPausePollNs = 500'000;

void sleep_ns(std::int64_t ns) {
    const timespec t{ns / 1'000'000'000, static_cast<long>(ns % 1'000'000'000)};
    nanosleep(&t, nullptr);
}

}  // namespace

void Runtime::read_control() {
    learners_barrier_ = trace::unpack_barrier(control_.barrier.load());
    if (!(learners_barrier_ == recorded_barrier_)) {
        recorded_barrier_ = learners_barrier_;
        record_program_event(FrontendKind::barrier, static_cast<std::uint16_t>(learners_barrier_.kind),
                             learners_barrier_.behind);
    }
    const auto budget = control_.budget_bytes.load();
    budget_ = budget == 0 ? kNoBudget : budget;
    if (free_policy_ == FreePolicy::lazy) {
        for (core::DeviceId device = 0; device < device_count_; ++device) {
            members_[device]->device.set_lazy_budget(budget);
        }
        budget_ = kNoBudget;  // lazy policy: the device checks the budget when the op starts
    }
    const auto limit = control_.queue_limit.load();
    if (limit != queue_limit_) {
        queue_limit_ = limit;
        recent_.assign(limit, {0, 0});
    }
    op_delay_ns_ = control_.op_delay_ns.load();
    line_delay_us_ = static_cast<std::uint32_t>(control_.line_delay_ns.load() / 1000);
    slow_ = (gathering_ || tracing_ ? kGathers : 0u) | (barrier().kind == trace::BarrierKind::op ? kOpBarrier : 0u) |
            (queue_limit_ != 0 ? kQueueLimit : 0u) | (control_.pause.load() != 0 ? kPaused : 0u) |
            (op_delay_ns_ != 0 ? kDelay : 0u) | (forked_ ? kForked : 0u);
    if (control_.stop.load() != 0) {
        devices_.abandon();
        throw ProgramError({core::ErrorKind::stopped, "stopped", {}, 0, 0});
    }
}

trace::BarrierPolicy Runtime::barrier() const {
    return learners_barrier_.kind == trace::BarrierKind::as_written ? written_barrier_ : learners_barrier_;
}

void Runtime::set_written_barrier(trace::BarrierPolicy policy) {
    written_barrier_ = policy;
    read_control();
}

void Runtime::stay_paused(bool at_a_line) {
    const auto begin = stamp();
    look_for_core(last_event_, begin, begin);
    const auto begin_ns = core::monotonic_ns();
    const auto resume = [&] {
        control_.standing.store(0);
        paused_ns_ += core::monotonic_ns() - begin_ns;
        record_wait(begin, WaitKind::paused, "paused", 0, 0);
    };
    control_.standing.store(1);
    try {
        for (;;) {
            if (control_.attention.exchange(0) != 0) {
                read_control();
            }
            if ((slow_ & kPaused) == 0) {
                break;
            }
            auto steps = control_.step_ops.load();
            if (steps != 0 && (at_a_line || control_.step_ops.compare_exchange_strong(steps, steps - 1))) {
                break;
            }
            sleep_ns(kPausePollNs);
        }
    } catch (const ProgramError&) {  // stopped while paused
        resume();
        throw;
    }
    resume();
}

void Runtime::stop_at_line(int depth) {
    if (control_.attention.exchange(0) != 0) {
        read_control();
    }
    const auto number = core::number_of(line_);
    const auto mode = static_cast<trace::LineMode>(control_.line_mode.load());
    const bool marked = control_.breakpoint_count.load() != 0 && number < 4096 &&
                        (control_.breakpoints[number / 64].load() >> (number % 64) & 1) != 0;
    if (marked || mode == trace::LineMode::step || (mode == trace::LineMode::over && depth <= stopped_depth_) ||
        (mode == trace::LineMode::until && number == control_.until_line.load())) {
        control_.line_mode.store(0);
        control_.pause.store(1);
        slow_ |= kPaused;
    }
    if ((slow_ & kPaused) != 0) {
        stay_paused(true);
        stopped_depth_ = depth;
    } else if (line_delay_us_ != 0) {
        const auto begin = stamp();
        const auto begin_ns = core::monotonic_ns();
        const auto end_ns = begin_ns + std::int64_t{line_delay_us_} * 1000;
        while (core::monotonic_ns() < end_ns && control_.attention.load() == 0) {
            sleep_ns(std::min<std::int64_t>(end_ns - core::monotonic_ns(), 10'000'000));
        }
        paused_ns_ += core::monotonic_ns() - begin_ns;
        record_wait(begin, WaitKind::paused, "slow motion", 0, 0);
    }
}

void Runtime::attend() {
    if (control_.attention.exchange(0) != 0) {
        read_control();
    }
    if ((slow_ & kPaused) != 0) {
        stay_paused();
    }
}

void Runtime::leave_to_the_parent() {
    forked_ = true;
    record_ = false;
    language_name_ = 0;  // the child's own work is not recorded either
    slow_ |= kForked;
}

void Runtime::refuse_in_child() {
    raise(core::ErrorKind::failed,
          "this process was forked off by the program: ops run in the program's own process only");
}

void Runtime::before_issue() {
    if ((slow_ & kForked) != 0) {
        refuse_in_child();
    }
    attend();
    if ((slow_ & kQueueLimit) != 0) {
        // Wait for the op that must finish before one more fits. Earlier issues have waited for all ops before it.
        const auto [lane, seq] = recent_[issued_ % queue_limit_];
        if (seq != 0 && !finished(lane, seq)) {
            const core::OpId through = issued_ + 1 - queue_limit_;
            const auto begin = begin_wait(WaitKind::queue_limit, "queue limit", 0, through);
            device_of_lane(lane).wait(lane, seq);
            device_of_lane(lane).wait_returned();
            record_wait(begin, WaitKind::queue_limit, "queue limit", 0, through);
        }
    }
}

void Runtime::after_issue(std::uint32_t lane, std::uint32_t seq) {
    if ((slow_ & kQueueLimit) != 0) {
        recent_[(issued_ - 1) % queue_limit_] = {lane, seq};
    }
    if ((slow_ & kOpBarrier) != 0) {
        const auto begin = begin_wait(WaitKind::op_barrier, "op barrier", 0, issued_);
        device_of_lane(lane).wait(lane, seq);
        device_of_lane(lane).wait_returned();
        record_wait(begin, WaitKind::op_barrier, "op barrier", 0, issued_);
    }
    if ((slow_ & kDelay) != 0) {
        const auto begin = stamp();
        sleep_ns(static_cast<std::int64_t>(op_delay_ns_));
        paused_ns_ += static_cast<std::int64_t>(op_delay_ns_);
        record_wait(begin, WaitKind::paused, "slow motion", 0, 0);
    }
}

}  // namespace headway::runtime
