// The completion thread: polls the events of commands in flight, updates the completion counters, and passes finished
// ops to the recording.
#include <sched.h>

#include <algorithm>

#include "engine/core/sequence.h"
#include "engine/core/system/thread.h"
#include "engine/devices/cuda/cuda_device.h"
#include "engine/devices/cuda/host_work.h"

namespace headway::devices::cuda {

namespace {

constexpr std::int64_t kPollNs = 50'000;  // poll period while nobody waits
constexpr int kPausesBetweenPolls = 32;   // between polls while the frontend waits

bool reached(const std::atomic<std::uint32_t>& counter, std::uint32_t seq) {
    return core::reached(counter.load(std::memory_order_acquire), seq);
}

}  // namespace

// If the frontend launches, it keeps launching while it waits, because a hold may be released meanwhile.
void CudaDevice::wait(std::uint32_t lane, std::uint32_t seq) {
    wait_for(lane, seq, options_.launch == CudaLaunch::frontend);
}

// Called on a CPU worker. It launches nothing: the launching thread continues to launch.
void CudaDevice::wait_from_peer(std::uint32_t lane, std::uint32_t seq) {
    wait_for(lane, seq, false);
}

void CudaDevice::wait_for(std::uint32_t lane, std::uint32_t seq, bool launches) {
    const auto& counter = completed(lane);
    if (reached(counter, seq)) {
        return;
    }
    waiters_.fetch_add(1);
    if (completer_asleep_.load() != kAwake) {
        poke();
    }
    const auto begin = core::ticks();
    while (!reached(counter, seq)) {
        const bool held = launches && !launch_on_all_gpus();
        if (core::ticks() - begin < spin_ticks_) {
            core::spin_pause();
            if (crowded_) {
                sched_yield();
            }
            continue;
        }
        const auto seen = progress_.load();
        if (!reached(counter, seq)) {
            core::futex_wait_for(progress_, seen, held ? kHeldPollNs : kSleepNs);
        }
    }
    waiters_.fetch_sub(1);
}

void CudaDevice::poke() {
    poke_.fetch_add(1);
    core::futex_wake_all(poke_);
}

void CudaDevice::complete_loop() {
    core::name_thread("cuda-complete");
    use_device();
    for (;;) {
        bool moved = false;
        for (auto& lane : lanes_) {
            moved |= retire_finished(*lane);
        }
        if (moved) {
            continue;
        }
        const auto seen = poke_.load();
        const bool idle = in_flight_.load(std::memory_order_acquire) == 0;
        if (idle && stop_completing_.load(std::memory_order_acquire)) {
            return;
        }
        if (cupti_ == nullptr && !lost() && core::monotonic_ns() > next_anchor_ns_) {
            renew_event_anchor();
        }
        if (!idle && (waiters_.load() != 0 || slow_factor_.load(std::memory_order_relaxed) > 0)) {
            for (int i = 0; i < kPausesBetweenPolls; ++i) {
                core::spin_pause();
            }
            if (crowded_) {
                sched_yield();
            }
            continue;
        }
        completer_asleep_.store(idle ? kIdle : kNapping);  // new work alone does not wake it from a nap
        core::heavy_fence();
        const bool still = (in_flight_.load(std::memory_order_acquire) == 0) == idle && waiters_.load() == 0 &&
                           !(idle && stop_completing_.load(std::memory_order_acquire));
        if (still) {
            core::futex_wait_for(poke_, seen, idle ? kSleepNs : kPollNs);
        }
        completer_asleep_.store(kAwake);
    }
}

// How many commands at the front of the lane have finished. An event is done only if all earlier events of its stream
// are, so the search skips ahead in doubling steps until an event is not done.
std::size_t CudaDevice::count_finished(Lane& lane) {
    std::size_t limit = 0;  // commands from this index on are unfinished or do not exist
    const auto event_at = [&lane](std::size_t at) {
        const std::lock_guard lock(lane.mutex);
        return lane.in_flight[at].end;
    };
    {
        const std::lock_guard lock(lane.mutex);
        limit = lane.in_flight.size();
    }
    std::size_t finished = 0;
    for (std::size_t step = 1; finished < limit && !lost();) {
        const std::size_t at = std::min(finished + step, limit) - 1;
        const cudaEvent_t event = event_at(at);
        const auto status = event != nullptr ? cudaEventQuery(event) : cudaSuccess;
        if (status == cudaSuccess) {
            finished = at + 1;
            step *= 2;
        } else if (status == cudaErrorNotReady) {
            cudaGetLastError();  // clear it: CUDA stores it like an error
            limit = at;
            step = 1;
        } else {
            cudaGetLastError();
            core::OpId op = 0;
            {
                const std::lock_guard lock(lane.mutex);
                for (std::size_t i = finished; op == 0 && i < lane.in_flight.size(); ++i) {
                    op = lane.in_flight[i].op;
                }
            }
            lose(op, cudaGetErrorString(status));
        }
    }
    if (lost()) {
        const std::lock_guard lock(lane.mutex);
        return lane.in_flight.size();
    }
    return finished;
}

bool CudaDevice::retire_finished(Lane& lane) {
    const std::size_t finished = count_finished(lane);
    if (finished == 0) {
        return false;
    }
    std::vector<InFlight> batch;
    batch.reserve(finished);
    {
        const std::lock_guard lock(lane.mutex);
        for (std::size_t i = 0; i < finished; ++i) {
            batch.push_back(std::move(lane.in_flight.front()));
            lane.in_flight.pop_front();
        }
        lane.taken += static_cast<std::uint32_t>(finished);
    }
    retire(lane, batch);
    return true;
}

void CudaDevice::retire(Lane& lane, std::vector<InFlight>& batch) {
    const auto now = core::ticks();
    const auto count = static_cast<std::uint32_t>(batch.size());
    if (lost()) {
        // It is unknown which work in flight has finished. Host functions may still be running, so their data is kept
        // until the process ends.
        static auto& kept = *new std::vector<std::unique_ptr<HostWork>>;
        for (auto& flight : batch) {
            flight.failed = true;
            if (flight.host != nullptr) {
                kept.push_back(std::move(flight.host));
            }
        }
    }
    const float slow = slow_factor_.load(std::memory_order_relaxed);
    if (slow > 0 && batch.back().op != 0) [[unlikely]] {
        const auto op_ticks = static_cast<double>(now - batch.back().launch_begin);
        lane.slow_until.store(now + static_cast<std::uint64_t>(op_ticks * static_cast<double>(slow)),
                              std::memory_order_relaxed);
        lane.slow_from.store(now, std::memory_order_relaxed);
    }
    lane.completed.store(lane.completed.load(std::memory_order_relaxed) + count, std::memory_order_release);
    if (waiters_.load() != 0) {
        progress_.fetch_add(1);
        core::futex_wake_all(progress_);
    }
    for (auto& flight : batch) {
        if (flight.op != 0 && options_.record) {
            record(lane, flight, now);
        }
        if (!lost()) {
            events_->give(flight.begin);
            events_->give(flight.end);
            pinned_.give(flight.staging);
        }
    }
    lane.retired.store(lane.retired.load(std::memory_order_relaxed) + count, std::memory_order_release);
    in_flight_.fetch_sub(count, std::memory_order_release);
}

}  // namespace headway::devices::cuda
