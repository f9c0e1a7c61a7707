// One op as the runtime sees it before it has a lane, and the command that it becomes.
//
// Threads: the frontend only.
#pragma once

#include <algorithm>
#include <cstdint>

#include "engine/devices/op.h"
#include "engine/runtime/scheduling/buffer.h"

namespace headway::runtime {

struct Operation {
    const devices::Signature* signature = nullptr;
    std::uint64_t begin = 0;  // ticks when the program called; 0: take the time when it is issued
    Buffer* in0 = nullptr;
    Buffer* in1 = nullptr;
    Buffer* out = nullptr;            // in place: the buffer written; null: a new buffer if the op has an output
    std::uint64_t payload = 0;        // the command's union: two floats, a function or an offset
    std::uint64_t random_stream = 0;  // from 1
    const float* host = nullptr;      // copy_to_device: the values; host_call: the context
    float* values = nullptr;          // copy_to_host into program memory: its address
    core::DeviceId device = 0;        // one of its lanes runs it
    core::DeviceId memory = 0;        // whose memory `out` is in; differs from `device` for copies between devices
    [[nodiscard]] bool crosses() const { return device != memory || (in0 != nullptr && in0->device != device); }
};

// Where and when an op runs: command `seq` of `lane` for the op `op` that was called in `line`. Of a buffer that it
// overwrites, the readers in the first `lanes` lanes are cleared.
struct CommandPlace {
    core::OpId op;
    std::uint32_t lane, seq, lanes;
    std::uint16_t line;
};

// Fills in `command`, which is empty, and updates the buffers' writer and readers. `out` is the operation's output,
// which it creates if `fresh`.
inline void fill_command(devices::Command& command, const Operation& operation, Buffer* out, bool fresh,
                         const CommandPlace& place) {
    command.signature = operation.signature;
    command.offset = static_cast<std::int64_t>(operation.payload);
    command.op = place.op;
    command.line = place.line;
    if (operation.in0 != nullptr) {
        command.in0 = operation.in0->data;
        command.in0_id = operation.in0->id;
        operation.in0->read_seq[place.lane] = place.seq;
    }
    if (operation.in1 != nullptr) {
        command.in1 = operation.in1->data;
        command.in1_id = operation.in1->id;
        operation.in1->read_seq[place.lane] = place.seq;
    }
    if (operation.host != nullptr) {
        command.in0 = operation.host;
    }
    if (operation.values != nullptr) {
        command.out = operation.values;
        command.flags |= devices::kOutOnCpu;
    }
    if (operation.random_stream != 0) {
        command.random_stream = operation.random_stream;
    }
    if (out != nullptr) {
        command.out = out->data;
        command.out_id = out->id;
        out->write_lane = static_cast<std::uint8_t>(place.lane);
        out->write_seq = place.seq;
        out->write_op = place.op;
        if (!fresh) {
            // This op waits for all readers so far, so later writers need to wait only for this op.
            std::fill_n(out->read_seq.begin(), place.lanes, 0u);
        }
    }
}

}  // namespace headway::runtime
