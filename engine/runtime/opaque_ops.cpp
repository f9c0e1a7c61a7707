#include "engine/runtime/opaque_ops.h"

#include <algorithm>
#include <utility>

#include "engine/runtime/op_queue.h"

namespace headway::runtime {

namespace {

constexpr std::size_t kMostCompleted = 64;  // ops of a lane that may wait for their `drop`

}  // namespace

OpaqueOps::~OpaqueOps() {
    for (auto& lane : kept_) {
        for (Kept& kept : lane) {
            if (kept.drop != nullptr) {
                kept.drop(kept.work->context);
            }
        }
    }
}

std::uint32_t OpaqueOps::stream_of(std::uint32_t lane, core::DeviceId device) const {
    return lane != core::kMaxLanes ? lane : queue_.streams.current(device);
}

Buffer* OpaqueOps::allocate(std::uint64_t bytes, core::DeviceId device, std::uint32_t lane) {
    const devices::Signature& memory = queue_.signatures.allocation(bytes);
    const core::OpId op = queue_.recorder.issued() + 1;
    if (!queue_.streams.governs(device)) {
        return queue_.memory.allocate(memory, device, queue_.lanes.begin(device), op);
    }
    const std::uint32_t stream = stream_of(lane, device);
    Buffer* buffer = queue_.memory.allocate(memory, device, stream, op);
    queue_.streams.allocated(*buffer, stream);
    return buffer;
}

void OpaqueOps::release(Buffer* buffer) {
    if (--buffer->references == 0) {
        queue_.drop(buffer);
    }
}

void OpaqueOps::place(const OpaqueOp& op, Placement& placement) {
    if (queue_.streams.active()) {
        accesses_.clear();
        for (Buffer* buffer : op.writes) {
            accesses_.push_back({buffer, true});
        }
        for (Buffer* buffer : op.reads) {
            accesses_.push_back({buffer, buffer->write_seq == 0});
        }
        if (queue_.streams.governs(op.device)) {
            if (op.from) {
                queue_.streams.follow_stream(stream_of(op.lane, op.device), stream_of(op.from_lane, *op.from));
            }
            queue_.streams.place(accesses_, stream_of(op.lane, op.device), placement);
            return;
        }
    }
    Scheduler::Needs needs(queue_.lanes.count());
    Operation one;
    for (Buffer* buffer : op.reads) {
        // The first op that uses a buffer counts as its writer.
        (buffer->write_seq == 0 ? one.out : one.in0) = buffer;
        queue_.scheduler.collect(one, needs);
        one = Operation();
    }
    for (Buffer* buffer : op.writes) {
        one.out = buffer;
        queue_.scheduler.collect(one, needs);
    }
    queue_.scheduler.choose_lane(needs, op.device, placement);
}

std::uint32_t OpaqueOps::issue(const OpaqueOp& op) {
    if (queue_.control.gathers()) [[unlikely]] {
        if (queue_.graphs.tracing()) {
            queue_.lines.raise(core::ErrorKind::failed, "a traced function cannot issue ops of other libraries");
        }
        queue_.graphs.issue_gathered();
    }
    if (queue_.lanes.device(op.device).info().kind == "cuda") {
        queue_.lines.raise(core::ErrorKind::unavailable, "ops of other libraries cannot run on the device cuda");
    }
    if (queue_.control.acts_before_composite()) [[unlikely]] {
        queue_.control.before_issue();
    }
    const auto times = queue_.recorder.begin_issue(queue_.recorder.called());
    queue_.recorder.expect_room_for_op();
    Placement placement;
    if (queue_.lanes.count() > 1) {
        place(op, placement);
        queue_.scheduler.submit_waits(placement);
    }
    const std::uint32_t lane = placement.lane;
    const std::uint32_t seq = queue_.lanes.submitted()[lane] + 1;

    std::unique_ptr<devices::OpaqueWork> work;
    if (spare_.empty()) {
        work = std::make_unique<devices::OpaqueWork>();
    } else {
        work = std::move(spare_.back());
        spare_.pop_back();
    }
    work->function = op.function;
    work->context = op.context;
    work->reads.clear();
    work->writes.clear();
    for (const Buffer* buffer : op.reads) {
        work->reads.push_back(buffer->id);
    }
    for (const Buffer* buffer : op.writes) {
        work->writes.push_back(buffer->id);
    }
    devices::Command command;
    command.signature = op.signature;
    command.opaque = work.get();
    command.op = queue_.recorder.next_op();
    command.line = queue_.lines.short_number();
    command.flags = devices::kOpaque;
    if (op.from) {
        command.offset = devices::kFromDevice + *op.from;
    }
    if (placement.waits > 0) {
        command.wait_lane = static_cast<std::uint8_t>(placement.wait_lane[0]);
        command.wait_seq = placement.wait_seq[0];
    }
    if (queue_.streams.active()) {
        queue_.streams.issue(accesses_, command.op, lane, seq);
    }
    kept_[lane].push_back({seq, std::move(work), op.drop});
    queue_.lanes.submit(lane, command);
    record(op, times, lane);  // before the buffers change: it tells which are used for the first time

    const auto written = [&](Buffer* buffer) {
        buffer->write_lane = static_cast<std::uint8_t>(lane);
        buffer->write_seq = seq;
        buffer->write_op = command.op;
        if (!queue_.streams.active()) {
            std::fill_n(buffer->read_seq.begin(), queue_.lanes.count(), 0u);
        }
    };
    for (Buffer* buffer : op.reads) {
        if (buffer->write_seq == 0) {
            written(buffer);
        } else {
            buffer->read_seq[lane] = seq;
        }
    }
    for (Buffer* buffer : op.writes) {
        written(buffer);
    }
    if (queue_.control.after_issue(lane, seq)) [[unlikely]] {
        queue_.streams.host_waited(lane, seq, command.op);
    }
    if (op.from && queue_.streams.active()) {
        queue_.streams.follow_stream(stream_of(op.from_lane, *op.from), lane);
    }
    if (queue_.recorder.issued() % RunControl::kLookAtQueueEvery == 0) [[unlikely]] {
        queue_.control.limit_queue(lane, seq);
    }
    if (kept_[lane].size() >= kMostCompleted) {
        release_completed(lane);
    }
    return lane;
}

// The first buffer that is written is the op's output. Those that it writes besides, and those that it is the first to
// use, follow.
void OpaqueOps::record(const OpaqueOp& op, const FrontendRecorder::IssueTimes& times, std::uint32_t lane) {
    event_.inputs.clear();
    event_.others.clear();
    event_.main = {};
    event_.forward_line = op.forward_line;
    const auto also_written = [&](const Buffer& buffer) {
        const bool fresh = buffer.write_seq == 0;
        event_.others.push_back({buffer.id, queue_.signatures.allocation(buffer.bytes).id,
                                 fresh ? trace::kFreshOutput : trace::kReadsOutput});
    };
    for (const Buffer* buffer : op.writes) {
        const bool fresh = buffer->write_seq == 0;
        const bool counted = !fresh || buffer->bytes == op.signature->out_bytes;
        if (event_.main.buffer == 0 && buffer == op.writes.front() && counted) {
            event_.main = {buffer->id, 0, fresh ? trace::kFreshOutput : trace::kReadsOutput};
        } else {
            also_written(*buffer);
        }
    }
    for (const Buffer* buffer : op.reads) {
        if (buffer->write_seq == 0) {
            also_written(*buffer);
        } else {
            event_.inputs.push_back(buffer->id);
        }
    }
    queue_.recorder.end_opaque(times, op.signature->id, lane, event_);
}

void OpaqueOps::release_completed() {
    for (std::uint32_t lane = 0; lane < queue_.lanes.count(); ++lane) {
        if (!kept_[lane].empty()) {
            release_completed(lane);
        }
    }
}

void OpaqueOps::release_completed(std::uint32_t lane) {
    auto& kept = kept_[lane];
    const std::uint32_t completed = queue_.lanes.look(lane);
    while (!kept.empty() && core::reached(completed, kept.front().seq)) {
        Kept done = std::move(kept.front());
        kept.pop_front();
        if (done.drop != nullptr) {
            done.drop(done.work->context);
        }
        spare_.push_back(std::move(done.work));
    }
}

}  // namespace headway::runtime
