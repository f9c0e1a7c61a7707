#include "engine/runtime/scheduling/scheduler.h"

namespace headway::runtime {

void Scheduler::follow_writer(const Buffer& buffer, Needs& needs) {
    if (buffer.write_seq != 0 && !lanes_.finished(buffer.write_lane, buffer.write_seq)) {
        raise_to(needs.seq_, buffer.write_lane, buffer.write_seq);
        if (buffer.write_op >= needs.newest_) {
            needs.newest_ = buffer.write_op;
            needs.home_ = buffer.write_lane;
        }
    }
}

void Scheduler::follow_readers(const Buffer& buffer, Needs& needs) {
    for (std::uint32_t lane = 0; lane < lanes_.count(); ++lane) {
        const auto seq = buffer.read_seq[lane];
        if (seq != 0 && !lanes_.finished(lane, seq)) {
            raise_to(needs.seq_, lane, seq);
            if (needs.home_ == core::kMaxLanes) {
                needs.home_ = lane;
            }
        }
    }
}

void Scheduler::collect(const Operation& operation, Needs& needs) {
    if (operation.in0 != nullptr) {
        follow_writer(*operation.in0, needs);
    }
    if (operation.in1 != nullptr) {
        follow_writer(*operation.in1, needs);
    }
    if (operation.out != nullptr) {
        follow_writer(*operation.out, needs);
        follow_readers(*operation.out, needs);
    }
}

void Scheduler::choose_lane(const Needs& needs, core::DeviceId device, Placement& placement) {
    const std::uint32_t begin = lanes_.begin(device), end = lanes_.end(device), turn = begin + turn_[device];
    std::uint32_t home = needs.home_;
    if (lanes_.virtual_time()) {
        home = lanes_.device(device).earliest_lane(needs.seq_, home, turn);
    } else if (home < begin || home >= end) {
        // Reading a worker's completion counter costs a cache miss, so one of them is refreshed every 16 ops.
        if ((++refresh_ & 15u) == 0) {
            lanes_.look(begin + (refresh_ >> 4) % (end - begin));
        }
        std::uint32_t fewest = ~0u, lane = turn;
        do {
            const auto queued = lanes_.submitted()[lane] - lanes_.seen(lane);
            if (queued < fewest) {
                fewest = queued;
                home = lane;
            }
            lane = lane + 1 < end ? lane + 1 : begin;
        } while (lane != turn);
    }
    if (home != needs.home_) {
        turn_[device] = home + 1 < end ? home + 1 - begin : 0;
    }
    placement.lane = home;
    for (std::uint32_t lane = 0; lane < lanes_.count(); ++lane) {
        if (lane != home && needs.seq_[lane] != 0) {
            placement.wait_lane[placement.waits] = lane;
            placement.wait_seq[placement.waits++] = needs.seq_[lane];
        }
    }
}

void Scheduler::place(const Operation& operation, Placement& placement) {
    Needs needs(lanes_.count());
    collect(operation, needs);
    choose_lane(needs, operation.device, placement);
}

}  // namespace headway::runtime
