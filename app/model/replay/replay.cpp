// The frontend's side of a replay, and a backend whose ops stay in their recorded lanes.
#include "app/model/replay/replay.h"

#include <algorithm>
#include <array>
#include <utility>

#include "app/model/replay/replay_backend.h"
#include "app/model/run/devices.h"
#include "app/model/run/queries.h"
#include "engine/core/time_budget.h"

namespace headway::model {

namespace {

// When all ops that a wait was for had ended in the recording; kPending if unknown.
std::int64_t recorded_finish(const Run& run, const Wait& wait) {
    if (wait.target != 0) {
        return wait.target_op != 0 && wait.target_op <= run.op_count() ? run.op(wait.target_op).end_ns : kPending;
    }
    return wait.waits_through != 0 ? finished_ns(run, wait.waits_through, wait.device) : kPending;
}

std::size_t return_class(std::int64_t waited_ns) {
    return waited_ns <= 0 ? 0 : waited_ns < TypicalOverheads::kAsleepNs ? 1 : 2;
}

std::int64_t median_of(std::vector<std::uint32_t>& values) {
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>((values.size() - 1) / 2);
    std::nth_element(values.begin(), middle, values.end());
    return *middle;
}

std::uint32_t sample(std::int64_t ns) {
    return static_cast<std::uint32_t>(std::clamp<std::int64_t>(ns, 0, UINT32_MAX));
}

// Samples of the measured part only: the first hand-overs and returns of a run take much longer.
struct Samples {
    std::vector<std::uint32_t> measured;

    void add(std::int64_t ns, bool is_measured) {
        if (is_measured) {
            measured.push_back(sample(ns));
        }
    }
    [[nodiscard]] std::int64_t median() { return measured.empty() ? TypicalOverheads::kUnknown : median_of(measured); }
};

std::int64_t typical_or(std::int64_t typical_ns, std::int64_t own_ns) {
    return typical_ns == TypicalOverheads::kUnknown ? own_ns : typical_ns;
}

class RecordedBackend final : public Replay::Backend {
public:
    RecordedBackend(const Run& run, const Replay::Options& options)
        : run_(run),
          part_(run.measured()),
          handovers_(options.handovers),
          measure_(options.measure_handovers),
          lane_before_(run.lanes().size(), 0) {
        latest_ns_.fill(INT64_MIN);
        least_handover_ns_.fill(INT64_MAX);
        ends_.reserve(run.op_count());
        for (const Wait& wait : run.waits()) {
            if (wait.target == 0 && wait.waits_through < wait.issued) {
                checkpoints_.push_back({wait.waits_through, 0});
            }
        }
        std::sort(checkpoints_.begin(), checkpoints_.end());
    }

    void issue(OpId id, std::int64_t, std::int64_t issue_end_ns) override {
        const Op& op = run_.op(id);
        const std::int64_t shift_ns = issue_end_ns - op.issue_end_ns;
        std::int64_t end_ns = kPending;
        if (op.begin_ns != kPending) {
            end_ns = begin_of(op, id, shift_ns) + (op.end_ns - op.begin_ns);
        }
        ends_.push_back(end_ns);
        std::int64_t& latest_ns =
            latest_ns_[std::min<std::size_t>(device_of_lane(run_, op.lane), core::kMaxDevices - 1)];
        latest_ns = end_ns == kPending || latest_ns == kPending ? kPending : std::max(latest_ns, end_ns);
        while (checkpoint_ < checkpoints_.size() && checkpoints_[checkpoint_].first == id) {
            checkpoints_[checkpoint_++].second = latest();
        }
    }

    std::int64_t finish(const Wait& wait, std::int64_t now_ns) override {
        const std::int64_t done_ns = latest_for(wait);
        return done_ns == INT64_MIN ? now_ns : done_ns;  // nothing to wait for
    }

    void end() override {
        for (std::size_t device = 0; measure_ != nullptr && device < core::kMaxDevices; ++device) {
            for (std::size_t i = 0; i < TypicalOverheads::kClasses; ++i) {
                measure_->handover_ns[device][i] = samples_[device][i].median();
            }
        }
        if (measure_ != nullptr) {
            measure_->from_frontend_awake = samples_[0][1].measured.size();
            measure_->from_frontend_asleep = samples_[0][2].measured.size();
        }
    }

    [[nodiscard]] WhatIfRun::Times times(OpId id) const override {
        const Op& op = run_.op(id);
        const std::int64_t end_ns = ends_[id - 1];
        return end_ns == kPending ? WhatIfRun::Times() : WhatIfRun::Times{end_ns - (op.end_ns - op.begin_ns), end_ns};
    }

private:
    // What determined an op's start: the latest of its issue, the previous op in its lane, and its dependencies.
    struct Gate {
        std::int64_t ns = 0, lane_ns = INT64_MIN;
        enum class Kind : std::uint8_t { issue, lane, dependency } kind = Kind::issue;

        void follow(Kind by, std::int64_t end_ns) {
            if (end_ns >= ns) {
                ns = end_ns;
                kind = by;
            }
        }
        [[nodiscard]] std::size_t overhead_class() const {
            if (kind == Kind::lane) {
                return 0;
            }
            const bool asleep = lane_ns == INT64_MIN || ns - lane_ns >= TypicalOverheads::kAsleepNs;
            return (kind == Kind::issue ? 1u : 3u) + (asleep ? 1u : 0u);
        }
    };

    // The op's start in the replay. Computes what determined it in the recording (`then`) and in the replay
    // (`now`). Predecessors that seem to end after the op's start (device times are uncertain) count as ending at
    // its start.
    std::int64_t begin_of(const Op& op, OpId id, std::int64_t shift_ns) {
        Gate then, now;
        then.ns = std::min(op.issue_end_ns, op.begin_ns);
        now.ns = then.ns + shift_ns;
        const auto follow = [&](OpId other, Gate::Kind kind) {
            if (other == 0 || other >= id || run_.op(other).end_ns == kPending) {
                return;
            }
            const std::int64_t then_ns = std::min(run_.op(other).end_ns, op.begin_ns);
            const std::int64_t now_ns = ends_[other - 1] - (run_.op(other).end_ns - then_ns);
            then.follow(kind, then_ns);
            now.follow(kind, now_ns);
            if (kind == Gate::Kind::lane) {
                then.lane_ns = then_ns;
                now.lane_ns = now_ns;
            }
        };
        run_.dependencies(id, scratch_);
        for (const OpId other : scratch_) {
            if (other != lane_before_[op.lane]) {
                follow(other, run_.op(other).lane == op.lane ? Gate::Kind::lane : Gate::Kind::dependency);
            }
        }
        follow(lane_before_[op.lane], Gate::Kind::lane);
        lane_before_[op.lane] = id;
        const std::size_t device = std::min<std::size_t>(device_of_lane(run_, op.lane), core::kMaxDevices - 1);
        const std::int64_t own_handover_ns = op.begin_ns - then.ns - run_.holds().held_ns(then.ns, op.begin_ns);
        const std::size_t overhead_class = then.overhead_class();
        if (measure_ != nullptr) {
            samples_[device][overhead_class].add(own_handover_ns, id >= part_.first && id <= part_.last);
        }
        if (handovers_ != nullptr) {
            return now.ns + typical_or(handovers_->handover_ns[device][overhead_class], own_handover_ns);
        }
        std::int64_t& least_ns = least_handover_ns_[device];
        least_ns = std::min(least_ns, std::max<std::int64_t>(own_handover_ns, 0));
        // The lane was idle in the run and is busy in the replay: nothing has to wake it.
        const bool queued = now.kind == Gate::Kind::lane && then.kind != Gate::Kind::lane;
        return now.ns + (queued ? std::min(own_handover_ns, least_ns) : own_handover_ns);
    }

    [[nodiscard]] std::int64_t latest_for(const Wait& wait) const {
        if (wait.target != 0) {
            return wait.target_op != 0 && wait.target_op <= ends_.size() ? ends_[wait.target_op - 1] : kPending;
        }
        if (wait.waits_through == 0 || wait.waits_through > ends_.size()) {
            return kPending;
        }
        if (wait.waits_through < wait.issued) {
            const auto found =
                std::lower_bound(checkpoints_.begin(), checkpoints_.end(), std::pair{wait.waits_through, INT64_MIN});
            return found->second;
        }
        return wait.device >= 0 ? latest_ns_[static_cast<std::size_t>(wait.device) % core::kMaxDevices] : latest();
    }

    [[nodiscard]] std::int64_t latest() const { return *std::max_element(latest_ns_.begin(), latest_ns_.end()); }

    const Run& run_;
    const Run::Measured part_;
    const TypicalOverheads* handovers_;
    TypicalOverheads* measure_;
    std::vector<OpId> lane_before_;                                                // the previous op, by lane
    std::vector<std::int64_t> ends_;                                               // of ops, in the replay
    std::array<std::int64_t, core::kMaxDevices> latest_ns_;                        // latest end so far, by device
    std::vector<std::pair<OpId, std::int64_t>> checkpoints_;  // for waits that exclude later ops: (through, latest end)
    std::size_t checkpoint_ = 0;
    Samples samples_[core::kMaxDevices][TypicalOverheads::kClasses];
    std::array<std::int64_t, core::kMaxDevices> least_handover_ns_;  // so far, as recorded
    std::vector<OpId> scratch_;
};

}  // namespace

std::unique_ptr<Replay::Backend> make_recorded_backend(const Run& run, const Replay::Options& options) {
    return std::make_unique<RecordedBackend>(run, options);
}

bool Replay::can(const Run& run) {
    if (!run.folded_parts().empty()) {
        return false;  // the dependencies of the folded ops are not known any more
    }
    long double waited_ns = 0;
    for (const Wait& wait : run.waits()) {
        waited_ns += static_cast<long double>(wait.end_ns - wait.begin_ns);
    }
    return waited_ns <= 0x1p58L && run.end_ns() < std::int64_t{1} << 58;
}

Replay::Replay(const Run& run, Options options)
    : run_(run),
      options_(std::move(options)),
      part_(run.measured()),
      op_count_(static_cast<OpId>(run.op_count())),
      wait_count_(run.waits().size()),
      last_work_ns_(run.works().empty() ? INT64_MIN : run.works().back().end_ns),
      program_end_ns_(run.program_end_ns()) {
    backend_ = make_simulated_backend(run);
    if (backend_ == nullptr) {
        backend_ = make_recorded_backend(run, options_);
    }
    if (options_.find_chain) {
        chain_ns_.reserve(run.op_count());
    }
    if (backend_->needs_drops()) {
        run.each_drop([this](BufferId buffer, std::int64_t ns, OpId issued) {
            drops_.push_back({buffer, ns, issued});
        });
    }
}

Replay::~Replay() = default;

bool Replay::step(double budget_ms) {
    const core::TimeBudget budget(budget_ms);
    constexpr std::size_t kAtOnce = 1024;
    const auto& waits = run_.waits();
    while (!done_) {
        for (std::size_t i = 0; i < kAtOnce && !done_; ++i) {
            take_measure_event(next_op_ - 1, next_wait_);
            if (next_wait_ < wait_count_ && (waits[next_wait_].issued < next_op_ || next_op_ > op_count_)) {
                take_wait(next_wait_++);
            } else if (next_op_ <= op_count_) {
                take_op(next_op_++);
            } else {
                finish();
            }
        }
        if (budget.spent()) {
            break;
        }
    }
    return !done_;
}

// Begins or ends the measured part where the run does.
void Replay::take_measure_event(OpId issued, std::size_t wait) {
    if (!begun_ && (!part_.has_begin || (issued + 1 >= part_.first && wait >= part_.first_wait))) {
        begun_ = true;
        begin_ns_ = part_.begin_ns + shift_ns_;
    }
    if (begun_ && !ended_ && part_.has_end && issued >= part_.last && wait >= part_.waits_end) {
        ended_ = true;
        end_ns_ = part_.end_ns + shift_ns_;
    }
}

// Processes the drops after at most `issued` issues and up to the recorded time `until_ns`.
void Replay::take_drops(OpId issued, std::int64_t until_ns) {
    for (; next_drop_ < drops_.size(); ++next_drop_) {
        const Drop& drop = drops_[next_drop_];
        if (drop.issued > issued || drop.ns > until_ns) {
            return;
        }
        backend_->drop(drop.buffer, drop.ns + shift_ns_);
    }
}

void Replay::take_op(OpId id) {
    const Op& op = run_.op(id);
    take_drops(id - 1, op.issue_begin_ns);
    if (backend_->works_out_limit()) {
        shift_ns_ = backend_->room_for(id, op.issue_begin_ns + shift_ns_) - op.issue_begin_ns;
    }
    backend_->issue(id, op.issue_begin_ns + shift_ns_, op.issue_end_ns + shift_ns_);
    frontend_at(op.issue_end_ns);
    if (options_.find_chain) {
        std::int64_t ready_ns = 0;
        if (id >= part_.first && id <= part_.last && op.end_ns != kPending) {
            run_.dependencies(id, scratch_);
            for (const OpId other : scratch_) {
                ready_ns = std::max(ready_ns, other < id ? chain_ns_[other - 1] : 0);
            }
            ready_ns += op.end_ns - op.begin_ns;
        }
        chain_ns_.push_back(ready_ns);
        longest_chain_ns_ = std::max(longest_chain_ns_, ready_ns);
    }
}

void Replay::take_wait(std::size_t index) {
    const Wait& wait = run_.waits()[index];
    const std::int64_t took_ns = wait.end_ns - wait.begin_ns;
    take_drops(wait.issued, wait.begin_ns);
    const bool limit = wait.kind == trace::WaitKind::queue_limit && backend_->works_out_limit();
    if (limit || (options_.is_left_out && options_.is_left_out(index))) {
        shift_ns_ -= took_ns;
        frontend_at(wait.end_ns);
        return;
    }
    if (wait.kind == trace::WaitKind::paused) {
        if (begun_ && !ended_) {
            paused_ns_ += took_ns;
        }
        frontend_at(wait.end_ns);
        return;
    }
    const std::int64_t now_ns = wait.begin_ns + shift_ns_;
    const std::int64_t then_done_ns = std::max(recorded_finish(run_, wait), backend_->recorded_frees_ns(wait));
    const std::int64_t now_done_ns = backend_->finish(wait, now_ns);
    if (then_done_ns == kPending || then_done_ns > wait.end_ns || now_done_ns == kPending) {
        shift_ns_ -= wait.held_ns;
        frontend_at(wait.end_ns);  // the wait was for something else: keep its recorded duration
        return;
    }
    const std::int64_t own_return_ns = wait.end_ns - std::max(wait.begin_ns, then_done_ns);
    const std::int64_t return_ns =
        options_.returns != nullptr
            ? typical_or(options_.returns->return_ns[return_class(then_done_ns - wait.begin_ns - wait.held_ns)],
                         own_return_ns)
            : own_return_ns;
    shift_ns_ = std::max(now_ns, now_done_ns) + return_ns - wait.end_ns;
    frontend_at(wait.end_ns);
}

// The frontend has reached this time of the recording.
void Replay::frontend_at(std::int64_t then_ns) {
    then_frontend_end_ns_ = std::max(then_frontend_end_ns_, then_ns);
    frontend_end_ns_ = std::max(frontend_end_ns_, then_ns + shift_ns_);
}

// The end is where measuring ended, or the later of the program's end and the last op's end. A cut-off run's
// recording may extend slightly beyond both.
void Replay::finish() {
    done_ = true;
    if (last_work_ns_ > then_frontend_end_ns_) {
        frontend_at(last_work_ns_);
    }
    backend_->end();
    std::int64_t last_ns = INT64_MIN, then_last_ns = INT64_MIN, part_ns = INT64_MIN, then_part_ns = INT64_MIN;
    for (OpId id = 1; id <= op_count_; ++id) {
        const WhatIfRun::Times times = backend_->times(id);
        if (times.end_ns == kPending || run_.op(id).end_ns == kPending) {
            continue;
        }
        last_ns = std::max(last_ns, times.end_ns);
        then_last_ns = std::max(then_last_ns, run_.op(id).end_ns);
        if (id >= part_.first && id <= part_.last) {
            part_ns = std::max(part_ns, times.end_ns);
            then_part_ns = std::max(then_part_ns, run_.op(id).end_ns);
        }
    }
    std::int64_t end_ns = end_ns_;
    if (!part_.has_end && program_end_ns_) {
        end_ns = std::max(last_ns, *program_end_ns_ + shift_ns_);
    } else if (!part_.has_end) {
        end_ns = std::max(last_ns, frontend_end_ns_) + part_.end_ns - std::max(then_last_ns, then_frontend_end_ns_);
    } else if (then_part_ns <= part_.end_ns) {
        end_ns = std::max(end_ns, part_ns);  // the measured part waited for its own ops: its end includes them
    }
    total_ns_ = std::max<std::int64_t>(end_ns - begin_ns_ - paused_ns_, 0);
}

std::vector<WhatIfRun::Times> Replay::op_times() const {
    std::vector<WhatIfRun::Times> times;
    times.reserve(op_count_);
    for (OpId id = 1; id <= op_count_; ++id) {
        times.push_back(backend_->times(id));
    }
    return times;
}

TypicalOverheads typical_returns(const Run& run) {
    Samples samples[3];
    const Run::Measured part = run.measured();
    for (std::size_t i = 0; i < run.waits().size(); ++i) {
        const Wait& wait = run.waits()[i];
        const std::int64_t done_ns = recorded_finish(run, wait);
        if (wait.kind != trace::WaitKind::paused && done_ns != kPending && done_ns <= wait.end_ns) {
            samples[return_class(done_ns - wait.begin_ns - wait.held_ns)].add(
                wait.end_ns - std::max(wait.begin_ns, done_ns), i >= part.first_wait && i < part.waits_end);
        }
    }
    TypicalOverheads typical;
    for (std::size_t i = 0; i < std::size(samples); ++i) {
        typical.return_ns[i] = samples[i].median();
    }
    return typical;
}

}  // namespace headway::model
