#include "app/model/analysis/memory/retained_buffers.h"

#include <algorithm>
#include <cmath>

#include "app/model/run/queries.h"
#include "engine/core/time_budget.h"

namespace headway::model {

RetainedBuffersWalk::RetainedBuffersWalk(const Run& run, OpId op)
    : run_(run),
      op_(op),
      policy_(free_policy_from(run.info().free_policy)),
      known_(!run.info().live_sampled && run.folded_parts().empty()) {
    if (!known_ || op == 0 || op > run.op_count()) {
        phase_ = Phase::done;
        return;
    }
    const Op& own = run.op(op);
    const auto add = [&](BufferId buffer, RetainedBuffer::Role role) {
        if (buffer != 0 && find(buffer) == nullptr) {
            RetainedBuffer retained_buffer;
            retained_buffer.buffer = buffer;
            retained_buffer.role = role;
            buffers_.push_back(retained_buffer);
        }
    };
    if (own.fresh_output) {
        add(own.out, RetainedBuffer::Role::made);
    }
    if (own.more_outputs) {
        for (const MoreOutput& output : run.more_outputs(op)) {
            add(output.buffer, output.fresh ? RetainedBuffer::Role::made : RetainedBuffer::Role::changed);
        }
    }
    add(own.out, RetainedBuffer::Role::changed);
    each_touched(run, op, [&](BufferId buffer) { add(buffer, RetainedBuffer::Role::read); });
    std::stable_sort(buffers_.begin(), buffers_.end(),
                     [](const RetainedBuffer& a, const RetainedBuffer& b) { return a.role < b.role; });
    last_end_ns_.assign(buffers_.size(), INT64_MIN);
    others_end_ns_ = last_end_ns_;
    others_open_.assign(buffers_.size(), false);
    if (buffers_.empty()) {
        phase_ = Phase::done;
    }
}

RetainedBuffer* RetainedBuffersWalk::find(BufferId buffer) {
    const auto found = std::find_if(buffers_.begin(), buffers_.end(), [buffer](const RetainedBuffer& retained_buffer) {
        return retained_buffer.buffer == buffer;
    });
    return found == buffers_.end() ? nullptr : &*found;
}

bool RetainedBuffersWalk::step(double budget_ms) {
    const core::TimeBudget budget(budget_ms);
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
            if (RetainedBuffer* retained_buffer = find(buffer);
                retained_buffer != nullptr && retained_buffer->dropped_ns == kPending) {
                retained_buffer->dropped_ns = ns;
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

void RetainedBuffersWalk::take_op(OpId id) {
    const Op& op = run_.op(id);
    each_touched(run_, id, [&](BufferId buffer) {
        RetainedBuffer* retained_buffer = find(buffer);
        if (retained_buffer == nullptr) {
            return;
        }
        const auto make = [&](std::uint16_t signature) {
            retained_buffer->maker = id;
            retained_buffer->bytes = run_.signature(signature).out_bytes;
            retained_buffer->taken_ns = !took_memory(op, policy_)     ? kPending
                                        : policy_ == FreePolicy::lazy ? op.begin_ns
                                                                      : op.issue_begin_ns;
        };
        if (retained_buffer->maker == 0 && op.fresh_output && op.out == buffer) {
            make(op.signature);
        } else if (retained_buffer->maker == 0 && op.more_outputs) {
            for (const MoreOutput& output : run_.more_outputs(id)) {
                if (output.buffer == buffer && output.fresh) {
                    make(output.signature);
                }
            }
        }
        const auto index = static_cast<std::size_t>(retained_buffer - buffers_.data());
        if (op.end_ns == kPending) {
            retained_buffer->open = true;
            others_open_[index] = others_open_[index] || id != op_;
            return;
        }
        if (retained_buffer->last == 0 || op.end_ns > last_end_ns_[index]) {
            retained_buffer->last = id;
            last_end_ns_[index] = op.end_ns;
        }
        if (id != op_) {
            others_end_ns_[index] = std::max(others_end_ns_[index], op.end_ns);
        }
    });
}

void RetainedBuffersWalk::finish() {
    if (op_ > run_.op_count()) {
        buffers_.clear();  // the run was read again (Run::rescaled())
        return;
    }
    const Op& own = run_.op(op_);
    const std::int64_t until_ns = own.end_ns == kPending ? run_.now_ns() : own.end_ns;
    for (std::size_t i = 0; i < buffers_.size(); ++i) {
        RetainedBuffer& retained_buffer = buffers_[i];
        if (retained_buffer.dropped_ns == kPending) {
            continue;
        }
        if (policy_ == FreePolicy::stream) {
            retained_buffer.freed_ns = retained_buffer.dropped_ns;
            continue;
        }
        if (!retained_buffer.open) {
            retained_buffer.freed_ns = std::max(retained_buffer.dropped_ns, last_end_ns_[i]);
        }
        if (!others_open_[i]) {
            const std::int64_t from_ns = std::max({retained_buffer.dropped_ns, others_end_ns_[i], own.issue_begin_ns});
            // Bytes cannot have been held before they were allocated.
            const std::int64_t taken_ns =
                retained_buffer.maker == 0 ? from_ns : std::max(from_ns, retained_buffer.taken_ns);
            retained_buffer.alone_ns =
                std::max<std::int64_t>(std::llround(run_.program_time().between(taken_ns, until_ns)), 0);
        }
    }
}

}  // namespace headway::model
