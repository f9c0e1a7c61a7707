#include "app/runner/execution/execute.h"

#include <fcntl.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <mutex>
#include <new>
#include <nlohmann/json.hpp>
#include <thread>

#include "app/model/numbers/format.h"
#include "app/runner/execution/device_choice.h"
#include "app/runner/execution/limit_watch.h"
#include "app/runner/execution/machine.h"
#include "app/runner/execution/messages.h"
#include "engine/core/bytes.h"
#include "engine/core/count_text.h"
#include "engine/core/system/machine_memory.h"
#include "engine/core/system/process_limits.h"
#include "engine/core/system/thread.h"
#include "engine/trace/barrier_names.h"

namespace headway::runner {

namespace {

void set_state(trace::Recording& recording, trace::RunState state) {
    recording.header().state.store(static_cast<std::uint32_t>(state), std::memory_order_release);
}

void write_error(trace::Recording& recording, const core::Error& error) {
    recording.meta(trace::MetaType::error, 0, error_json(error));
}

std::mutex end_mutex;

bool has_ended(trace::Recording& recording) {
    return recording.header().state.load() > static_cast<std::uint32_t>(trace::RunState::running);
}

// Writes the error of a program before its remaining ops have been executed, so that readers of the recording see it at
// once. write_end() follows.
void write_early(trace::Recording& recording, const core::Error& error) {
    const std::lock_guard lock(end_mutex);
    if (!has_ended(recording)) {
        write_error(recording, error);
    }
}

// False if the end has been written already. Any thread: the watch over the limits writes it for a frontend that is
// stuck.
bool write_end(trace::Recording& recording, const std::optional<core::Error>& error) {
    const std::lock_guard lock(end_mutex);
    if (has_ended(recording)) {
        return false;
    }
    if (error) {
        write_error(recording, *error);
    }
    recording.renew_anchor();
    set_state(recording, error ? trace::RunState::failed : trace::RunState::finished);
    return true;
}

core::Error stopped_error(runtime::Runtime& rt) {
    core::Error error{core::ErrorKind::stopped, "stopped after issuing " + core::counted(rt.recorder.issued(), "op")};
    error.line = core::number_of(rt.lines.current());
    if (error.line != 0) {
        error.file = rt.lines.file_name(rt.lines.current());
        error.message += ", at " + error.file + ":" + std::to_string(error.line);
    }
    try {
        rt.waits.deliver_any_failure();
    } catch (const runtime::ProgramError& earlier) {
        error.message += "; before that, without a wait that reports it: " + earlier.error().message;
    }
    return error;
}

// Warns once when the machine is about to run out of memory, before it swaps or kills processes.
class MemoryWatch {
public:
    void check() {
        if (warned_ || ++calls_ % kEvery != 0) {
            return;
        }
        const core::MachineMemory memory = core::machine_memory();
        const std::uint64_t resident = resident_bytes();
        if (memory.total != 0 && memory.available < memory.total / 16 && resident > memory.total / 8) {
            warned_ = true;
            tell("the machine has only " + core::bytes_text(memory.available) +
                 " of memory left, and this run has taken " + core::bytes_text(resident) +
                 ": stop it, or run it with a smaller --budget or with a barrier");
        }
    }

private:
    static constexpr int kEvery = 5;  // every fifth call of StopWatcher, so ten times a second
    int calls_ = 0;
    bool warned_ = false;
};

// Polls whether the run has been stopped, because the frontend may be blocked in a wait; then makes the lanes drop what
// is queued. In virtual time the lanes belong to the frontend's thread, which checks by itself.
class StopWatcher {
public:
    // `tells`: on stderr, when a program has failed and its ops are not done.
    StopWatcher(trace::Control& control, devices::DeviceSet& machine, bool tells)
        : tells_(tells),
          thread_([this, &control, &machine](const std::stop_token& done) { watch(done, control, machine); }) {}

    // The program has failed after so many ops, which may still be executed.
    void program_failed(std::uint64_t ops) {
        ops_.store(ops);
        failed_ns_.store(core::monotonic_ns());
    }

    // All that it had issued has been executed.
    void failure_settled() { failed_ns_.store(0); }

private:
    static constexpr std::int64_t kPatience_ns = 300'000'000;

    void watch(const std::stop_token& done, trace::Control& control, devices::DeviceSet& machine) {
        core::name_thread("stop-watcher");
        const bool virtual_time = machine[0].virtual_time();
        MemoryWatch memory;
        do {
            memory.check();
            if (!virtual_time && control.stop.load() != 0) {
                machine.hold(false);
                machine.abandon();
                return;
            }
            const std::int64_t failed_ns = failed_ns_.load();
            if (tells_ && failed_ns != 0 && core::monotonic_ns() - failed_ns > kPatience_ns) {
                tells_ = false;
                tell("the program has failed after issuing " + core::counted(ops_.load(), "op") +
                     "; what it has issued is still being executed (Ctrl-C drops it)");
            }
        } while (core::sleep_until_stop(done, std::chrono::milliseconds(20)));
    }

    bool tells_;
    std::atomic<std::uint64_t> ops_{0};
    std::atomic<std::int64_t> failed_ns_{0};  // 0: it has not, or no op is left
    std::jthread thread_;
};

class RunContext final : public ProgramContext {
public:
    RunContext(runtime::Runtime& runtime, const std::map<std::string, std::string>& parameters, LimitWatch& limits,
               StopWatcher& stop_watcher)
        : ProgramContext(runtime, parameters), limits_(limits), stop_watcher_(stop_watcher) {}

    void end(std::optional<core::Error> error) override {
        if (!ended_) {
            settle(std::move(error));
            // What follows, such as exit handlers and threads, does not count as the run's time.
            runtime().recorder.program_event(trace::FrontendKind::program_end, 0, 0);
            write_end(runtime().recorder.recording(), error_);
            written_ = true;
        }
    }
    // Waits for all ops and finds out how the program ended. Does nothing the second time.
    void settle(std::optional<core::Error> error) {
        if (ended_) {
            return;
        }
        error_ = error ? std::move(error) : wait_for_all();
        if (const std::string reached = limits_.reached(); !reached.empty()) {
            error_ = limit_error(reached);
        } else if (error_ && error_->kind == core::ErrorKind::stopped) {
            error_ = stopped_error(runtime());
        } else if (!error_ && output_errno() != 0) {
            error_ = core::Error{core::ErrorKind::failed, std::string("the program's output cannot be written: ") +
                                                              std::strerror(output_errno())};
        }
        ended_ = true;
        if (error_ && error_->kind != core::ErrorKind::stopped) {
            write_early(runtime().recorder.recording(), *error_);
            stop_watcher_.program_failed(runtime().recorder.issued());
            wait_after_failure();
            stop_watcher_.failure_settled();
        }
    }
    [[nodiscard]] bool written() const { return written_; }  // how it ended is in the recording
    [[nodiscard]] const std::optional<core::Error>& error() const { return error_; }  // after settle()

    void print(std::string_view line) override {
        std::string text(line);
        text += '\n';
        for (std::string_view left = text; !left.empty() && output_errno_ == 0;) {
            const ssize_t written = write(STDOUT_FILENO, left.data(), left.size());
            if (written >= 0) {
                left.remove_prefix(static_cast<std::size_t>(written));
            } else if (errno != EINTR) {
                output_errno_ = errno;
            }
        }
    }

    void set_result(const std::string& json) override {
        runtime().recorder.recording().meta(trace::MetaType::result, 0, json);
    }

    std::int64_t now_ns() const override {
        const auto& device = const_cast<RunContext*>(this)->runtime().lanes.device(0);
        return device.virtual_time() ? static_cast<std::int64_t>(device.now()) : core::monotonic_ns();
    }

    std::uint64_t memory_bytes() override {
        return runtime().lanes.device(0).virtual_time() ? runtime().memory.live_bytes() : resident_bytes();
    }

    const char* memory_words() override {
        return runtime().lanes.device(0).virtual_time() ? "of live tensors, on the simulated device"
                                                        : "of the process's resident memory, tensors and all else";
    }

    // The errno of the first failed write to stdout; 0 if none failed or the reader closed the pipe.
    [[nodiscard]] int output_errno() const { return output_errno_ == EPIPE ? 0 : output_errno_; }

private:
    static constexpr const char* kEnd = "end of the program";

    // Reports a failure that the program itself did not wait for.
    std::optional<core::Error> wait_for_all() {
        runtime::Runtime& rt = runtime();
        try {
            rt.graphs.set_gathering(false);  // issues the rest
            if (rt.lanes.has_open_ops() || rt.waits.any_failure()) {
                rt.waits.everything(trace::WaitKind::synchronize, kEnd);
            }
        } catch (const runtime::ProgramError& problem) {
            return problem.error();
        }
        if (rt.recorder.recording().control().stop.load() != 0) {
            return runtime::stopped_error();
        }
        return std::nullopt;
    }

    // Waits for the ops that were issued before the failure, as at the end of any other program.
    void wait_after_failure() {
        runtime::Runtime& rt = runtime();
        if (rt.control.gathers() || !rt.lanes.has_open_ops()) {
            return;
        }
        try {
            rt.waits.everything(trace::WaitKind::synchronize, kEnd);
        } catch (const runtime::ProgramError&) {  // the same failure, a later one, or a stop
        }
    }

    int output_errno_ = 0;
    LimitWatch& limits_;
    StopWatcher& stop_watcher_;
    bool ended_ = false, written_ = false;
    std::optional<core::Error> error_;
};

// Budget in bytes; 0: none. The default applies to the simulated device, too, since its tensors are in the machine's
// memory.
std::uint64_t budget_in_bytes(std::uint64_t chosen, const devices::Device& device) {
    const std::uint64_t budget = chosen == 0 && device.info().kind != "cuda" ? core::default_budget() : chosen;
    return budget == core::kNoBudget ? 0 : budget;
}

std::string run_metadata(const Job& job, const devices::Device& device, const SimulatedCosts* costs,
                         std::uint64_t budget_in_effect) {
    const auto& options = job.options;
    const auto& info = device.info();
    const Machine machine = this_machine();
    nlohmann::json metadata{{"program", job.lesson ? job.lesson->id : job.program->name()},
                            {"title", job.title()},
                            {"frontend", job.program->frontend()},
                            {"tab", options.tab},
                            {"device_kind", info.kind},
                            {"device_name", info.name},
                            {"simulated", info.simulated},
                            {"cpu", machine.cpu},
                            {"os", machine.os},
                            {"cores", machine.cores},
                            {"barrier", trace::word_of(job.barrier())},
                            {"free_policy", std::string(memory::name_of(job.free_policy))},
                            {"profile", job.profile.name},
                            {"chosen", job.chosen()},
                            {"workers", info.kind == "cpu" ? job.workers : 0},  // only settings that the device has
                            {"streams", info.kind == "cpu" ? 0 : job.streams},
                            {"queue_limit", options.queue_limit},
                            {"budget", options.budget == core::kNoBudget ? 0 : options.budget},
                            {"budget_in_effect", budget_in_effect},
                            {"budget_is_default", options.budget == 0},
                            {"issue", options.graphs ? "graph" : "op"},
                            {"seed", options.seed},
                            {"date", iso_date()},
                            {"version", HEADWAY_VERSION},
                            {"parameters", job.parameters},
                            {"lanes", info.lane_names}};
    if (!info.timing.empty()) {
        metadata["timing"] = info.timing;
        metadata["timing_note"] = info.timing_note;
        metadata["timing_uncertainty_ns"] = info.timing_uncertainty_ns;
    }
    if (info.kind == "cuda") {
        metadata["launch"] = options.cuda.launch == devices::CudaLaunch::engine ? "engine" : "frontend";
        metadata["copies"] = options.cuda.pinned ? "pinned" : "pageable";
        metadata["products"] = options.cuda.tf32 ? "tf32" : "float32";
    }
    if (costs != nullptr) {
        metadata["cost_models"] = json_of(*costs);
    }
    if (job.gpus > 1) {
        metadata["gpus"] = job.gpus;
    }
    if (job.gpus > 1 && info.simulated) {
        metadata["links"] = devices::word_of(job.links);
        if (!job.gpu_speeds.empty()) {
            metadata["gpu_speeds"] = job.gpu_speeds;
        }
    }
    return metadata.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

// Waits up to 2 s for the watcher, so that breakpoints and a first step are set before the first line.
void wait_for_watcher(trace::Control& control) {
    for (int i = 0; i < 2000 && control.attention.load() == 0 && control.stop.load() == 0; ++i) {
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
}

// Runs the program until its last op has ended. Exceptions become errors. `written`: see RunContext.
std::optional<core::Error> run_program(const Job& job, runtime::Runtime& rt, LimitWatch& limits,
                                       StopWatcher& stop_watcher, bool& written) {
    RunContext context(rt, job.parameters, limits, stop_watcher);
    std::optional<core::Error> error;
    try {
        rt.control.set_written_barrier(job.program->written_barrier());
        job.program->run(context);
    } catch (const runtime::ProgramError& problem) {
        error = problem.error();
    } catch (const std::bad_alloc&) {
        error = core::Error{core::ErrorKind::out_of_memory, "the program ran out of the machine's memory"};
    } catch (const std::exception& problem) {
        error = core::Error{core::ErrorKind::failed, problem.what()};
    }
    context.settle(std::move(error));
    written = context.written();
    return context.error();
}

}  // namespace

core::Result<Outcome> execute(const Job& job, StopSignals& signals) {
    const auto& options = job.options;
    core::name_thread("frontend");
    auto recording = options.trace_fd >= 0 ? trace::Recording::create(options.trace_limit, options.trace_fd)
                                           : trace::Recording::create_private(options.trace_limit);
    if (!recording) {
        return recording.error();
    }
    Outcome outcome{std::move(*recording), std::nullopt};
    if (options.trace_fd >= 0) {
        // Readers have it mapped, and truncating it would crash them.
        fcntl(options.trace_fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL);
        close(options.trace_fd);
    }
    DeviceRequest request{.kind = options.device,
                          .workers = job.workers,
                          .streams = job.streams,
                          .workers_given = options.workers_given || job.profile.workers != 0,
                          .cuda = options.cuda,
                          .gpus = job.gpus,
                          .links = job.links,
                          .gpu_speeds = job.gpu_speeds,
                          .order = options.order};
    const bool simulated = options.device == "simulated";
    if (simulated) {
        auto costs = simulated_costs(job.options.cost_choice);
        if (!costs) {
            return costs.error();
        }
        request.costs = std::move(*costs);
    }
    const auto refuse = [&outcome](const core::Error& error) {
        write_error(*outcome.recording, error);
        set_state(*outcome.recording, trace::RunState::failed);
        return error;
    };
    if (const auto enough = core::check_addresses(job.workers); !enough) {
        return refuse(enough.error());
    }
    auto device = make_device(request, *outcome.recording);
    if (!device) {
        return refuse(device.error());
    }
    bool written = false;
    {
        devices::DeviceSet machine(std::move(*device), cpu_opener(request, *outcome.recording));
        if (const auto added = add_gpus(request, machine, *outcome.recording); !added) {
            return refuse(added.error());
        }
        outcome.recording->header().recorder_ns_per_op =
            machine[0].virtual_time() ? 0 : trace::Recording::measure_cost_ns();
        const std::uint64_t budget = budget_in_bytes(options.budget, machine[0]);
        outcome.recording->meta(
            trace::MetaType::run, 0,
            run_metadata(job, machine[0], simulated && options.order == 0 ? &request.costs : nullptr, budget));
        runtime::Settings settings;
        settings.free_policy = job.free_policy;
        settings.budget_bytes = budget;
        settings.queue_limit = options.queue_limit;
        settings.barrier = options.barrier.value_or(trace::BarrierPolicy{});
        settings.seed = options.seed;
        settings.gather = options.graphs;
        settings.copies_in_stream = job.profile.copies_in_stream;
        settings.program_streams = job.profile.program_streams;
        settings.host = request.costs.host;
        StopWatcher stop_watcher(outcome.recording->control(), machine, !options.for_window);
        LimitWatch limits(options.limits, outcome.recording->control(), [&outcome](const std::string& reached) {
            if (!write_end(*outcome.recording, limit_error(reached))) {
                tell(reached);  // the program has ended, and its threads or exit handlers go on
            }
        });
        signals.watch(&outcome.recording->control());
        {
            runtime::Runtime rt(machine, *outcome.recording, settings);
            set_state(*outcome.recording, trace::RunState::running);
            if (options.watched) {
                wait_for_watcher(outcome.recording->control());
            }
            outcome.error = run_program(job, rt, limits, stop_watcher, written);
            if (const std::string reached = limits.reached(); written && !outcome.error && !reached.empty()) {
                tell(reached);
                outcome.error = limit_error(reached);
            }
        }
        signals.watch(nullptr);
        machine.settle();  // collects a GPU's outstanding timestamps
    }
    if (!written) {
        write_end(*outcome.recording, outcome.error);
    }
    return outcome;
}

}  // namespace headway::runner
