// A device whose commands complete when the test says so. No threads: wait() completes what it waits for.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <deque>
#include <vector>

#include "engine/core/sequence.h"
#include "engine/devices/device.h"

namespace headway::runtime {

class HandDevice final : public devices::Device {
public:
    explicit HandDevice(std::uint32_t lanes, std::uint64_t memory_bytes = ~std::uint64_t{0})
        : lanes_(lanes), memory_bytes_(memory_bytes) {
        for (std::uint32_t lane = 0; lane < lanes; ++lane) {
            set_slot(lane, lanes_[lane].slot);
        }
    }

    [[nodiscard]] const std::vector<devices::Command>& commands(std::uint32_t lane) const {
        return lanes_[lane].commands;
    }
    // The next `count` commands of a lane complete.
    void complete(std::uint32_t lane, std::uint32_t count = 1) { lanes_[lane].completed += count; }
    // Bytes that were allocated and not deallocated.
    [[nodiscard]] std::uint64_t used_bytes() const { return used_bytes_; }
    // The last one that was set.
    [[nodiscard]] float slow_factor() const { return slow_factor_; }

    [[nodiscard]] const devices::DeviceInfo& info() const override { return info_; }
    [[nodiscard]] std::uint32_t lanes() const override { return static_cast<std::uint32_t>(lanes_.size()); }
    void publish(std::uint32_t lane) override { lanes_[lane].commands.push_back(lanes_[lane].slot); }
    [[nodiscard]] const std::atomic<std::uint32_t>& completed(std::uint32_t lane) const override {
        return lanes_[lane].completed;
    }
    void wait(std::uint32_t lane, std::uint32_t seq) override {
        if (core::after(seq, lanes_[lane].completed)) {
            lanes_[lane].completed = seq;
        }
    }
    [[nodiscard]] void* allocate(std::size_t bytes) override {
        if (used_bytes_ + bytes > memory_bytes_) {
            return nullptr;
        }
        used_bytes_ += bytes;
        return std::aligned_alloc(64, (bytes + 63) / 64 * 64);
    }
    void deallocate(void* data, std::size_t bytes) override {
        used_bytes_ -= bytes;
        std::free(data);
    }
    void slow_down(float factor) override { slow_factor_ = factor; }
    void read(float* host, const float* device, std::size_t elements) override { std::copy_n(device, elements, host); }

private:
    struct Lane {
        devices::Command slot;
        std::vector<devices::Command> commands;
        std::atomic<std::uint32_t> completed{0};
    };
    devices::DeviceInfo info_{"cpu", "by hand", false, {}};
    std::deque<Lane> lanes_;  // a lane has an address
    std::uint64_t memory_bytes_;
    std::uint64_t used_bytes_ = 0;
    float slow_factor_ = 0;
};

}  // namespace headway::runtime
