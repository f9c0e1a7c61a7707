// Small questions about a run: what had been issued at a time, and which buffers an op touches.
//
// Threads: any that may read the run.
#pragma once

#include <cstdint>

#include "app/model/run/run.h"

namespace headway::model {

// The last op whose issue had begun at `ns`; 0: none. Issues are ordered in time, so this is a binary search.
inline OpId last_issued_at(const Run& run, std::int64_t ns) {
    OpId low = 0;
    auto high = static_cast<OpId>(run.op_count());
    while (low < high) {
        const OpId middle = low + (high - low + 1) / 2;
        if (run.op(middle).issue_begin_ns <= ns) {
            low = middle;
        } else {
            high = middle - 1;
        }
    }
    return low;
}

// Calls call(buffer) for each; the same buffer may come more than once.
template <class Call>
void each_touched(const Run& run, OpId id, Call call) {
    const Op& op = run.op(id);
    for (const BufferId buffer : {op.out, op.in0, op.in1}) {
        if (buffer != 0) {
            call(buffer);
        }
    }
    if (op.more_inputs) {
        for (const BufferId buffer : run.more_inputs(id)) {
            call(buffer);
        }
    }
    if (op.more_outputs) {
        for (const MoreOutput& output : run.more_outputs(id)) {
            call(output.buffer);
        }
    }
}

}  // namespace headway::model
