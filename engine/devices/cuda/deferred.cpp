// GPU commands that wait for a lane of another device, or for the end of a pause in slow motion: deferred while other
// commands are launched.
#include "engine/core/sequence.h"
#include "engine/core/system/thread.h"
#include "engine/devices/cuda/cuda_device.h"

namespace headway::devices::cuda {

namespace {

constexpr std::chrono::microseconds kNap(20);
constexpr std::chrono::milliseconds kLongNap(1);

}  // namespace

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
// of another ready.
void CudaDevice::launch_deferred() {
    for (bool moved = true; moved && deferred_.load(std::memory_order_relaxed) != 0;) {
        moved = false;
        for (std::uint32_t index = 0; index < lanes_.size(); ++index) {
            Lane& lane = *lanes_[index];
            while (!lane.deferred.empty()) {
                if (needs_more(lane.deferred.front()) || stays_slow(lane)) {
                    break;
                }
                launch(index, lane.deferred.front());
                lane.deferred.pop_front();
                deferred_.fetch_sub(1, std::memory_order_relaxed);
                moved = true;
            }
        }
    }
}

// GPUs join before the run begins; the CPU joins last.
void CudaDevice::meet(Device& other) {
    Device::meet(other);
    if (const CudaDevice* gpu = gpu_peer(other.number())) {
        alone_ = false;
        use_device();
        use_memory_of(*gpu);
    }
    if (options_.launch == CudaLaunch::frontend) {
        share_launching();
    }
}

// Starts the thread that launches what the frontend has deferred; all else is launched by the frontend.
void CudaDevice::share_launching() {
    if (!shares_launching_) {
        shares_launching_ = true;  // before the thread starts
        deferred_launcher_ = std::jthread([this](const std::stop_token& stop) { deferred_loop(stop); });
    }
}

void CudaDevice::deferred_loop(const std::stop_token& stop) {
    core::name_thread("cuda-launch");
    use_device();
    while (!stop.stop_requested()) {
        if (deferred_.load(std::memory_order_relaxed) == 0) {
            std::this_thread::sleep_for(kLongNap);
            continue;
        }
        {
            const std::lock_guard lock(launching_);
            launch_deferred();
        }
        std::this_thread::sleep_for(kNap);
    }
}

}  // namespace headway::devices::cuda
