// The devices of one run: the one that it was started on and, in addition to a GPU, the CPU. The CPU is created when
// the program first asks for it, so an unused CPU costs nothing.
//
// Threads: the frontend; hold() and abandon() any.
#pragma once

#include <atomic>
#include <functional>
#include <memory>

#include "engine/core/result.h"
#include "engine/devices/device.h"

namespace headway::devices {

class DeviceSet {
public:
    // Makes the CPU for this slot, on the same clock as the first device, or fails with the reason.
    using OpenCpu = std::function<core::Result<std::unique_ptr<Device>>(const DeviceSlot&)>;

    explicit DeviceSet(Device& first) : first_(&first) {}  // the caller keeps ownership
    explicit DeviceSet(std::unique_ptr<Device> first, OpenCpu open_cpu = {})
        : owned_(std::move(first)), first_(owned_.get()), open_cpu_(std::move(open_cpu)) {}
    DeviceSet(Device& first, OpenCpu open_cpu) : first_(&first), open_cpu_(std::move(open_cpu)) {}

    [[nodiscard]] core::DeviceId count() const { return cpu_ != nullptr ? 2 : 1; }
    [[nodiscard]] Device& operator[](core::DeviceId device) { return device == 0 ? *first_ : *cpu_; }

    // The CPU of the run: the first device, or the second one, created by the first call. Fails with
    // ErrorKind::unavailable and the reason.
    core::Result<Device*> cpu();

    void hold(bool held);
    void abandon();
    void settle();

private:
    std::unique_ptr<Device> owned_;
    Device* first_;
    OpenCpu open_cpu_;
    std::unique_ptr<Device> cpu_;
    // The CPU for other threads. abandon() and cpu() access the two variables in opposite orders, so that a CPU that is
    // being created concurrently is abandoned as well.
    std::atomic<Device*> shown_cpu_{nullptr};
    std::atomic<bool> abandoned_{false};
};

}  // namespace headway::devices
