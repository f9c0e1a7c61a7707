#include "engine/devices/cuda/activity.h"

#include <algorithm>
#include <utility>

namespace headway::devices::cuda {

namespace {

// CUPTI appends fields to its records with each release. These are the structs of CUDA 12.0; the fields read here have
// the same offsets in newer ones.
using Kernel = CUpti_ActivityKernel9;
using Memcpy = CUpti_ActivityMemcpy5;
using PeerMemcpy = CUpti_ActivityMemcpyPtoP4;
using Memset = CUpti_ActivityMemset4;
using Synchronization = CUpti_ActivitySynchronization;
using MemoryOperation = CUpti_ActivityMemory3;
#if CUPTI_API_VERSION >= 130000
static_assert(offsetof(Kernel, start) == offsetof(CUpti_ActivityKernel10, start) &&
              offsetof(Kernel, end) == offsetof(CUpti_ActivityKernel10, end) &&
              offsetof(Kernel, correlationId) == offsetof(CUpti_ActivityKernel10, correlationId));
static_assert(offsetof(Memcpy, start) == offsetof(CUpti_ActivityMemcpy6, start) &&
              offsetof(Memcpy, end) == offsetof(CUpti_ActivityMemcpy6, end) &&
              offsetof(Memcpy, correlationId) == offsetof(CUpti_ActivityMemcpy6, correlationId));
static_assert(offsetof(Synchronization, type) == offsetof(CUpti_ActivitySynchronization2, type) &&
              offsetof(Synchronization, end) == offsetof(CUpti_ActivitySynchronization2, end) &&
              offsetof(Synchronization, streamId) == offsetof(CUpti_ActivitySynchronization2, streamId));
static_assert(offsetof(MemoryOperation, bytes) == offsetof(CUpti_ActivityMemory4, bytes) &&
              offsetof(MemoryOperation, timestamp) == offsetof(CUpti_ActivityMemory4, timestamp) &&
              offsetof(MemoryOperation, streamId) == offsetof(CUpti_ActivityMemory4, streamId));
#endif

trace::DriverKind kind_of(const Synchronization& record) {
    switch (record.type) {
        case CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_EVENT_SYNCHRONIZE:
            return trace::DriverKind::event_wait;
        case CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_STREAM_WAIT_EVENT:
            return trace::DriverKind::stream_waits_for_event;
        case CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_STREAM_SYNCHRONIZE:
            return trace::DriverKind::stream_wait;
        case CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_CONTEXT_SYNCHRONIZE:
            return trace::DriverKind::device_wait;
        default:
            return trace::DriverKind::other_wait;
    }
}

std::optional<trace::DriverKind> kind_of(const MemoryOperation& record) {
    const bool pinned = record.memoryKind == CUPTI_ACTIVITY_MEMORY_KIND_PINNED;
    if (record.memoryOperationType == CUPTI_ACTIVITY_MEMORY_OPERATION_TYPE_ALLOCATION) {
        return pinned ? trace::DriverKind::pinned_taken : trace::DriverKind::device_taken;
    }
    if (record.memoryOperationType == CUPTI_ACTIVITY_MEMORY_OPERATION_TYPE_RELEASE) {
        return pinned ? trace::DriverKind::pinned_given_back : trace::DriverKind::device_given_back;
    }
    return std::nullopt;
}

}  // namespace

void ActivityTimes::parse(NextRecord next, std::uint8_t* buffer, std::size_t bytes) {
    const std::lock_guard lock(mutex_);
    CUpti_Activity* record = nullptr;
    while (next(buffer, bytes, &record) == CUPTI_SUCCESS) {
        switch (record->kind) {
            case CUPTI_ACTIVITY_KIND_KERNEL:
            case CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL: {
                const auto* kernel = reinterpret_cast<const Kernel*>(record);
                add(kernel->correlationId, kernel->start, kernel->end);
                break;
            }
            case CUPTI_ACTIVITY_KIND_MEMCPY: {
                const auto* copy = reinterpret_cast<const Memcpy*>(record);
                add(copy->correlationId, copy->start, copy->end);
                break;
            }
            case CUPTI_ACTIVITY_KIND_MEMCPY2: {
                const auto* copy = reinterpret_cast<const PeerMemcpy*>(record);
                add(copy->correlationId, copy->start, copy->end);
                break;
            }
            case CUPTI_ACTIVITY_KIND_MEMSET: {
                const auto* set = reinterpret_cast<const Memset*>(record);
                add(set->correlationId, set->start, set->end);
                break;
            }
            case CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION: {
                const auto* external = reinterpret_cast<const CUpti_ActivityExternalCorrelation*>(record);
                correlate(external->correlationId, external->externalId);
                break;
            }
            case CUPTI_ACTIVITY_KIND_SYNCHRONIZATION: {
                const auto* wait = reinterpret_cast<const Synchronization*>(record);
                if (wait->start != 0 && wait->end >= wait->start) {
                    driver_events_.push_back({kind_of(*wait), static_cast<std::int64_t>(wait->start),
                                              static_cast<std::int64_t>(wait->end), 0, wait->streamId});
                }
                break;
            }
            case CUPTI_ACTIVITY_KIND_MEMORY2: {
                const auto* memory = reinterpret_cast<const MemoryOperation*>(record);
                if (const auto kind = kind_of(*memory); kind && memory->timestamp != 0) {
                    const auto at_ns = static_cast<std::int64_t>(memory->timestamp);
                    driver_events_.push_back({*kind, at_ns, at_ns, memory->bytes, memory->streamId});
                }
                break;
            }
            default:
                break;
        }
    }
}

void ActivityTimes::add(std::uint32_t correlation, std::uint64_t begin_ns, std::uint64_t end_ns) {
    if (begin_ns == 0 || end_ns < begin_ns) {
        return;  // no times, or the record was flushed before it was complete
    }
    const Interval interval{static_cast<std::int64_t>(begin_ns), static_cast<std::int64_t>(end_ns), 1};
    if (const auto found = op_of_.find(correlation); found != op_of_.end()) {
        ops_[found->second].pieces.push_back(interval);
    } else {
        const auto [entry, fresh] = unclaimed_.try_emplace(correlation);
        if (fresh) {
            entry->second.flush = flushes_;
        }
        entry->second.pieces.push_back(interval);
    }
}

void ActivityTimes::correlate(std::uint32_t correlation, std::uint64_t id) {
    if (id == kNoOp || !joins_ || !op_of_.try_emplace(correlation, id).second) {
        return;  // a runtime call and the driver call within it share one id
    }
    Op& op = ops_[id];
    op.correlations.push_back(correlation);
    if (const auto found = unclaimed_.find(correlation); found != unclaimed_.end()) {
        op.pieces.insert(op.pieces.end(), found->second.pieces.begin(), found->second.pieces.end());
        unclaimed_.erase(found);
    }
}

std::optional<ActivityTimes::Interval> ActivityTimes::of(std::uint64_t id) const {
    const std::lock_guard lock(mutex_);
    const auto found = ops_.find(id);
    if (found == ops_.end() || found->second.pieces.empty()) {
        return std::nullopt;
    }
    Interval all = found->second.pieces.front();
    all.activities = 0;
    for (const Interval& piece : found->second.pieces) {
        all.begin_ns = std::min(all.begin_ns, piece.begin_ns);
        all.end_ns = std::max(all.end_ns, piece.end_ns);
        all.activities += piece.activities;
    }
    return all;
}

std::vector<ActivityTimes::Interval> ActivityTimes::pieces_of(std::uint64_t id) const {
    std::vector<Interval> pieces;
    {
        const std::lock_guard lock(mutex_);
        if (const auto found = ops_.find(id); found != ops_.end()) {
            pieces = found->second.pieces;
        }
    }
    std::stable_sort(pieces.begin(), pieces.end(),
                     [](const Interval& a, const Interval& b) { return a.begin_ns < b.begin_ns; });
    return pieces;
}

std::vector<ActivityTimes::DriverEvent> ActivityTimes::take_driver_events() {
    const std::lock_guard lock(mutex_);
    return std::exchange(driver_events_, {});
}

void ActivityTimes::forget(std::uint64_t id) {
    const std::lock_guard lock(mutex_);
    const auto found = ops_.find(id);
    if (found == ops_.end()) {
        return;
    }
    for (const auto correlation : found->second.correlations) {
        op_of_.erase(correlation);
    }
    ops_.erase(found);
}

void ActivityTimes::age() {
    const std::lock_guard lock(mutex_);
    ++flushes_;
    std::erase_if(unclaimed_, [this](const auto& entry) { return flushes_ - entry.second.flush > kPatience; });
}

void ActivityTimes::clear() {
    const std::lock_guard lock(mutex_);
    op_of_.clear();
    unclaimed_.clear();
    ops_.clear();
    driver_events_.clear();
    joins_ = true;
}

void ActivityTimes::stop_joining() {
    const std::lock_guard lock(mutex_);
    joins_ = false;
}

std::size_t ActivityTimes::unclaimed() const {
    const std::lock_guard lock(mutex_);
    return unclaimed_.size();
}

}  // namespace headway::devices::cuda
