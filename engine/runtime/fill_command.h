// Included by the runtime only: builds a command from an operation, on the hot path.
#pragma once

#include <algorithm>

#include "engine/runtime/buffer.h"
#include "engine/runtime/runtime.h"

namespace headway::runtime {

// Fills in `command` and updates the buffers' writer and readers.
inline void Runtime::fill_command(devices::Command& command, const Operation& operation, Buffer* out, core::OpId op,
                                  std::uint32_t lane, std::uint32_t seq, bool fresh) {
    command.signature = operation.signature;
    command.offset = static_cast<std::int64_t>(operation.payload);
    command.op = op;
    command.line = short_line();
    if (operation.in0 != nullptr) {
        command.in0 = operation.in0->data;
        command.in0_id = operation.in0->id;
        operation.in0->read_seq[lane] = seq;
    }
    if (operation.in1 != nullptr) {
        command.in1 = operation.in1->data;
        command.in1_id = operation.in1->id;
        operation.in1->read_seq[lane] = seq;
    }
    if (operation.host != nullptr) {
        command.in0 = operation.host;
    }
    if (operation.values != nullptr) {
        command.out = operation.values;
        command.flags |= devices::kOutBeside;
    }
    if (operation.random_stream != 0) {
        command.random_stream = operation.random_stream;
    }
    if (out != nullptr) {
        command.out = out->data;
        command.out_id = out->id;
        out->write_lane = static_cast<std::uint8_t>(lane);
        out->write_seq = seq;
        out->write_op = op;
        if (!fresh) {
            // This op waits for all readers so far, so later writers need to wait only for this op.
            std::fill_n(out->read_seq.begin(), lanes_, 0u);
        }
    }
}

}  // namespace headway::runtime
