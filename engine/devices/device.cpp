#include "engine/devices/device.h"

#include <chrono>
#include <thread>

#include "engine/core/sequence.h"
#include "engine/core/system/thread.h"

namespace headway::devices {

void Device::wait_from_peer(std::uint32_t lane, std::uint32_t seq) {
    constexpr int kSpins = 2'000;
    constexpr std::chrono::microseconds kNap(20);
    const auto& counter = completed(lane);
    for (int i = 0; !core::reached(counter.load(std::memory_order_acquire), seq); ++i) {
        if (i < kSpins) {
            core::spin_pause();
        } else {
            std::this_thread::sleep_for(kNap);
        }
    }
}

}  // namespace headway::devices
