// Trace events other than ops and waits: scopes, minibatches, source lines, work of the frontend itself.
#include <algorithm>
#include <cmath>
#include <cstring>

#include "engine/runtime/runtime.h"

namespace headway::runtime {

using trace::FrontendKind;
using trace::WaitKind;

void Runtime::record_measured(const trace::FrontendRecord& event, std::uint64_t end) {
    const bool alone = events_.stands_alone();
    const std::uint64_t before = events_.count();
    events_.add(event);
    if (!virtual_time_ && events_.count() != before) {  // false if the recording is full
        costs_.measured(trace::CostKind::recording, end, events_.count(), alone);
    }
}

void Runtime::record_program_event(FrontendKind kind, std::uint16_t name, std::uint32_t index) {
    if (record_) {
        const auto now = stamp();
        settle_work(now);
        look_for_core(last_event_, now, now);
        last_event_ = now;
        record({now, 0, name, static_cast<std::uint8_t>(kind), 0, line_, index, issued_, 0}, now);
        if (kind == FrontendKind::measure_begin || kind == FrontendKind::measure_end) {
            record_totals(now);
        }
    }
}

void Runtime::scope_begin(std::string_view name) {
    record_program_event(FrontendKind::scope_begin, recording_.string_id(name), 0);
}
void Runtime::scope_end(std::string_view name) {
    record_program_event(FrontendKind::scope_end, recording_.string_id(name), 0);
}
void Runtime::measure_begin() {
    issue_gathered();
    record_program_event(FrontendKind::measure_begin, 0, 0);
}
void Runtime::measure_end() {
    issue_gathered();
    record_program_event(FrontendKind::measure_end, 0, 0);
}
void Runtime::minibatch_begin() {
    record_program_event(FrontendKind::minibatch_begin, 0, minibatch_);
}

void Runtime::minibatch_end() {
    if (!tracing_) {
        issue_gathered();
    }
    record_program_event(FrontendKind::minibatch_end, 0, minibatch_);
    minibatches_.push_back({seq_, issued_});
    ++minibatch_;
    attend_if_asked();
    const auto policy = barrier();
    const bool waits = policy.kind == trace::BarrierKind::minibatch || policy.kind == trace::BarrierKind::behind;
    const std::uint32_t behind = policy.kind == trace::BarrierKind::behind ? policy.behind : 0;
    if (!waits || minibatches_.size() <= behind) {
        return;
    }
    const MinibatchEnd& target = minibatches_[minibatches_.size() - 1 - behind];
    const std::string_view name = behind == 0 ? "minibatch barrier" : "barrier, batches behind";
    const auto begin = begin_wait(WaitKind::minibatch_barrier, name, 0, target.last);
    wait_lanes(target.seqs, 0, lanes_);
    record_wait(begin, WaitKind::minibatch_barrier, name, 0, target.last);
    deliver_any_failure();
}

// --- source lines ---

std::uint32_t Runtime::id_of_file(const char* path) {
    last_file_ = path;
    for (std::size_t i = files_.size(); i-- > 0;) {
        if (files_[i].first == path) {
            return last_file_id_ = static_cast<std::uint32_t>(i + 1);
        }
    }
    const char* slash = std::strrchr(path, '/');
    last_file_id_ = add_file(slash != nullptr ? slash + 1 : path);
    files_.back().first = path;
    return last_file_id_;
}

std::uint32_t Runtime::add_file(const std::string& name) {
    files_.emplace_back(nullptr, name);
    recording_.meta(trace::MetaType::file, static_cast<std::uint16_t>(files_.size()), name);
    return static_cast<std::uint32_t>(files_.size());
}

double Runtime::program_seconds() const {
    if (virtual_time_) {
        return static_cast<double>(device_.now()) * 1e-9;
    }
    return static_cast<double>(core::monotonic_ns() - paused_ns_) * 1e-9;
}

void Runtime::account_for_language(std::uint16_t language_name) {
    if (record_) {
        language_name_ = work_name_ = language_name;
        close_ = 0;                     // a script may run for long between an op and a drop: stamp every drop
        last_event_ = line_begin_ = 0;  // accounting begins at the first line
    }
    if (virtual_time_) {
        worth_recording_ = 0;
        line_ns_ = static_cast<std::uint64_t>(std::llround(settings_.host.line_ns));
        last_event_ = line_begin_ = device_.now();
    }
}

void Runtime::account_end() {
    account_line(0);
    if (virtual_time_) {
        settle_work(stamp());
    }
}

void Runtime::spend(double ns, std::uint16_t name) {
    const auto whole = ns > 0 ? static_cast<std::uint64_t>(std::llround(std::min(ns, 1e15))) : 0;
    if (!virtual_time_ || whole == 0) {
        return;
    }
    attend_if_asked();
    settle_work(stamp());  // earlier time is not part of it
    for (std::uint64_t left = whole; left > 0;) {
        constexpr std::uint64_t kExact = 1u << 30;  // longest duration that a record stores exactly
        const std::uint64_t part = std::min(left, kExact);
        const std::uint64_t begin = stamp();
        device_.advance(part);
        left -= part;
        if (record_ && language_name_ != 0) {
            last_event_ = line_begin_ = stamp();
            events_.add({begin, trace::pack_duration(part), name != 0 ? name : work_name_,
                         static_cast<std::uint8_t>(FrontendKind::work), 0, line_, 0, issued_, 0});
        }
    }
}

// Work that is long enough to be visible gets its line's name; short lines share the language's name.
void Runtime::record_work(std::uint64_t end) {
    if (last_event_ == 0 && !virtual_time_) {
        last_event_ = end;
        return;
    }
    const auto add = [this](std::uint64_t from, std::uint64_t to, std::uint16_t name) {
        record({from, trace::pack_duration(to - from), name, static_cast<std::uint8_t>(FrontendKind::work), 0, line_, 0,
                issued_, 0},
               to);
    };
    look_for_core(last_event_, end, end);
    const bool own = line_begin_ <= last_event_ || end - line_begin_ > kWorthSeeing;
    if (own && line_begin_ > last_event_ && line_begin_ - last_event_ > kWorthSeeing) {
        add(last_event_, line_begin_, language_name_);
        last_event_ = line_begin_;
    }
    add(last_event_, end, own ? work_name_ : language_name_);
    last_event_ = end;
}

std::string_view Runtime::file_name(std::uint32_t file_id) const {
    return file_id >= 1 && file_id <= files_.size() ? std::string_view(files_[file_id - 1].second) : "";
}

}  // namespace headway::runtime
