#include "engine/devices/device.h"

#include <algorithm>
#include <chrono>
#include <thread>

#include "engine/core/assert.h"
#include "engine/core/sequence.h"
#include "engine/core/system/thread.h"

namespace headway::devices {

Device& Device::peer_with(std::uint32_t lane) const {
    for (Device* peer : peers_) {
        if (peer != nullptr && peer->has_lane(lane)) {
            return *peer;
        }
    }
    core::assertion_failed("has_lane", "each lane belongs to a device of the run", __FILE__, __LINE__);
}

Device* Device::cpu_peer() const {
    const auto found = std::find_if(peers_.begin(), peers_.end(),
                                    [](const Device* peer) { return peer != nullptr && peer->info().kind == "cpu"; });
    return found != peers_.end() ? *found : nullptr;
}

std::string Device::words() const {
    if (info().kind == "cpu") {
        return "the CPU";
    }
    const bool several = std::any_of(peers_.begin(), peers_.end(),
                                     [](const Device* peer) { return peer != nullptr && peer->info().kind != "cpu"; });
    return several ? "GPU " + std::to_string(number()) : "the GPU";
}

std::string Device::where() const {
    const bool alone = std::all_of(peers_.begin(), peers_.end(), [](const Device* peer) { return peer == nullptr; });
    return alone ? "" : " on " + words();
}

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
