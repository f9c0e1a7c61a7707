#include "engine/devices/cuda/cuda_device.h"

#include <sched.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "engine/core/count_text.h"
#include "engine/core/system/thread.h"
#include "engine/devices/cuda/host_work.h"
#include "engine/devices/cuda/nvtx_ranges.h"

namespace headway::devices::cuda {

namespace {

constexpr std::int64_t kSpinNs = 50'000;
constexpr int kLaneShift = 4;  // position of the lane in a queued command's flags
constexpr int kLeastCapability = 75;

std::string version_text(int version) {
    return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

}  // namespace

core::Result<std::string> find_gpu(int device) {
    const auto none = [](std::string why) { return core::Error{core::ErrorKind::unavailable, std::move(why)}; };
    int count = 0;
    const auto status = cudaGetDeviceCount(&count);
    if (status == cudaErrorInsufficientDriver) {
        int driver = 0;
        cudaDriverGetVersion(&driver);
        if (driver == 0) {
            return none("the NVIDIA driver is not installed");
        }
        return none("the NVIDIA driver is too old: it supports CUDA " + version_text(driver) +
                    ", Headway was built for CUDA " + version_text(CUDART_VERSION));
    }
    if (status == cudaErrorNoDevice || (status == cudaSuccess && count == 0)) {
        return none("the NVIDIA driver finds no GPU");
    }
    if (status != cudaSuccess) {
        return none(std::string("cudaGetDeviceCount: ") + cudaGetErrorString(status));
    }
    if (device < 0 || device >= count) {
        return none("there is no GPU " + std::to_string(device) + ": the driver finds " +
                    core::counted(static_cast<std::uint64_t>(count), "GPU") + ", and counts from 0");
    }
    cudaDeviceProp properties{};
    if (const auto asked = cudaGetDeviceProperties(&properties, device); asked != cudaSuccess) {
        return none(std::string("cudaGetDeviceProperties: ") + cudaGetErrorString(asked));
    }
    if (properties.major * 10 + properties.minor < kLeastCapability) {
        return none(std::string(properties.name) + " has compute capability " + std::to_string(properties.major) + "." +
                    std::to_string(properties.minor) + "; at least 7.5 is needed");
    }
    return std::string(properties.name);
}

CudaDevice::CudaDevice(const CudaOptions& options, std::string name, Cupti* cupti, std::string timing_note,
                       trace::Recording& recording)
    : Device(options.place),
      options_(options),
      recording_(recording),
      cupti_(cupti),
      nvtx_ranges_(std::make_unique<NvtxRanges>()),
      launches_(recording, {trace::StreamKind::launch, 0}),
      alone_(options.place.number == 0),
      crowded_(std::thread::hardware_concurrency() < 4) {
    use_device();
    if (const CudaDevice* first = gpu_peer(0)) {
        driver_ = first->driver_;
    } else {
        driver_ = std::make_shared<DriverRecords>();
        driver_->writer = {recording, {trace::StreamKind::driver, 0}};
    }
    const core::Anchor first{recording.header().first_ticks, recording.header().first_ns};
    const core::Anchor now = core::read_anchor();
    tick_map_ = core::TickMap(first, now);
    spin_ticks_ = static_cast<std::uint64_t>(static_cast<double>(kSpinNs) / core::TickScale(first, now).ns_per_tick());

    info_.kind = "cuda";
    info_.timing_note = std::move(timing_note);
    info_.name =
        std::move(name) + ", " + std::to_string(options.streams) + (options.streams == 1 ? " stream" : " streams");
    cudaDeviceProp properties{};
    check(cudaGetDeviceProperties(&properties, options.device), "cudaGetDeviceProperties");
    // The size that cuBLAS recommends. A fixed workspace per handle also makes products reproducible.
    const std::size_t workspace = std::size_t{properties.major >= 9 ? 32u : 4u} << 20;
    for (std::uint32_t i = 0; i < options.streams; ++i) {
        info_.lane_names.push_back("Stream " + std::to_string(i));
        auto lane = std::make_unique<Lane>();
        lane->number = i;
        lane->stream = make_stream();
        lane->scratch = make_device_memory(kScratchElements * sizeof(double));
        lane->workspace = make_device_memory(workspace);
        count_reserved(static_cast<std::int64_t>(workspace + kScratchElements * sizeof(double)));
        cublasHandle_t handle = nullptr;
        check(cublasCreate(&handle), "cublasCreate");
        lane->blas.reset(handle);
        check(cublasSetStream(handle, lane->stream.get()), "cublasSetStream");
        check(cublasSetWorkspace(handle, lane->workspace.get(), workspace), "cublasSetWorkspace");
        check(cublasSetMathMode(handle, options.tf32 ? CUBLAS_TF32_TENSOR_OP_MATH : CUBLAS_DEFAULT_MATH),
              "cublasSetMathMode");
        lane->writer = {recording, {trace::StreamKind::lane, static_cast<std::uint8_t>(first_lane() + i)}};
        lanes_.push_back(std::move(lane));
    }
    share_slot();
    copies_ = make_stream();
    clock_stream_ = make_stream();
    // Check now, not at the program's first op, that this GPU can run our kernels at all.
    check(launch_nothing(lanes_[0]->stream.get()), "launching a kernel");
    check(cudaStreamSynchronize(lanes_[0]->stream.get()), "cudaStreamSynchronize");
    start_timing();
    for (core::DeviceId number = 0; number < core::kMaxDevices; ++number) {
        if (const CudaDevice* peer = gpu_peer(number)) {
            use_memory_of(*peer);
        }
    }

    core::heavy_fence();  // registers the process with membarrier before the first sleep
    completer_ = std::jthread([this] { complete_loop(); });
    if (options_.launch == CudaLaunch::engine) {
        launcher_ = std::jthread([this] { launch_loop(); });
    } else {
        deferred_launcher_ = std::jthread([this](const std::stop_token& stop) { deferred_loop(stop); });
    }
    if (cupti_ != nullptr) {
        timer_ = std::jthread([this] { times_loop(); });
    }
}

CudaDevice::~CudaDevice() {
    hold(false);
    if (deferred_launcher_.joinable()) {
        while (!launch_what_may() || deferred_.load(std::memory_order_relaxed) != 0) {
            std::this_thread::sleep_for(std::chrono::nanoseconds(kHeldPollNs));
        }
        deferred_launcher_.request_stop();
        set_left(true);
        deferred_launcher_.join();
    }
    if (launcher_.joinable()) {
        stop_launching_.store(true, std::memory_order_release);
        wake_launcher();
        launcher_.join();
    }
    stop_completing_.store(true, std::memory_order_release);
    poke();
    completer_.join();
    if (timer_.joinable()) {
        {
            const std::lock_guard lock(times_mutex_);
            stop_times_ = true;
        }
        times_changed_.notify_all();
        timer_.join();
    }
    if (cupti_ != nullptr) {
        cupti_->stop();
    }
    if (!lost()) {
        use_device();
        give_back_lazy_blocks();
        for (auto& [id, block] : lazy_) {
            deallocate(block.data, block.bytes);
        }
        return;
    }
    // Make no more CUDA calls: the end of the process frees everything.
    for (auto& lane : lanes_) {
        for (auto& [signature, graphs] : lane->graphs) {
            for (auto& graph : graphs) {
                static_cast<void>(graph.exec.release());
            }
        }
        static_cast<void>(lane->blas.release());
        static_cast<void>(lane->workspace.release());
        static_cast<void>(lane->scratch.release());
        static_cast<void>(lane->stream.release());
    }
    static_cast<void>(copies_.release());
    static_cast<void>(clock_stream_.release());
    for (auto& anchor : anchors_) {
        static_cast<void>(anchor.event.release());
    }
    events_->abandon();
    pinned_.abandon();
}

const std::atomic<std::uint32_t>& CudaDevice::completed(std::uint32_t lane) const {
    return lanes_[lane - first_lane()]->completed;
}

// --- several GPUs ---

CudaDevice* CudaDevice::gpu_peer(core::DeviceId number) const {
    Device* peer = this->peer(number);
    return peer != nullptr && peer->info().kind == "cuda" ? static_cast<CudaDevice*>(peer) : nullptr;
}

CudaDevice* CudaDevice::gpu_with(std::uint32_t lane) {
    if (has_lane(lane)) {
        return this;
    }
    return gpu_peer(peer_with(lane).number());
}

// Failures are ignored: CUDA then copies through host memory.
void CudaDevice::use_memory_of(const CudaDevice& peer) const {
    int can = 0;
    if (cudaDeviceCanAccessPeer(&can, options_.device, peer.options_.device) == cudaSuccess && can != 0) {
        cudaDeviceEnablePeerAccess(peer.options_.device, 0);
    }
    cudaGetLastError();
}

// --- launching ---

void CudaDevice::publish(std::uint32_t lane) {
    Command& command = queue_.slot();
    command.flags = static_cast<std::uint8_t>(command.flags | (lane - first_lane()) << kLaneShift);
    queue_.publish();
    share_slot();
    if (options_.launch == CudaLaunch::frontend) {
        launch_what_may();
    } else if (launcher_asleep_.load(std::memory_order_relaxed) != 0) [[unlikely]] {
        wake_launcher();
    }
}

// All lanes share one queue and so one slot.
void CudaDevice::share_slot() {
    for (std::uint32_t lane = 0; lane < lanes_.size(); ++lane) {
        set_slot(first_lane() + lane, queue_.slot());
    }
}

void CudaDevice::wake_launcher() {
    launcher_asleep_.store(0, std::memory_order_release);
    core::futex_wake_all(launcher_asleep_);
}

void CudaDevice::hold(bool held) {
    held_.store(held ? 1 : 0, std::memory_order_release);
    if (!held) {
        core::futex_wake_all(held_);
    }
}

// False while the frontend or the learner holds the lanes; the learner may allow single commands.
bool CudaDevice::may_launch(std::uint32_t lane) {
    if (held_.load(std::memory_order_acquire) != 0) {
        return false;
    }
    trace::Control& control = recording_.control();
    bool may = control.hold_backend.load(std::memory_order_relaxed) == 0 || abandoned_.load(std::memory_order_relaxed);
    if (!may) {
        auto steps = control.backend_steps.load();
        may = steps != 0 && control.backend_steps.compare_exchange_strong(steps, steps - 1);
    }
    if (!may && held_since_ == 0) {
        held_since_ = core::ticks();
    } else if (may && held_since_ != 0) {
        if (options_.record) {
            recording_.record_hold(first_lane() + lane, held_since_, core::ticks());
        }
        held_since_ = 0;
    }
    return may;
}

bool CudaDevice::launch_what_may() {
    const std::lock_guard lock(launching_);
    const bool all = launch_in_order();
    set_left(!all || deferred_.load(std::memory_order_relaxed) != 0);
    return all;
}

// The frontend waits for one device, and launches on all: what that one waits for may be held on another.
bool CudaDevice::launch_on_all_gpus() {
    bool all = launch_what_may();
    for (core::DeviceId number = 0; !alone_ && number < core::kMaxDevices; ++number) {
        if (CudaDevice* peer = gpu_peer(number)) {
            all &= peer->launch_what_may();
        }
    }
    return all;
}

bool CudaDevice::launch_in_order() {
    use_device();
    bool all = true;
    if (deferred_.load(std::memory_order_relaxed) != 0) [[unlikely]] {
        all = launch_deferred();
    }
    while (popped_ != queue_.published()) {
        Command& command = queue_.front();
        const auto lane = static_cast<std::uint32_t>(command.flags >> kLaneShift);
        if (!lanes_[lane]->deferred.empty() || needs_more(command) || stays_slow(*lanes_[lane])) [[unlikely]] {
            defer(lane, command);
        } else if (may_launch(lane)) [[likely]] {
            launch(lane, command);
        } else {
            return false;
        }
        queue_.pop();
        ++popped_;
    }
    return all;
}

void CudaDevice::launch_loop() {
    core::name_thread("cuda-launch");
    use_device();
    std::uint64_t idle_since = core::ticks();
    for (;;) {
        if (queue_.published() != popped_) {
            if (!launch_what_may()) {
                core::futex_wait_for(held_, 1, kHeldPollNs);
                if (held_.load(std::memory_order_relaxed) == 0) {
                    std::this_thread::sleep_for(
                        std::chrono::nanoseconds(kHeldPollNs));  // releasing a hold wakes no thread
                }
            }
            idle_since = core::ticks();
            continue;
        }
        if (deferred_.load(std::memory_order_relaxed) != 0) [[unlikely]] {
            // The CPU's workers do not wake this thread: poll often, but sleep in between so as not to slow them down.
            if (core::ticks() - idle_since > spin_ticks_) {
                std::this_thread::sleep_for(std::chrono::nanoseconds(kDeferredNapNs));
            }
            core::spin_pause();
            if (!launch_what_may()) {
                std::this_thread::sleep_for(std::chrono::nanoseconds(kHeldPollNs));
            }
            continue;
        }
        if (stop_launching_.load(std::memory_order_acquire) && queue_.published() == popped_) {
            return;
        }
        core::spin_pause();
        if (crowded_) {
            sched_yield();
        }
        if (core::ticks() - idle_since > spin_ticks_) {
            launcher_asleep_.store(1, std::memory_order_relaxed);
            core::heavy_fence();
            if (queue_.published() == popped_ && !stop_launching_.load(std::memory_order_acquire)) {
                core::futex_wait_for(launcher_asleep_, 1, kSleepNs);
            }
            launcher_asleep_.store(0, std::memory_order_relaxed);
            idle_since = core::ticks();
        }
    }
}

void CudaDevice::launch(std::uint32_t index, Command& command) {
    Lane& lane = *lanes_[index];
    InFlight flight;
    flight.launch_begin = core::ticks();
    if (const auto slow_from = lane.slow_from.exchange(0, std::memory_order_relaxed); slow_from != 0) [[unlikely]] {
        if (options_.record) {
            recording_.record_hold(first_lane() + index, slow_from,
                                   std::min(flight.launch_begin, lane.slow_until.load(std::memory_order_relaxed)));
        }
    }
    if (lost()) {
        flight.op = command.op;
        flight.failed = true;
    } else {
        try {
            launch_work(lane, command, flight);
        } catch (const CudaError& error) {
            failed_call(lane, command, flight, error);
        }
    }
    if (flight.op != 0 && options_.record && alone_) {
        launches_.add({flight.launch_begin, trace::pack_duration(core::ticks() - flight.launch_begin),
                       flight.failed ? flight.op | trace::kFailedOp : flight.op});
    }
    ++lane.launched;
    push(lane, std::move(flight));
}

void CudaDevice::launch_work(Lane& lane, Command& command, InFlight& flight) {
    if (command.wait_lane != kNoLaneWait) {
        if (CudaDevice* gpu = gpu_with(command.wait_lane)) {
            wait_on_stream(lane, *gpu->lanes_[command.wait_lane - gpu->first_lane()], command.wait_seq);
        }
    }
    if ((command.flags & kFreeBuffer) != 0) {
        free_lazily(lane, command.out_id);
    }
    if (command.op != 0 && (abandoned_.load(std::memory_order_relaxed) || poison().leaves_out())) {
        poison().leave_out(first_lane() + lane.number, lane.launched + 1);
    } else if (command.op != 0) {
        flight.op = command.op;
        last_launched_.store(command.op, std::memory_order_relaxed);
        if ((command.flags & kComposite) != 0) {
            start_composite(lane, command, flight);
            record_end(lane, flight);
            return;
        }
        flight.failed = poison().any() && poison().spreads_to(command);
        if (!flight.failed && (command.flags & kLazyOperands) != 0) {
            flight.failed = !take_lazily(lane, command);
        }
        if (!flight.failed) {
            start_op(lane, command, flight);
        }
    }
    record_end(lane, flight);
}

void CudaDevice::record_end(Lane& lane, InFlight& flight) {
    flight.end = events_->take();
    check(cudaEventRecord(flight.end, lane.stream.get()), "cudaEventRecord");
}

void CudaDevice::failed_call(Lane& lane, const Command& command, InFlight& flight, const CudaError& error) {
    flight.failed = true;
    if (command.op == 0 || is_sticky(lane.stream.get())) {
        lose(command.op, error.what());
        return;
    }
    const std::string message = std::string(name_of(command.signature->kind)) + ": " + error.what();
    if ((command.flags & kComposite) != 0) {
        for (const Command& step : command.composite->steps) {
            poison().fail(step, error.kind(), message);
        }
    } else {
        poison().fail(command, error.kind(), message);
    }
    // The lane's order still needs this command's event.
    try {
        if (flight.end == nullptr) {
            record_end(lane, flight);
        }
    } catch (const CudaError& second) {
        lose(command.op, second.what());
    }
}

bool CudaDevice::is_sticky(cudaStream_t stream) {
    cudaGetLastError();
    const auto again = cudaStreamQuery(stream);
    cudaGetLastError();  // clear it: CUDA stores "not ready" as well
    return again != cudaSuccess && again != cudaErrorNotReady;
}

void CudaDevice::lose(core::OpId op, const std::string& message) {
    const std::lock_guard lock(lost_mutex_);
    if (!lost()) {
        const auto at = op != 0 ? op : last_launched_.load(std::memory_order_relaxed);
        poison().lose({at, core::ErrorKind::failed, "the GPU is lost to this process (" + message + ")"});
        lost_.store(true, std::memory_order_release);
        poke();
    }
}

// Finds the event by position. The command has been launched (needs_more()), so the event has been recorded; if it has
// left the lane since, it is done.
void CudaDevice::wait_on_stream(Lane& lane, Lane& needed, std::uint32_t seq) {
    const std::lock_guard lock(needed.mutex);  // the event must not be reused before the wait refers to it
    const auto ahead = static_cast<std::int32_t>(seq - needed.taken);
    if (ahead <= 0) {
        return;
    }
    HEADWAY_ASSERT(static_cast<std::size_t>(ahead) <= needed.in_flight.size(), "a lane waits for what was not issued");
    const cudaEvent_t event = needed.in_flight[static_cast<std::size_t>(ahead) - 1].end;
    if (event != nullptr) {
        check(cudaStreamWaitEvent(lane.stream.get(), event, 0), "cudaStreamWaitEvent");
    }
}

void CudaDevice::push(Lane& lane, InFlight flight) {
    {
        const std::lock_guard lock(lane.mutex);
        lane.in_flight.push_back(std::move(flight));
    }
    in_flight_.fetch_add(1, std::memory_order_release);
    if (completer_asleep_.load(std::memory_order_relaxed) == kIdle) [[unlikely]] {
        poke();
    }
}

}  // namespace headway::devices::cuda
