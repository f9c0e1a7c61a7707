// Commands that need what a lane of the CPU beside has not done yet: set aside while others are launched.
#include "engine/core/sequence.h"
#include "engine/core/thread.h"
#include "engine/devices/cuda/cuda_device.h"

namespace headway::devices::cuda {

namespace {

constexpr std::chrono::microseconds kNap(20);
constexpr std::chrono::milliseconds kLongNap(1);

}  // namespace

// Whether the command cannot be launched yet: a lane beside has not come that far, or what it waits for in another
// stream has not been launched itself.
bool CudaDevice::needs_more(const Command& command) const {
    if (command.wait_lane == kNoLaneWait) {
        return false;
    }
    if (!has_lane(command.wait_lane)) {
        return !core::reached(beside()->completed(command.wait_lane).load(std::memory_order_acquire), command.wait_seq);
    }
    const Lane& needed = *lanes_[command.wait_lane];
    return !needed.aside.empty() && core::after(command.wait_seq, needed.launched);
}

void CudaDevice::set_aside(std::uint32_t lane, const Command& command) {
    lanes_[lane]->aside.push_back(command);
    aside_.fetch_add(1, std::memory_order_relaxed);
}

// In each stream's order, whatever has become possible. What is launched for one stream may be what another needs.
void CudaDevice::launch_from_aside() {
    for (bool moved = true; moved && aside_.load(std::memory_order_relaxed) != 0;) {
        moved = false;
        for (std::uint32_t index = 0; index < lanes_.size(); ++index) {
            Lane& lane = *lanes_[index];
            while (!lane.aside.empty()) {
                if (needs_more(lane.aside.front())) {
                    break;
                }
                launch(index, lane.aside.front());
                lane.aside.pop_front();
                aside_.fetch_sub(1, std::memory_order_relaxed);
                moved = true;
            }
        }
    }
}

void CudaDevice::meet(Device& other) {
    Device::meet(other);
    if (options_.launch == CudaLaunch::frontend) {
        shares_launching_ = true;  // before the thread starts
        aside_launcher_ = std::jthread([this](const std::stop_token& stop) { aside_loop(stop); });
    }
}

void CudaDevice::aside_loop(const std::stop_token& stop) {
    core::name_thread("cuda-launch");
    use_device();
    while (!stop.stop_requested()) {
        if (aside_.load(std::memory_order_relaxed) == 0) {
            std::this_thread::sleep_for(kLongNap);
            continue;
        }
        {
            const std::lock_guard lock(launching_);
            launch_from_aside();
        }
        std::this_thread::sleep_for(kNap);
    }
}

}  // namespace headway::devices::cuda
