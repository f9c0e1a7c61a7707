// The learner's hold on the run: barrier policy, budget, queue limit and slow motion, which may change while the
// program runs; pausing, stepping, breakpoints and stopping.
//
// The watching process writes its requests to the recording's Control block and sets `attention` last. The frontend
// looks at `attention` before each op and each wait, and at each line of a language that reports lines.
//
// Threads: the frontend only; the Control block is atomic. A stop is thrown as ProgramError of the kind stopped.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <utility>
#include <vector>

#include "engine/runtime/frontend/frontend_recorder.h"
#include "engine/runtime/frontend/settings.h"
#include "engine/runtime/frontend/source_lines.h"
#include "engine/runtime/memory_manager.h"
#include "engine/runtime/scheduling/lanes.h"
#include "engine/trace/format.h"

namespace headway::runtime {

class RunControl {
public:
    // Choices that the learner made before the program started take precedence over `settings`.
    RunControl(Lanes& lanes, SourceLines& lines, FrontendRecorder& recorder, MemoryManager& memory,
               const Settings& settings);
    RunControl(const RunControl&) = delete;
    RunControl& operator=(const RunControl&) = delete;

    // Applies the Control block. Also call this after a device has joined the run.
    void read();
    // The same if the block has changed; then blocks while the run is paused.
    void attend_if_asked() {
        if ((control_.attention.load(std::memory_order_relaxed) | (reasons_ & kPaused)) != 0) [[unlikely]] {
            attend();
        }
    }

    // --- around an op ---
    // Whether to call before_issue() or gathers() before the next op.
    [[nodiscard]] bool acts_before_issue() const {
        return (control_.attention.load(std::memory_order_relaxed) | reasons_) != 0;
    }
    // The same for a composite, which is not gathered.
    [[nodiscard]] bool acts_before_composite() const {
        return (control_.attention.load(std::memory_order_relaxed) | (reasons_ & ~std::uint32_t{kGathers})) != 0;
    }
    // Waits while the run is paused or the queue is full. ProgramError in a child process.
    void before_issue();
    // Call after op number issued() was submitted as command `seq` of `lane`: the op barrier and slow motion. Returns
    // whether it has waited for the op.
    [[nodiscard]] bool after_issue(std::uint32_t lane, std::uint32_t seq) {
        return reasons_ != 0 && wait_after_issue(lane, seq);
    }
    // Call for every kLookAtQueueEvery-th op, after it was submitted as command `seq` of `lane`. Keeps the queue from
    // filling the machine's memory: if it has more than kMostQueued commands, waits until about half as many are left.
    void limit_queue(std::uint32_t lane, std::uint32_t seq);
    static constexpr std::uint32_t kMostQueued = 1'000'000;
    static constexpr std::uint32_t kLookAtQueueEvery = 4093;  // prime, so that lanes that take turns are all looked at
    // Whether ops are gathered for a composite (GraphBuilder), so that issue() asks before each op.
    [[nodiscard]] bool gathers() const { return (reasons_ & kGathers) != 0; }
    void set_gathers(bool on) { reasons_ = on ? reasons_ | kGathers : reasons_ & ~std::uint32_t{kGathers}; }

    // --- barriers ---
    // The policy in effect: the learner's, or the program's own if the learner chose none.
    [[nodiscard]] trace::BarrierPolicy barrier() const;
    void set_written_barrier(trace::BarrierPolicy policy);

    // --- lines ---
    // Call when the program reaches `line`, `depth` calls deep. Pauses here if the learner asked for it.
    void at_line(core::Line line, int depth) {
        lines_.set(line);
        control_.current_line.store(line, std::memory_order_relaxed);
        if (may_stop()) [[unlikely]] {
            stop_at_line(depth);
        }
    }
    // Whether at_line() may pause at the next line; callers release their language's lock (Python: the GIL) first.
    [[nodiscard]] bool may_stop() const {
        return (control_.attention.load(std::memory_order_relaxed) |
                control_.line_mode.load(std::memory_order_relaxed) |
                control_.breakpoint_count.load(std::memory_order_relaxed) | line_delay_us_ | (reasons_ & kPaused)) != 0;
    }
    // Seconds on the run's clock, without the learner's pauses.
    [[nodiscard]] double program_seconds() const;

    // Call in a child process right after fork(): the backend's threads and the recording belong to the parent. From
    // now on issues and waits throw ProgramError, and nothing is recorded.
    void leave_to_the_parent();
    [[nodiscard]] bool in_own_process() const { return (reasons_ & kForked) == 0; }
    // ProgramError in such a process.
    void expect_own_process() const {
        if ((reasons_ & kForked) != 0) [[unlikely]] {
            refuse_in_child();
        }
    }

private:
    // Reasons to leave the fast path of an issue.
    enum Reason : std::uint32_t {
        kOpBarrier = 1,
        kQueueLimit = 2,
        kPaused = 4,
        kDelay = 8,
        kGathers = 16,
        kForked = 32,
    };

    void read_if_asked();
    void attend();
    void stay_paused(bool at_a_line = false);
    void stop_at_line(int depth);
    bool wait_after_issue(std::uint32_t lane, std::uint32_t seq);
    void slow_lanes_alike();
    // Waits for command `seq` of `lane`, and records that.
    void wait(std::uint32_t lane, std::uint32_t seq, const WaitEvent& event);
    [[noreturn]] void refuse_in_child() const;

    trace::Control& control_;
    std::uint32_t reasons_ = 0;  // bits of Reason
    std::uint32_t line_delay_us_ = 0;
    Lanes& lanes_;
    SourceLines& lines_;
    FrontendRecorder& recorder_;
    MemoryManager& memory_;
    std::uint32_t queue_limit_ = 0;
    std::vector<std::pair<std::uint32_t, std::uint32_t>> recent_;  // (lane, seq) of the last queue_limit_ ops
    struct QueuedOp {
        std::uint32_t seq;
        core::OpId op;
    };
    std::array<std::deque<QueuedOp>, core::kMaxLanes> looked_at_;  // by limit_queue(), of each lane
    std::uint64_t op_delay_ns_ = 0;
    // Slow motion: the mean time that the frontend takes for an op, without pauses, and when that was computed last.
    double op_ns_ = 0;
    std::int64_t last_op_ns_ = 0;
    int stopped_depth_ = 0;
    std::int64_t paused_ns_ = 0;
    trace::BarrierPolicy learners_barrier_;
    trace::BarrierPolicy recorded_barrier_;  // last written to the trace
    trace::BarrierPolicy written_barrier_{trace::BarrierKind::none, 0};
};

}  // namespace headway::runtime
