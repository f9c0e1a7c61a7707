#include "engine/runtime/frontend/frontend_recorder.h"

#include <algorithm>
#include <cmath>

#include "engine/core/count_text.h"
#include "engine/trace/frontend_records.h"

namespace headway::runtime {

using trace::FrontendKind;
using trace::FrontendRecord;

namespace {

constexpr std::uint64_t kCloseTicks = 1'000;  // less than a microsecond

constexpr std::uint8_t kind_with(FrontendKind kind, std::uint8_t flags = 0) {
    return static_cast<std::uint8_t>(static_cast<std::uint8_t>(kind) | flags);
}

}  // namespace

FrontendRecorder::FrontendRecorder(devices::Device& clock, trace::Recording& recording, const SourceLines& lines,
                                   const Settings& settings)
    : clock_(clock),
      recording_(recording),
      lines_(lines),
      virtual_time_(clock.virtual_time()),
      record_(settings.record),
      close_ticks_(virtual_time_ ? 0 : kCloseTicks),
      long_ticks_(virtual_time_ || !record_ ? ~std::uint64_t{0} : FrontendCosts::kLongTicks),
      events_(recording, trace::kFrontendStream),
      drops_(recording, {trace::StreamKind::drops, 0}),
      costs_(recording),
      line_ns_(static_cast<std::uint64_t>(std::llround(settings.host.line_ns))) {
    last_event_ = now();
    record_totals(last_event_);
}

void FrontendRecorder::refuse_op() const {
    lines_.raise(core::ErrorKind::failed, "a run can hold at most " + core::counted(kMaxOps, "op"));
}

void FrontendRecorder::record_measured(const FrontendRecord& event, std::uint64_t end) {
    const bool alone = events_.stands_alone();
    const std::uint64_t before = events_.count();
    events_.add(event);
    if (!virtual_time_ && events_.count() != before) {  // false if the recording is full
        costs_.measured(trace::CostKind::recording, end, events_.count(), alone);
    }
}

// One issue, with the first two inputs; records for the other inputs and the other outputs follow.
void FrontendRecorder::end_composite(std::uint64_t begin, std::uint16_t signature, std::uint32_t lane,
                                     const CompositeEvent& event) {
    if (!record_) {
        return;
    }
    if (virtual_time_) {
        settle_work(begin);
    }
    add_composite(std::max(begin, last_event_), signature, lane, event);  // later if it has waited for memory
}

void FrontendRecorder::add_composite(std::uint64_t begin, std::uint16_t signature, std::uint32_t lane,
                                     const CompositeEvent& event) {
    const auto input = [&](std::size_t i) { return i < event.inputs.size() ? event.inputs[i] : 0; };
    const core::Line line = lines_.current();
    last_event_ = now();
    add_issue(begin, signature, event.main.flags, lane, line, {event.main.buffer, input(0), input(1)});
    const std::size_t inputs =
        event.forward_line != 0 ? std::max<std::size_t>(event.inputs.size(), 3) : event.inputs.size();
    for (std::size_t i = 2; i < inputs; i += 2) {
        events_.add(
            {begin, 0, 0, kind_with(FrontendKind::more_inputs), 0, line, event.forward_line, input(i), input(i + 1)});
    }
    for (const auto& [buffer, of_op, flags] : event.others) {
        events_.add({begin, 0, of_op, kind_with(FrontendKind::more_output, flags), 0, line, buffer, 0, 0});
    }
}

// --- waits ---

std::uint16_t FrontendRecorder::wait_name(std::string_view name) {
    if (wait_name_id_ == 0 || name != wait_name_) {
        wait_name_ = name;
        wait_name_id_ = recording_.string_id(name);
    }
    return wait_name_id_;
}

std::uint64_t FrontendRecorder::begin_pause() {
    const auto begin = now();
    look_for_core(last_event_, begin, begin);
    return begin;
}

std::uint64_t FrontendRecorder::begin_wait(const WaitEvent& wait) {
    const auto begin = now();
    if (record_) {
        look_for_core(last_event_, begin, begin);
        trace::Header& header = recording_.header();
        header.wait_kind_name.store(static_cast<std::uint32_t>(wait.kind) << 16 | wait_name(wait.name),
                                    std::memory_order_relaxed);
        header.wait_line.store(lines_.current(), std::memory_order_relaxed);
        header.wait_target.store(wait.target, std::memory_order_relaxed);
        header.wait_through.store(through_of(wait), std::memory_order_relaxed);
        header.wait_device.store(static_cast<std::uint32_t>(wait.device_flag) >> trace::kWaitDeviceShift,
                                 std::memory_order_relaxed);
        header.wait_begin.store(begin, std::memory_order_release);
    }
    return begin;
}

void FrontendRecorder::end_wait(std::uint64_t begin, const WaitEvent& wait) {
    if (!record_) {
        return;
    }
    core::order_ticks();  // the wait must not end before the work that it waited for
    const auto end = now();
    settle_work(begin);
    last_event_ = end;
    if (end - begin > long_ticks_) {
        costs_.forget_core();
    }
    recording_.header().wait_begin.store(0, std::memory_order_relaxed);
    record({begin, trace::pack_duration(end - begin), wait_name(wait.name),
            kind_with(FrontendKind::wait, wait.device_flag), static_cast<std::uint8_t>(wait.kind), lines_.current(),
            wait.target, issued_, through_of(wait)},
           end);
}

// --- the program ---

void FrontendRecorder::program_event(FrontendKind kind, std::uint16_t name, std::uint32_t index) {
    if (record_) {
        const auto at = now();
        settle_work(at);
        look_for_core(last_event_, at, at);
        last_event_ = at;
        record({at, 0, name, kind_with(kind), 0, lines_.current(), index, issued_, 0}, at);
        if (kind == FrontendKind::measure_begin || kind == FrontendKind::measure_end) {
            record_totals(at);
        }
    }
}

// The text is recorded among the frontend's ops and waits, but has no duration: the time of writing it counts as the
// program's own work.
void FrontendRecorder::program_wrote(int stream, std::string_view text) {
    if (!record_) {
        return;
    }
    text = text.substr(0, trace::OutputRecord::kMostOfRun - wrote_);
    wrote_ += text.size();
    trace::each_piece(text,
                      {.begin = now(),
                       .issued = issued_,
                       .stream = static_cast<std::uint8_t>(stream),
                       .kind = kind_with(FrontendKind::output)},
                      [this](const trace::OutputRecord& piece) { events_.add(trace::packed(piece)); });
}

void FrontendRecorder::account_for_language(std::uint16_t language_name) {
    if (record_) {
        language_name_ = work_name_ = language_name;
        close_ticks_ = 0;               // a script may run for long between an op and a drop: stamp every drop
        last_event_ = line_begin_ = 0;  // accounting begins at the first line
    }
    if (virtual_time_) {
        least_work_ticks_ = 0;
        last_event_ = line_begin_ = clock_.now();
    }
}

void FrontendRecorder::account_end() {
    account_line(0);
    if (virtual_time_) {
        settle_work(now());
    }
}

void FrontendRecorder::spend(std::uint64_t ns, std::uint16_t name) {
    settle_work(now());  // earlier time is not part of it
    for (std::uint64_t left = ns; left > 0;) {
        // A record stores multiples of 1024 up to 2^40 ns exactly, and everything below 2^31 ns.
        const std::uint64_t part = left < 1u << 30 ? left : std::min(left / 1024 * 1024, std::uint64_t{1} << 40);
        const std::uint64_t begin = now();
        clock_.advance(part);
        left -= part;
        if (record_ && language_name_ != 0) {
            last_event_ = line_begin_ = now();
            events_.add({begin, trace::pack_duration(part), name != 0 ? name : work_name_,
                         kind_with(FrontendKind::work), 0, lines_.current(), 0, issued_, 0});
        }
    }
}

// Work that is long enough to be visible gets its line's name; short lines share the language's name.
void FrontendRecorder::record_work(std::uint64_t end) {
    if (last_event_ == 0 && !virtual_time_) {
        last_event_ = end;
        return;
    }
    const auto add = [this](std::uint64_t from, std::uint64_t to, std::uint16_t name) {
        record({from, trace::pack_duration(to - from), name, kind_with(FrontendKind::work), 0, lines_.current(), 0,
                issued_, 0},
               to);
    };
    look_for_core(last_event_, end, end);
    const bool own = line_begin_ <= last_event_ || end - line_begin_ > kLeastWorkTicks;
    if (own && line_begin_ > last_event_ && line_begin_ - last_event_ > kLeastWorkTicks) {
        add(last_event_, line_begin_, language_name_);
        last_event_ = line_begin_;
    }
    add(last_event_, end, own ? work_name_ : language_name_);
    last_event_ = end;
}

void FrontendRecorder::record_totals(std::uint64_t end) {
    if (record_ && !virtual_time_) {
        costs_.record_totals(end);
    }
}

void FrontendRecorder::stop() {
    record_ = false;
    language_name_ = 0;
}

}  // namespace headway::runtime
