#include "engine/runtime/scheduling/lanes.h"

#include "engine/core/assert.h"

namespace headway::runtime {

Lanes::Lanes(std::shared_ptr<devices::DeviceSet> devices) : set_(std::move(devices)) {
    virtual_time_ = device(0).virtual_time();
    while (device_count_ < set_->count()) {
        add_device();
    }
}

void Lanes::add_device() {
    devices::Device& added = device(device_count_);
    HEADWAY_ASSERT(added.virtual_time() == virtual_time_, "the devices of a run have one clock");
    HEADWAY_ASSERT(added.first_lane() == begin_[device_count_], "lanes are numbered across the devices");
    count_ = added.first_lane() + added.lanes();
    for (std::uint32_t lane = added.first_lane(); lane < count_; ++lane) {
        device_of_[lane] = &added;
    }
    begin_[++device_count_] = count_;
}

std::string Lanes::name_of(core::DeviceId device) const {
    const devices::Device& of = this->device(device);
    return of.words() + " (device " + of.info().kind + ")";
}

void Lanes::submit_idle(std::uint32_t lane, const devices::Command& command) {
    if (idle_until_[lane] != submitted_[lane]) {
        idle_after_[lane] = submitted_[lane];
    }
    idle_until_[lane] = submit(lane, command);
}

void Lanes::submit_wait(std::uint32_t lane, std::uint32_t other, std::uint32_t seq) {
    devices::Command command;
    command.wait_lane = static_cast<std::uint8_t>(other);
    command.wait_seq = seq;
    submit_idle(lane, command);
}

void Lanes::wait_until_seen(std::uint32_t lane, std::uint32_t seq) {
    wait(lane, seq);
    if (core::after(seq, seen_[lane])) {
        seen_[lane] = seq;
    }
}

void Lanes::wait(const LaneSeqs& seqs, std::uint32_t begin, std::uint32_t end) {
    for (std::uint32_t lane = begin; lane < end; ++lane) {
        if (seqs[lane] != 0 && !finished(lane, seqs[lane])) {
            wait(lane, seqs[lane]);
        }
    }
}

std::uint32_t Lanes::unfinished_commands() const {
    std::uint32_t queued = 0;
    for (std::uint32_t lane = 0; lane < count_; ++lane) {
        queued += submitted_[lane] - device_of_[lane]->completed(lane).load(std::memory_order_acquire);
    }
    return queued;
}

bool Lanes::has_open_ops() {
    for (std::uint32_t lane = 0; lane < count_; ++lane) {
        const std::uint32_t last = idle_until_[lane] == submitted_[lane] ? idle_after_[lane] : submitted_[lane];
        if (last != 0 && !finished(lane, last)) {
            return true;
        }
    }
    return false;
}

}  // namespace headway::runtime
