// The buffers that an op reads and writes. Private to app/model.
#pragma once

#include "app/model/run/run.h"

namespace headway::model {

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
