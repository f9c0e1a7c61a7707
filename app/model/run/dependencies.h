// Dependencies between ops, derived from the buffers that they read and write. An op follows the last writer of
// each buffer that it reads, and the last writer and all readers since of each buffer that it overwrites. Private
// to app/model.
//
// 16 bytes per op: the writers of its inputs, and for each input the previous reader, so that the readers of a
// buffer form a chain.
//
// Where the program orders its streams itself, an op follows the ops that its stream was made to wait for, and does not
// follow the ops of a stream that it races with.
//
// Threads: one.
#pragma once

#include <algorithm>
#include <vector>

#include "app/model/containers/blocks.h"
#include "app/model/description/memory.h"
#include "app/model/run/run.h"
#include "app/model/run/tally.h"

namespace headway::model {

// Removes what belongs to ops [first, last] from a list that is sorted by op.
template <class List>
void erase_ops(List& list, OpId first, OpId last) {
    const auto before = [](const auto& item, OpId wanted) { return item.op < wanted; };
    const auto begin = std::lower_bound(list.begin(), list.end(), first, before);
    list.erase(begin, std::lower_bound(begin, list.end(), last + 1, before));
}

class Run::Dependencies {
public:
    Dependencies(const Foldable<Op>& ops, const std::vector<trace::OrderRecord>& orders) : ops_(ops), orders_(orders) {}

    // Call in the order of issue; `add_input` refers to the op added last. `state` is the buffer's state, or null.
    void add(OpId id, const Op& op, BufferState* in0, BufferState* in1, BufferState* out);
    void add_input(OpId id, const Op& op, BufferId buffer, BufferState* state);

    // A buffer other than op.out that the op writes. Call after the op's inputs were added.
    void add_output(const MoreOutput& output, BufferState* state);

    // Forgets the dependencies of the ops in blocks [first, end) of kFoldedItems ops.
    void release(std::size_t first, std::size_t end) {
        const auto first_op = static_cast<OpId>(first * kFoldedItems + 1);
        const auto last_op = static_cast<OpId>(end * kFoldedItems);
        erase_ops(overwrites_, first_op, last_op);
        erase_ops(more_, first_op, last_op);
        erase_ops(more_outputs_, first_op, last_op);
        for (std::size_t block = first; block < end; ++block) {
            links_.release(block);
        }
    }

    // For a block of ops that is folded already.
    void append_released() { links_.append_released(); }

    // Calls call(output) for each buffer other than op.out that the op writes.
    template <class Call>
    void each_more_output(OpId id, Call call) const {
        const auto first = std::lower_bound(more_outputs_.begin(), more_outputs_.end(), id,
                                            [](const MoreOutput& m, OpId wanted) { return m.op < wanted; });
        for (auto it = first; it != more_outputs_.end() && it->op == id; ++it) {
            call(*it);
        }
    }

    // Calls call(buffer) for each buffer beyond in0 and in1 that the op reads.
    template <class Call>
    void each_more_input(OpId id, Call call) const {
        for (auto it = first_more(id); it != more_.end() && it->op == id; ++it) {
            call(it->buffer);
        }
    }

    // Calls call(op) for each direct dependency of op `id`; the same op may come more than once.
    template <class Call>
    void each(OpId id, Call call) const {
        each_with_reason(id, [&call](OpId op, DependencyKind) { call(op); });
    }
    // Calls call(op, kind) for each direct dependency, with its reason. It was issued before, also in a recording where
    // an op names the same buffer twice.
    template <class Call>
    void each_with_reason(OpId id, Call call) const {
        const LaneSet races = orders_.empty() ? LaneSet() : each_stream_wait(id, call);
        const auto report = [this, id, &call, &races](OpId op, DependencyKind kind = DependencyKind::read_after_write) {
            if (op != 0 && op < id && !races[ops_[op - 1].lane]) {
                call(op, kind);
            }
        };
        const Op& op = ops_[id - 1];
        const Links& links = links_[id - 1];
        report(links.writer0);
        report(links.writer1);
        if (op.more_inputs) {
            for (auto it = first_more(id); it != more_.end() && it->op == id; ++it) {
                report(it->writer);
            }
        }
        if ((op.out == 0 || op.fresh_output) && !op.more_outputs) {
            return;
        }
        auto overwrite = std::lower_bound(overwrites_.begin(), overwrites_.end(), id,
                                          [](const Overwrite& o, OpId wanted) { return o.op < wanted; });
        for (; overwrite != overwrites_.end() && overwrite->op == id; ++overwrite) {
            // A composite op has read each buffer that it changes besides its output.
            const bool reads = op.reads_output || overwrite->buffer != op.out;
            report(overwrite->writer, reads ? DependencyKind::read_after_write : DependencyKind::write_after_write);
            for (OpId reader = overwrite->reader; reader != 0; reader = reader_before(reader, overwrite->buffer)) {
                report(reader, DependencyKind::write_after_read);
            }
        }
    }

private:
    struct Links {
        OpId writer0, writer1;  // last writers of in0 and in1
        OpId reader0, reader1;  // previous readers of in0 and in1 since these writers
    };
    struct Overwrite {
        OpId op, writer, reader;
        BufferId buffer;
    };
    struct MoreInput {
        OpId op;
        BufferId buffer;
        OpId writer, reader;
    };

    // Calls call(op, kind) for each op that the op's stream waited for. Returns the lanes that the op races with.
    template <class Call>
    LaneSet each_stream_wait(OpId id, Call call) const {
        LaneSet races;
        auto order = std::lower_bound(orders_.begin(), orders_.end(), id,
                                      [](const trace::OrderRecord& o, OpId wanted) { return o.op < wanted; });
        for (; order != orders_.end() && order->op == id; ++order) {
            if (order->kind == trace::OrderKind::stream_wait) {
                call(order->other, DependencyKind::stream_wait);
            } else if (trace::is_race(order->kind)) {
                races.set(order->other_lane);
            }
        }
        return races;
    }
    [[nodiscard]] std::vector<MoreInput>::const_iterator first_more(OpId id) const {
        return std::lower_bound(more_.begin(), more_.end(), id,
                                [](const MoreInput& m, OpId wanted) { return m.op < wanted; });
    }
    [[nodiscard]] OpId reader_before(OpId reader, BufferId buffer) const;

    const Foldable<Op>& ops_;
    const std::vector<trace::OrderRecord>& orders_;
    Blocks<Links> links_;
    std::vector<Overwrite> overwrites_;     // ops that write a buffer that already existed; by op
    std::vector<MoreInput> more_;           // by op
    std::vector<MoreOutput> more_outputs_;  // by op
};

}  // namespace headway::model
