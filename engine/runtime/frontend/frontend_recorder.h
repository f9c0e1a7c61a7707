// Writes the frontend's part of the recording: issues, waits, dropped tensors, program events, and the frontend's own
// work. Numbers the ops.
//
// Times are ticks of the run's clock: in virtual time those of the device, otherwise core::ticks().
//
// Threads: the frontend only. The watching process reads the recording; the wait in progress is in its header.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "engine/core/clock.h"
#include "engine/devices/device.h"
#include "engine/runtime/frontend/frontend_costs.h"
#include "engine/runtime/frontend/settings.h"
#include "engine/runtime/frontend/source_lines.h"
#include "engine/trace/recorder.h"

namespace headway::runtime {

inline constexpr core::OpId kMaxOps = 0x3fff'fff0u;  // trace::kPart is the next higher bit

// A wait as its record describes it.
struct WaitEvent {
    trace::WaitKind kind;
    std::string_view name;
    core::BufferId target = 0;     // the buffer waited for; 0: all; trace::kWaitForLane and the lane: all of that one
    core::OpId through = 0;        // the last op waited for; 0: what `target` needs, or all that were issued
    std::uint8_t device_flag = 0;  // trace::wait_for_device()
};

// The buffers of a composite or an opaque op as its records describe them.
struct CompositeEvent {
    struct Output {
        core::BufferId buffer = 0;
        std::uint16_t signature = 0;  // of the op that writes it
        std::uint8_t flags = 0;       // of the record's kind
    };
    Output main;  // the last op's output
    std::vector<core::BufferId> inputs;
    std::vector<Output> others;
    core::Line forward_line = 0;  // of an op of a backward pass: where its forward op was called; 0: unknown
};

class FrontendRecorder {
public:
    // `clock`: the device that the run is started on.
    FrontendRecorder(devices::Device& clock, trace::Recording& recording, const SourceLines& lines,
                     const Settings& settings);
    FrontendRecorder(const FrontendRecorder&) = delete;
    FrontendRecorder& operator=(const FrontendRecorder&) = delete;

    [[nodiscard]] trace::Recording& recording() const { return recording_; }
    [[nodiscard]] std::uint64_t now() const { return virtual_time_ ? clock_.now() : core::ticks(); }
    [[nodiscard]] core::OpId issued() const { return issued_; }
    // The newest op whose issue is in the recording.
    [[nodiscard]] core::OpId recorded() const { return recorded_; }
    // The number of the next op.
    core::OpId next_op() { return ++issued_; }
    // ProgramError if the run has as many ops as a recording can hold.
    void expect_room_for_op() const {
        if (issued_ >= kMaxOps) [[unlikely]] {
            refuse_op();
        }
    }

    // --- issues ---
    // When the program called; 0 if nothing is recorded.
    [[nodiscard]] std::uint64_t called() const { return record_ ? now() : 0; }
    struct IssueTimes {
        std::uint64_t called;  // when the program called
        std::uint64_t before;  // end of the event before it
        std::uint64_t begin;   // of the issue, interpreter time included
    };
    [[nodiscard]] IssueTimes begin_issue(std::uint64_t called) {
        IssueTimes times{called, last_event_, called};
        events_are_close_ = called - last_event_ < close_ticks_;
        if (language_name_ != 0) {
            settle_work(called);
            costs_.add_interpreter_time(called - last_event_);
            times.begin = times.before = last_event_;  // interpreter time counts as part of the issue
        }
        return times;
    }
    // `fresh`: the op creates its output; `on_cpu`: in the memory of the run's CPU, by a lane of a GPU. `buffers`: the
    // output's id and those of the inputs.
    void end_issue(IssueTimes times, const devices::Signature& signature, bool fresh, bool on_cpu, std::uint32_t lane,
                   core::Line line, const std::array<core::BufferId, 3>& buffers) {
        if (record_) [[likely]] {
            const auto flags = static_cast<std::uint8_t>((fresh ? trace::kFreshOutput : 0) |
                                                         (signature.in_place ? trace::kReadsOutput : 0) |
                                                         (on_cpu ? trace::kOutOnCpu : 0));
            if (last_event_ > times.called) [[unlikely]] {  // the op has waited for memory, which is not part of it
                times = {last_event_, last_event_, last_event_};
            }
            last_event_ = now();
            add_issue(times.begin, signature.id, flags, lane, line, buffers);
            look_for_core(times.before, times.called, last_event_);
        }
    }
    // The same for an opaque op.
    void end_opaque(const IssueTimes& times, std::uint16_t signature, std::uint32_t lane, const CompositeEvent& event) {
        if (record_) [[likely]] {
            add_composite(times.begin, signature, lane, event);
            look_for_core(times.before, times.called, last_event_);
        }
    }
    // The same for a composite.
    void end_composite(std::uint64_t begin, std::uint16_t signature, std::uint32_t lane, const CompositeEvent& event);

    // --- dropped tensors ---
    // Records that a tensor is dropped, and calls `free` for its memory. Occasionally records how long both took.
    template <class Free>
    void drop(core::BufferId buffer, Free free) {
        if (drops_.due() && record_ && !virtual_time_) [[unlikely]] {
            drop_measured(buffer, free);
        } else {
            record_drop(buffer);
            free();
        }
    }

    // --- waits ---
    // Publishes the wait that begins to the watching process and returns its start time. end_wait() records it.
    std::uint64_t begin_wait(const WaitEvent& wait);
    void end_wait(std::uint64_t begin, const WaitEvent& wait);
    // The same for a pause. It is not published.
    std::uint64_t begin_pause();

    // --- the program ---
    void program_event(trace::FrontendKind kind, std::uint16_t name, std::uint32_t index);
    // The program wrote this to stdout (1) or stderr (2). The first OutputRecord::kMostOfRun bytes are recorded.
    void program_wrote(int stream, std::string_view text);
    // From now on the frontend's time is accounted for without gaps. Interpreter time before an op counts as part of
    // that op's issue; if it is longer than an op needs (10 µs), it is recorded as work of the frontend, named after
    // its line or, for many short lines together, after the language. Both names are string ids of the recording. In
    // virtual time each line takes Settings::host.line_ns, all of it work.
    void account_for_language(std::uint16_t language_name);
    // Call when the program reaches another line; `work_name` is the name for that line's own work (string id).
    void account_line(std::uint16_t work_name) {
        if (language_name_ != 0) {
            const std::uint64_t reached = now();
            if (reached > std::max(line_begin_, last_event_) + kLeastWorkTicks) [[unlikely]] {
                record_work(reached);
            }
            line_begin_ = reached;
            work_name_ = work_name;
            if (virtual_time_ && work_name != 0) {
                clock_.advance(line_ns_);
            }
        }
    }
    // Call at the end of the program.
    void account_end();
    // Virtual time only: advances the frontend by `ns` of its own work, recorded under this name (a string id of the
    // recording; 0: that of the current line).
    void spend(std::uint64_t ns, std::uint16_t name);

    // Records what the frontend has cost until `end`.
    void record_totals(std::uint64_t end);
    // From now on nothing is recorded.
    void stop();

private:
    void add_composite(std::uint64_t begin, std::uint16_t signature, std::uint32_t lane, const CompositeEvent& event);
    void add_issue(std::uint64_t begin, std::uint16_t signature, std::uint8_t flags, std::uint32_t lane,
                   core::Line line, const std::array<core::BufferId, 3>& buffers) {
        const auto kind = static_cast<std::uint8_t>(static_cast<std::uint8_t>(trace::FrontendKind::issue) | flags);
        record({begin, trace::pack_duration(last_event_ - begin), signature, kind, static_cast<std::uint8_t>(lane),
                line, buffers[0], buffers[1], buffers[2]},
               last_event_);
        recorded_ = issued_;
    }
    // Adds a record of an event that ended at `end`.
    void record(const trace::FrontendRecord& event, std::uint64_t end) {
        if (events_.due()) [[unlikely]] {
            record_measured(event, end);
        } else {
            events_.add(event);
        }
    }
    void record_drop(core::BufferId buffer) {
        if (record_) [[likely]] {
            drops_.add({events_are_close_ ? last_event_ : now(), buffer, issued_});
        }
    }
    template <class Free>
    [[gnu::noinline]] void drop_measured(core::BufferId buffer, Free free) {
        const std::uint64_t begin = core::ticks(), before = drops_.count();
        const bool alone = drops_.stands_alone();
        record_drop(buffer);
        free();
        if (drops_.count() != before) {  // false if the recording is full
            costs_.measured(trace::CostKind::drop, begin, drops_.count(), alone);
        }
    }
    [[gnu::noinline]] void record_measured(const trace::FrontendRecord& event, std::uint64_t end);
    [[noreturn, gnu::noinline]] void refuse_op() const;
    // Call before an event that begins at `begin`: records the time since the last event as work if it is long enough.
    void settle_work(std::uint64_t begin) {
        if (language_name_ != 0 && begin > last_event_ + least_work_ticks_) [[unlikely]] {
            record_work(begin);
        }
    }
    void record_work(std::uint64_t end);
    // Checks for lost core time: the frontend was busy from `begin` to `end`; an issue lasted from `issue` to `end`.
    void look_for_core(std::uint64_t begin, std::uint64_t issue, std::uint64_t end) {
        if (end - begin > long_ticks_) [[unlikely]] {
            costs_.look_for_core(begin, issue, end);
        }
    }
    std::uint16_t wait_name(std::string_view name);
    // As recorded: 0 for all ops that were issued; a wait for a lane always names its op.
    [[nodiscard]] core::OpId through_of(const WaitEvent& wait) const {
        return wait.through == issued_ && (wait.target & trace::kWaitForLane) == 0 ? 0 : wait.through;
    }

    static constexpr std::uint64_t kLeastWorkTicks = 25'000;  // about 10 µs

    devices::Device& clock_;
    trace::Recording& recording_;
    const SourceLines& lines_;
    const bool virtual_time_;
    bool record_;
    // If ops follow each other within a microsecond, a drop takes the time of the event before it: reading the clock
    // would cost a fifth of an op. The time is too early by the program's work in between, which is negligible in a row
    // of ops.
    bool events_are_close_ = false;    // the last op followed the event before it closely
    std::uint16_t language_name_ = 0;  // 0: only ops, waits and program events are recorded
    std::uint16_t work_name_ = 0;
    core::OpId issued_ = 0;
    core::OpId recorded_ = 0;
    std::uint64_t close_ticks_;     // ticks; 0: read the clock at every drop
    std::uint64_t long_ticks_;      // intervals longer than this (ticks) are checked for lost core time
    std::uint64_t last_event_ = 0;  // ticks at the end of the last recorded event
    trace::StreamWriter<trace::FrontendRecord> events_;
    trace::StreamWriter<trace::DropRecord> drops_;
    FrontendCosts costs_;

    std::uint64_t least_work_ticks_ = kLeastWorkTicks;  // least work before an event to record; 0 in virtual time
    std::uint64_t line_begin_ = 0;                      // ticks when the program reached the line
    const std::uint64_t line_ns_;                       // virtual time: cost of a line
    std::size_t wrote_ = 0;                             // bytes of output that were recorded
    std::string wait_name_;                             // the last name used, and its string id
    std::uint16_t wait_name_id_ = 0;
};

}  // namespace headway::runtime
