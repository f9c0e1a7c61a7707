// How the learner controls a run in progress or starting. Requests made before the runner has begun to record are
// stored, and applied then.
#include <iterator>
#include <utility>

#include "app/session/session.h"
#include "engine/core/system/machine_memory.h"

namespace headway::session {

trace::Control* Session::control() {
    return live() && b_->run_ ? &b_->run_->reader().control() : nullptr;
}

void Session::signal_attention() {
    if (auto* c = control()) {
        c->attention.store(1);
    }
}

bool Session::paused() const {
    return live() && (b_->phase_ == Phase::paused || pending_settings_.paused);
}

void Session::toggle_pause() {
    if (!live()) {
        return;
    }
    auto* c = control();
    if (c == nullptr) {
        b_->intervened_ = true;
        pending_settings_.paused = !pending_settings_.paused;
        return;
    }
    b_->intervened_ = true;
    const bool pause = c->pause.load() == 0;  // a breakpoint may have set it since the last poll
    c->pause.store(pause ? 1 : 0);
    signal_attention();
    b_->phase_ = pause ? Phase::paused : Phase::running;
    ++b_->revision_;
}

void Session::set_barrier(trace::BarrierPolicy policy) {
    settings.barrier = policy;
    pending_settings_.barrier = policy;
    apply_pending_settings();
}

void Session::set_budget(std::uint64_t bytes) {
    settings.budget_bytes = bytes;
    pending_settings_.budget_bytes = bytes;
    apply_pending_settings();
}

void Session::set_queue_limit(std::uint32_t ops) {
    settings.queue_limit = ops;
    pending_settings_.queue_limit = ops;
    apply_pending_settings();
}

// Applies the requests to the current run, or stores them for a starting one; without a run they only affect the
// settings of the next one.
void Session::apply_pending_settings() {
    if (auto* c = control()) {
        store_pending_settings(*c);
        signal_attention();
    } else if (!live()) {
        pending_settings_ = {};
    }
}

void Session::store_pending_settings(trace::Control& to) {
    const PendingSettings settings = std::exchange(pending_settings_, {});
    if (settings.barrier) {
        to.barrier.store(trace::pack_barrier(*settings.barrier));
    }
    if (settings.budget_bytes) {
        // If the default is chosen while the run is in progress, send its number of bytes.
        const std::uint64_t bytes = *settings.budget_bytes == 0 && b_ != nullptr && b_->settings.device != "cuda"
                                        ? core::default_budget()
                                        : *settings.budget_bytes;
        to.budget_bytes.store(bytes == core::kNoBudget ? 0 : bytes);
    }
    if (settings.queue_limit) {
        to.queue_limit.store(*settings.queue_limit);
    }
    if (settings.paused) {
        to.pause.store(1);
    }
}

// Transfers breakpoints, holds and delays to the runner, which checks them from the program's first line on.
void Session::apply_stepping() {
    auto* c = control();
    if (c == nullptr) {
        return;
    }
    for (std::size_t word = 0; word < std::size(c->breakpoints); ++word) {
        std::uint64_t bits = 0;
        for (const auto line : breakpoints_) {
            bits |= line / 64 == word ? std::uint64_t{1} << (line % 64) : 0;
        }
        c->breakpoints[word].store(bits);
    }
    c->breakpoint_count.store(static_cast<std::uint32_t>(breakpoints_.size()));
    c->hold_backend.store(backend_held_ ? 1 : 0);
    c->line_delay_ns.store(line_delay_ns_);
    c->op_delay_ns.store(line_delay_ns_);
    switch (std::exchange(first_, First::go)) {
        case First::go:
            break;
        case First::line:
            c->line_mode.store(static_cast<std::uint32_t>(trace::LineMode::step));
            break;
        case First::until:
            c->until_line.store(first_line_);
            c->line_mode.store(static_cast<std::uint32_t>(trace::LineMode::until));
            break;
        case First::op:
            c->step_ops.store(1);
            c->pause.store(1);
            break;
    }
    signal_attention();
}

void Session::resume() {
    if (auto* c = control()) {
        c->pause.store(0);
        signal_attention();
        b_->phase_ = Phase::running;
        ++b_->revision_;
    }
}

void Session::step_line(trace::LineMode mode) {
    if (!live()) {
        static_cast<void>(start_with(First::line));  // b() contains the reason of a failure
    } else if (auto* c = control()) {
        b_->intervened_ = true;
        c->line_mode.store(static_cast<std::uint32_t>(mode));
        resume();
    } else {  // once it has a recording
        first_ = First::line;
    }
}

void Session::run_to_line(std::uint32_t line) {
    if (!live()) {
        static_cast<void>(start_with(First::until, line));
    } else if (auto* c = control()) {
        c->until_line.store(line);
        step_line(trace::LineMode::until);
    } else {  // once it has a recording
        first_ = First::until;
        first_line_ = line;
    }
}

void Session::step_op() {
    if (!live()) {
        static_cast<void>(start_with(First::op));
    } else if (auto* c = control()) {
        b_->intervened_ = true;
        c->step_ops.fetch_add(1);
        c->pause.store(1);
        signal_attention();
        b_->phase_ = Phase::paused;
        ++b_->revision_;
    } else {  // once it has a recording
        first_ = First::op;
    }
}

void Session::set_breakpoint(std::uint32_t line, bool on) {
    if (line == 0 || line > kMostLine) {
        return;
    }
    if (on) {
        breakpoints_.insert(line);
    } else {
        breakpoints_.erase(line);
    }
    apply_stepping();
}

void Session::set_breakpoints(std::set<std::uint32_t> lines) {
    std::erase_if(lines, [](std::uint32_t line) { return line == 0 || line > kMostLine; });
    if (lines != breakpoints_) {
        breakpoints_ = std::move(lines);
        apply_stepping();
    }
}

void Session::note_intervention(bool on) {
    if (on && live()) {
        b_->intervened_ = true;
    }
}

void Session::hold_backend(bool held) {
    backend_held_ = held;
    note_intervention(held);
    apply_stepping();
}

void Session::step_backend() {
    if (auto* c = control()) {
        c->backend_steps.fetch_add(1);
    }
}

void Session::set_line_delay(std::uint64_t ns) {
    line_delay_ns_ = ns;
    note_intervention(ns != 0);
    apply_stepping();
}

core::Line Session::current_line() const {
    return live() && b_->run_ ? b_->run_->reader().control().current_line.load() : 0;
}

trace::StopPosition Session::stop_position() const {
    return live() && b_->run_ ? static_cast<trace::StopPosition>(b_->run_->reader().control().stop_position.load())
                              : trace::StopPosition::no;
}

}  // namespace headway::session
