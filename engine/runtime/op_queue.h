// The frontend's op queue: issues ops to the lanes of devices, tracks their dependencies, counts their memory and
// records everything. Runtime (runtime.h) adds the ops themselves.
//
// The queue owns one part for each of these tasks, in the order in which they build on each other:
//
//   lanes      the devices of the run, and the commands in their lanes
//   lines      the program's source line, and the errors that name it
//   recorder   the frontend's part of the recording; numbers the ops
//   memory     buffers, the free policy, the budget
//   scheduler  the lane of each op, and what it waits for
//   control    what the learner chooses during the run; pausing and stepping
//   streams    the streams that the program chooses itself
//   random     the streams of random numbers
//   graphs     several ops issued as one
//   opaque     ops of other libraries
//   waits      barriers and blockers; failed ops, until a wait delivers them
//   events     the program's own events: scopes, minibatches, the measured part
//
// A run may have several devices (devices::DeviceSet). Ops run on the device of their inputs; ops without inputs run on
// the device that OnDevice selects. Copies between devices are ordinary ops in a lane of a GPU.
//
// Threads: one frontend thread owns the queue and makes all calls, also those of its parts.
#pragma once

#include <memory>

#include "engine/runtime/frontend/frontend_recorder.h"
#include "engine/runtime/frontend/random_streams.h"
#include "engine/runtime/frontend/settings.h"
#include "engine/runtime/frontend/source_lines.h"
#include "engine/runtime/graph_builder.h"
#include "engine/runtime/memory_manager.h"
#include "engine/runtime/opaque_ops.h"
#include "engine/runtime/program_events.h"
#include "engine/runtime/program_streams.h"
#include "engine/runtime/run_control.h"
#include "engine/runtime/scheduling/lanes.h"
#include "engine/runtime/scheduling/operation.h"
#include "engine/runtime/scheduling/scheduler.h"
#include "engine/runtime/signatures.h"
#include "engine/runtime/tensor.h"
#include "engine/runtime/waits.h"

namespace headway::runtime {

class OpQueue {
public:
    OpQueue(devices::Device& device, trace::Recording& recording, const Settings& with);
    OpQueue(devices::DeviceSet& devices, trace::Recording& recording, const Settings& with);
    OpQueue(const OpQueue&) = delete;
    OpQueue& operator=(const OpQueue&) = delete;

    // The run's CPU and its GPUs; the CPU joins the run at the first call. ProgramError if the run has no such device.
    core::DeviceId cpu();
    core::DeviceId gpu(std::uint32_t index = 0);
    [[nodiscard]] std::uint32_t gpus() const { return lanes.set().gpus(); }
    // The device of tensors that are made without inputs; 0 unless an OnDevice is active.
    [[nodiscard]] core::DeviceId current_device() const { return current_device_; }

    // --- for Runtime and the parts ---
    // Issues the op and returns at once. Returns its output if the op creates it, with one reference; otherwise null.
    Buffer* issue(const Operation& operation);
    // Frees a buffer whose last reference is gone.
    void drop(Buffer* buffer) {
        if (buffer->write_seq == 0) [[unlikely]] {  // no op was issued for it: nothing to record
            if (buffer->data != nullptr) {
                memory.free(buffer);
            } else {
                memory.recycle(buffer);
            }
            return;
        }
        recorder.drop(buffer->id, [this, buffer] { memory.free(buffer); });
    }
    // The buffer of an operand of `op`. ProgramError unless it belongs to this run and has values, or will have them.
    [[nodiscard]] Buffer* buffer_of(const Tensor& a, const char* op) const {
        Buffer* buffer = a.buffer();
        if (buffer == nullptr || buffer->queue != this || (buffer->write_seq == 0 && !buffer->gathered)) [[unlikely]] {
            refuse_operand(a, op);
        }
        return buffer;
    }
    // The signature and the output's shape for a key. ProgramError if the shapes do not fit.
    [[nodiscard]] const Entry& entry_for(const SignatureKey& key) {
        const Entry* recent = signatures.recent(key);
        return recent != nullptr ? *recent : find_entry(key);
    }

    const Settings settings;
    Lanes lanes;
    SourceLines lines;
    FrontendRecorder recorder;
    MemoryManager memory;
    Signatures signatures;
    Scheduler scheduler;
    RunControl control;
    ProgramStreams streams;
    RandomStreams random;
    GraphBuilder graphs;
    OpaqueOps opaque;
    Waits waits;
    ProgramEvents events;

protected:
    ~OpQueue();  // waits for all lanes. Protected, because every queue is a Runtime.

private:
    OpQueue(std::shared_ptr<devices::DeviceSet> devices, trace::Recording& recording, const Settings& with);
    friend class OnDevice;
    [[noreturn, gnu::noinline]] void refuse_operand(const Tensor& a, const char* op) const;
    [[gnu::noinline]] const Entry& find_entry(const SignatureKey& key);

    core::DeviceId current_device_ = 0;
};

// Tensors made without inputs during its lifetime are made on `device`.
class OnDevice {
public:
    OnDevice(OpQueue& queue, core::DeviceId device) : queue_(queue), before_(queue.current_device_) {
        queue.current_device_ = device;
    }
    ~OnDevice() { queue_.current_device_ = before_; }
    OnDevice(const OnDevice&) = delete;
    OnDevice& operator=(const OnDevice&) = delete;

private:
    OpQueue& queue_;
    const core::DeviceId before_;
};

}  // namespace headway::runtime
