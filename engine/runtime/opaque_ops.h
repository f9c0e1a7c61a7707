// Ops of other libraries. The engine knows an opaque op's name, what it reads and writes, and what it costs; the work
// is a function that runs on a lane. It has dependencies, waits, steps, memory and records like any other op.
//
// Such a library takes memory before it issues the op that writes it: allocate(). The op that first uses the memory is
// recorded as the one that creates it.
//
// Not on the device cuda, which cannot run host functions on device memory; not gathered, and not in traced functions.
//
// Threads: the frontend only; the work runs on the lane's thread.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "engine/devices/op.h"
#include "engine/runtime/frontend/frontend_recorder.h"
#include "engine/runtime/program_streams.h"
#include "engine/runtime/scheduling/buffer.h"
#include "engine/runtime/scheduling/scheduler.h"
#include "engine/runtime/signatures.h"

namespace headway::runtime {

class OpQueue;

struct OpaqueOp {
    const devices::Signature* signature = nullptr;  // Signatures::opaque()
    // Buffers of one device, each listed once; only for a copy from another GPU, `reads` are that GPU's. A buffer in
    // `writes` may be read as well and need not be in `reads`.
    std::span<Buffer*const> reads, writes;
    devices::OpaqueWork::Function function = nullptr;
    void* context = nullptr;
    void (*drop)(void* context) = nullptr;  // called on the frontend once the op has completed
    core::DeviceId device = 0;
    // If the program uses streams: the lane of the calling thread's stream; kMaxLanes: the current one.
    std::uint32_t lane = core::kMaxLanes;
    // Of a copy from another GPU: that GPU, and the lane of the calling thread's stream there.
    std::optional<core::DeviceId> from;
    std::uint32_t from_lane = core::kMaxLanes;
    core::Line forward_line = 0;  // as CompositeEvent::forward_line
};

class OpaqueOps {
public:
    explicit OpaqueOps(OpQueue& queue) : queue_(queue) {}
    ~OpaqueOps();  // every lane must have finished
    OpaqueOps(const OpaqueOps&) = delete;
    OpaqueOps& operator=(const OpaqueOps&) = delete;

    // Memory of the device with one reference, for ops that are issued later. ProgramError if there is no room. `lane`:
    // as OpaqueOp::lane.
    [[nodiscard]] Buffer* allocate(std::uint64_t bytes, core::DeviceId device, std::uint32_t lane = core::kMaxLanes);
    void add_reference(Buffer& buffer) { ++buffer.references; }
    void release(Buffer* buffer);

    // Issues the op and returns its lane at once. On ProgramError the op was not issued, and `drop` was not called.
    std::uint32_t issue(const OpaqueOp& op);
    // Calls `drop` for the ops that have completed. issue() calls this from time to time.
    void release_completed();

private:
    struct Kept {
        std::uint32_t seq;
        std::unique_ptr<devices::OpaqueWork> work;
        void (*drop)(void* context);
    };
    void place(const OpaqueOp& op, Placement& placement);
    [[nodiscard]] std::uint32_t stream_of(std::uint32_t lane, core::DeviceId device) const;
    void release_completed(std::uint32_t lane);
    void record(const OpaqueOp& op, const FrontendRecorder::IssueTimes& times, std::uint32_t lane);

    OpQueue& queue_;
    std::array<std::deque<Kept>, core::kMaxLanes> kept_;
    std::vector<std::unique_ptr<devices::OpaqueWork>> spare_;
    CompositeEvent event_;  // of the op that is issued
    std::vector<ProgramStreams::Access> accesses_;
};

}  // namespace headway::runtime
