#include "engine/devices/simulated/simulated.h"

#include <sys/mman.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>
#include <utility>

#include "engine/core/sequence.h"
#include "engine/core/system/pages.h"
#include "engine/devices/kernels/kernels.h"
#include "engine/devices/lazy_operands.h"

namespace headway::devices {
namespace {

// Asks for huge pages in the part of a block that can have them: one page fault per 2 MiB instead of per 4 KiB.
void use_huge_pages(char* data, std::size_t bytes) {
    constexpr std::uintptr_t kHuge = core::kHugePageBytes;
    const std::uintptr_t begin = (reinterpret_cast<std::uintptr_t>(data) + kHuge - 1) / kHuge * kHuge;
    const std::uintptr_t end = (reinterpret_cast<std::uintptr_t>(data) + bytes) / kHuge * kHuge;
    if (begin < end) {
        madvise(reinterpret_cast<void*>(begin), end - begin, MADV_HUGEPAGE);
    }
}

}  // namespace

SimulatedDevice::SimulatedDevice(CostModel model, std::uint32_t streams, trace::Recording& recording)
    : model_(std::move(model)), world_(std::make_shared<World>()) {
    recording.use_virtual_clock();
    world_->recording = &recording;
    kernels::use_one_blas_thread();
    info_.kind = "simulated";
    make_lanes(streams, recording);
}

SimulatedDevice::SimulatedDevice(CostModel model, std::uint32_t lanes, trace::Recording& recording,
                                 const DeviceSlot& place, const char* kind)
    : Device(place), model_(std::move(model)), world_(static_cast<SimulatedDevice*>(place.earlier[0])->world_) {
    HEADWAY_ASSERT(place.first_lane == world_->lanes.size(), "its lanes follow those of the devices before it");
    info_.kind = kind;
    make_lanes(lanes, recording);
}

void SimulatedDevice::make_lanes(std::uint32_t count, trace::Recording& recording) {
    HEADWAY_ASSERT(count >= 1 && count <= core::kMaxLanesOfDevice, "a simulated device has 1 to 16 lanes");
    const std::string name = info_.kind == "cpu" ? "Worker " : "Stream ";
    const std::string lanes = info_.kind == "cpu" ? " worker" : " stream";
    info_.name = model_.name + " (" + model_.source + "), " + std::to_string(count) + lanes + (count == 1 ? "" : "s");
    info_.simulated = true;
    for (std::uint32_t i = 0; i < count; ++i) {
        info_.lane_names.push_back(name + std::to_string(i));
        lanes_.push_back(std::make_unique<Lane>());
        lanes_.back()->device = this;
        lanes_.back()->writer = trace::StreamWriter<trace::ExecRecord>(
            recording, {trace::StreamKind::lane, static_cast<std::uint8_t>(first_lane() + i)});
        world_->lanes.push_back(lanes_.back().get());
        world_->schedule.add_lane();
    }
}

SimulatedDevice::~SimulatedDevice() {
    hold(false);
    if (!world_->abandoned) {
        world_->schedule.run_all();
    }
    world_->lanes.resize(std::min<std::size_t>(world_->lanes.size(), first_lane()));
    for (auto& [id, block] : lazy_) {
        deallocate(block.data, block.bytes);
    }
}

TaskCost SimulatedDevice::cost_of(const Command& command) const {
    if (command.op != 0 && world_->links && command.signature->is_copy_between_devices()) {
        const bool to_host = command.signature->kind == OpKind::copy_to_host;
        const std::uint32_t host = world_->links->gpus();
        const std::uint32_t from = to_host ? number()
                                   : command.offset >= kFromDevice
                                       ? static_cast<std::uint32_t>(command.offset - kFromDevice)
                                       : host;
        return world_->links->cost_on(world_->links->between(from, to_host ? host : number()),
                                      copied_bytes(command.signature->out_bytes, command.signature->moved_bytes));
    }
    if ((command.flags & kComposite) == 0) {
        TaskCost cost = command.op != 0 ? model_.cost_of(*command.signature) : TaskCost();
        cost.resource += 4u * number();
        return cost;
    }
    // An estimate for the choice of a lane: execute_steps() sums up the steps that run, and their shares.
    TaskCost sum;
    for (const Command& step : command.composite->steps) {
        sum.ns += model_.cost_of(*step.signature).ns;
    }
    sum.resource = 4u * number();
    return sum;
}

void SimulatedDevice::publish(std::uint32_t index) {
    Lane& lane = lane_of(index);
    const Command& command = slot(index);
    if (command.op != 0) {
        world_->now_ns += model_.t1_ns;
    }
    if (world_->abandoned) {
        const std::uint32_t seq = lane.completed.load(std::memory_order_relaxed) + 1;
        if (command.op != 0) {
            poison().leave_out(index, seq);
        }
        lane.completed.store(seq, std::memory_order_release);
        return;
    }
    VirtualLanes::Task task;
    task.cost = cost_of(command);
    task.is_op = command.op != 0;
    if (command.wait_lane != kNoLaneWait) {
        task.wait_lane = command.wait_lane;
        task.wait_seq = command.wait_seq;
    }
    lane.commands.push_back(command);
    world_->follow_learner();
    const std::uint64_t late_ns = task.is_op && world_->random ? world_->change_times(task.cost) : 0;
    world_->schedule.submit(index, task, world_->now_ns + late_ns);
    world_->schedule.run_until(world_->now_ns);
}

void SimulatedDevice::use_random_times(std::uint64_t seed) {
    world_->random.emplace(seed);
    info_.name += ", order " + std::to_string(seed);
}

// Durations change by a factor from 1/16 to 16. Every second op begins later, by up to 64 times its usual duration: so
// an op may overtake those that were issued long before it in other lanes.
std::uint64_t SimulatedDevice::World::change_times(TaskCost& cost) {
    constexpr std::uint64_t kLeastNs = 1000;
    const std::uint64_t usual_ns = std::max(cost.ns, kLeastNs);
    const auto draw = [this](std::uint64_t below) { return (*random)() % below; };
    const std::uint64_t factor = std::uint64_t{1} << draw(9);
    cost.ns = std::max<std::uint64_t>(1, cost.ns * factor / 16);
    return draw(2) == 0 ? 0 : draw(64 * usual_ns);
}

const std::atomic<std::uint32_t>& SimulatedDevice::completed(std::uint32_t lane) const {
    return lane_of(lane).completed;
}

std::uint32_t SimulatedDevice::earliest_lane(const std::array<std::uint32_t, core::kMaxLanes>& needs,
                                             std::uint32_t preferred, std::uint32_t next) const {
    return world_->schedule.earliest_lane(first_lane(), first_lane() + lanes(), needs, preferred, next,
                                          world_->now_ns + model_.t1_ns);
}

void SimulatedDevice::wait(std::uint32_t index, std::uint32_t seq) {
    if (core::reached(lane_of(index).completed.load(std::memory_order_relaxed), seq)) {
        return;
    }
    world_->follow_learner();
    if (core::after(seq, world_->schedule.started(index))) {
        if (world_->held_by_learner) {
            stay_held(index, seq);
        }
        if (world_->held_by_caller) {
            hold(false);
        }
    }
    play_until(index, seq);
    if (world_->abandoned) {
        return;
    }
    world_->now_ns = std::max(world_->now_ns, world_->schedule.run_until_completed(index, seq));
    world_->schedule.run_until(world_->now_ns);
}

void SimulatedDevice::advance(std::uint64_t ns) {
    world_->now_ns += ns;
    world_->schedule.run_until(world_->now_ns);
}

void SimulatedDevice::hold(bool held) {
    world_->held_by_caller = held;
    world_->schedule.hold(held || world_->held_by_learner, world_->now_ns);
    world_->schedule.run_until(world_->now_ns);
}

void SimulatedDevice::attend() {
    world_->follow_learner();
    world_->schedule.run_until(world_->now_ns);
}

// Waits until the command has begun, the lanes are released, or the run is stopped.
void SimulatedDevice::stay_held(std::uint32_t index, std::uint32_t seq) {
    constexpr auto kPoll = std::chrono::milliseconds(1);
    const auto waits = [&] { return world_->held_by_learner && core::after(seq, world_->schedule.started(index)); };
    while (waits()) {
        if (world_->recording->control().stop.load() != 0) {
            abandon();
            return;
        }
        std::this_thread::sleep_for(kPoll);
        world_->follow_learner();
        // Ops that have begun end, and those begin that the learner lets begin.
        for (auto next_ns = world_->schedule.next_ns(); waits() && next_ns; next_ns = world_->schedule.next_ns()) {
            world_->schedule.run_until(*next_ns);
        }
    }
}

void SimulatedDevice::abandon() {
    world_->abandoned = true;
    for (std::uint32_t lane = 0; lane < world_->lanes.size(); ++lane) {
        const std::uint32_t completed = lane_of(lane).completed.load(std::memory_order_relaxed);
        if (completed != world_->schedule.submitted(lane)) {
            poison().leave_out(lane, completed + 1);
        }
    }
    world_->schedule.abandon();
    for (std::uint32_t lane = 0; lane < world_->lanes.size(); ++lane) {
        lane_of(lane).commands.clear();
        lane_of(lane).completed.store(world_->schedule.submitted(lane), std::memory_order_release);
    }
}

// Slow motion: runs the events before this completion at their time.
void SimulatedDevice::play_until(std::uint32_t index, std::uint32_t seq) {
    constexpr double kSliceNs = 5e6, kUsualIssueNs = 1000;
    trace::Control& control = world_->recording->control();
    double played_ns = 0;  // virtual time played so far towards the next event
    while (!core::reached(lane_of(index).completed.load(std::memory_order_relaxed), seq)) {
        const auto delay_ns = static_cast<double>(control.op_delay_ns.load(std::memory_order_relaxed));
        const auto next_ns = world_->schedule.next_ns();
        if (delay_ns == 0 || !next_ns || world_->abandoned) {
            return;
        }
        if (control.stop.load() != 0) {
            abandon();
            return;
        }
        const double factor = delay_ns / (model_.t1_ns != 0 ? static_cast<double>(model_.t1_ns) : kUsualIssueNs);
        const double left_ns =
            (*next_ns > world_->now_ns ? static_cast<double>(*next_ns - world_->now_ns) : 0) - played_ns;
        if (left_ns > 0) {
            const double slice_ns = std::min(left_ns * factor, kSliceNs);
            std::this_thread::sleep_for(std::chrono::nanoseconds(static_cast<std::int64_t>(slice_ns) + 1));
            played_ns += (slice_ns + 1) / factor;
            continue;
        }
        world_->now_ns = std::max(world_->now_ns, *next_ns);
        world_->schedule.run_until(world_->now_ns);
        played_ns = 0;
    }
}

void SimulatedDevice::World::follow_learner() {
    trace::Control& control = recording->control();
    const bool held = control.hold_backend.load(std::memory_order_relaxed) != 0 && !abandoned;
    if (held != held_by_learner) {
        held_by_learner = held;
        schedule.hold(held || held_by_caller, now_ns);
        if (held) {
            held_since_ns = now_ns;
        } else if (now_ns > held_since_ns) {
            for (std::uint32_t lane = 0; lane < lanes.size(); ++lane) {
                recording->record_hold(lane, held_since_ns, now_ns);
            }
        }
    }
    for (auto steps = control.backend_steps.load(std::memory_order_relaxed); held && steps != 0;) {
        if (control.backend_steps.compare_exchange_strong(steps, steps - 1)) {
            schedule.allow_one(now_ns);
            --steps;
        }
    }
}

// Runs the command's op for real.
TaskCost SimulatedDevice::World::task_begins(std::uint32_t index, const VirtualLanes::Task& task,
                                             std::uint64_t begin_ns) {
    Lane& lane = *lanes[index];
    SimulatedDevice& device = *lane.device;
    Command command = lane.commands.front();
    lane.commands.pop_front();
    lane.op = command.op;
    if (command.op != 0) {
        trace::RunningOp& running = recording->header().running_in(index);
        running.op_and_begin.store(0, std::memory_order_release);
        running.virtual_begin_ns.store(begin_ns, std::memory_order_release);
        running.op_and_begin.store(trace::pack_running(command.op, 0), std::memory_order_release);
    }
    if ((command.flags & kFreeBuffer) != 0) {
        device.free_lazily(command.out_id);
    }
    if ((command.flags & kComposite) != 0) {
        TaskCost cost = device.execute_steps(lane, *command.composite);
        cost.resource = task.cost.resource;
        return cost;
    }
    if (command.op != 0 && !device.execute(command)) {
        lane.op |= trace::kFailedOp;
        return {};
    }
    return task.cost;
}

void SimulatedDevice::World::task_ends(std::uint32_t index, const VirtualLanes::Task& task, std::uint64_t begin_ns,
                                       std::uint64_t end_ns) {
    Lane& lane = *lanes[index];
    // All parts of a composite op are slowed by the same factor.
    const auto slowed = [&](std::uint64_t ns) {
        return task.cost.ns == 0 || end_ns - begin_ns == task.cost.ns
                   ? ns
                   : static_cast<std::uint64_t>(static_cast<long double>(ns) *
                                                static_cast<long double>(end_ns - begin_ns) /
                                                static_cast<long double>(task.cost.ns));
    };
    for (const auto& part : lane.parts) {
        const std::uint64_t from = slowed(part.begin);
        const std::uint64_t to = slowed(part.begin + trace::unpack_duration(part.duration));
        lane.writer.add({begin_ns + from, trace::pack_duration(to - from), part.op});
    }
    lane.parts.clear();
    if (lane.op != 0) {
        lane.writer.add({begin_ns, trace::pack_duration(end_ns - begin_ns), lane.op});
    }
    lane.completed.fetch_add(1, std::memory_order_release);
}

// Computes the values; false if the op failed or depends on one that did. Such an op takes no time.
bool SimulatedDevice::execute(Command& command) {
    return poison().run(
        command, [this](Command& lazy) { return take_lazily(lazy); }, [](Command& op) { kernels::run(op); });
}

// Runs the steps one after another; each costs what it would cost alone. Steps that fail take no time.
TaskCost SimulatedDevice::execute_steps(Lane& lane, const Composite& composite) {
    TaskCost sum;
    double busy_ns = 0;
    for (Command step : composite.steps) {
        if (!execute(step)) {
            lane.op |= trace::kFailedOp;
            continue;
        }
        const TaskCost cost = model_.cost_of(*step.signature);
        lane.parts.push_back({sum.ns, trace::pack_duration(cost.ns), trace::kPart | step.signature->id});
        sum.ns += cost.ns;
        busy_ns += cost.share * static_cast<double>(cost.ns);
    }
    sum.share = sum.ns > 0 ? busy_ns / static_cast<double>(sum.ns) : 0;
    return sum;
}

bool SimulatedDevice::take_lazily(Command& command) {
    find_lazy_inputs(*this, command);
    if (command.out == nullptr && command.out_id != 0) {
        Device& home = (command.flags & kOutOnCpu) != 0 ? *cpu_peer() : *this;
        command.out = home.take_lazily_for(command);
        return command.out != nullptr;
    }
    return true;
}

float* SimulatedDevice::take_lazily_for(const Command& command) {
    if (float* data = lazy_data(command.out_id); data != nullptr) {
        return data;
    }
    const std::uint64_t bytes = command.signature->out_bytes;
    const bool fits = lazy_budget_ == 0 || lazy_bytes_ + bytes <= lazy_budget_;
    auto* data = fits ? static_cast<float*>(allocate(bytes)) : nullptr;
    if (data == nullptr) {
        fail_without_memory(*this, command, lazy_bytes_, lazy_budget_);
        return nullptr;
    }
    lazy_[command.out_id] = {data, bytes};
    lazy_bytes_ += bytes;
    return data;
}

void SimulatedDevice::free_lazily(core::BufferId buffer) {
    if (const auto found = lazy_.find(buffer); found != lazy_.end()) {
        lazy_bytes_ -= found->second.bytes;
        deallocate(found->second.data, found->second.bytes);
        lazy_.erase(found);
    }
}

float* SimulatedDevice::lazy_data(core::BufferId buffer) {
    const auto found = lazy_.find(buffer);
    return found != lazy_.end() ? found->second.data : nullptr;
}

// Zeroed, so that an op that reads a buffer too early, because the program forgot to order its streams, reads the same
// values in every run. (calloc() does not clear memory that is new to the process.) The address to free is stored in
// front of the block.
void* SimulatedDevice::allocate(std::size_t bytes) {
    constexpr std::size_t kAlignment = 64;
    if (bytes > SIZE_MAX - 2 * kAlignment) {
        return nullptr;
    }
    void* block = std::calloc(bytes + 2 * kAlignment, 1);
    if (block == nullptr) {
        return nullptr;
    }
    auto* data = static_cast<char*>(block) + kAlignment;
    data += (kAlignment - reinterpret_cast<std::uintptr_t>(data) % kAlignment) % kAlignment;
    std::memcpy(data - sizeof block, &block, sizeof block);
    use_huge_pages(data, bytes);
    return data;
}

void SimulatedDevice::deallocate(void* data, std::size_t) {
    if (data != nullptr) {
        void* block = nullptr;
        std::memcpy(&block, static_cast<char*>(data) - sizeof block, sizeof block);
        std::free(block);
    }
}

void SimulatedDevice::read(float* host, const float* device, std::size_t elements) {
    std::memcpy(host, device, elements * sizeof(float));
}

}  // namespace headway::devices
