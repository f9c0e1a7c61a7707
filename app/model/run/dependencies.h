// Who had to run before whom, from the buffers that ops read and write: after the last writer of what an op reads, and
// after the writer and all readers since of what it overwrites. Private to app/model.
//
// 16 bytes per op: the writers of its inputs, and for each input the reader before it, so that the readers of a buffer
// form a chain.
//
// Threads: one.
#pragma once

#include <algorithm>
#include <vector>

#include "app/model/run/blocks.h"
#include "app/model/run/memory.h"
#include "app/model/run/run.h"

namespace headway::model {

class Run::Dependencies {
public:
    explicit Dependencies(const Blocks<Op>& ops) : ops_(ops) {}

    // Ops in the order of their issue; `add_input` for the last one added. `state` is the buffer's, or null.
    void add(OpId id, const Op& op, BufferState* in0, BufferState* in1, BufferState* out);
    void add_input(OpId id, const Op& op, BufferId buffer, BufferState* state);

    // A buffer beside op.out that the op writes; after its inputs.
    void add_output(const MoreOutput& output, BufferState* state);

    // Buffers beside op.out that the op writes: call(output).
    template <class Call>
    void each_more_output(OpId id, Call call) const {
        const auto first = std::lower_bound(more_outputs_.begin(), more_outputs_.end(), id,
                                            [](const MoreOutput& m, OpId wanted) { return m.op < wanted; });
        for (auto it = first; it != more_outputs_.end() && it->op == id; ++it) {
            call(*it);
        }
    }

    // Buffers beyond in0 and in1 that the op reads: call(buffer).
    template <class Call>
    void each_more_input(OpId id, Call call) const {
        for (auto it = first_more(id); it != more_.end() && it->op == id; ++it) {
            call(it->buffer);
        }
    }

    // call(op) for everything that op `id` had to follow directly; the same op may come more than once.
    template <class Call>
    void each(OpId id, Call call) const {
        each_with_reason(id, [&call](OpId op, DependencyKind) { call(op); });
    }
    // call(op, kind): likewise, and why.
    template <class Call>
    void each_with_reason(OpId id, Call call) const {
        const auto tell = [&call](OpId op, DependencyKind kind = DependencyKind::read_after_write) {
            if (op != 0) {
                call(op, kind);
            }
        };
        const Op& op = ops_[id - 1];
        const Links& links = links_[id - 1];
        tell(links.writer0);
        tell(links.writer1);
        if (op.more_inputs) {
            for (auto it = first_more(id); it != more_.end() && it->op == id; ++it) {
                tell(it->writer);
            }
        }
        if ((op.out == 0 || op.fresh_output) && !op.more_outputs) {
            return;
        }
        auto overwrite = std::lower_bound(overwrites_.begin(), overwrites_.end(), id,
                                          [](const Overwrite& o, OpId wanted) { return o.op < wanted; });
        for (; overwrite != overwrites_.end() && overwrite->op == id; ++overwrite) {
            // What a composite changes besides its output it has read.
            const bool reads = op.reads_output || overwrite->buffer != op.out;
            tell(overwrite->writer, reads ? DependencyKind::read_after_write : DependencyKind::write_after_write);
            for (OpId reader = overwrite->reader; reader != 0; reader = reader_before(reader, overwrite->buffer)) {
                call(reader, DependencyKind::write_after_read);
            }
        }
    }

private:
    struct Links {
        OpId writer0, writer1;  // of in0 and in1
        OpId reader0, reader1;  // the reader of in0 and in1 before this op, since their last writer
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

    [[nodiscard]] std::vector<MoreInput>::const_iterator first_more(OpId id) const {
        return std::lower_bound(more_.begin(), more_.end(), id,
                                [](const MoreInput& m, OpId wanted) { return m.op < wanted; });
    }
    [[nodiscard]] OpId reader_before(OpId reader, BufferId buffer) const;

    const Blocks<Op>& ops_;
    Blocks<Links> links_;
    std::vector<Overwrite> overwrites_;     // ops that write what was there before; by op
    std::vector<MoreInput> more_;           // by op
    std::vector<MoreOutput> more_outputs_;  // by op
};

}  // namespace headway::model
