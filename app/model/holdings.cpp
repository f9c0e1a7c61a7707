#include "app/model/holdings.h"

#include <algorithm>

#include "app/model/budget.h"
#include "app/model/touched.h"

namespace headway::model {

HoldingsWalk::HoldingsWalk(const Run& run, OpId op)
    : run_(run), op_(op), policy_(free_policy_from(run.info().free_policy)), known_(!run.info().live_sampled) {
    if (!known_ || op == 0 || op > run.op_count()) {
        phase_ = Phase::done;
        return;
    }
    const Op& own = run.op(op);
    const auto add = [&](BufferId buffer, Holding::Role role) {
        if (buffer != 0 && find(buffer) == nullptr) {
            Holding holding;
            holding.buffer = buffer;
            holding.role = role;
            holdings_.push_back(holding);
        }
    };
    if (own.fresh_output) {
        add(own.out, Holding::Role::made);
    }
    if (own.more_outputs) {
        for (const MoreOutput& output : run.more_outputs(op)) {
            add(output.buffer, output.fresh ? Holding::Role::made : Holding::Role::changed);
        }
    }
    add(own.out, Holding::Role::changed);
    each_touched(run, op, [&](BufferId buffer) { add(buffer, Holding::Role::read); });
    std::stable_sort(holdings_.begin(), holdings_.end(),
                     [](const Holding& a, const Holding& b) { return a.role < b.role; });
    last_end_ns_.assign(holdings_.size(), INT64_MIN);
    others_end_ns_ = last_end_ns_;
    others_open_.assign(holdings_.size(), false);
    if (holdings_.empty()) {
        phase_ = Phase::done;
    }
}

Holding* HoldingsWalk::find(BufferId buffer) {
    const auto found = std::find_if(holdings_.begin(), holdings_.end(),
                                    [buffer](const Holding& holding) { return holding.buffer == buffer; });
    return found == holdings_.end() ? nullptr : &*found;
}

bool HoldingsWalk::step(double budget_ms) {
    const Budget budget(budget_ms);
    constexpr OpId kAtOnce = 4096;
    while (phase_ == Phase::ops) {
        const OpId end = static_cast<OpId>(run_.op_count()) + 1;
        for (const OpId stop = std::min(end, next_ + kAtOnce); next_ < stop; ++next_) {
            take_op(next_);
        }
        if (next_ >= end) {
            phase_ = Phase::drops;
        } else if (budget.spent()) {
            return true;
        }
    }
    while (phase_ == Phase::drops) {
        const std::uint64_t next = run_.drops_from(drop_, kAtOnce, [&](BufferId buffer, std::int64_t ns) {
            if (Holding* holding = find(buffer); holding != nullptr && holding->dropped_ns == kPending) {
                holding->dropped_ns = ns;
            }
        });
        if (next == drop_) {
            finish();
            phase_ = Phase::done;
            break;
        }
        drop_ = next;
        if (budget.spent()) {
            return true;
        }
    }
    return false;
}

void HoldingsWalk::take_op(OpId id) {
    const Op& op = run_.op(id);
    each_touched(run_, id, [&](BufferId buffer) {
        Holding* holding = find(buffer);
        if (holding == nullptr) {
            return;
        }
        const auto make = [&](std::uint16_t signature) {
            holding->maker = id;
            holding->bytes = run_.signature(signature).out_bytes;
            holding->taken_ns = policy_ == FreePolicy::lazy ? op.begin_ns : op.issue_begin_ns;
        };
        if (holding->maker == 0 && op.fresh_output && op.out == buffer) {
            make(op.signature);
        } else if (holding->maker == 0 && op.more_outputs) {
            for (const MoreOutput& output : run_.more_outputs(id)) {
                if (output.buffer == buffer && output.fresh) {
                    make(output.signature);
                }
            }
        }
        const auto index = static_cast<std::size_t>(holding - holdings_.data());
        if (op.end_ns == kPending) {
            holding->open = true;
            others_open_[index] = others_open_[index] || id != op_;
            return;
        }
        if (holding->last == 0 || op.end_ns > last_end_ns_[index]) {
            holding->last = id;
            last_end_ns_[index] = op.end_ns;
        }
        if (id != op_) {
            others_end_ns_[index] = std::max(others_end_ns_[index], op.end_ns);
        }
    });
}

void HoldingsWalk::finish() {
    if (op_ > run_.op_count()) {
        holdings_.clear();  // the run has begun anew
        return;
    }
    const Op& own = run_.op(op_);
    const std::int64_t until_ns = own.end_ns == kPending ? run_.now_ns() : own.end_ns;
    for (std::size_t i = 0; i < holdings_.size(); ++i) {
        Holding& holding = holdings_[i];
        if (holding.dropped_ns == kPending) {
            continue;
        }
        if (policy_ == FreePolicy::stream) {
            holding.freed_ns = holding.dropped_ns;
            continue;
        }
        if (!holding.open) {
            holding.freed_ns = std::max(holding.dropped_ns, last_end_ns_[i]);
        }
        if (!others_open_[i]) {
            const std::int64_t from_ns = std::max({holding.dropped_ns, others_end_ns_[i], own.issue_begin_ns});
            // Bytes that are taken late cannot have been held before.
            const std::int64_t taken_ns = holding.maker == 0 ? from_ns : std::max(from_ns, holding.taken_ns);
            holding.alone_ns = std::max<std::int64_t>(until_ns - taken_ns, 0);
        }
    }
}

}  // namespace headway::model
