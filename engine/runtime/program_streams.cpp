#include "engine/runtime/program_streams.h"

#include <algorithm>

#include "engine/core/count_text.h"
#include "engine/runtime/op_queue.h"

namespace headway::runtime {

using core::after;
using trace::OrderKind;

namespace {

constexpr std::size_t kMostSnapshots = 4096;  // per lane; for older commands the oldest snapshot is used

// What an operation uses: at most two inputs and an output.
class Accesses {
public:
    Accesses(const Operation& operation, Buffer* out) {
        add(out, true);
        add(operation.in0, false);
        add(operation.in1, false);
    }
    [[nodiscard]] std::span<const ProgramStreams::Access> all() const { return {accesses_.data(), count_}; }

private:
    void add(Buffer* buffer, bool writes) {
        const auto same = [buffer](const ProgramStreams::Access& a) { return a.buffer == buffer; };
        if (buffer != nullptr && std::none_of(accesses_.data(), accesses_.data() + count_, same)) {
            accesses_[count_++] = {buffer, writes};
        }
    }
    std::array<ProgramStreams::Access, 3> accesses_{};
    std::size_t count_ = 0;
};

}  // namespace

ProgramStreams::ProgramStreams(OpQueue& queue)
    : queue_(queue),
      devices_(static_cast<core::DeviceId>(std::max(queue.lanes.set().gpus(), 1u))),
      orders_(queue.recorder.recording(), {trace::StreamKind::orders, 0}) {
    for (core::DeviceId device = 0; device < devices_; ++device) {
        current_[device] = default_stream(device);
    }
}

// Ops that are gathered belong to the stream that was current when they were called.
void ProgramStreams::prepare() {
    queue_.control.expect_own_process();
    queue_.control.attend_if_asked();
    if (queue_.control.gathers()) [[unlikely]] {
        if (queue_.graphs.tracing()) {
            queue_.lines.raise(core::ErrorKind::failed, "a traced function cannot use streams");
        }
        queue_.graphs.issue_gathered();
    }
}

void ProgramStreams::begin() {
    Lanes& lanes = queue_.lanes;
    if (active_ || lanes.end(devices_ - 1) - lanes.begin(0) == devices_) {
        return;
    }
    prepare();
    if (queue_.memory.lazy()) {
        queue_.lines.raise(core::ErrorKind::failed,
                           "the program's streams cannot be used with the free policy lazy, which takes memory when an "
                           "op starts: choose stream or finish");
    }
    const auto order = [&](std::uint32_t lane, std::uint32_t other, std::uint32_t seq) {
        if (lane != other && seq != 0 && !lanes.finished(other, seq)) {
            lanes.submit_wait(lane, other, seq);
        }
    };
    const LaneSeqs submitted = lanes.submitted();
    for (core::DeviceId device = 0; device < devices_; ++device) {
        const std::uint32_t first = default_stream(device);
        for (std::uint32_t other = 0; other < lanes.count(); ++other) {
            raise_to(clock_[first], other, submitted[other]);
            order(first, other, submitted[other]);
            for (std::uint32_t lane = first + 1; lane < lanes.end(device); ++lane) {
                order(lane, other, waited_[other]);
            }
        }
        open_[first] = true;
        changed_[first] = true;
        begin_seq_[device] = lanes.submitted()[first];
        last_op_[first] = queue_.recorder.issued();
    }
    active_ = true;
    record({queue_.recorder.issued() + 1, 0, 0, 0, 0, OrderKind::begin, 0, 0, 0});
}

void ProgramStreams::record(const trace::OrderRecord& order) {
    if (queue_.settings.record) {
        orders_.add(order);
    }
}

// --- streams ---

std::uint32_t ProgramStreams::default_stream(core::DeviceId device) const {
    return queue_.lanes.begin(device);
}

void ProgramStreams::expect_stream(std::uint32_t lane) const {
    if (lane >= queue_.lanes.end(devices_ - 1)) {
        queue_.lines.raise(core::ErrorKind::failed, "this run has no stream " + std::to_string(lane));
    }
}

void ProgramStreams::set_current(std::uint32_t lane) {
    expect_stream(lane);
    prepare();
    current_[queue_.lanes.device_of(lane).number()] = lane;
}

std::uint32_t ProgramStreams::open(core::DeviceId device) {
    HEADWAY_ASSERT(device < devices_, "streams belong to GPUs, or to a run's only device");
    Lanes& lanes = queue_.lanes;
    begin();
    for (std::uint32_t lane = lanes.begin(device) + 1; lane < lanes.end(device); ++lane) {
        if (!open_[lane]) {
            open_[lane] = true;
            return lane;
        }
    }
    const std::uint32_t count = lanes.end(device) - lanes.begin(device);
    const bool workers = lanes.device(device).info().kind == "cpu";
    const std::string where = devices_ > 1 ? "GPU " + std::to_string(device) : "this run";
    queue_.lines.raise(core::ErrorKind::failed,
                       where + " has " + core::counted(count, workers ? "worker" : "stream") +
                           (count == 1 ? ", the default stream's" : ", and all belong to streams of the program") +
                           ": run it with " + (workers ? "--workers " : "--streams ") + std::to_string(count + 1) +
                           " or more (in the window under Engine)");
}

void ProgramStreams::close(std::uint32_t lane) {
    if (lane < queue_.lanes.end(devices_ - 1) && lane != default_stream(queue_.lanes.device_of(lane).number())) {
        open_[lane] = false;
    }
}

void ProgramStreams::record_stream(const Buffer& buffer, std::uint32_t lane) {
    expect_stream(lane);
    if (governs(buffer.device)) {
        Uses& uses = uses_of(buffer);
        if (lane != uses.home && std::find(uses.recorded.begin(), uses.recorded.end(), lane) == uses.recorded.end()) {
            uses.recorded.push_back(lane);
        }
    }
}

// --- ops ---

void ProgramStreams::place(std::span<const Access> accesses, std::uint32_t lane, Placement& placement) {
    Lanes& lanes = queue_.lanes;
    LaneSeqs needs{};
    const auto need = [&](std::uint32_t other, std::uint32_t seq) {
        if (other != lane && seq != 0 && !lanes.finished(other, seq)) {
            raise_to(needs, other, seq);
        }
    };
    for (const Access& access : accesses) {
        if (is_free(*access.buffer)) {
            continue;
        }
        need(access.buffer->write_lane, access.buffer->write_seq);
        for (std::uint32_t other = 0; access.writes && other < lanes.count(); ++other) {
            need(other, access.buffer->read_seq[other]);
        }
    }
    placement.lane = lane;
    for (std::uint32_t other = 0; other < lanes.count(); ++other) {
        if (needs[other] != 0) {
            placement.wait_lane[placement.waits] = other;
            placement.wait_seq[placement.waits++] = needs[other];
        }
    }
}

void ProgramStreams::place(const Operation& operation, Placement& placement) {
    if (governs(operation.device)) {
        const std::uint32_t lane = current_[operation.device];
        if (between_gpus(operation)) {
            follow_stream(lane, current_[operation.in0->device]);
        }
        place(Accesses(operation, operation.out).all(), lane, placement);
    } else {
        queue_.scheduler.place(operation, placement);
    }
}

bool ProgramStreams::between_gpus(const Operation& operation) const {
    return governs(operation.device) && operation.in0 != nullptr && operation.in0->device != operation.device &&
           governs(operation.in0->device);
}

ProgramStreams::Uses& ProgramStreams::uses_of(const Buffer& buffer) {
    const auto [entry, added] = uses_.try_emplace(buffer.id);
    Uses& uses = entry->second;
    if (added) {
        // It was made before begin(), or is made by the op that is being issued.
        const bool ours = governs(buffer.device);
        uses.home = ours ? default_stream(buffer.device) : std::uint32_t{buffer.write_lane};
        uses.fresh = buffer.write_seq == 0;
        if (!uses.fresh && (!ours || buffer.write_op > waited_op_)) {
            const std::uint32_t seq = ours ? begin_seq_[buffer.device] : buffer.write_seq;
            in_lane(uses.lanes, uses.home).write = {seq, buffer.write_op, buffer.id};
        }
    }
    return uses;
}

// Whether only the program orders the ops that use it.
bool ProgramStreams::is_free(const Buffer& buffer) {
    return governs(buffer.device) && !uses_of(buffer).ordered;
}

ProgramStreams::LaneUse& ProgramStreams::in_lane(std::vector<LaneUse>& uses, std::uint32_t lane) {
    const auto found = std::find_if(uses.begin(), uses.end(), [lane](const LaneUse& use) { return use.lane == lane; });
    if (found != uses.end()) {
        return *found;
    }
    uses.push_back({lane, {}, {}});
    return uses.back();
}

void ProgramStreams::found(const trace::OrderRecord& order) {
    const auto same = [&order](const trace::OrderRecord& other) {
        return other.other == order.other && other.buffer == order.buffer && other.kind == order.kind;
    };
    if (order.other != 0 && order.other != order.op && std::none_of(found_.begin(), found_.end(), same)) {
        found_.push_back(order);
    }
}

// Of each other lane, the last use that nothing orders: a wait for that one orders the earlier ones, too.
void ProgramStreams::check(const Access& access, const Uses& uses, core::OpId op, std::uint32_t lane) {
    for (const LaneUse& use : uses.lanes) {
        const bool writes_again = use.write.seq != 0 && !follows(lane, use.lane, use.write.seq);
        const bool reads = access.writes && use.read.seq != 0 && !follows(lane, use.lane, use.read.seq);
        if (!writes_again && !reads) {
            continue;
        }
        const bool last_reads = reads && (!writes_again || use.read.op > use.write.op);
        const OrderKind kind = !access.writes ? OrderKind::read_write
                               : last_reads   ? OrderKind::write_read
                                              : OrderKind::write_write;
        found({op, last_reads ? use.read.op : use.write.op, access.buffer->id, 0, 0, kind,
               static_cast<std::uint8_t>(lane), static_cast<std::uint8_t>(use.lane), 0});
    }
}

// The first op that uses a buffer follows the ops that used its memory before.
void ProgramStreams::check_memory(const Buffer& buffer, core::OpId op, std::uint32_t lane) {
    const auto before = freed_.find(buffer.data);
    if (before == freed_.end()) {
        return;
    }
    for (const LaneUse& use : before->second) {
        const Use& last = use.read.op > use.write.op ? use.read : use.write;
        if (last.seq != 0 && !follows(lane, use.lane, last.seq)) {
            found({op, last.op, buffer.id, last.buffer, 0, OrderKind::reuse, static_cast<std::uint8_t>(lane),
                   static_cast<std::uint8_t>(use.lane), 0});
        }
    }
    freed_.erase(before);
}

void ProgramStreams::follow(const Uses& uses, bool writes, std::uint32_t lane) {
    for (const LaneUse& use : uses.lanes) {
        for (const Use& before : {use.write, writes ? use.read : Use{}}) {
            if (use.lane != lane && before.seq != 0) {
                changed_[lane] |= join(clock_[lane], clock_at(use.lane, before.seq));
            }
        }
    }
}

void ProgramStreams::issue(std::span<const Access> accesses, core::OpId op, std::uint32_t lane, std::uint32_t seq) {
    const bool ours = governs(queue_.lanes.device_of(lane).number());
    changed_[lane] |= join(clock_[lane], host_);
    for (const Access& access : accesses) {
        Uses& uses = uses_of(*access.buffer);
        if (!ours || !is_free(*access.buffer)) {
            follow(uses, access.writes, lane);
        }
    }
    if (std::exchange(changed_[lane], false)) {
        history_[lane].push_back({seq, clock_[lane]});
        if (history_[lane].size() > kMostSnapshots) {
            history_[lane].pop_front();
        }
    }
    found_.clear();
    for (const PendingWait& wait : waits_[lane]) {
        found({op, wait.op, 0, 0, wait.line, OrderKind::stream_wait, static_cast<std::uint8_t>(lane),
               static_cast<std::uint8_t>(wait.lane), 0});
    }
    waits_[lane].clear();
    for (const Access& access : accesses) {
        Buffer& buffer = *access.buffer;
        Uses& uses = uses_of(buffer);
        if (ours && is_free(buffer)) {
            if (std::exchange(uses.fresh, false)) {
                check_memory(buffer, op, lane);
            }
            check(access, uses, op, lane);
        }
        LaneUse& use = in_lane(uses.lanes, lane);
        (access.writes ? use.write : use.read) = {seq, op, buffer.id};
        if (access.writes && buffer.write_seq != 0) {
            raise_to(buffer.read_seq, buffer.write_lane, buffer.write_seq);  // for the end of its memory
        }
    }
    last_op_[lane] = op;
    for (const trace::OrderRecord& order : found_) {
        record(order);
    }
}

void ProgramStreams::issue(const Operation& operation, Buffer* out, core::OpId op, std::uint32_t lane,
                           std::uint32_t seq) {
    if (operation.out == nullptr && out != nullptr && governs(out->device)) {
        allocated(*out, lane);
    }
    issue(Accesses(operation, out).all(), op, lane, seq);
}

void ProgramStreams::issued(const Operation& operation, std::uint32_t lane) {
    if (between_gpus(operation)) {
        follow_stream(current_[operation.in0->device], lane);
    }
}

// --- memory ---

ProgramStreams::Freed ProgramStreams::drop(const Buffer& buffer, bool in_order) {
    Freed freed;
    freed.home = default_stream(buffer.device);
    const auto entry = uses_.find(buffer.id);
    if (entry == uses_.end()) {
        return freed;
    }
    Uses& uses = entry->second;
    freed.home = uses.home;
    for (const std::uint32_t lane : uses.recorded) {
        const std::uint32_t seq = queue_.lanes.submitted()[lane];
        if (seq != 0 && !queue_.lanes.finished(lane, seq)) {
            freed.needs[lane] = seq;
            freed.waits = true;
        }
        // What this stream has waited for is done by then as well, such as a copy to another GPU.
        std::erase_if(uses.lanes, [this, lane](const LaneUse& use) {
            return (use.write.seq == 0 || follows(lane, use.lane, use.write.seq)) &&
                   (use.read.seq == 0 || follows(lane, use.lane, use.read.seq));
        });
    }
    if (in_order && !uses.fresh && buffer.data != nullptr) {
        freed_[buffer.data] = std::move(uses.lanes);
    }
    uses_.erase(entry);
    return freed;
}

}  // namespace headway::runtime
