#include "engine/devices/device_set.h"

#include <algorithm>

namespace headway::devices {

DeviceSet::DeviceSet(Device& first, OpenCpu open_cpu) : open_cpu_(std::move(open_cpu)) {
    join(first);
    first_.push_back(&first);
}

DeviceSet::DeviceSet(std::unique_ptr<Device> first, OpenCpu open_cpu) : DeviceSet(*first, std::move(open_cpu)) {
    owned_.push_back(std::move(first));
}

DeviceSet::~DeviceSet() {
    while (!owned_.empty()) {
        owned_.pop_back();
    }
}

void DeviceSet::join(Device& device) {
    HEADWAY_ASSERT(device.number() == devices_.size(), "devices are numbered in the order in which they join");
    HEADWAY_ASSERT(device.first_lane() + device.lanes() <= core::kMaxLanes, "a run has at most kMaxLanes lanes");
    for (Device* earlier : devices_) {
        earlier->meet(device);
    }
    devices_.push_back(&device);
    gpus_ += device.info().kind == "cpu" ? 0 : 1;
}

void DeviceSet::add_gpu(std::unique_ptr<Device> gpu) {
    HEADWAY_ASSERT(shown_cpu_.load() == nullptr && gpus_ < core::kMaxGpus, "GPUs come before the CPU");
    join(*gpu);
    first_.push_back(gpu.get());
    owned_.push_back(std::move(gpu));
}

DeviceSlot DeviceSet::next_slot() const {
    DeviceSlot slot;
    slot.number = count();
    slot.first_lane = devices_.back()->first_lane() + devices_.back()->lanes();
    std::copy(devices_.begin(), devices_.end(), slot.earlier.begin());
    return slot;
}

core::Result<Device*> DeviceSet::cpu() {
    if (gpus_ == 0) {
        return devices_[0];
    }
    if (Device* cpu = shown_cpu_.load(); cpu != nullptr) {
        return cpu;
    }
    if (!open_cpu_) {
        return core::Error{core::ErrorKind::unavailable,
                           "this run has no CPU device in addition to " + devices_[0]->info().name};
    }
    const DeviceSlot place = next_slot();
    if (place.first_lane >= core::kMaxLanes) {
        const std::string all = gpus_ == 1 ? devices_[0]->info().name + " takes them all"
                                           : "the GPUs take them all: choose fewer --streams";
        return core::Error{core::ErrorKind::unavailable, "no lane is left for the CPU: a run has " +
                                                             std::to_string(core::kMaxLanes) + ", and " + all};
    }
    auto opened = open_cpu_(place);
    if (!opened) {
        return opened.error();
    }
    Device* cpu = opened->get();
    owned_.push_back(std::move(*opened));
    join(*cpu);
    shown_cpu_.store(cpu);
    if (abandoned_.load()) {
        cpu->abandon();
    }
    return cpu;
}

template <class Call>
void DeviceSet::each_shown(Call call) {
    for (Device* device : first_) {
        call(*device);
    }
    if (Device* cpu = shown_cpu_.load(); cpu != nullptr) {
        call(*cpu);
    }
}

void DeviceSet::hold(bool held) {
    each_shown([held](Device& device) { device.hold(held); });
}

void DeviceSet::slow_down(float factor) {
    each_shown([factor](Device& device) { device.slow_down(factor); });
}

void DeviceSet::abandon() {
    abandoned_.store(true);
    each_shown([](Device& device) { device.abandon(); });
}

void DeviceSet::settle() {
    each_shown([](Device& device) { device.settle(); });
}

}  // namespace headway::devices
