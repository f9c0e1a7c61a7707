// The fake's CUPTI: activity records of kernels, waits and memory.
#include <algorithm>
#include <cstring>
#include <string>

#include "tests/unit/cuda/fake_state.h"

namespace headway {

using fake::cupti;
using fake::external_ids;
using fake::mutex;

namespace {

// The status that a test wants from this call.
int enter_cupti(const std::string& name) {
    ++fake::state.calls[name];
    const auto found = fake::state.fail.find(name);
    if (found == fake::state.fail.end() || --found->second.first != 0) {
        return 0;
    }
    const int status = found->second.second;
    fake::state.fail.erase(found);
    return status;
}

#define CUPTI_ENTER(name)                         \
    const std::lock_guard lock(mutex);            \
    if (const int status_ = enter_cupti(name)) {  \
        return static_cast<CUptiResult>(status_); \
    }

CUptiResult cupti_timestamps(CUpti_TimestampCallbackFunc now) {
    CUPTI_ENTER("cuptiActivityRegisterTimestampCallback");
    cupti.now = now;
    return CUPTI_SUCCESS;
}
CUptiResult cupti_callbacks(CUpti_BuffersCallbackRequestFunc request, CUpti_BuffersCallbackCompleteFunc complete) {
    CUPTI_ENTER("cuptiActivityRegisterCallbacks");
    cupti.request = request;
    cupti.complete = complete;
    return CUPTI_SUCCESS;
}
CUptiResult cupti_enable(CUpti_ActivityKind kind) {
    CUPTI_ENTER("cuptiActivityEnable");
    cupti.enabled.insert(kind);
    return CUPTI_SUCCESS;
}
CUptiResult cupti_disable(CUpti_ActivityKind kind) {
    CUPTI_ENTER("cuptiActivityDisable");
    cupti.enabled.erase(kind);
    return CUPTI_SUCCESS;
}
// Fills one buffer per three records, kernels before the ops that they belong to: any order must work.
CUptiResult cupti_flush(std::uint32_t) {
    std::unique_lock lock(mutex);
    if (const int status = enter_cupti("cuptiActivityFlushAll")) {
        return static_cast<CUptiResult>(status);
    }
    auto records = std::exchange(cupti.records, {});
    auto waits = std::exchange(cupti.waits, {});
    auto memory = std::exchange(cupti.memory, {});
    const auto request = cupti.request;
    const auto complete = cupti.complete;
    lock.unlock();
    while (!records.empty()) {
        std::uint8_t* buffer = nullptr;
        std::size_t size = 0;
        std::size_t most = 0;
        request(&buffer, &size, &most);
        std::size_t used = 0;
        const std::size_t count = std::min<std::size_t>(records.size(), 3);
        for (std::size_t i = 0; i < count; ++i) {
            std::memcpy(buffer + used, &records[i].second, sizeof records[i].second);
            used += sizeof records[i].second;
        }
        for (std::size_t i = 0; i < count; ++i) {
            if (records[i].first.externalId != 0) {
                std::memcpy(buffer + used, &records[i].first, sizeof records[i].first);
                used += sizeof records[i].first;
            }
        }
        records.erase(records.begin(), records.begin() + static_cast<std::ptrdiff_t>(count));
        complete(nullptr, 0, buffer, size, used);
    }
    const auto hand_over = [&](const auto& all) {
        for (const auto& record : all) {
            std::uint8_t* buffer = nullptr;
            std::size_t size = 0;
            std::size_t most = 0;
            request(&buffer, &size, &most);
            std::memcpy(buffer, &record, sizeof record);
            complete(nullptr, 0, buffer, size, sizeof record);
        }
    };
    hand_over(waits);
    hand_over(memory);
    return CUPTI_SUCCESS;
}
CUptiResult cupti_next(std::uint8_t* buffer, std::size_t bytes, CUpti_Activity** record) {
    { CUPTI_ENTER("cuptiActivityGetNextRecord"); }
    const auto size_of = [](const CUpti_Activity& r) {
        return r.kind == CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION ? sizeof(CUpti_ActivityExternalCorrelation)
               : r.kind == CUPTI_ACTIVITY_KIND_SYNCHRONIZATION    ? sizeof(CUpti_ActivitySynchronization)
               : r.kind == CUPTI_ACTIVITY_KIND_MEMORY2            ? sizeof(CUpti_ActivityMemory3)
                                                                  : sizeof(CUpti_ActivityKernel9);
    };
    std::size_t at = 0;
    if (*record != nullptr) {
        at = static_cast<std::size_t>(reinterpret_cast<std::uint8_t*>(*record) - buffer) + size_of(**record);
    }
    if (at >= bytes) {
        return CUPTI_ERROR_MAX_LIMIT_REACHED;
    }
    *record = reinterpret_cast<CUpti_Activity*>(buffer + at);
    return CUPTI_SUCCESS;
}
CUptiResult cupti_push(CUpti_ExternalCorrelationKind, std::uint64_t id) {
    CUPTI_ENTER("cuptiActivityPushExternalCorrelationId");
    external_ids.push_back(id);
    return CUPTI_SUCCESS;
}
CUptiResult cupti_pop(CUpti_ExternalCorrelationKind, std::uint64_t* id) {
    CUPTI_ENTER("cuptiActivityPopExternalCorrelationId");
    if (external_ids.empty()) {
        return CUPTI_ERROR_QUEUE_EMPTY;
    }
    *id = external_ids.back();
    external_ids.pop_back();
    return CUPTI_SUCCESS;
}
CUptiResult cupti_runtime_call(CUpti_CallbackId, std::uint8_t) {
    CUPTI_ENTER("cuptiActivityEnableRuntimeApi");
    return CUPTI_SUCCESS;
}
CUptiResult cupti_driver_call(CUpti_CallbackId, std::uint8_t) {
    CUPTI_ENTER("cuptiActivityEnableDriverApi");
    return CUPTI_SUCCESS;
}

}  // namespace

namespace devices::cuda {

core::Result<CuptiApi> load_cupti(const std::string&) {
    const std::lock_guard lock(mutex);
    if (!fake::state.cupti) {
        return core::Error{core::ErrorKind::unavailable, "libcupti is not there"};
    }
    return CuptiApi{cupti_timestamps, cupti_callbacks, cupti_enable, cupti_disable,      cupti_flush,
                    cupti_next,       cupti_push,      cupti_pop,    cupti_runtime_call, cupti_driver_call};
}

}  // namespace devices::cuda

}  // namespace headway
