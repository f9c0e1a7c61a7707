#include "app/session/execution.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "app/model/description/sentence.h"
#include "app/model/numbers/numbers_walk.h"
#include "app/model/run/queries.h"
#include "engine/core/clock.h"
#include "engine/core/system/signal_words.h"

namespace headway::session {
namespace {

// Time limits for walks over a run's ops: per poll while it is running, and at its end.
constexpr double kWalk_ms = 1, kLongRunWalk_ms = 8, kLastWalk_ms = 12;

Phase phase_of(model::Verdict verdict) {
    switch (verdict) {
        case model::Verdict::complete:
        case model::Verdict::overflowed:
            return Phase::finished;
        case model::Verdict::stopped:
            return Phase::stopped;
        case model::Verdict::failed:
        case model::Verdict::damaged:
            return Phase::failed;
        case model::Verdict::crashed:
        case model::Verdict::unknown:
            return Phase::killed;
    }
    return Phase::failed;
}

}  // namespace

void Execution::take_output(std::string_view bytes, bool error) {
    if (bytes.empty()) {
        return;
    }
    ++revision_;
    output_.add(bytes, error);
}

void Execution::take_recorded_output() {
    const model::ProgramOutput& recorded = run_->program_output();
    for (const auto& written : recorded.written()) {
        take_output(recorded.text(written), written.error);
    }
}

// The numbers are computed from the same state of the run as the picture, so that all that is shown is consistent.
// Means and sums, which need a walk, are older if the run has too many ops for that.
void Execution::renew_numbers(double budget_ms, bool changed) {
    if (!walk_ || walk_->stale() || run_->measure_begin_ns() != measured_from_ns_) {
        begin_walk(std::make_unique<model::NumbersWalk>(*run_));
    } else if (changed) {
        walk_is_of_now_ = false;
    }
    if (!walk_->step(budget_ms)) {
        numbers_ = walk_->numbers();
        line_costs_ = walk_->lines();
        walk_.reset();
        run_->postpone_folding(false);
        sums_of_total_ns_ = walk_is_of_now_ ? std::nullopt : std::optional(numbers_.total_ns);
    } else {
        // The walk is older even if the total is the same: ops may have ended since.
        sums_of_total_ns_ = sums_of_total_ns_.value_or(numbers_.total_ns);
    }
    if (sums_of_total_ns_) {
        renew_totals(*run_, numbers_);
    }
}

void Execution::begin_walk(std::unique_ptr<model::NumbersWalk> walk) {
    walk_ = std::move(walk);
    walk_is_of_now_ = true;
    if (const std::int64_t begin_ns = run_->measure_begin_ns(); begin_ns != measured_from_ns_) {
        measured_from_ns_ = begin_ns;
        numbers_ = {};  // what was summed up was warm-up
        line_costs_.clear();
        sums_of_total_ns_.reset();
    }
    run_->postpone_folding(true);
}

bool Execution::whole() const {
    return run_ && (phase_ == Phase::finished || phase_ == Phase::recorded) && !intervened_ && !run_->error() &&
           paused_ns_of(*run_) == 0 && !run_->cut_off();
}

bool Execution::comparable() const {
    return whole() && run_->op_count() > 0;
}

bool Execution::take_records(double budget_ms) {
    const auto seen = run_->now_ns();
    const auto ops = run_->op_count();
    const auto ended = run_->ended_count();  // some devices report ends of ops while nothing else happens
    const auto rescaled = run_->rescaled();
    const bool more = run_->update(budget_ms);
    const bool changed = run_->now_ns() != seen || run_->op_count() != ops || run_->ended_count() != ended ||
                         run_->rescaled() != rescaled || more;
    if (changed || sums_of_total_ns_) {
        const double walk_ms = run_->folded_parts().empty() ? kWalk_ms : kLongRunWalk_ms;
        renew_numbers(std::min(budget_ms, walk_ms), changed);
        ++revision_;
    }
    return more;
}

void Execution::close(std::unique_ptr<model::NumbersWalk> walk) {
    run_->close();
    begin_walk(walk ? std::move(walk) : std::make_unique<model::NumbersWalk>(*run_));
    renew_numbers(kLastWalk_ms, false);
}

void Execution::catch_up(double budget_ms) {
    if (unread_) {
        unread_ = run_->update(budget_ms);
        if (!unread_) {
            close();
            judge_end();
        } else {
            sums_of_total_ns_ = sums_of_total_ns_.value_or(numbers_.total_ns);
            renew_totals(*run_, numbers_);
        }
    } else {
        renew_numbers(budget_ms, false);
    }
    ++revision_;
}

std::string Execution::reading_text() const {
    return unread_ ? run_->reading_text() : "adding up its times";
}

// Why a run did not begin.
std::string Execution::failure() const {
    // The last line of its error output.
    const auto words = std::find_if(output().rbegin(), output().rend(),
                                    [](const OutputLine& line) { return line.error && !line.text.empty(); });
    if (words != output().rend()) {
        return words->text.starts_with("headway: ") ? words->text.substr(9) : words->text;
    }
    return "The runner ended with status " + std::to_string(end_->status) + ".";
}

void Execution::cannot_start(const std::string& why) {
    phase_ = Phase::failed;
    ending_ = model::sentence_of(why);
}

void Execution::finish(const model::ProcessEnd& end, bool unread) {
    end_ = end;
    unread_ = unread && run_;
    if (run_) {
        run_->process_ended(end);
        if (!unread) {
            close();
        }
    }
    judge_end();
}

std::string Execution::early_failure() const {
    const bool failed = live() && run_ && run_->state() == trace::RunState::running && run_->error() &&
                        !run_->error()->stopped() && run_->ended_count() < run_->op_count();
    return failed ? model::run_end(*run_, std::nullopt).sentence : "";
}

void Execution::judge_end() {
    if (!end_) {
        return;
    }
    if (!run_) {
        phase_ = end_->stop_asked    ? Phase::stopped
                 : end_->signal != 0 ? Phase::killed
                 : end_->status == 0 ? Phase::finished
                                     : Phase::failed;
        ending_ = end_->stop_asked    ? "Stopped before the program began"
                  : end_->signal != 0 ? "The runner was ended by " + core::signal_words(end_->signal)
                  : end_->status != 0 ? failure()
                                      : "";
    } else {
        const model::RunEnd end = run_->end();
        phase_ = phase_of(end.verdict);
        // What became of the process after the program's end is said, too.
        ending_ = end.complete() && end_->ended_well() ? "" : end.text();
    }
    ending_ = model::sentence_of(std::move(ending_));
    if (ending_.find("the GPU is lost to this process") != std::string::npos) {
        ending_ += " The next run has a new runner, which gets the device back.";
    }
    ++revision_;
}

}  // namespace headway::session
