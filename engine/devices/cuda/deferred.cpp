// GPU commands that wait for a lane of another device, or for the end of a pause in slow motion: deferred while other
// commands are launched.
#include "engine/core/sequence.h"
#include "engine/core/system/thread.h"
#include "engine/devices/cuda/cuda_device.h"

namespace headway::devices::cuda {

// Whether the command cannot be launched yet: a lane of the CPU has not completed what it waits for, another GPU has
// not launched it, or the command in another stream that it waits for is deferred itself.
bool CudaDevice::needs_more(const Command& command) {
    if (command.wait_lane == kNoLaneWait) {
        return false;
    }
    CudaDevice* gpu = gpu_with(command.wait_lane);
    if (gpu == nullptr) {
        return !core::reached(peer_with(command.wait_lane).completed(command.wait_lane).load(std::memory_order_acquire),
                              command.wait_seq);
    }
    Lane& needed = *gpu->lanes_[command.wait_lane - gpu->first_lane()];
    if (gpu != this) {
        return !is_launched(needed, command.wait_seq);
    }
    return !needed.deferred.empty() && core::after(command.wait_seq, needed.launched);
}

bool CudaDevice::is_launched(Lane& lane, std::uint32_t seq) {
    const std::lock_guard lock(lane.mutex);
    return core::reached(lane.taken + static_cast<std::uint32_t>(lane.in_flight.size()), seq);
}

// In slow motion a lane has one command at a time, and pauses after each op for a multiple of the op's duration, from
// its launch until its completion was noticed.
bool CudaDevice::stays_slow(const Lane& lane) const {
    if (slow_factor_.load(std::memory_order_relaxed) <= 0 || abandoned_.load(std::memory_order_relaxed) || lost()) {
        return false;
    }
    return lane.completed.load(std::memory_order_acquire) != lane.launched ||
           core::ticks() < lane.slow_until.load(std::memory_order_relaxed);
}

void CudaDevice::defer(std::uint32_t lane, const Command& command) {
    lanes_[lane]->deferred.push_back(command);
    deferred_.fetch_add(1, std::memory_order_relaxed);
}

// Launches deferred commands that have become ready, in each stream's order. A launch for one stream may make commands
// of another ready. False if a ready one remains because the lanes are held.
bool CudaDevice::launch_deferred() {
    bool all = true;
    for (bool moved = true; moved && deferred_.load(std::memory_order_relaxed) != 0;) {
        moved = false;
        all = true;
        for (std::uint32_t index = 0; index < lanes_.size(); ++index) {
            Lane& lane = *lanes_[index];
            while (!lane.deferred.empty()) {
                if (needs_more(lane.deferred.front()) || stays_slow(lane)) {
                    break;
                }
                if (!may_launch(index)) {
                    all = false;
                    break;
                }
                launch(index, lane.deferred.front());
                lane.deferred.pop_front();
                deferred_.fetch_sub(1, std::memory_order_relaxed);
                moved = true;
            }
        }
    }
    return all;
}

// GPUs join before the run begins; the CPU joins last.
void CudaDevice::meet(Device& other) {
    Device::meet(other);
    if (const CudaDevice* gpu = gpu_peer(other.number())) {
        alone_ = false;
        use_device();
        use_memory_of(*gpu);
    }
}

void CudaDevice::set_left(bool left) {
    const std::uint32_t now = left ? 1 : 0;
    if (left_.load(std::memory_order_relaxed) != now && left_.exchange(now) < now) {
        core::futex_wake_all(left_);
    }
}

// Launches what the frontend had to leave: deferred commands, and those of lanes that were held.
void CudaDevice::deferred_loop(const std::stop_token& stop) {
    core::name_thread("cuda-launch");
    use_device();
    while (!stop.stop_requested()) {
        if (left_.load(std::memory_order_relaxed) == 0) {
            core::futex_wait_for(left_, 0, kSleepNs);
            continue;
        }
        const bool held = !launch_what_may();
        std::this_thread::sleep_for(std::chrono::nanoseconds(held ? kHeldPollNs : kDeferredNapNs));
    }
}

}  // namespace headway::devices::cuda
