// The devices of one run: the one that it was started on and, once the program asks for it, the CPU beside a GPU. What
// nobody asks for is not made, and costs nothing.
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
    // Makes the CPU at this place, on the same clock as the first device; or says why not.
    using OpenCpu = std::function<core::Result<std::unique_ptr<Device>>(const DeviceSlot&)>;

    explicit DeviceSet(Device& first) : first_(&first) {}  // which stays the caller's
    explicit DeviceSet(std::unique_ptr<Device> first, OpenCpu open_cpu = {})
        : owned_(std::move(first)), first_(owned_.get()), open_cpu_(std::move(open_cpu)) {}
    DeviceSet(Device& first, OpenCpu open_cpu) : first_(&first), open_cpu_(std::move(open_cpu)) {}

    [[nodiscard]] core::DeviceId count() const { return cpu_ != nullptr ? 2 : 1; }
    [[nodiscard]] Device& operator[](core::DeviceId device) { return device == 0 ? *first_ : *cpu_; }

    // The CPU that belongs to the run: the first device, or the one beside it, made now if it is not there. Fails with
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
    // As other threads may ask for it. Both are written in one order and looked at in the other, so that a CPU that
    // is opened just now is abandoned all the same.
    std::atomic<Device*> shown_cpu_{nullptr};
    std::atomic<bool> abandoned_{false};
};

}  // namespace headway::devices
