// A replay backend for simulated runs: the device's own rules, with the recorded costs of the ops.
#include <algorithm>
#include <array>
#include <deque>
#include <unordered_map>
#include <utility>

#include "app/model/replay/replay_backend.h"
#include "app/model/run/devices.h"
#include "engine/core/sequence.h"

namespace headway::model {

namespace {

using devices::TaskCost;
using devices::VirtualLanes;

class SimulatedBackend final : public Replay::Backend, public VirtualLanes::Observer {
public:
    explicit SimulatedBackend(const Run& run)
        : run_(run),
          lazy_(run.info().free_policy == "lazy"),
          queue_limit_(run.info().queue_limit),
          lanes_(*this),
          queued_(run.lanes().size()) {
        frees_ns_.fill(INT64_MIN);
        for (std::size_t i = 0; i < run.lanes().size(); ++i) {
            lanes_.add_lane();
        }
        places_.reserve(run.op_count());
        times_.resize(run.op_count());
        for (std::size_t device = 0; device < run.devices().size(); ++device) {
            next_lane_.push_back(run.devices()[device].first_lane);
        }
    }

    void issue(OpId id, std::int64_t begin_ns, std::int64_t end_ns) override {
        lanes_.run_until(moment(begin_ns));
        const Op& op = run_.op(id);
        const std::size_t device = device_of_lane(run_, op.lane);
        VirtualLanes::Needs needs{};
        const std::uint32_t lane = choose_lane(id, device, needs, moment(end_ns));
        submit_waits(lane, needs, true, moment(end_ns));
        VirtualLanes::Task task;
        task.cost = cost_of(id, device);
        for (std::uint32_t other = 0; other < lanes_.lanes(); ++other) {
            if (other != lane && needs[other] != 0) {
                task.wait_lane = other;  // the first dependency; submit_waits() has submitted the others
                task.wait_seq = needs[other];
                break;
            }
        }
        submit(lane, task, id, moment(end_ns));
        places_.push_back({lane, lanes_.submitted(lane)});
        if (lazy_) {
            note_use(id, op, places_.back());
        }
        lanes_.run_until(moment(end_ns));
    }

    [[nodiscard]] bool needs_drops() const override { return lazy_; }

    // The memory is freed in lane order, by a task after the buffer's last use, in a lane of the device that owns
    // it.
    void drop(BufferId buffer, std::int64_t ns) override {
        lanes_.run_until(moment(ns));
        const auto found = uses_.find(buffer);
        if (found == uses_.end()) {
            return;
        }
        const Use use = found->second;
        uses_.erase(found);
        frees_ns_[use.device] = std::max(frees_ns_[use.device], use.recorded_ns);
        const RunDevice& home = run_.devices()[use.device];
        const bool at_home = use.writer.lane - home.first_lane < home.lanes;
        const std::uint32_t lane = at_home ? use.writer.lane : home.first_lane;
        VirtualLanes::Needs needs = use.readers;
        need(needs, use.writer);
        for (std::uint32_t other = 0; other < lanes_.lanes(); ++other) {
            if (other == lane || (needs[other] != 0 && core::reached(lanes_.completed(other), needs[other]))) {
                needs[other] = 0;
            }
        }
        submit_waits(lane, needs, false, moment(ns));
        VirtualLanes::Task task;
        task.is_op = false;
        submit(lane, task, 0, moment(ns));
        lanes_.run_until(moment(ns));
    }

    std::int64_t finish(const Wait& wait, std::int64_t now_ns) override {
        lanes_.run_until(moment(now_ns));
        std::int64_t done_ns = now_ns;
        const auto wait_for = [&](Place place) {
            if (place.seq != 0 && !core::reached(lanes_.completed(place.lane), place.seq)) {
                done_ns =
                    std::max(done_ns, static_cast<std::int64_t>(lanes_.run_until_completed(place.lane, place.seq)));
            }
        };
        if (wait.target != 0) {
            if (wait.target_op == 0 || wait.target_op > places_.size()) {
                return kPending;
            }
            wait_for(places_[wait.target_op - 1]);
        } else {
            for (std::uint32_t lane = 0; lane < lanes_.lanes(); ++lane) {
                if (wait.device >= 0 && device_of_lane(run_, lane) != static_cast<std::size_t>(wait.device)) {
                    continue;
                }
                if (wait.waits_through >= wait.issued) {
                    wait_for({lane, lanes_.submitted(lane)});
                } else if (wait.waits_through == 0 || wait.waits_through > places_.size()) {
                    return kPending;
                } else if (wait.kind == trace::WaitKind::queue_limit) {
                    wait_for(places_[wait.waits_through - 1]);
                } else {
                    wait_for(last_through(lane, wait.waits_through));
                }
            }
        }
        lanes_.run_until(moment(done_ns));
        return done_ns;
    }

    // Only of a wait for one device: one for all devices covers the ops that the frees follow by itself.
    [[nodiscard]] std::int64_t recorded_frees_ns(const Wait& wait) const override {
        const bool of_a_device = wait.target == 0 && wait.device >= 0 && wait.waits_through >= wait.issued;
        return of_a_device ? frees_ns_[static_cast<std::size_t>(wait.device) % core::kMaxDevices] : INT64_MIN;
    }

    [[nodiscard]] bool works_out_limit() const override { return queue_limit_ != 0; }

    std::int64_t room_for(OpId id, std::int64_t now_ns) override {
        lanes_.run_until(moment(now_ns));
        if (id <= queue_limit_) {
            return now_ns;
        }
        const Place place = places_[id - queue_limit_ - 1];
        if (core::reached(lanes_.completed(place.lane), place.seq)) {
            return now_ns;
        }
        const auto done_ns = static_cast<std::int64_t>(lanes_.run_until_completed(place.lane, place.seq));
        const auto return_ns = static_cast<std::int64_t>(costs_of(run_, device_of_lane(run_, place.lane))->t3_ns);
        lanes_.run_until(moment(done_ns + return_ns));
        return std::max(now_ns, done_ns) + return_ns;
    }

    void end() override { lanes_.run_all(); }

    [[nodiscard]] WhatIfRun::Times times(OpId id) const override { return times_[id - 1]; }

    // That an op cannot run is detected only when it begins: its lane was chosen as if it could run.
    TaskCost task_begins(std::uint32_t lane, const VirtualLanes::Task& task, std::uint64_t) override {
        const OpId id = queued_[lane].front();
        return id != 0 && run_.op(id).failed && run_.parts(id).empty() ? TaskCost() : task.cost;
    }
    void task_ends(std::uint32_t lane, const VirtualLanes::Task&, std::uint64_t begin_ns,
                   std::uint64_t end_ns) override {
        if (const OpId id = queued_[lane].front(); id != 0) {
            times_[id - 1] = {static_cast<std::int64_t>(begin_ns), static_cast<std::int64_t>(end_ns)};
        }
        queued_[lane].pop_front();
    }

private:
    struct Place {
        std::uint32_t lane = 0, seq = 0;
    };
    // Uses of a buffer: the position of its last writer, and of its last readers since in each lane.
    struct Use {
        std::size_t device = 0;
        Place writer;
        VirtualLanes::Needs readers{};
        std::int64_t recorded_ns = INT64_MIN;  // when they had ended in the recording
    };

    static std::uint64_t moment(std::int64_t ns) { return static_cast<std::uint64_t>(std::max<std::int64_t>(ns, 0)); }

    static void need(VirtualLanes::Needs& needs, Place place) {
        std::uint32_t& seq = needs[place.lane];
        if (place.seq != 0 && (seq == 0 || core::after(place.seq, seq))) {
            seq = place.seq;
        }
    }

    // The same rules as runtime::Scheduler: lanes are compared by unfinished dependencies; ties go to the lane of the
    // newest writer among them, else to the first lane with a reader.
    std::uint32_t choose_lane(OpId id, std::size_t device, VirtualLanes::Needs& needs, std::uint64_t issued_ns) {
        OpId newest = 0;
        std::uint32_t reader_lane = VirtualLanes::kNoLane;
        for (const Dependency& dependency : run_.dependencies_with_reasons(id)) {
            const Place place = places_[dependency.op - 1];
            if (core::reached(lanes_.completed(place.lane), place.seq)) {
                continue;
            }
            need(needs, place);
            if (dependency.kind == DependencyKind::write_after_read) {
                reader_lane = std::min(reader_lane, place.lane);
            } else {
                newest = std::max(newest, dependency.op);
            }
        }
        if (const std::uint32_t chosen = run_.op(id).lane; chosen < lanes_.lanes() && run_.program_chose(id, device)) {
            return chosen;
        }
        const std::uint32_t preferred = newest != 0 ? places_[newest - 1].lane : reader_lane;
        const RunDevice& own = run_.devices()[device];
        const std::uint32_t begin = own.first_lane, end = own.first_lane + own.lanes;
        const std::uint32_t lane = lanes_.earliest_lane(begin, end, needs, preferred, next_lane_[device], issued_ns);
        if (lane != preferred) {
            next_lane_[device] = lane + 1 < end ? lane + 1 : begin;
        }
        return lane;
    }

    // A task can wait for one lane; for further ones, separate tasks are submitted before it.
    void submit_waits(std::uint32_t lane, const VirtualLanes::Needs& needs, bool but_the_first, std::uint64_t ns) {
        for (std::uint32_t other = 0; other < lanes_.lanes(); ++other) {
            if (other == lane || needs[other] == 0) {
                continue;
            }
            if (std::exchange(but_the_first, false)) {
                continue;
            }
            VirtualLanes::Task task;
            task.is_op = false;
            task.wait_lane = other;
            task.wait_seq = needs[other];
            submit(lane, task, 0, ns);
        }
    }

    void submit(std::uint32_t lane, const VirtualLanes::Task& task, OpId id, std::uint64_t ns) {
        queued_[lane].push_back(id);
        lanes_.submit(lane, task, ns);
        if (id != 0) {
            ops_of_lane_[lane].push_back({id, lanes_.submitted(lane)});
        }
    }

    // The position of the lane's last op with an id up to `through`.
    [[nodiscard]] Place last_through(std::uint32_t lane, OpId through) const {
        const auto& ops = ops_of_lane_[lane];
        const auto after = std::upper_bound(ops.begin(), ops.end(), std::pair{through, UINT32_MAX});
        return after == ops.begin() ? Place{lane, 0} : Place{lane, std::prev(after)->second};
    }

    [[nodiscard]] TaskCost cost_of(std::uint16_t signature, std::size_t device) const {
        const Signature& known = run_.signature(signature);
        devices::Signature of;
        of.kind = known.kind;
        of.family = known.family;
        of.flops = known.flops;
        of.moved_bytes = known.moved_bytes;
        return costs_of(run_, device)->cost_of(of);
    }

    [[nodiscard]] TaskCost cost_of(OpId id, std::size_t device) const {
        const Op& op = run_.op(id);
        TaskCost cost;
        if (run_.info().links && op.links != 0) {
            return link_cost(op);
        }
        const auto parts = run_.parts(id);  // if the op failed, the parts that ran
        if (parts.empty()) {
            cost = cost_of(op.signature, device);
        } else {
            double busy_ns = 0;
            for (const Part& part : parts) {
                const TaskCost one = cost_of(part.signature, device);
                cost.ns += one.ns;
                busy_ns += one.share * static_cast<double>(one.ns);
            }
            cost.share = cost.ns > 0 ? busy_ns / static_cast<double>(cost.ns) : 0;
        }
        cost.resource += 4 * static_cast<std::uint32_t>(device);
        return cost;
    }

    [[nodiscard]] TaskCost link_cost(const Op& op) const {
        const Signature& known = run_.signature(op.signature);
        return run_.info().links->cost_on(op.links, devices::copied_bytes(known.out_bytes, known.moved_bytes));
    }

    void note_use(OpId id, const Op& op, Place place) {
        const auto read = [&](BufferId buffer) {
            if (const auto found = uses_.find(buffer); buffer != 0 && found != uses_.end()) {
                need(found->second.readers, place);
                found->second.recorded_ns = std::max(found->second.recorded_ns, op.end_ns);
            }
        };
        read(op.in0);
        read(op.in1);
        for (const BufferId buffer : run_.more_inputs(id)) {
            read(buffer);
        }
        const auto write = [&](BufferId buffer) {
            if (buffer != 0) {
                uses_[buffer] = {memory_device(run_, op), place, {}, op.end_ns};
            }
        };
        write(op.out);
        for (const MoreOutput& output : run_.more_outputs(id)) {
            write(output.buffer);
        }
    }

    const Run& run_;
    const bool lazy_;
    const OpId queue_limit_;
    VirtualLanes lanes_;
    std::vector<std::deque<OpId>> queued_;  // by lane: tasks that have not ended; 0 for a task that is not an op
    // With their sequence numbers.
    std::array<std::vector<std::pair<OpId, std::uint32_t>>, core::kMaxLanes> ops_of_lane_;
    std::vector<Place> places_;  // by op
    std::vector<WhatIfRun::Times> times_;
    std::vector<std::uint32_t> next_lane_;  // by device: the lane to prefer if all are equal
    std::unordered_map<BufferId, Use> uses_;
    std::array<std::int64_t, core::kMaxDevices> frees_ns_;  // by device: when its frees had ended in the recording
};

}  // namespace

std::unique_ptr<Replay::Backend> make_simulated_backend(const Run& run) {
    const bool known = run.info().simulated && run.lanes().size() <= core::kMaxLanes;
    if (!known) {
        return nullptr;
    }
    for (std::size_t i = 0; i < run.devices().size(); ++i) {
        const RunDevice& device = run.devices()[i];
        if (costs_of(run, i) == nullptr || !device.simulated || device.lanes == 0 ||
            device.first_lane + device.lanes > run.lanes().size()) {
            return nullptr;
        }
    }
    return std::make_unique<SimulatedBackend>(run);
}

}  // namespace headway::model
