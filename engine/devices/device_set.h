// The devices of one run: the one that it was started on, further GPUs, and, in addition to GPUs, the CPU. The CPU is
// created when the program first asks for it, so an unused CPU costs nothing.
//
// Threads: the frontend; hold() and abandon() any, in virtual time only the frontend.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <vector>

#include "engine/core/result.h"
#include "engine/devices/device.h"

namespace headway::devices {

class DeviceSet {
public:
    // Makes the CPU for this slot, on the same clock as the first device, or fails with the reason.
    using OpenCpu = std::function<core::Result<std::unique_ptr<Device>>(const DeviceSlot&)>;

    explicit DeviceSet(Device& first) : DeviceSet(first, {}) {}  // the caller keeps ownership
    DeviceSet(Device& first, OpenCpu open_cpu);
    explicit DeviceSet(std::unique_ptr<Device> first, OpenCpu open_cpu = {});
    ~DeviceSet();  // the last device first
    DeviceSet(const DeviceSet&) = delete;
    DeviceSet& operator=(const DeviceSet&) = delete;

    // Adds a further GPU, made for next_slot(). Only before the run begins.
    void add_gpu(std::unique_ptr<Device> gpu);
    [[nodiscard]] DeviceSlot next_slot() const;

    [[nodiscard]] core::DeviceId count() const { return static_cast<core::DeviceId>(devices_.size()); }
    [[nodiscard]] std::uint32_t gpus() const { return gpus_; }  // they are the first devices
    [[nodiscard]] Device& operator[](core::DeviceId device) { return *devices_[device]; }

    // The CPU of the run: the first device, or the last one, created by the first call. Fails with
    // ErrorKind::unavailable and the reason.
    core::Result<Device*> cpu();

    void hold(bool held);
    void slow_down(float factor);  // slow motion, of all devices
    void abandon();
    void settle();

private:
    void join(Device& device);
    template <class Call>
    void each_shown(Call call);

    std::vector<std::unique_ptr<Device>> owned_;
    std::vector<Device*> devices_;  // by number
    std::uint32_t gpus_ = 0;
    OpenCpu open_cpu_;
    // Those that other threads see: the first ones, and the CPU. abandon() and cpu() access `shown_cpu_` and
    // `abandoned_` in opposite orders, so that a CPU that is being created concurrently is abandoned as well.
    std::vector<Device*> first_;
    std::atomic<Device*> shown_cpu_{nullptr};
    std::atomic<bool> abandoned_{false};
};

}  // namespace headway::devices
