#include "app/model/analysis/memory/alive.h"

#include <algorithm>

#include "app/model/run/devices.h"
#include "app/model/run/queries.h"
#include "engine/core/time_budget.h"

namespace headway::model {

AliveWalk::AliveWalk(const Run& run, std::int64_t ns, int device)
    : run_(run),
      ns_(ns),
      device_(device),
      policy_(free_policy_from(run.info().free_policy)),
      known_(!run.info().live_sampled && run.folded_parts().empty()) {
    if (!known_) {
        phase_ = Phase::done;
        return;
    }
    last_ = last_issued_at(run, ns);
}

double AliveWalk::share_done() const {
    return phase_ == Phase::done ? 1 : last_ == 0 ? 0 : static_cast<double>(next_ - 1) / static_cast<double>(last_);
}

bool AliveWalk::step(double budget_ms) {
    const core::TimeBudget budget(budget_ms);
    constexpr OpId kAtOnce = 4096;
    // If the run was read again with a corrected clock (Run::rescaled()), it may have fewer ops than before.
    last_ = std::min(last_, static_cast<OpId>(run_.op_count()));
    while (phase_ == Phase::ops) {
        for (const OpId stop = std::min(last_ + 1, next_ + kAtOnce); next_ < stop; ++next_) {
            take_op(next_);
        }
        if (next_ > last_) {
            phase_ = Phase::drops;
        } else if (budget.spent()) {
            return true;
        }
    }
    while (phase_ == Phase::drops) {
        bool past = false;
        const std::uint64_t next = run_.drops_from(drop_, kAtOnce, [&](BufferId buffer, std::int64_t ns) {
            past = past || ns > ns_;
            if (ns <= ns_ && buffer < tensors_.size()) {
                tensors_[buffer].dropped = true;
            }
        });
        if (next == drop_ || past) {
            hold_unfinished();
            phase_ = Phase::count;
        }
        drop_ = next;
        if (budget.spent()) {
            return true;
        }
    }
    while (phase_ == Phase::count) {
        if (!count(kAtOnce)) {
            finish();
            phase_ = Phase::done;
        } else if (budget.spent()) {
            return true;
        }
    }
    return false;
}

void AliveWalk::take_op(OpId id) {
    const Op& op = run_.op(id);
    if ((policy_ == FreePolicy::lazy && op.begin_ns > ns_) || !took_memory(op, policy_)) {
        return;
    }
    const auto made = [&](BufferId buffer, std::uint16_t signature) {
        // Ids are assigned consecutively; only damaged recordings contain larger ones.
        if (buffer == 0 || buffer > 4 * run_.op_count() + (1u << 16)) {
            return;
        }
        while (buffer >= tensors_.size()) {
            tensors_.push_back({});
        }
        if (tensors_[buffer].maker == 0) {
            tensors_[buffer] = {id, signature, tensors_[buffer].dropped};
        }
    };
    if (op.fresh_output) {
        made(op.out, op.signature);
    }
    if (op.more_outputs) {
        for (const MoreOutput& output : run_.more_outputs(id)) {
            if (output.fresh) {
                made(output.buffer, output.signature);
            }
        }
    }
}

// Marks the buffers of all ops unfinished at that time as held: the last ops of each lane, and those that never
// ran.
void AliveWalk::hold_unfinished() {
    const auto hold = [&](OpId id) { each_touched(run_, id, [&](BufferId buffer) { held_.insert(buffer); }); };
    std::size_t ran = 0;
    for (const Lane& lane : run_.lanes()) {
        const auto issued = std::upper_bound(lane.ops.begin(), lane.ops.end(), last_);
        ran += static_cast<std::size_t>(issued - lane.ops.begin());
        for (auto it = issued; it != lane.ops.begin() && run_.op(*(it - 1)).end_ns > ns_; --it) {
            hold(*(it - 1));
        }
    }
    for (OpId id = last_; id > 0 && ran < last_; --id) {
        if (run_.op(id).end_ns == kPending) {
            hold(id);
            ++ran;
        }
    }
}

bool AliveWalk::count(std::size_t most) {
    const std::size_t end = std::min(tensors_.size(), counted_ + most);
    for (; counted_ < end; ++counted_) {
        const Tensor& tensor = tensors_[counted_];
        if (tensor.maker == 0) {
            continue;
        }
        const bool held = policy_ != FreePolicy::stream && held_.contains(counted_);
        if (tensor.dropped && !held) {
            continue;
        }
        if (tensor.maker > run_.op_count()) {
            continue;  // the run was read again
        }
        const Op& maker = run_.op(tensor.maker);
        if (device_ >= 0 && memory_device(run_, maker) != static_cast<std::size_t>(device_)) {
            continue;
        }
        AliveGroup*& group = known_groups_[{maker.line, maker.signature}];
        if (group == nullptr) {
            const std::string& name = run_.signature(maker.signature).name;
            group = &by_line_[{maker.line, name}];
            group->line = maker.line;
            group->name = name;
        }
        const std::uint64_t bytes = run_.signature(tensor.signature).out_bytes;
        ++group->count;
        group->bytes += bytes;
        if (tensor.dropped) {
            ++group->pending_count;
            group->pending_bytes += bytes;
        }
        if (group->makers.size() < AliveGroup::kMostMakers) {
            group->makers.push_back(tensor.maker);
        }
    }
    return counted_ < tensors_.size();
}

void AliveWalk::finish() {
    known_groups_.clear();
    for (auto& [key, group] : by_line_) {
        std::sort(group.makers.begin(), group.makers.end());
        groups_.push_back(std::move(group));
    }
    by_line_.clear();
    std::stable_sort(groups_.begin(), groups_.end(),
                     [](const AliveGroup& a, const AliveGroup& b) { return a.bytes > b.bytes; });
    tensors_.clear();
    held_ = {};
}

AliveGroup AliveWalk::all() const {
    AliveGroup all;
    for (const AliveGroup& group : groups_) {
        all.count += group.count;
        all.bytes += group.bytes;
        all.pending_count += group.pending_count;
        all.pending_bytes += group.pending_bytes;
    }
    return all;
}

}  // namespace headway::model
