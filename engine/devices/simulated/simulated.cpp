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
    : model_(std::move(model)) {
    HEADWAY_ASSERT(streams >= 1 && streams <= core::kMaxLanes, "a simulated device has 1 to 16 streams");
    recording.use_virtual_clock();
    kernels::use_one_blas_thread();
    info_.kind = "simulated";
    info_.name =
        model_.name + " (" + model_.source + "), " + std::to_string(streams) + (streams == 1 ? " stream" : " streams");
    info_.simulated = true;
    for (std::uint32_t i = 0; i < streams; ++i) {
        info_.lane_names.push_back("Stream " + std::to_string(i));
        lanes_.push_back(std::make_unique<Lane>());
        lanes_.back()->writer =
            trace::StreamWriter<trace::ExecRecord>(recording, {trace::StreamKind::lane, static_cast<std::uint8_t>(i)});
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
    for (auto& [id, block] : lazy_) {
        deallocate(block.data, block.bytes);
    }
}

void SimulatedDevice::publish(std::uint32_t index) {
    Lane& lane = *lanes_[index];
    const Command& command = slot(index);
    HEADWAY_ASSERT(
        command.wait_lane == kNoLaneWait ||
            (command.wait_lane < lanes_.size() && past(lanes_[command.wait_lane]->submitted, command.wait_seq) >= 0),
        "a command waits for one that was submitted before it");
    if (command.op != 0) {
        now_ns_ += model_.t1_ns;
    }
    ++lane.submitted;
    if (abandoned_) {
        lane.completed.store(lane.submitted, std::memory_order_release);
        return;
    }
    lane.queue.push_back({command, now_ns_, submitted_++});
    run_until_now();
}

const std::atomic<std::uint32_t>& SimulatedDevice::completed(std::uint32_t lane) const {
    return lanes_[lane]->completed;
}

void SimulatedDevice::wait(std::uint32_t index, std::uint32_t seq) {
    Lane& lane = *lanes_[index];
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
    now_ns_ = std::max(now_ns_, lane.end_ns);
    run_until_now();
}

void SimulatedDevice::advance(std::uint64_t ns) {
    now_ns_ += ns;
    run_until_now();
}

void SimulatedDevice::hold(bool held) {
    if (held_ && !held) {
        released_ns_ = now_ns_;
    }
    held_ = held;
    run_until_now();
}

void SimulatedDevice::abandon() {
    abandoned_ = true;
    for (auto& lane : lanes_) {
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
    begin_ns = std::max({head.issued_ns, lane.end_ns, released_ns_});
    if (head.command.wait_lane != kNoLaneWait) {
        const Lane& other = *lanes_[head.command.wait_lane];
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
    if (held_) {
        return best;
    }
    for (const auto& lane : lanes_) {
        std::uint64_t begin_ns = 0;
        if (lane->queue.empty() || !begin_of(*lane, begin_ns)) {
            continue;
        }
        const auto rank = [](const Queued& queued) { return std::pair(queued.command.op != 0, queued.order); };
        if (best.lane == nullptr || begin_ns < best.begin_ns ||
            (begin_ns == best.begin_ns && rank(lane->queue.front()) < rank(best.lane->queue.front()))) {
            best = {lane.get(), begin_ns};
        }
    }
    return best;
}

void SimulatedDevice::run_until_now() {
    for (Next ready = next(); ready.lane != nullptr && ready.begin_ns <= now_ns_; ready = next()) {
        start(ready);
    }
    for (auto& lane : lanes_) {
        if (lane->end_ns <= now_ns_) {
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
    if ((command.flags & kFreeBuffer) != 0) {
        free_lazily(command.out_id);
    }
    if ((command.flags & kComposite) != 0) {
        execute_steps(lane, *command.composite);
    } else if (command.op != 0) {
        if (execute(command)) {
            lane.end_ns += model_.execute_ns(*command.signature);
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

bool SimulatedDevice::find_lazy_operands(Command& command) {
    if (command.in0 == nullptr && command.in0_id != 0) {
        command.in0 = lazy_data(command.in0_id);
    }
    if (command.in1 == nullptr && command.in1_id != 0) {
        command.in1 = lazy_data(command.in1_id);
    }
    if (command.out != nullptr || command.out_id == 0) {
        return true;
    }
    command.out = lazy_data(command.out_id);
    if (command.out != nullptr) {
        return true;
    }
    const std::uint64_t bytes = command.signature->out_bytes;
    const bool fits = lazy_budget_ == 0 || lazy_bytes_ + bytes <= lazy_budget_;
    command.out = fits ? static_cast<float*>(allocate(bytes)) : nullptr;
    if (command.out == nullptr) {
        poison().fail(command, core::ErrorKind::out_of_memory,
                      "out of memory: " + std::to_string(bytes) + " bytes asked for when the op started, " +
                          std::to_string(lazy_bytes_) + " in use" +
                          (lazy_budget_ != 0 ? " of a budget of " + std::to_string(lazy_budget_) : std::string()));
        return false;
    }
    lazy_[command.out_id] = {command.out, bytes};
    lazy_bytes_ += bytes;
    return true;
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
