#include "engine/devices/simulated/simulated.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <string>
#include <utility>

#include "engine/devices/kernels/kernels.h"

namespace headway::devices {

namespace {

// How far `count` is past `seq`, both modulo 2^32.
std::int32_t past(std::uint32_t count, std::uint32_t seq) {
    return static_cast<std::int32_t>(count - seq);
}

}  // namespace

SimulatedDevice::SimulatedDevice(CostModel model, std::uint32_t streams, trace::Recording& recording)
    : model_(std::move(model)), world_(std::make_shared<World>()) {
    HEADWAY_ASSERT(streams >= 1 && streams <= core::kMaxLanes, "a simulated device has 1 to 16 streams");
    recording.use_virtual_clock();
    kernels::use_one_blas_thread();
    info_.kind = "simulated";
    info_.name =
        model_.name + " (" + model_.source + "), " + std::to_string(streams) + (streams == 1 ? " stream" : " streams");
    info_.simulated = true;
    make_lanes("Stream ", streams, recording);
}

SimulatedDevice::SimulatedDevice(CostModel model, std::uint32_t workers, trace::Recording& recording,
                                 const Place& place)
    : Device(place), model_(std::move(model)), world_(static_cast<SimulatedDevice*>(place.beside)->world_) {
    HEADWAY_ASSERT(workers >= 1 && place.first_lane == world_->lanes.size(), "its lanes follow those of the GPU");
    info_.kind = "cpu";
    info_.name =
        model_.name + " (" + model_.source + "), " + std::to_string(workers) + (workers == 1 ? " worker" : " workers");
    info_.simulated = true;
    make_lanes("Worker ", workers, recording);
}

void SimulatedDevice::make_lanes(const char* name, std::uint32_t count, trace::Recording& recording) {
    for (std::uint32_t i = 0; i < count; ++i) {
        info_.lane_names.push_back(name + std::to_string(i));
        lanes_.push_back(std::make_unique<Lane>());
        lanes_.back()->device = this;
        lanes_.back()->writer = trace::StreamWriter<trace::ExecRecord>(
            recording, {trace::StreamKind::lane, static_cast<std::uint8_t>(first_lane() + i)});
        world_->lanes.push_back(lanes_.back().get());
    }
}

SimulatedDevice::~SimulatedDevice() {
    hold(false);
    for (Next ready = next(); ready.lane != nullptr; ready = next()) {
        start(ready);
    }
    for (auto& lane : lanes_) {
        complete(*lane);
    }
    world_->lanes.resize(std::min<std::size_t>(world_->lanes.size(), first_lane()));
    for (auto& [id, block] : lazy_) {
        deallocate(block.data, block.bytes);
    }
}

void SimulatedDevice::publish(std::uint32_t index) {
    Lane& lane = lane_of(index);
    const Command& command = slot(index);
    HEADWAY_ASSERT(
        command.wait_lane == kNoLaneWait || (command.wait_lane < world_->lanes.size() &&
                                             past(lane_of(command.wait_lane).submitted, command.wait_seq) >= 0),
        "a command waits for one that was submitted before it");
    if (command.op != 0) {
        world_->now_ns += model_.t1_ns;
    }
    ++lane.submitted;
    if (world_->abandoned) {
        lane.completed.store(lane.submitted, std::memory_order_release);
        return;
    }
    lane.queue.push_back({command, world_->now_ns, world_->submitted++});
    run_until_now();
}

const std::atomic<std::uint32_t>& SimulatedDevice::completed(std::uint32_t lane) const {
    return lane_of(lane).completed;
}

void SimulatedDevice::wait(std::uint32_t index, std::uint32_t seq) {
    Lane& lane = lane_of(index);
    HEADWAY_ASSERT(past(lane.submitted, seq) >= 0, "a wait is for a command that was submitted");
    if (past(lane.completed.load(std::memory_order_relaxed), seq) >= 0) {
        return;
    }
    if (past(lane.started, seq) < 0) {
        hold(false);
    }
    while (past(lane.started, seq) < 0) {
        const Next ready = next();
        HEADWAY_ASSERT(ready.lane != nullptr, "commands wait for each other only backwards");
        start(ready);
    }
    world_->now_ns = std::max(world_->now_ns, lane.end_ns);
    run_until_now();
}

void SimulatedDevice::advance(std::uint64_t ns) {
    world_->now_ns += ns;
    run_until_now();
}

void SimulatedDevice::hold(bool held) {
    if (world_->held && !held) {
        world_->released_ns = world_->now_ns;
    }
    world_->held = held;
    run_until_now();
}

void SimulatedDevice::abandon() {
    world_->abandoned = true;
    for (Lane* lane : world_->lanes) {
        complete(*lane);
        lane->queue.clear();
        lane->started = lane->submitted;
        lane->completed.store(lane->submitted, std::memory_order_release);
    }
}

// When the lane's next command begins; false where that is not known yet, as the command that it waits for has not
// begun.
bool SimulatedDevice::begin_of(const Lane& lane, std::uint64_t& begin_ns) const {
    const Queued& head = lane.queue.front();
    begin_ns = std::max({head.issued_ns, lane.end_ns, world_->released_ns});
    if (head.command.wait_lane != kNoLaneWait) {
        const Lane& other = lane_of(head.command.wait_lane);
        const auto ahead = past(other.started, head.command.wait_seq);
        if (ahead < 0) {
            return false;
        }
        // The other lane is past it only if commands begin at this very moment: commands begin in the order of time,
        // so ours would have begun before a later one of the other lane. Hence that one's begin stands for the end.
        begin_ns = std::max(begin_ns, ahead == 0 ? other.end_ns : other.begin_ns);
    }
    return true;
}

// The command that begins first, of all lanes; at the same time, what takes no time and gives memory back, then what
// was submitted first.
SimulatedDevice::Next SimulatedDevice::next() const {
    Next best;
    if (world_->held) {
        return best;
    }
    for (Lane* lane : world_->lanes) {
        std::uint64_t begin_ns = 0;
        if (lane->queue.empty() || !begin_of(*lane, begin_ns)) {
            continue;
        }
        const auto rank = [](const Queued& queued) { return std::pair(queued.command.op != 0, queued.order); };
        if (best.lane == nullptr || begin_ns < best.begin_ns ||
            (begin_ns == best.begin_ns && rank(lane->queue.front()) < rank(best.lane->queue.front()))) {
            best = {lane, begin_ns};
        }
    }
    return best;
}

void SimulatedDevice::run_until_now() {
    for (Next ready = next(); ready.lane != nullptr && ready.begin_ns <= world_->now_ns; ready = next()) {
        start(ready);
    }
    for (Lane* lane : world_->lanes) {
        if (lane->end_ns <= world_->now_ns) {
            complete(*lane);
        }
    }
}

void SimulatedDevice::start(const Next& next) {
    Lane& lane = *next.lane;
    complete(lane);
    Command& command = lane.queue.front().command;
    lane.begin_ns = next.begin_ns;
    lane.end_ns = next.begin_ns;
    lane.op = command.op;
    SimulatedDevice& device = *lane.device;
    if ((command.flags & kFreeBuffer) != 0) {
        device.free_lazily(command.out_id);
    }
    if ((command.flags & kComposite) != 0) {
        device.execute_steps(lane, *command.composite);
    } else if (command.op != 0) {
        if (device.execute(command)) {
            lane.end_ns += device.model_.execute_ns(*command.signature);
        } else {
            lane.op |= trace::kFailedOp;
        }
    }
    ++lane.started;
    lane.queue.pop_front();
}

// Counts and records the command that was started last, if that has not been done.
void SimulatedDevice::complete(Lane& lane) {
    if (lane.completed.load(std::memory_order_relaxed) == lane.started) {
        return;
    }
    for (const auto& part : lane.parts) {
        lane.writer.add(part);
    }
    lane.parts.clear();
    if (lane.op != 0) {
        lane.writer.add({lane.begin_ns, trace::pack_duration(lane.end_ns - lane.begin_ns), lane.op});
    }
    lane.completed.store(lane.started, std::memory_order_release);
}

// Computes the values; false when the op failed or depends on one that did. Such an op takes no time.
bool SimulatedDevice::execute(Command& command) {
    if (poison().any() && poison().spreads_to(command)) {
        return false;
    }
    if ((command.flags & kLazyOperands) != 0 && !find_lazy_operands(command)) {
        return false;
    }
    kernels::run(command);
    return true;
}

// One after another; what each of them costs is what it would cost alone.
void SimulatedDevice::execute_steps(Lane& lane, const Composite& composite) {
    for (Command step : composite.steps) {
        if (!execute(step)) {
            lane.op |= trace::kFailedOp;
            continue;
        }
        const auto ns = model_.execute_ns(*step.signature);
        lane.parts.push_back({lane.end_ns, trace::pack_duration(ns), trace::kPart | step.signature->id});
        lane.end_ns += ns;
    }
}

// A buffer's memory, also where the other device holds it.
float* SimulatedDevice::find_lazily(core::BufferId buffer) {
    float* data = lazy_data(buffer);
    return data == nullptr && beside() != nullptr ? beside()->lazy_data(buffer) : data;
}

bool SimulatedDevice::find_lazy_operands(Command& command) {
    if (command.in0 == nullptr && command.in0_id != 0) {
        command.in0 = find_lazily(command.in0_id);
    }
    if (command.in1 == nullptr && command.in1_id != 0) {
        command.in1 = find_lazily(command.in1_id);
    }
    if (command.out == nullptr && command.out_id != 0) {
        Device& home = (command.flags & kOutBeside) != 0 ? *beside() : *this;
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
        poison().fail(command, core::ErrorKind::out_of_memory,
                      "out of memory" + where() + ": " + std::to_string(bytes) +
                          " bytes asked for when the op started, " + std::to_string(lazy_bytes_) + " in use" +
                          (lazy_budget_ != 0 ? " of a budget of " + std::to_string(lazy_budget_) : std::string()));
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

void* SimulatedDevice::allocate(std::size_t bytes) {
    constexpr std::size_t kAlignment = 64;
    if (bytes > SIZE_MAX - kAlignment) {
        return nullptr;
    }
    return std::aligned_alloc(kAlignment, std::max<std::size_t>(1, (bytes + kAlignment - 1) / kAlignment) * kAlignment);
}

void SimulatedDevice::deallocate(void* data, std::size_t) {
    std::free(data);
}

void SimulatedDevice::read(float* host, const float* device, std::size_t elements) {
    std::memcpy(host, device, elements * sizeof(float));
}

}  // namespace headway::devices
