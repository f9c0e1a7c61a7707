#include "engine/devices/simulated/virtual_lanes.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <tuple>

#include "engine/core/assert.h"
#include "engine/core/sequence.h"

namespace headway::devices {

// Calls call(link) for each link of the set.
template <class Call>
void VirtualLanes::each_link(std::uint32_t links, Call call) {
    for (; links != 0; links &= links - 1) {
        call(links_[static_cast<std::size_t>(std::countr_zero(links))]);
    }
}

std::uint32_t VirtualLanes::add_lane() {
    lanes_.push_back(std::make_unique<Lane>());
    return lanes() - 1;
}

std::uint32_t VirtualLanes::started(std::uint32_t lane) const {
    return lanes_[lane]->completed + (lanes_[lane]->running ? 1 : 0);
}

void VirtualLanes::submit(std::uint32_t index, const Task& task, std::uint64_t issued_ns) {
    Lane& lane = *lanes_[index];
    std::uint64_t begin_ns = std::max(issued_ns, lane.planned_ns);
    if (task.wait_lane != kNoLane) {
        HEADWAY_ASSERT(task.wait_lane < lanes() && core::reached(submitted(task.wait_lane), task.wait_seq),
                       "a task waits for one that was submitted before it");
        begin_ns = std::max(begin_ns, planned_end(task.wait_lane, task.wait_seq));
    }
    each_link(task.cost.links, [&](const Link& link) { begin_ns = std::max(begin_ns, link.planned_ns); });
    lane.planned_ns = begin_ns + task.cost.ns;
    each_link(task.cost.links, [&](Link& link) {
        ++link.pending;
        link.planned_ns = lane.planned_ns;
    });
    lane.planned.push_back(lane.planned_ns - static_cast<std::uint64_t>(lane.late_ns));
    ++lane.submitted;
    lane.queue.push_back({task, issued_ns, submitted_++});
}

// The estimated end of one task, 0 if it has completed. A delay also delays the later tasks of the lane.
std::uint64_t VirtualLanes::planned_end(std::uint32_t index, std::uint32_t seq) const {
    const Lane& lane = *lanes_[index];
    if (core::reached(lane.completed, seq)) {
        return 0;
    }
    return lane.planned[seq - lane.completed - 1] + static_cast<std::uint64_t>(lane.late_ns);
}

std::uint32_t VirtualLanes::earliest_lane(std::uint32_t begin, std::uint32_t end, const Needs& needs,
                                          std::uint32_t preferred, std::uint32_t next, std::uint64_t issued_ns) const {
    std::uint32_t best = kNoLane;
    std::uint64_t best_ns = 0;
    const auto consider = [&](std::uint32_t lane) {
        std::uint64_t ns = std::max(issued_ns, lanes_[lane]->planned_ns);
        for (std::uint32_t other = 0; other < lanes(); ++other) {
            if (other != lane && needs[other] != 0) {
                ns = std::max(ns, planned_end(other, needs[other]));
            }
        }
        if (best == kNoLane || ns < best_ns) {
            best = lane;
            best_ns = ns;
        }
    };
    if (preferred >= begin && preferred < end) {
        consider(preferred);
    }
    for (std::uint32_t i = 0; i < end - begin; ++i) {
        consider(next + i < end ? next + i : next + i - (end - begin));
    }
    return best;
}

void VirtualLanes::run_until(std::uint64_t ns) {
    for (Event event = next_event(); event.lane != kNoLane && event.ns <= ns; event = next_event()) {
        take(event);
    }
}

std::uint64_t VirtualLanes::run_until_completed(std::uint32_t index, std::uint32_t seq) {
    Lane& lane = *lanes_[index];
    HEADWAY_ASSERT(core::reached(lane.submitted, seq), "a wait is for a task that was submitted");
    while (!core::reached(lane.completed, seq)) {
        const Event event = next_event();
        HEADWAY_ASSERT(event.lane != kNoLane, "tasks wait for each other only backwards");
        take(event);
    }
    return event_ns_;
}

std::optional<std::uint64_t> VirtualLanes::next_ns() const {
    const Event event = next_event();
    return event.lane == kNoLane ? std::nullopt : std::optional(event.ns);
}

void VirtualLanes::run_all() {
    for (Event event = next_event(); event.lane != kNoLane; event = next_event()) {
        take(event);
    }
}

void VirtualLanes::hold(bool held, std::uint64_t now_ns) {
    if (held_ && !held) {
        released_ns_ = now_ns;
        for (auto& lane : lanes_) {
            lane->planned_ns = std::max(lane->planned_ns, lane->submitted != lane->completed ? now_ns : 0);
        }
    }
    held_ = held;
    allowed_ = 0;
}

void VirtualLanes::allow_one(std::uint64_t now_ns) {
    released_ns_ = now_ns;
    ++allowed_;
}

void VirtualLanes::abandon() {
    for (std::uint32_t lane = 0; lane < lanes(); ++lane) {
        if (lanes_[lane]->running) {
            end_task(lane);
        }
        lanes_[lane]->queue.clear();
        lanes_[lane]->planned.clear();
        lanes_[lane]->completed = lanes_[lane]->submitted;
    }
    links_.fill({});
}

// When the lane's next task begins; false if unknown because the task that it waits for has not ended, or a link that
// it needs is in use.
bool VirtualLanes::begin_of(const Lane& lane, std::uint64_t& begin_ns) const {
    const Queued& head = lane.queue.front();
    begin_ns = std::max({head.issued_ns, lane.end_ns, released_ns_});
    for (std::uint32_t links = head.task.cost.links; links != 0; links &= links - 1) {
        const Link& link = links_[static_cast<std::size_t>(std::countr_zero(links))];
        if (link.busy) {
            return false;
        }
        begin_ns = std::max(begin_ns, link.free_ns);
    }
    if (head.task.wait_lane == kNoLane) {
        return true;
    }
    // Everything that could begin has begun by the last event, so if the awaited task ended last, the start is that
    // event.
    begin_ns = std::max(begin_ns, event_ns_);
    return core::reached(lanes_[head.task.wait_lane]->completed, head.task.wait_seq);
}

VirtualLanes::Event VirtualLanes::next_event() const {
    Event best;
    std::uint64_t best_order = 0;
    int best_rank = 0;  // ends first, then begins of tasks without cost, then of ops
    const auto consider = [&](std::uint32_t lane, std::uint64_t ns, int rank, std::uint64_t order) {
        if (best.lane == kNoLane || std::tie(ns, rank, order) < std::tie(best.ns, best_rank, best_order)) {
            best = {lane, ns, rank == 0};
            best_rank = rank;
            best_order = order;
        }
    };
    for (std::uint32_t i = 0; i < lanes(); ++i) {
        const Lane& lane = *lanes_[i];
        std::uint64_t begin_ns = 0;
        if (lane.running) {
            consider(i, lane.end_ns, 0, i);
        } else if ((!held_ || allowed_ != 0) && !lane.queue.empty() && begin_of(lane, begin_ns)) {
            consider(i, begin_ns, lane.queue.front().task.is_op ? 2 : 1, lane.queue.front().order);
        }
    }
    return best;
}

void VirtualLanes::take(const Event& event) {
    event_ns_ = std::max(event_ns_, event.ns);
    if (event.is_end) {
        end_task(event.lane);
    } else {
        begin_task(event.lane, event.ns);
    }
}

void VirtualLanes::begin_task(std::uint32_t index, std::uint64_t ns) {
    Lane& lane = *lanes_[index];
    lane.task = lane.queue.front().task;
    lane.queue.pop_front();
    allowed_ -= lane.task.is_op && allowed_ != 0 ? 1 : 0;
    lane.task_links = lane.task.cost.links;
    lane.task.cost = observer_.task_begins(index, lane.task, ns);
    each_link(lane.task.cost.links, [](Link& link) { link.busy = true; });
    lane.running = true;
    lane.begin_ns = lane.settled_ns = ns;
    lane.end_ns = ns + lane.task.cost.ns;
    lane.remaining_ns = static_cast<double>(lane.task.cost.ns);
    if (lane.task.cost.share > 0) {
        lane.end_ns =
            ns + static_cast<std::uint64_t>(std::llround(lane.remaining_ns * slowdown_[lane.task.cost.resource]));
        share_resource(lane.task.cost.resource, ns);
    }
}

void VirtualLanes::end_task(std::uint32_t index) {
    Lane& lane = *lanes_[index];
    lane.running = false;
    ++lane.completed;
    const auto planned_ns = static_cast<std::int64_t>(lane.planned.front()) + lane.late_ns;
    const auto late_ns = static_cast<std::int64_t>(lane.end_ns) - planned_ns;
    lane.planned.pop_front();
    lane.late_ns += late_ns;
    lane.planned_ns = lane.planned.empty()
                          ? lane.end_ns
                          : static_cast<std::uint64_t>(static_cast<std::int64_t>(lane.planned_ns) + late_ns);
    if (lane.task.cost.share > 0) {
        share_resource(lane.task.cost.resource, lane.end_ns);
    }
    each_link(lane.task.cost.links, [&lane](Link& link) {
        link.busy = false;
        link.free_ns = lane.end_ns;
    });
    each_link(lane.task_links, [&](Link& link) {
        link.planned_ns = --link.pending == 0
                              ? lane.end_ns
                              : static_cast<std::uint64_t>(static_cast<std::int64_t>(link.planned_ns) + late_ns);
    });
    observer_.task_ends(index, lane.task, lane.begin_ns, lane.end_ns);
}

// The set of tasks running on a resource has changed: settle their progress at the old speed, then set the new one.
void VirtualLanes::share_resource(std::uint32_t resource, std::uint64_t ns) {
    double& slowdown = slowdown_[resource];
    double shares = 0;
    for (const auto& lane : lanes_) {
        shares += lane->running && lane->task.cost.resource == resource ? lane->task.cost.share : 0;
    }
    const double now = std::max(1.0, shares);
    if (now == slowdown) {
        return;
    }
    for (const auto& lane : lanes_) {
        if (lane->running && lane->task.cost.resource == resource && lane->task.cost.share > 0) {
            lane->remaining_ns -= static_cast<double>(ns - lane->settled_ns) / slowdown;
            lane->remaining_ns = std::max(lane->remaining_ns, 0.0);
            lane->settled_ns = ns;
            lane->end_ns = ns + static_cast<std::uint64_t>(std::llround(lane->remaining_ns * now));
        }
    }
    slowdown = now;
}

}  // namespace headway::devices
