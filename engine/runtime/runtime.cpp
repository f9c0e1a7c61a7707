#include "engine/runtime/runtime.h"

#include <algorithm>

#include "engine/runtime/buffer.h"
#include "engine/runtime/fill_command.h"

namespace headway::runtime {

using core::after;
using devices::Command;
using devices::Signature;
using memory::FreePolicy;
using trace::FrontendKind;

namespace {

constexpr std::uint64_t kCloseTicks = 1'000;  // less than a microsecond
constexpr std::size_t kBuffersPerSlab = 512;

}  // namespace

Runtime::Runtime(devices::Device& device, trace::Recording& recording, const Settings& settings)
    : Runtime(std::make_unique<devices::DeviceSet>(device), nullptr, recording, settings) {}

Runtime::Runtime(devices::DeviceSet& machine, trace::Recording& recording, const Settings& settings)
    : Runtime(nullptr, &machine, recording, settings) {}

Runtime::Runtime(std::unique_ptr<devices::DeviceSet> own, devices::DeviceSet* machine, trace::Recording& recording,
                 const Settings& settings)
    : own_devices_(std::move(own)),
      devices_(machine != nullptr ? *machine : *own_devices_),
      device_(devices_[0]),
      recording_(recording),
      control_(recording.control()),
      settings_(settings),
      virtual_time_(device_.virtual_time()),
      record_(settings.record),
      free_policy_(settings.free_policy),
      events_(recording, {trace::StreamKind::frontend, 0}),
      drops_(recording, {trace::StreamKind::drops, 0}),
      costs_(recording),
      members_{std::make_unique<Member>(device_, nullptr)},
      signatures_(recording, *members_[0]->pool, settings.seed) {
    add_member(device_);
    // A choice made before the program started, or at this moment, takes precedence.
    const auto unless_chosen = [](auto& setting, auto not_chosen, auto value) {
        setting.compare_exchange_strong(not_chosen, value);
    };
    unless_chosen(control_.barrier, trace::kNotChosen, pack_barrier(settings.barrier));
    unless_chosen(control_.budget_bytes, trace::kNotChosen, settings.budget_bytes);
    unless_chosen(control_.queue_limit, trace::kNoLimitChosen, settings.queue_limit);
    recorded_barrier_ = settings.barrier;
    close_ = virtual_time_ ? 0 : kCloseTicks;
    long_ = virtual_time_ || !record_ ? ~std::uint64_t{0} : FrontendCosts::kLongTicks;
    last_event_ = stamp();
    record_totals(last_event_);
    gathering_ = settings.gather;
    read_control();
}

Runtime::~Runtime() {
    record_totals(stamp());
    tracing_ = false;
    release_buffers(std::exchange(gathered_, {}));  // never issued: the program did not wait for their values
    stand_ins_.clear();
    devices_.hold(false);
    for (std::uint32_t lane = 0; lane < lanes_; ++lane) {
        device_of_lane(lane).wait(lane, seq_[lane]);
    }
    reclaim_all();
    // Tensors that the program still holds lose their memory when the runtime is destroyed.
    for (auto& slab : buffer_slabs_) {
        for (std::size_t i = 0; i < kBuffersPerSlab; ++i) {
            Buffer& buffer = slab[i];
            if (buffer.references != 0 && buffer.data != nullptr) {
                pool_[buffer.device]->give_anywhere(buffer.size_class, buffer.data);
            }
        }
    }
}

Buffer* Runtime::issue(const Operation& operation) {
    std::uint64_t begin = operation.begin;
    if ((control_.attention.load(std::memory_order_relaxed) | slow_) != 0) [[unlikely]] {
        if ((slow_ & kGathers) != 0 && gathers(operation)) {
            return gather(operation);
        }
        before_issue();
        begin = 0;  // it may have waited
    }
    const Signature& signature = *operation.signature;
    core::DeviceId memory = 0;
    bool other_memory = false;
    if (device_count_ > 1) [[unlikely]] {
        memory = operation.memory;
        other_memory = operation.device != memory;
    }
    if (begin == 0) {
        begin = entered();
    }
    const std::uint64_t called = begin, before = last_event_;
    events_are_close_ = begin - before < close_;
    if (language_name_ != 0) {
        settle_work(begin);
        costs_.add_language(begin - last_event_);
        begin = last_event_;  // interpreter time counts as part of the issue
    }
    const bool fresh = operation.out == nullptr && signature.out_bytes != 0;
    if (fresh && live_[memory] + signature.out_bytes > budget_) [[unlikely]] {
        make_room(signature, memory, signature.out_bytes);
    }
    if (issued_ >= kMaxOps) [[unlikely]] {
        too_many_ops();
    }

    Placement placement;
    if (lanes_ > 1) {
        place(operation, placement);
    }
    const std::uint32_t lane = placement.lane;

    Buffer* out = operation.out;
    if (fresh) {
        float* data = nullptr;
        if (free_policy_ != FreePolicy::lazy) {
            data = take_memory(signature, memory, lane);
            live_[memory] += signature.out_bytes;
        }
        out = new_buffer();
        out->data = data;
        out->bytes = signature.out_bytes;
        out->size_class = signature.size_class;
        out->device = memory;
    }
    if (placement.waits > 1) [[unlikely]] {
        submit_waits(placement, 1);
    }

    devices::Device& device = *lane_device_[lane];
    Command& command = device.slot(lane);
    command = Command();
    const std::uint32_t seq = ++seq_[lane];
    fill_command(command, operation, out, ++issued_, lane, seq, fresh);
    if (placement.waits > 0) {
        command.wait_lane = static_cast<std::uint8_t>(placement.wait_lane[0]);
        command.wait_seq = placement.wait_seq[0];
    }
    if (free_policy_ == FreePolicy::lazy) [[unlikely]] {
        command.flags |= devices::kLazyOperands;
        last_op_[lane] = seq;
    }
    if (other_memory) [[unlikely]] {
        command.flags |= devices::kOutBeside;
    }
    const std::array<core::BufferId, 3> ids{command.out_id, command.in0_id, command.in1_id};
    device.publish(lane);

    if (record_) [[likely]] {
        const std::uint8_t kind = static_cast<std::uint8_t>(FrontendKind::issue) | (fresh ? trace::kFreshOutput : 0) |
                                  (signature.in_place ? trace::kReadsOutput : 0) |
                                  (other_memory ? trace::kOutBeside : 0);
        last_event_ = stamp();
        record({begin, trace::pack_duration(last_event_ - begin), signature.id, kind, static_cast<std::uint8_t>(lane),
                line_, ids[0], ids[1], ids[2]},
               last_event_);
        look_for_core(language_name_ != 0 ? begin : before, called, last_event_);
    }
    if (slow_ != 0) [[unlikely]] {
        after_issue(lane, seq);
    }
    return fresh ? out : nullptr;
}

void Runtime::too_many_ops() {
    raise(core::ErrorKind::failed, "a run can hold at most " + std::to_string(kMaxOps) + " ops");
}

void Runtime::make_buffers() {
    buffer_slabs_.push_back(std::make_unique<Buffer[]>(kBuffersPerSlab));
    for (std::size_t i = kBuffersPerSlab; i-- > 0;) {
        Buffer& buffer = buffer_slabs_.back()[i];
        buffer.runtime = this;
        buffer.next_free = free_buffers_;
        free_buffers_ = &buffer;
    }
}

Buffer* Runtime::new_buffer() {
    if (free_buffers_ == nullptr) [[unlikely]] {
        make_buffers();
    }
    Buffer* buffer = free_buffers_;
    free_buffers_ = buffer->next_free;
    buffer->id = next_buffer_++;
    buffer->references = 1;
    std::fill_n(buffer->read_seq.begin(), lanes_, 0u);
    return buffer;
}

void Runtime::need(std::array<std::uint32_t, core::kMaxLanes>& need, std::uint32_t lane, std::uint32_t seq) {
    if (seq != 0 && (need[lane] == 0 || after(seq, need[lane]))) {
        need[lane] = seq;
    }
}

void Runtime::follow_writer(const Buffer& buffer, Needs& needs) {
    if (buffer.write_seq != 0 && !finished(buffer.write_lane, buffer.write_seq)) {
        need(needs.seq, buffer.write_lane, buffer.write_seq);
        if (buffer.write_op >= needs.newest) {
            needs.newest = buffer.write_op;
            needs.home = buffer.write_lane;
        }
    }
}

void Runtime::follow_readers(const Buffer& buffer, Needs& needs) {
    for (std::uint32_t lane = 0; lane < lanes_; ++lane) {
        const auto seq = buffer.read_seq[lane];
        if (seq != 0 && !finished(lane, seq)) {
            need(needs.seq, lane, seq);
            if (needs.home == core::kMaxLanes) {
                needs.home = lane;
            }
        }
    }
}

void Runtime::place(const Operation& operation, Placement& placement) {
    Needs needs;
    std::fill_n(needs.seq.begin(), lanes_, 0u);
    if (operation.in0 != nullptr) {
        follow_writer(*operation.in0, needs);
    }
    if (operation.in1 != nullptr) {
        follow_writer(*operation.in1, needs);
    }
    if (operation.out != nullptr) {
        follow_writer(*operation.out, needs);
        follow_readers(*operation.out, needs);
    }
    choose_lane(needs, operation.device, placement);
}

// Chooses the lane with the shortest wait. In virtual time the device knows when each lane could begin the op.
// Otherwise: the lane of its newest unfinished input, or if it has none, the lane of its device with the fewest queued
// commands.
void Runtime::choose_lane(const Needs& needs, core::DeviceId device, Placement& placement) {
    Member& member = *members_[device];
    std::uint32_t home = needs.home;
    const bool has_home = home >= member.begin && home < member.end;
    if (virtual_time_) {
        home = member.device.earliest_lane(needs.seq, home, member.next);
    } else if (!has_home) {
        // Reading a worker's completion counter costs a cache miss, so one of them is refreshed every 16 ops.
        if ((++refresh_ & 15u) == 0) {
            const auto lane = member.begin + (refresh_ >> 4) % (member.end - member.begin);
            seen_[lane] = member.device.completed(lane).load(std::memory_order_acquire);
        }
        std::uint32_t fewest = ~0u;
        for (std::uint32_t i = 0; i < member.end - member.begin; ++i) {
            const std::uint32_t lane =
                member.next + i < member.end ? member.next + i : member.next + i - (member.end - member.begin);
            const auto queued = seq_[lane] - seen_[lane];
            if (queued < fewest) {
                fewest = queued;
                home = lane;
            }
        }
    }
    if (home != needs.home) {
        member.next = home + 1 < member.end ? home + 1 : member.begin;
    }
    placement.lane = home;
    for (std::uint32_t lane = 0; lane < lanes_; ++lane) {
        if (lane != home && needs.seq[lane] != 0) {
            placement.wait_lane[placement.waits] = lane;
            placement.wait_seq[placement.waits++] = needs.seq[lane];
        }
    }
}

// A command can wait for one other lane; further waits are submitted before it as separate commands.
void Runtime::submit_waits(const Placement& placement, std::uint32_t first) {
    for (std::uint32_t i = first; i < placement.waits; ++i) {
        Command command;
        command.wait_lane = static_cast<std::uint8_t>(placement.wait_lane[i]);
        command.wait_seq = placement.wait_seq[i];
        ++seq_[placement.lane];
        device_of_lane(placement.lane).submit(placement.lane, command);
    }
}

}  // namespace headway::runtime
