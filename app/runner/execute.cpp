#include "app/runner/execute.h"

#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <new>
#include <nlohmann/json.hpp>
#include <thread>

#include "app/runner/device_choice.h"
#include "app/runner/machine.h"
#include "engine/core/error_word.h"
#include "engine/core/thread.h"

namespace headway::runner {

namespace {

class RunContext final : public ProgramContext {
public:
    RunContext(runtime::Runtime& runtime, const std::map<std::string, std::string>& parameters)
        : ProgramContext(runtime, parameters) {}

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

    void set_result(const std::string& json) override { runtime().recording().meta(trace::MetaType::result, 0, json); }

    std::int64_t now_ns() const override {
        const auto& device = const_cast<RunContext*>(this)->runtime().device();
        return device.virtual_time() ? static_cast<std::int64_t>(device.now()) : core::monotonic_ns();
    }

    std::uint64_t memory_bytes() override {
        return runtime().device().virtual_time() ? runtime().live_bytes() : resident_bytes();
    }

    // Why output was lost; 0 when nothing was, or when its reader has just gone away.
    [[nodiscard]] int output_errno() const { return output_errno_ == EPIPE ? 0 : output_errno_; }

private:
    int output_errno_ = 0;
};

// Looks now and then whether the run has been stopped while the frontend sits in a wait, and then lets the lanes give
// up what is queued. Lanes in virtual time belong to the frontend alone, which looks for itself.
class Supervisor {
public:
    Supervisor(trace::Control& control, devices::Machine& machine)
        : thread_([&control, &machine, virtual_time = machine[0].virtual_time()](const std::stop_token& done) {
              if (virtual_time) {
                  return;
              }
              core::name_thread("supervisor");
              do {
                  if (control.stop.load() != 0) {
                      machine.hold(false);
                      machine.abandon();
                      return;
                  }
              } while (core::sleep_until_stop(done, std::chrono::milliseconds(20)));
          }) {}

private:
    std::jthread thread_;
};

std::string run_facts(const Job& job, const devices::Device& device) {
    const auto& options = job.options;
    const auto& info = device.info();
    const Machine machine = this_machine();
    nlohmann::json facts{{"program", job.lesson ? job.lesson->id : job.program->name()},
                         {"title", job.title()},
                         {"frontend", job.program->frontend()},
                         {"device_kind", info.kind},
                         {"device_name", info.name},
                         {"simulated", info.simulated},
                         {"cpu", machine.cpu},
                         {"os", machine.os},
                         {"cores", machine.cores},
                         {"barrier", to_text(job.barrier())},
                         {"free_policy", std::string(memory::name_of(options.free_policy))},
                         {"workers", info.kind == "cpu" ? options.workers : 0},  // only what the device has
                         {"streams", info.kind == "cpu" ? 0 : options.streams},
                         {"queue_limit", options.queue_limit},
                         {"budget", options.budget},
                         {"issue", options.graphs ? "graph" : "op"},
                         {"seed", options.seed},
                         {"date", iso_date()},
                         {"version", HEADWAY_VERSION},
                         {"parameters", job.parameters},
                         {"lanes", info.lane_names}};
    if (!info.timing.empty()) {
        facts["timing"] = info.timing;
        facts["timing_note"] = info.timing_note;
        facts["timing_uncertainty_ns"] = info.timing_uncertainty_ns;
    }
    if (info.kind == "cuda") {
        facts["launch"] = options.cuda.launch == devices::CudaLaunch::engine ? "engine" : "frontend";
        facts["copies"] = options.cuda.pinned ? "pinned" : "pageable";
        facts["products"] = options.cuda.tf32 ? "tf32" : "float32";
    }
    return facts.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

// Breakpoints and a first step have to be there before the first line. A watcher that never comes is not waited for.
void wait_for_watcher(trace::Control& control) {
    for (int i = 0; i < 2000 && control.attention.load() == 0 && control.stop.load() == 0; ++i) {
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
}

core::Error stopped_error(runtime::Runtime& rt) {
    core::Error error{core::ErrorKind::stopped,
                      "stopped after " + std::to_string(rt.issued()) + (rt.issued() == 1 ? " op" : " ops")};
    error.line = core::number_of(rt.line());
    if (error.line != 0) {
        error.file = rt.file_name(core::file_of(rt.line()));
        error.message += ", at " + error.file + ":" + std::to_string(error.line);
    }
    return error;
}

// The program, from its first op to the end of its last. What it throws becomes an error.
std::optional<core::Error> run_program(const Job& job, runtime::Runtime& rt) {
    RunContext context(rt, job.parameters);
    try {
        rt.set_written_barrier(job.program->written_barrier());
        job.program->run(context);
        rt.set_gathering(false);  // what is left is issued
        // A failure that no wait of the program has asked for is told at the end of it.
        if (rt.headway() != 0 || rt.device().poison().any()) {
            rt.wait_everything(trace::WaitKind::synchronize, "end of the program");
        }
        if (rt.recording().control().stop.load() != 0) {
            return stopped_error(rt);
        }
    } catch (const runtime::ProgramError& problem) {
        return problem.error().kind == core::ErrorKind::stopped ? stopped_error(rt) : problem.error();
    } catch (const std::bad_alloc&) {
        return core::Error{core::ErrorKind::out_of_memory, "the program ran out of the machine's memory"};
    } catch (const std::exception& problem) {
        return core::Error{core::ErrorKind::failed, problem.what()};
    }
    if (const int why = context.output_errno(); why != 0) {
        return core::Error{core::ErrorKind::failed,
                           std::string("the program's output cannot be written: ") + std::strerror(why)};
    }
    return std::nullopt;
}

void set_state(trace::Recording& recording, trace::RunState state) {
    recording.header().state.store(static_cast<std::uint32_t>(state), std::memory_order_release);
}

void write_error(trace::Recording& recording, const core::Error& error) {
    recording.meta(trace::MetaType::error, 0,
                   nlohmann::json{{"kind", core::word_of(error.kind)},
                                  {"message", error.message},
                                  {"file", error.file},
                                  {"line", error.line},
                                  {"op", error.op}}
                       .dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
}

}  // namespace

core::Result<Outcome> execute(const Job& job, Interrupts& interrupts) {
    const auto& options = job.options;
    core::name_thread("frontend");
    auto recording = trace::Recording::create(options.trace_limit, options.trace_fd);
    if (!recording) {
        return recording.error();
    }
    Outcome outcome{std::move(*recording), std::nullopt};
    const DeviceWish wish{options.device, options.workers, options.streams, options.workers_given, options.cuda};
    auto device = make_device(wish, *outcome.recording);
    if (!device) {
        write_error(*outcome.recording, device.error());
        set_state(*outcome.recording, trace::RunState::failed);
        return device.error();
    }
    outcome.recording->header().recorder_ns_per_op =
        (*device)->virtual_time() ? 0 : trace::Recording::measure_cost_ns();
    outcome.recording->meta(trace::MetaType::run, 0, run_facts(job, **device));
    {
        devices::Machine machine(std::move(*device), cpu_opener(wish, *outcome.recording));
        runtime::Settings settings;
        settings.free_policy = options.free_policy;
        settings.budget_bytes = options.budget;
        settings.queue_limit = options.queue_limit;
        settings.barrier = options.barrier.value_or(trace::BarrierPolicy{});
        settings.seed = options.seed;
        settings.gather = options.graphs;
        const Supervisor supervisor(outcome.recording->control(), machine);
        interrupts.watch(&outcome.recording->control());
        {
            runtime::Runtime rt(machine, *outcome.recording, settings);
            set_state(*outcome.recording, trace::RunState::running);
            if (options.watched) {
                wait_for_watcher(outcome.recording->control());
            }
            outcome.error = run_program(job, rt);
        }
        interrupts.watch(nullptr);
        machine.settle();  // a GPU's times may be on their way
    }
    if (outcome.error) {
        write_error(*outcome.recording, *outcome.error);
    }
    outcome.recording->renew_anchor();
    set_state(*outcome.recording, outcome.error ? trace::RunState::failed : trace::RunState::finished);
    return outcome;
}

}  // namespace headway::runner
