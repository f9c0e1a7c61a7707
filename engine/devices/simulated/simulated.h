// A device in virtual time: a cost model instead of a clock, real values, no real waiting; every run gives the same
// times to the nanosecond. Every view that shows its times is labelled SIMULATED.
//
// The frontend's clock advances when it issues (t1 for an op), waits (to the end of what it waits for), returns from a
// wait (t3) and computes by itself (advance()). virtual_lanes.h determines when commands begin and end, with the costs
// of the cost model. Commands without an op take no time.
//
// A command runs for real, on the calling thread, as soon as the frontend's clock has reached its virtual begin, or a
// wait needs it; always in the order of virtual begins. So a missing dependency spoils values here as it would on a
// real device, and everything that depends on time (bytes allocated when an op starts, a budget that they exceed) is
// exact. completed() counts the commands that have ended by the frontend's clock.
//
// Further simulated devices may represent more GPUs, and the CPU of a run with GPUs. All share one clock and one order
// of begins; each has its own cost model, whose t1 is the frontend time for issuing an op to its lanes. With several
// GPUs, copies between devices go over links (links.h), which take the place of the cost model.
//
// hold(): commands that have begun end as planned; the others begin at the release or later. A wait for one of these
// would never end, because only the waiting thread could release the lanes, so the wait releases them. Lanes that the
// learner holds (trace::Control) are released by another process: there the wait lasts, in real time, until that
// happens, until the learner has let the op start, or the run is stopped. No virtual time passes meanwhile, and no
// slow motion is played.
//
// Slow motion (trace::Control): the frontend pauses after each op, and each wait takes real time, slowed by the same
// factor: the length of that pause divided by t1.
//
// Threads: the frontend only; the device has no threads.
#pragma once

#include <atomic>
#include <deque>
#include <memory>
#include <optional>
#include <random>
#include <unordered_map>
#include <utility>
#include <vector>

#include "engine/devices/device.h"
#include "engine/devices/simulated/cost_model.h"
#include "engine/devices/simulated/links.h"
#include "engine/devices/simulated/virtual_lanes.h"

namespace headway::devices {

class SimulatedDevice final : public Device {
public:
    // `recording` must be empty; it is switched to a virtual clock.
    SimulatedDevice(CostModel model, std::uint32_t streams, trace::Recording& recording);
    // A further GPU (`kind` "simulated") or the CPU ("cpu") of a run whose other devices, in `place`, are simulated
    // too.
    SimulatedDevice(CostModel model, std::uint32_t lanes, trace::Recording& recording, const DeviceSlot& place,
                    const char* kind);
    ~SimulatedDevice() override;  // completes all queued commands first

    [[nodiscard]] const DeviceInfo& info() const override { return info_; }
    [[nodiscard]] std::uint32_t lanes() const override { return static_cast<std::uint32_t>(lanes_.size()); }
    void publish(std::uint32_t lane) override;
    [[nodiscard]] const std::atomic<std::uint32_t>& completed(std::uint32_t lane) const override;
    void wait(std::uint32_t lane, std::uint32_t seq) override;
    void wait_returned() override { advance(model_.t3_ns); }
    [[nodiscard]] void* allocate(std::size_t bytes) override;
    void deallocate(void* data, std::size_t bytes) override;
    void read(float* host, const float* device, std::size_t elements) override;
    [[nodiscard]] float* lazy_data(core::BufferId buffer) override;
    [[nodiscard]] float* take_lazily_for(const Command& command) override;
    [[nodiscard]] std::uint64_t lazy_bytes() const override { return lazy_bytes_; }
    void set_lazy_budget(std::uint64_t bytes) override { lazy_budget_ = bytes; }
    void abandon() override;
    [[nodiscard]] bool virtual_time() const override { return true; }
    [[nodiscard]] std::uint64_t now() const override { return world_->now_ns; }
    void advance(std::uint64_t ns) override;
    void hold(bool held) override;
    void attend() override;

    [[nodiscard]] std::uint32_t earliest_lane(const std::array<std::uint32_t, core::kMaxLanes>& needs,
                                              std::uint32_t preferred, std::uint32_t next) const override;

    // From now on copies between the devices of the run go over these links.
    void connect(Links links) { world_->links = std::move(links); }

    [[nodiscard]] const CostModel& model() const { return model_; }

    // Ops begin later and take longer or shorter than the cost model says, at random: another of the orders that the
    // dependencies allow, the same for the same seed. Call before the first command; for all devices of the run.
    void use_random_times(std::uint64_t seed);

private:
    struct Lane {
        SimulatedDevice* device;
        std::deque<Command> commands;  // not begun yet
        std::atomic<std::uint32_t> completed{0};
        core::OpId op = 0;                     // of the running command, with trace::kFailedOp if it failed
        std::vector<trace::ExecRecord> parts;  // parts of the running composite op, relative to its start
        trace::StreamWriter<trace::ExecRecord> writer;
    };
    // State shared by the devices of a run.
    struct World final : VirtualLanes::Observer {
        World() : schedule(*this) {}
        TaskCost task_begins(std::uint32_t lane, const VirtualLanes::Task& task, std::uint64_t begin_ns) override;
        void task_ends(std::uint32_t lane, const VirtualLanes::Task& task, std::uint64_t begin_ns,
                       std::uint64_t end_ns) override;

        // use_random_times(): changes an op's duration; returns how much later it begins.
        std::uint64_t change_times(TaskCost& cost);
        // Applies a hold or a release by the learner, and the ops that it lets start.
        void follow_learner();

        VirtualLanes schedule;
        trace::Recording* recording = nullptr;
        std::vector<Lane*> lanes;  // by lane number
        std::optional<Links> links;
        std::uint64_t now_ns = 0;  // the frontend's clock
        bool abandoned = false;
        std::optional<std::mt19937_64> random;  // use_random_times()
        bool held_by_caller = false, held_by_learner = false;
        std::uint64_t held_since_ns = 0;  // by the learner
    };
    struct LazyBlock {
        float* data;
        std::uint64_t bytes;
    };

    void stay_held(std::uint32_t lane, std::uint32_t seq);
    void play_until(std::uint32_t lane, std::uint32_t seq);
    void make_lanes(std::uint32_t count, trace::Recording& recording);
    [[nodiscard]] Lane& lane_of(std::uint32_t lane) const { return *world_->lanes[lane]; }
    [[nodiscard]] TaskCost cost_of(const Command& command) const;
    [[nodiscard]] bool execute(Command& command);
    [[nodiscard]] TaskCost execute_steps(Lane& lane, const Composite& composite);
    [[nodiscard]] bool take_lazily(Command& command);
    void free_lazily(core::BufferId buffer);

    CostModel model_;
    DeviceInfo info_;
    std::shared_ptr<World> world_;
    std::vector<std::unique_ptr<Lane>> lanes_;

    std::unordered_map<core::BufferId, LazyBlock> lazy_;
    std::uint64_t lazy_bytes_ = 0;
    std::uint64_t lazy_budget_ = 0;
};

}  // namespace headway::devices
