#include "engine/devices/device_set.h"

namespace headway::devices {

core::Result<Device*> DeviceSet::cpu() {
    if (first_->info().kind == "cpu") {
        return first_;
    }
    if (cpu_ != nullptr) {
        return cpu_.get();
    }
    if (!open_cpu_) {
        return core::Error{core::ErrorKind::unavailable,
                           "this run has no CPU device in addition to " + first_->info().name};
    }
    DeviceSlot place;
    place.number = 1;
    place.first_lane = first_->first_lane() + first_->lanes();
    place.peer = first_;
    if (place.first_lane >= core::kMaxLanes) {
        return core::Error{core::ErrorKind::unavailable, "no lane is left for the CPU: a run has " +
                                                             std::to_string(core::kMaxLanes) + ", and " +
                                                             first_->info().name + " takes them all"};
    }
    auto opened = open_cpu_(place);
    if (!opened) {
        return opened.error();
    }
    cpu_ = std::move(*opened);
    HEADWAY_ASSERT(place.first_lane + cpu_->lanes() <= core::kMaxLanes, "the lanes of both devices have numbers");
    first_->meet(*cpu_);
    shown_cpu_.store(cpu_.get());
    if (abandoned_.load()) {
        cpu_->abandon();
    }
    return cpu_.get();
}

void DeviceSet::hold(bool held) {
    first_->hold(held);
    if (Device* cpu = shown_cpu_.load(); cpu != nullptr) {
        cpu->hold(held);
    }
}

void DeviceSet::abandon() {
    abandoned_.store(true);
    first_->abandon();
    if (Device* cpu = shown_cpu_.load(); cpu != nullptr) {
        cpu->abandon();
    }
}

void DeviceSet::settle() {
    first_->settle();
    if (cpu_ != nullptr) {
        cpu_->settle();
    }
}

}  // namespace headway::devices
