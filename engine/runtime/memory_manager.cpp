#include "engine/runtime/memory_manager.h"

#include <algorithm>

#include "engine/core/bytes.h"
#include "engine/runtime/program_streams.h"

namespace headway::runtime {

using core::after;
using devices::Signature;
using memory::FreePolicy;

namespace {

constexpr std::uint64_t kNoBudget = ~std::uint64_t{0};
constexpr std::uint64_t kAlwaysReclaimBytes = std::uint64_t{16} << 10;
constexpr std::size_t kBuffersPerSlab = 512;

}  // namespace

MemoryManager::MemoryManager(OpQueue* owner, Lanes& lanes, const SourceLines& lines, FrontendRecorder& recorder,
                             FreePolicy policy)
    : owner_(owner), lanes_(lanes), lines_(lines), recorder_(recorder), policy_(policy), budget_(kNoBudget) {
    for (core::DeviceId number = 0; number < lanes.devices(); ++number) {
        add_device(number);
    }
}

MemoryManager::~MemoryManager() {
    reclaim_all();
    for (auto& slab : buffer_slabs_) {
        for (std::size_t i = 0; i < kBuffersPerSlab; ++i) {
            Buffer& buffer = slab[i];
            if (buffer.references != 0 && buffer.data != nullptr) {
                pools_[buffer.device]->give_anywhere(buffer.size_class, buffer.data);
            }
        }
    }
}

void MemoryManager::add_device(core::DeviceId number) {
    // Reserves a resident huge page per lane before the program starts. A growing vector caused 80 page faults on the
    // frontend within 10,000 small ops, which took longer than the ops where page faults are expensive.
    constexpr std::size_t kPendingReserved = core::kHugePageBytes / sizeof(Pending);
    devices::Device& device = lanes_.device(number);
    pools_[number] =
        number == 0 ? std::make_unique<memory::Pool>(device) : std::make_unique<memory::Pool>(device, *pools_[0]);
    if (!lanes_.virtual_time()) {  // in virtual time page faults disturb no measurement
        for (std::uint32_t lane = lanes_.begin(number); lane < lanes_.end(number); ++lane) {
            pending_[lane].blocks.reserve(kPendingReserved);
        }
    }
}

void MemoryManager::set_budget(std::uint64_t bytes) {
    budget_ = bytes == 0 || lazy() ? kNoBudget : bytes;
    if (lazy()) {
        for (core::DeviceId device = 0; device < lanes_.devices(); ++device) {
            lanes_.device(device).set_lazy_budget(bytes);
        }
    }
}

void MemoryManager::make_buffers() {
    buffer_slabs_.push_back(std::make_unique<Buffer[]>(kBuffersPerSlab));
    for (std::size_t i = kBuffersPerSlab; i-- > 0;) {
        Buffer& buffer = buffer_slabs_.back()[i];
        buffer.queue = owner_;
        recycle(&buffer);
    }
}

float* MemoryManager::find(const Signature& signature, core::DeviceId device, std::uint32_t lane, core::OpId op) {
    memory::Pool& pool = *pools_[device];
    if (!pool.has_used(signature.size_class, lane)) {
        // reclaim() reads a cache line of each lane's worker; new memory costs a page fault per 4 KiB.
        if (op > reclaim_after_ || signature.out_bytes >= kAlwaysReclaimBytes) {
            reclaim();
            if (!pool.has_used(signature.size_class, lane)) {
                reclaim_after_ = op + 31;  // nothing had finished: do not try again at once
            }
        }
    }
    float* data = pool.take(signature.size_class, lane);
    if (data == nullptr) {
        reclaim_all();
        data = pool.take(signature.size_class, lane);
    }
    if (data == nullptr && policy_ == FreePolicy::stream) {
        data = take_from_lanes(signature.size_class, device, lane);
    }
    if (data == nullptr) {
        refuse(signature, device, op,
               "the device has no " + core::bytes_text(signature.out_bytes) + " left; " +
                   core::bytes_text(live_[device]) + " are live");
    }
    return data;
}

// Like PyTorch's allocator: what is cached in the order of a lane goes back to the device once all ops have finished.
float* MemoryManager::take_from_lanes(std::uint32_t size_class, core::DeviceId device, std::uint32_t lane) {
    const LaneSeqs submitted = lanes_.submitted();
    const WaitEvent event{trace::WaitKind::memory, "memory", 0, recorder_.issued()};
    const std::uint64_t begin = recorder_.begin_wait(event);
    lanes_.wait(submitted, 0, lanes_.count());
    lanes_.device(device).wait_returned();
    recorder_.end_wait(begin, event);
    if (streams_ != nullptr) {
        streams_->host_waited(submitted, 0, lanes_.count(), recorder_.issued());
    }
    reclaim_all();
    pools_[device]->trim_lanes();
    return pools_[device]->take(size_class, lane);
}

void MemoryManager::make_room(core::DeviceId device, std::uint64_t bytes, const Signature& signature, core::OpId op) {
    reclaim_all();
    if (live_[device] + bytes > budget_) {
        refuse(signature, device, op,
               "it asks for " + core::bytes_text(bytes) + ", and " + core::bytes_text(live_[device]) +
                   " of the budget of " + core::budget_in_both_units(budget_) + " are live");
    }
}

void MemoryManager::refuse(const Signature& signature, core::DeviceId device, core::OpId op,
                           const std::string& why) const {
    lines_.raise(core::ErrorKind::out_of_memory,
                 "out of memory" + lanes_.device(device).where() + " at op " + std::to_string(op) + ", " +
                     (signature.kind == devices::OpKind::opaque
                          ? "an allocation"
                          : devices::name_of(signature.kind) + std::string(" giving ") + to_string(signature.out)) +
                     ": " + why,
                 op);
}

Buffer* MemoryManager::allocate(const Signature& memory, core::DeviceId device, std::uint32_t lane, core::OpId op) {
    if (lazy()) {
        lines_.raise(core::ErrorKind::failed,
                     "memory is asked for before an op starts, which the free policy lazy does not allow: choose "
                     "stream or finish");
    }
    expect_room(device, memory.out_bytes, memory, op);
    float* data = take(memory, device, lane, op);
    Buffer* buffer = new_buffer(memory, device);
    buffer->data = data;
    // What is queued in that lane may still use the block, so an op in another lane must wait for it.
    buffer->read_seq[lane] = lanes_.count() > 1 ? lanes_.submitted()[lane] : 0;
    return buffer;
}

void MemoryManager::give_back(Buffer& buffer, std::uint32_t lane) {
    live_[buffer.device] -= buffer.bytes;
    if (policy_ == FreePolicy::stream) {  // earlier commands of the lane may still be using it
        pools_[buffer.device]->give_in_lane(buffer.size_class, lane, buffer.data);
    } else {
        pools_[buffer.device]->give_anywhere(buffer.size_class, buffer.data);
    }
    buffer.data = nullptr;
}

// The memory is free once every lane that uses it has finished with it; if only one lane of its device uses it, it is
// reused in that lane's order.
void MemoryManager::free_across_lanes(const Buffer& buffer, std::uint64_t counted) {
    if (streams_ != nullptr && streams_->active() && free_in_streams(buffer)) {
        return;
    }
    PendingInLanes held{{0, static_cast<std::uint16_t>(buffer.size_class), buffer.device, buffer.data, counted}, {}};
    std::uint32_t busy = 0;
    std::uint32_t busy_lane = 0;
    std::fill_n(held.need.begin(), lanes_.count(), 0u);
    raise_to(held.need, buffer.write_lane, buffer.write_seq);
    for (std::uint32_t lane = 0; lane < lanes_.count(); ++lane) {
        raise_to(held.need, lane, buffer.read_seq[lane]);
        if (held.need[lane] != 0 && after(held.need[lane], lanes_.seen(lane))) {
            ++busy;
            busy_lane = lane;
        }
    }
    if (busy == 0) {
        free_block(held.block);
    } else if (busy > 1) {
        pending_in_lanes_.push_back(held);
    } else if (policy_ == FreePolicy::stream && lanes_.device(buffer.device).has_lane(busy_lane)) {
        pools_[buffer.device]->give_in_lane(buffer.size_class, busy_lane, buffer.data);
    } else {
        held.block.seq = held.need[busy_lane];
        pending_[busy_lane].blocks.push_back(held.block);
    }
}

// Like PyTorch's allocator: the memory is reused in the order of the stream in which it was allocated. Other streams
// that use it are waited for only if the program called record_stream() for them.
bool MemoryManager::free_in_streams(const Buffer& buffer) {
    const bool in_order = policy_ == FreePolicy::stream && streams_->governs(buffer.device);
    const ProgramStreams::Freed freed = streams_->drop(buffer, in_order);
    if (!in_order) {
        return false;
    }
    if (freed.waits) {
        pending_in_lanes_.push_back({{0, static_cast<std::uint16_t>(buffer.size_class), buffer.device, buffer.data, 0},
                                     freed.needs,
                                     freed.home});
    } else {
        pools_[buffer.device]->give_in_lane(buffer.size_class, freed.home, buffer.data);
    }
    return true;
}

// Frees the memory in lane order: submits a free command after the last use, to a lane of the device that owns the
// memory.
void MemoryManager::free_lazily(const Buffer& buffer) {
    const bool own = lanes_.device(buffer.device).has_lane(buffer.write_lane);
    const std::uint32_t home = own ? std::uint32_t{buffer.write_lane} : lanes_.begin(buffer.device);
    LaneSeqs last = buffer.read_seq;
    raise_to(last, buffer.write_lane, buffer.write_seq);
    for (std::uint32_t lane = 0; lane < lanes_.count(); ++lane) {
        if (lane == home || last[lane] == 0 || lanes_.finished(lane, last[lane])) {
            last[lane] = 0;
        }
    }
    for (std::uint32_t lane = 0; lane < lanes_.count(); ++lane) {
        if (last[lane] != 0) {
            lanes_.submit_wait(home, lane, last[lane]);
        }
    }
    devices::Command command;
    command.out_id = buffer.id;
    command.flags = devices::kFreeBuffer;
    lanes_.submit_idle(home, command);
}

void MemoryManager::reclaim() {
    for (std::uint32_t lane = 0; lane < lanes_.count(); ++lane) {
        PendingQueue& queue = pending_[lane];
        while (queue.head < queue.blocks.size() && lanes_.finished(lane, queue.blocks[queue.head].seq)) {
            free_block(queue.blocks[queue.head++]);
        }
        if (queue.head == queue.blocks.size()) {
            queue.blocks.clear();
            queue.head = 0;
        } else if (queue.head > 4096 && queue.head * 2 > queue.blocks.size()) {
            queue.blocks.erase(queue.blocks.begin(), queue.blocks.begin() + static_cast<std::ptrdiff_t>(queue.head));
            queue.head = 0;
        }
    }
    std::erase_if(pending_in_lanes_, [this](const PendingInLanes& held) {
        for (std::uint32_t lane = 0; lane < lanes_.count(); ++lane) {
            if (held.need[lane] != 0 && !lanes_.finished(lane, held.need[lane])) {
                return false;
            }
        }
        if (held.home != core::kMaxLanes) {
            pools_[held.block.device]->give_in_lane(held.block.size_class, held.home, held.block.data);
        } else {
            free_block(held.block);
        }
        return true;
    });
    host_values_.release(lanes_);
}

void MemoryManager::reclaim_all() {
    reclaim();
    for (std::uint32_t lane = 0; lane < lanes_.count(); ++lane) {
        PendingQueue& queue = pending_[lane];
        const auto first = queue.blocks.begin() + static_cast<std::ptrdiff_t>(queue.head);
        const auto kept = std::remove_if(first, queue.blocks.end(), [this, lane](const Pending& block) {
            if (lanes_.finished(lane, block.seq)) {
                free_block(block);
                return true;
            }
            return false;
        });
        queue.blocks.erase(kept, queue.blocks.end());
    }
}

float* MemoryManager::data_of(const Buffer& buffer) {
    return buffer.data != nullptr ? buffer.data : lanes_.device(buffer.device).lazy_data(buffer.id);
}

std::uint64_t MemoryManager::live_bytes() {
    std::uint64_t bytes = 0;
    for (core::DeviceId device = 0; device < lanes_.devices(); ++device) {
        bytes += live_bytes(device);
    }
    return bytes;
}

std::uint64_t MemoryManager::live_bytes(core::DeviceId device) {
    if (lazy()) {
        return lanes_.device(device).lazy_bytes();
    }
    reclaim_all();
    return live_[device];
}

void MemoryManager::empty_cache() {
    reclaim_all();
    for (core::DeviceId device = 0; device < lanes_.devices(); ++device) {
        pools_[device]->trim_lanes();
    }
}

}  // namespace headway::runtime
