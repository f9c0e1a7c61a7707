#include "engine/runtime/program_events.h"

#include <algorithm>
#include <cmath>
#include <iterator>

#include "engine/core/count_text.h"
#include "engine/runtime/op_queue.h"

namespace headway::runtime {

using trace::BarrierKind;
using trace::FrontendKind;

void ProgramEvents::scope_begin(std::string_view name) {
    FrontendRecorder& recorder = queue_.recorder;
    const std::uint16_t id = recorder.recording().string_id(name);
    if (id == 0) {
        queue_.lines.raise(core::ErrorKind::failed,
                           "a run can hold at most " + core::counted(trace::Recording::kMostStrings, "name") +
                               " of scopes, waits and work, and '" + std::string(name) + "' is one more");
    }
    recorder.program_event(FrontendKind::scope_begin, id, 0);
}

void ProgramEvents::scope_end(std::string_view name) {
    FrontendRecorder& recorder = queue_.recorder;
    recorder.program_event(FrontendKind::scope_end, recorder.recording().string_id(name), 0);
}

void ProgramEvents::measure_begin() {
    queue_.graphs.issue_gathered();
    queue_.recorder.program_event(FrontendKind::measure_begin, 0, 0);
}

void ProgramEvents::measure_end() {
    queue_.graphs.issue_gathered();
    queue_.recorder.program_event(FrontendKind::measure_end, 0, 0);
}

void ProgramEvents::minibatch_begin() {
    const core::OpId issued = queue_.recorder.issued();
    if (begun_.empty() || begun_.back().ended || begun_.back().issued_before != issued) {
        end_open(issued);
        begun_.push_back({issued});
    }  // else the open one is empty: two optimizers, say, that both begin one
    queue_.recorder.program_event(FrontendKind::minibatch_begin, 0, static_cast<std::uint32_t>(begun_.size() - 1));
}

void ProgramEvents::end_open(core::OpId last) {
    if (!begun_.empty() && !begun_.back().ended) {
        begun_.back().last = last;
        begun_.back().ended = true;
    }
}

void ProgramEvents::minibatch_abandon() {
    const core::OpId issued = queue_.recorder.issued();
    if (!begun_.empty() && begun_.back().issued_before != issued) {  // else there is none to show
        queue_.recorder.program_event(FrontendKind::minibatch_end, 0, static_cast<std::uint32_t>(begun_.size() - 1));
    }
    end_open(issued);
}

void ProgramEvents::minibatch_end() {
    queue_.graphs.issue_gathered();
    queue_.recorder.program_event(FrontendKind::minibatch_end, 0,
                                  static_cast<std::uint32_t>(begun_.empty() ? 0 : begun_.size() - 1));
    end_open(queue_.recorder.issued());
    ended_.push_back({queue_.lanes.submitted(), queue_.recorder.issued(), 0, queue_.lanes.count()});
    queue_.control.attend_if_asked();
    const auto policy = queue_.control.barrier();
    const bool waits = policy.kind == BarrierKind::minibatch || policy.kind == BarrierKind::behind;
    const std::uint32_t behind = policy.kind == BarrierKind::behind ? policy.behind : 0;
    if (!waits || ended_.size() <= behind) {
        return;
    }
    queue_.waits.commands(ended_[ended_.size() - 1 - behind], trace::WaitKind::minibatch_barrier,
                          behind == 0 ? "minibatch barrier" : "barrier, batches behind");
}

std::string ProgramEvents::minibatch_text(core::OpId op) const {
    const auto next = std::partition_point(begun_.begin(), begun_.end(),
                                           [&](const Minibatch& minibatch) { return minibatch.issued_before < op; });
    return next == begun_.begin() || std::prev(next)->last < op
               ? ""
               : " in minibatch " + std::to_string(next - begun_.begin() - 1);
}

void ProgramEvents::spend(double ns, std::string_view name) {
    constexpr double kLatest = 1e18;  // later times do not fit into a trace
    const double left = kLatest - static_cast<double>(queue_.recorder.now());
    const auto whole = std::min(ns, left) > 0 ? static_cast<std::uint64_t>(std::llround(std::min(ns, left))) : 0;
    if (queue_.lanes.virtual_time() && whole != 0 && queue_.control.in_own_process()) {
        queue_.control.attend_if_asked();
        queue_.recorder.spend(whole, name.empty() ? std::uint16_t{0} : queue_.recorder.recording().string_id(name));
    }
}

}  // namespace headway::runtime
