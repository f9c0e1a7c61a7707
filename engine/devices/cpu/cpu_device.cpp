#include "engine/devices/cpu/cpu_device.h"

#include <pthread.h>
#include <sched.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <string>
#include <thread>
#include <utility>

#include "engine/core/clock.h"
#include "engine/core/system/thread.h"
#include "engine/devices/lazy_operands.h"

namespace headway::devices {

namespace {

constexpr std::int64_t kSpinNs = 50'000;
constexpr std::int64_t kSleepNs = 50'000'000;  // a sleeper checks again after this time
constexpr std::uint64_t kWaiting = std::uint64_t{1} << 32;

void pin_to_core(int core) {
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(static_cast<std::size_t>(core), &set);
    pthread_setaffinity_np(pthread_self(), sizeof set, &set);
}

std::uint64_t ticks_per(std::int64_t ns) {
    if (!core::ticks_are_tsc()) {
        return static_cast<std::uint64_t>(ns);
    }
    static const double kTicksPerNs = [] {
        const auto first = core::read_anchor();
        core::Anchor last;
        do {
            last = core::read_anchor();
        } while (last.ns - first.ns < 200'000);
        return static_cast<double>(last.ticks - first.ticks) / static_cast<double>(last.ns - first.ns);
    }();
    return static_cast<std::uint64_t>(static_cast<double>(ns) * kTicksPerNs);
}

}  // namespace

std::string cpu_name() {
    std::ifstream info("/proc/cpuinfo");
    for (std::string line; std::getline(info, line);) {
        if (line.starts_with("model name")) {
            const auto colon = line.find(": ");
            if (colon != std::string::npos) {
                return line.substr(colon + 2);
            }
        }
    }
    return "CPU";
}

CpuDevice::CpuDevice(std::uint32_t workers, trace::Recording& recording, CpuOptions options)
    : Device(options.place),
      options_(options),
      recording_(recording),
      control_(recording.control()),
      spin_ticks_(ticks_per(kSpinNs)),
      crowded_(workers + 1 > std::thread::hardware_concurrency()) {
    HEADWAY_ASSERT(workers >= 1 && workers <= core::kMaxLanesOfDevice && first_lane() + workers <= core::kMaxLanes,
                   "a CPU device has 1 to 16 workers");
    kernels::use_one_blas_thread();
    for (std::size_t i = 1; i < kOpKinds; ++i) {
        kernels_[i] = kernels::kernel_for(static_cast<OpKind>(i));
    }
    info_.kind = "cpu";
    info_.name = cpu_name() + (workers == 1 ? ", 1 worker" : ", " + std::to_string(workers) + " workers");
    for (std::uint32_t i = 0; i < workers; ++i) {
        info_.lane_names.push_back("Worker " + std::to_string(i));
        lanes_.push_back(std::make_unique<Lane>());
        const std::uint32_t number = lanes_.back()->number = first_lane() + i;
        set_slot(number, lanes_.back()->queue.slot());
        lanes_.back()->writer = trace::StreamWriter<trace::ExecRecord>(
            recording, {trace::StreamKind::lane, static_cast<std::uint8_t>(number)});
        lanes_.back()->running = &recording.header().running_in(number).op_and_begin;
    }
    core::heavy_fence();  // registers the process with membarrier before the first sleep
    for (std::uint32_t i = 0; i < workers; ++i) {
        lanes_[i]->thread = std::jthread([this, i] { work(i); });
    }
}

CpuDevice::~CpuDevice() {
    hold(false);
    stopping_.store(true, std::memory_order_release);
    for (auto& lane : lanes_) {
        lane->asleep.store(0, std::memory_order_release);
        core::futex_wake_all(lane->asleep);
    }
    lanes_.clear();  // joins
    for (auto& [id, block] : lazy_) {
        deallocate(block.data, block.bytes);
    }
}

void CpuDevice::publish(std::uint32_t index) {
    Lane& lane = lane_of(index);
    lane.queue.publish();
    set_slot(index, lane.queue.slot());
    if (lane.asleep.load(std::memory_order_relaxed) != 0) [[unlikely]] {
        lane.asleep.store(0, std::memory_order_release);
        core::futex_wake_all(lane.asleep);
    }
}

const std::atomic<std::uint32_t>& CpuDevice::completed(std::uint32_t lane) const {
    return lane_of(lane).completed;
}

void CpuDevice::wait(std::uint32_t lane, std::uint32_t seq) {
    wait_for(lane_of(lane), seq, core::kMaxLanes);
}

void CpuDevice::wait_for(Lane& lane, std::uint32_t seq, std::uint32_t sleeper_index) {
    if (reached(lane, seq)) {
        return;
    }
    const auto begin = core::ticks();
    do {
        for (int i = 0; i < 64; ++i) {
            if (reached(lane, seq)) {
                return;
            }
            core::spin_pause();
        }
        if (crowded_) {
            sched_yield();
        }
    } while (core::ticks() - begin < spin_ticks_);

    // Announce, fence, check again, sleep: so the worker needs only a plain load to see whether anybody sleeps.
    Sleeper& sleeper = sleepers_[sleeper_index];
    auto& wake_at = lane.wake_at[sleeper_index];
    for (;;) {
        sleeper.asleep.store(1, std::memory_order_relaxed);
        wake_at.store(kWaiting | seq, std::memory_order_release);
        lane.watchers.fetch_add(1);
        core::heavy_fence();
        if (!reached(lane, seq)) {
            core::futex_wait_for(sleeper.asleep, 1, kSleepNs);
        }
        lane.watchers.fetch_sub(1);
        wake_at.store(0, std::memory_order_release);
        if (reached(lane, seq)) {
            return;
        }
    }
}

void CpuDevice::wake_watchers(Lane& lane, std::uint32_t completed) {
    for (std::uint32_t i = 0; i <= core::kMaxLanes; ++i) {
        auto wanted = lane.wake_at[i].load(std::memory_order_acquire);
        if ((wanted & kWaiting) != 0 && core::reached(completed, static_cast<std::uint32_t>(wanted)) &&
            lane.wake_at[i].compare_exchange_strong(wanted, 0)) {
            sleepers_[i].asleep.store(0, std::memory_order_release);
            core::futex_wake_all(sleepers_[i].asleep);
        }
    }
}

void CpuDevice::hold(bool held) {
    held_.store(held ? 1 : 0, std::memory_order_release);
    if (!held) {
        core::futex_wake_all(held_);
    }
}

// Waits until the hold is released or one more command is allowed. Time held by the learner is recorded in pieces, so
// that it is visible while the hold lasts.
void CpuDevice::stay_held(std::uint32_t lane) {
    constexpr std::int64_t kPollNs = 1'000'000;
    constexpr int kPolls = 50;  // per recorded piece
    while (held_.load(std::memory_order_acquire) != 0) {
        core::futex_wait_for(held_, 1, kSleepNs);
    }
    auto begin = core::ticks();
    int polls = 0;
    const auto record_piece = [&] {
        const auto now = core::ticks();
        if (polls > 0 && options_.record) {
            recording_.record_hold(lane, begin, now);
        }
        begin = now;
        polls = 0;
    };
    while (control_.hold_backend.load() != 0 && !abandoned_.load()) {
        auto steps = control_.backend_steps.load();
        if (steps != 0 && control_.backend_steps.compare_exchange_strong(steps, steps - 1)) {
            break;
        }
        std::this_thread::sleep_for(std::chrono::nanoseconds(kPollNs));
        if (++polls == kPolls) {
            record_piece();
        }
    }
    record_piece();
}

// Pauses for slow motion after an op that took this long. The learner may change the factor meanwhile.
void CpuDevice::stay_slow(std::uint32_t lane, std::uint64_t op_ticks) {
    constexpr auto kSlice = std::chrono::microseconds(200);
    const auto begin = core::ticks();
    const auto wanted = [&] {
        return static_cast<double>(op_ticks) * static_cast<double>(slow_factor_.load(std::memory_order_relaxed));
    };
    while (static_cast<double>(core::ticks() - begin) < wanted() && !abandoned_.load()) {
        std::this_thread::sleep_for(kSlice);
    }
    if (op_ticks != 0 && options_.record) {
        recording_.record_hold(lane, begin, core::ticks());
    }
}

void CpuDevice::work(std::uint32_t index) {
    core::name_thread(("lane-" + std::to_string(first_lane() + index)).c_str());
    if (options_.pin_worker >= 0) {
        pin_to_core(options_.pin_worker);
    }
    Lane& lane = *lanes_[index];
    std::uint32_t done = 0;
    std::uint64_t idle_since = 0;
    int backoff = 0;
    for (;;) {
        const std::uint32_t published = lane.queue.published();
        if (published == done) {
            if (stopping_.load(std::memory_order_acquire) && lane.queue.published() == done) {
                return;
            }
            const auto now = core::ticks();
            if (idle_since == 0) {
                idle_since = now;
            }
            for (int i = 0; i <= backoff; ++i) {
                core::spin_pause();
            }
            if (crowded_) {
                sched_yield();
            }
            if (now - idle_since > spin_ticks_) {
                lane.asleep.store(1, std::memory_order_relaxed);
                core::heavy_fence();
                if (lane.queue.published() == done && !stopping_.load(std::memory_order_acquire)) {
                    core::futex_wait_for(lane.asleep, 1, kSleepNs);
                }
                lane.asleep.store(0, std::memory_order_relaxed);
                idle_since = 0;
            }
            continue;
        }
        if (idle_since != 0) {
            // A consumer that catches up after every command makes each one cost a cache-line round trip, so let a few
            // commands accumulate. Single commands reset the backoff, so a frontend that waits each time is answered at
            // once.
            const auto waiting = published - done;
            backoff = waiting == 1 ? backoff / 2 : waiting < 16 ? std::min(16, backoff * 2 + 1) : backoff;
            idle_since = 0;
        }
        core::order_ticks();  // an op's begin must not be before its issue
        const std::uint32_t end = done + std::min(published - done, 64u);
        while (done != end) {
            Command& command = lane.queue.front();
            if (end - done > 3) {
                lane.queue.prefetch(3);  // never the command that the frontend is writing
            }
            if ((held_.load(std::memory_order_relaxed) | control_.hold_backend.load(std::memory_order_relaxed)) != 0 ||
                slow_factor_.load(std::memory_order_relaxed) != 0) [[unlikely]] {
                stay_held(first_lane() + index);
                stay_slow(first_lane() + index, std::exchange(lane.last_ticks, 0));
            }
            if (command.wait_lane != kNoLaneWait) {
                if (has_lane(command.wait_lane)) [[likely]] {
                    wait_for(lane_of(command.wait_lane), command.wait_seq, index);
                } else {
                    peer_with(command.wait_lane).wait_from_peer(command.wait_lane, command.wait_seq);
                }
                core::order_ticks();
            }
            run(lane, command);
            lane.queue.pop();
            lane.completed.store(++done, std::memory_order_release);
            if (lane.watchers.load(std::memory_order_relaxed) != 0) [[unlikely]] {
                wake_watchers(lane, done);
            }
        }
    }
}

void CpuDevice::run(Lane& lane, Command& command) {
    if (command.op == 0 || command.flags != 0 || poison().any() || abandoned_.load(std::memory_order_relaxed))
        [[unlikely]] {
        run_slowly(lane, command);
        return;
    }
    const auto kernel = kernels_[static_cast<std::size_t>(command.signature->kind)];
    if (!options_.record) {
        kernel(*command.signature, command);
        return;
    }
    const auto begin = core::ticks();
    lane.running->store(trace::pack_running(command.op, begin), std::memory_order_relaxed);
    kernel(*command.signature, command);
    lane.last_ticks = core::ticks() - begin;
    lane.writer.add({begin, trace::pack_duration(lane.last_ticks), command.op});
}

// The slow path: composite and opaque ops, frees, waits without an op, lazy operands, failures, and the commands left
// when a program is stopped.
void CpuDevice::run_slowly(Lane& lane, Command& command) {
    if ((command.flags & kFreeBuffer) != 0) {
        const std::lock_guard lock(lazy_mutex_);
        if (const auto found = lazy_.find(command.out_id); found != lazy_.end()) {
            lazy_bytes_.fetch_sub(found->second.bytes, std::memory_order_relaxed);
            deallocate(found->second.data, found->second.bytes);
            lazy_.erase(found);
        }
    }
    if (command.op == 0) {
        return;
    }
    if (abandoned_.load(std::memory_order_relaxed) || poison().leaves_out()) {
        poison().leave_out(lane.number, lane.completed.load(std::memory_order_relaxed) + 1);
        return;
    }
    const auto begin = core::ticks();
    if (options_.record) {
        lane.running->store(trace::pack_running(command.op, begin), std::memory_order_relaxed);
    }
    bool failed = false;
    if ((command.flags & kComposite) != 0) {
        for (Command step : command.composite->steps) {
            failed |= !run_step(lane, step);
        }
    } else {
        failed = !run_alone(command);
    }
    if (options_.record) {
        lane.last_ticks = core::ticks() - begin;
        lane.writer.add(
            {begin, trace::pack_duration(lane.last_ticks), failed ? command.op | trace::kFailedOp : command.op});
    }
}

// Runs one op with all its checks; returns whether it ran.
bool CpuDevice::run_alone(Command& command) {
    return poison().run(
        command, [this](Command& lazy) { return take_lazily(lazy); },
        [this](Command& op) { kernels_[static_cast<std::size_t>(op.signature->kind)](*op.signature, op); });
}

bool CpuDevice::run_step(Lane& lane, Command& step) {
    const auto begin = core::ticks();
    const bool ran = run_alone(step);
    if (ran && options_.record) {
        lane.writer.add({begin, trace::pack_duration(core::ticks() - begin), trace::kPart | step.signature->id});
    }
    return ran;
}

bool CpuDevice::take_lazily(Command& command) {
    find_lazy_inputs(*this, command);
    if (command.out == nullptr && command.out_id != 0) {
        command.out = take_lazily_for(command);
        return command.out != nullptr;
    }
    return true;
}

float* CpuDevice::take_lazily_for(const Command& command) {
    const std::uint64_t bytes = command.signature->out_bytes;
    const auto budget = lazy_budget_.load(std::memory_order_relaxed);
    const std::lock_guard lock(lazy_mutex_);
    if (const auto found = lazy_.find(command.out_id); found != lazy_.end()) {
        return found->second.data;
    }
    const auto live = lazy_bytes_.load(std::memory_order_relaxed);
    const bool fits = budget == 0 || live + bytes <= budget;
    auto* data = fits ? static_cast<float*>(allocate(bytes, false)) : nullptr;
    if (data == nullptr) {
        fail_without_memory(*this, command, live, budget);
        return nullptr;
    }
    lazy_[command.out_id] = {data, bytes};
    lazy_bytes_.fetch_add(bytes, std::memory_order_relaxed);
    return data;
}

float* CpuDevice::lazy_data(core::BufferId buffer) {
    const std::lock_guard lock(lazy_mutex_);
    const auto found = lazy_.find(buffer);
    return found != lazy_.end() ? found->second.data : nullptr;
}

void* CpuDevice::allocate(std::size_t bytes) {
    return allocate(bytes, true);
}

// Small blocks come from the C library, and large ones as well if no address range could be reserved.
void* CpuDevice::allocate(std::size_t bytes, bool ahead) {
    constexpr std::size_t kAlignment = 64;
    void* data = bytes >= HostMemory::kGrainBytes && memory_.reserved_bytes() != 0
                     ? memory_.take(bytes, ahead)
                     : std::aligned_alloc(kAlignment, (bytes + kAlignment - 1) / kAlignment * kAlignment);
    if (data != nullptr) {
        recording_.count_reserved(static_cast<std::int64_t>(bytes), number());
    }
    return data;
}

void CpuDevice::deallocate(void* data, std::size_t bytes) {
    if (data != nullptr) {
        recording_.count_reserved(-static_cast<std::int64_t>(bytes), number());
    }
    if (memory_.owns(data)) {
        memory_.give(data, bytes);
    } else {
        std::free(data);
    }
}

void CpuDevice::read(float* host, const float* device, std::size_t elements) {
    std::memcpy(host, device, elements * sizeof(float));
}

}  // namespace headway::devices
