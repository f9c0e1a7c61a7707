#include "engine/devices/cuda/activity.h"

#include <algorithm>

namespace headway::devices::cuda {

namespace {

// Records grow with each release of CUPTI, at their end. These are the forms of CUDA 12.0; what is read of them lies at
// the same place in the newest ones.
using Kernel = CUpti_ActivityKernel9;
using Memcpy = CUpti_ActivityMemcpy5;
using Memset = CUpti_ActivityMemset4;
#if CUPTI_API_VERSION >= 130000
static_assert(offsetof(Kernel, start) == offsetof(CUpti_ActivityKernel10, start) &&
              offsetof(Kernel, end) == offsetof(CUpti_ActivityKernel10, end) &&
              offsetof(Kernel, correlationId) == offsetof(CUpti_ActivityKernel10, correlationId));
static_assert(offsetof(Memcpy, start) == offsetof(CUpti_ActivityMemcpy6, start) &&
              offsetof(Memcpy, end) == offsetof(CUpti_ActivityMemcpy6, end) &&
              offsetof(Memcpy, correlationId) == offsetof(CUpti_ActivityMemcpy6, correlationId));
#endif

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
            default:
                break;
        }
    }
}

void ActivityTimes::widen(Interval& interval, const Interval& by) {
    if (interval.activities == 0) {
        interval = by;
        return;
    }
    interval.begin_ns = std::min(interval.begin_ns, by.begin_ns);
    interval.end_ns = std::max(interval.end_ns, by.end_ns);
    interval.activities += by.activities;
}

void ActivityTimes::add(std::uint32_t correlation, std::uint64_t begin_ns, std::uint64_t end_ns) {
    if (begin_ns == 0 || end_ns < begin_ns) {
        return;  // CUPTI could not tell, or the record was flushed before it was complete
    }
    const Interval interval{static_cast<std::int64_t>(begin_ns), static_cast<std::int64_t>(end_ns), 1};
    if (const auto found = op_of_.find(correlation); found != op_of_.end()) {
        widen(ops_[found->second].interval, interval);
    } else {
        const auto [entry, fresh] = unclaimed_.try_emplace(correlation);
        if (fresh) {
            entry->second.flush = flushes_;
        }
        widen(entry->second.interval, interval);
    }
}

void ActivityTimes::correlate(std::uint32_t correlation, std::uint64_t id) {
    if (!op_of_.try_emplace(correlation, id).second) {
        return;  // a runtime call and the driver call within it share one id
    }
    Op& op = ops_[id];
    op.correlations.push_back(correlation);
    if (const auto found = unclaimed_.find(correlation); found != unclaimed_.end()) {
        widen(op.interval, found->second.interval);
        unclaimed_.erase(found);
    }
}

std::optional<ActivityTimes::Interval> ActivityTimes::of(std::uint64_t id) const {
    const std::lock_guard lock(mutex_);
    const auto found = ops_.find(id);
    return found != ops_.end() && found->second.interval.activities != 0 ? std::optional(found->second.interval)
                                                                         : std::nullopt;
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
}

std::size_t ActivityTimes::unclaimed() const {
    const std::lock_guard lock(mutex_);
    return unclaimed_.size();
}

}  // namespace headway::devices::cuda
