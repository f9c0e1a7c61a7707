// headway run
#include <stdlib.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "app/check/run_facts.h"
#include "app/comparison/naming.h"
#include "app/confinement/confinement.h"
#include "app/model/explanation/explanation.h"
#include "app/model/numbers/format.h"
#include "app/model/numbers/numbers_walk.h"
#include "app/model/run/devices.h"
#include "app/process/child.h"
#include "app/questions/judge.h"
#include "app/runner/commands/child_run.h"
#include "app/runner/commands/commands.h"

#include "app/runner/execution/device_choice.h"
#include "app/runner/execution/execute.h"
#include "app/runner/execution/words.h"
#include "engine/core/bytes.h"
#include "engine/core/count_text.h"
#include "engine/core/system/machine_memory.h"

namespace headway::runner {

namespace {

// "predicted 10.2 ms + hand-overs beyond their median 300 µs = measured 10.5 ms; N·(t₁+h+t₂+t₃) gives 10.1 ms"
std::string prediction_text(const model::Numbers& n) {
    std::string text = model::text_of(model::time_bar(n));
    if (!n.prediction_formula.empty()) {
        text += "; " + n.prediction_formula + " gives " + model::duration_text(static_cast<double>(n.formula_ns));
    } else if (!n.no_formula.empty()) {
        text += "; the chapter's formula does not apply: " + n.no_formula;
    }
    return text;
}

std::string barrier_text(const model::RunInfo& info) {
    const bool acts = comparison::acting_barrier(info, info.barrier) == info.barrier;
    return "barrier " + info.barrier + (acts ? "" : " (which does nothing: the program has no minibatches)");
}

// The real PyTorch's ops on CPU tensors, which the frontend computes itself.
std::string cpu_ops_text(const model::RunInfo& info) {
    if (info.cpu_ops.value_or(0) == 0) {
        return "";
    }
    const std::uint64_t ns = info.cpu_ops_ns.value_or(0);
    return "; PyTorch computed " + core::counted(*info.cpu_ops, "op") + " on CPU tensors, " +
           (ns > 0 ? model::duration_text(static_cast<double>(ns)) + " of" : std::string("which is")) +
           " the frontend's own work";
}

struct WaitSum {
    std::uint64_t count = 0, ns = 0;
};
WaitSum wait_sum(const model::Run& run, trace::WaitKind kind) {
    WaitSum all;
    for (const auto& sum : run.wait_kinds().all()) {
        if (static_cast<trace::WaitKind>(sum.kind) == kind) {
            all.count += sum.count;
            all.ns += sum.busy_ns;
        }
    }
    return all;
}

// Printed even if the numbers go to a report, because the times in it contain these waits. Not if records were lost:
// the last and longest of these waits then has no record.
void tell_recording_waits(const model::Run& run) {
    const WaitSum sum = wait_sum(run, trace::WaitKind::recording);
    if (sum.count > 0 && model::has_all_records(run)) {
        tell("recording held the frontend back for " + model::duration_text(static_cast<double>(sum.ns)) + " in all (" +
             core::counted(sum.count, "time") + "): it issued ops faster than they could be read");
    }
}

void summarise(const model::Run& run) {
    const auto n = numbers_of(run);
    const auto& info = run.info();
    std::string device = info.simulated ? "SIMULATED " + info.device_name : info.device_name;
    const auto ops = [](std::uint64_t count) { return core::counted(count, "op"); };
    if (n.ops == 0) {
        tell(info.program + " on " + device + ": no ops in " + model::duration_text(static_cast<double>(n.total_ns)) +
             cpu_ops_text(info));
        return;
    }
    const std::string regime = model::regime_word(n);
    tell(info.program + " on " + device + ", " + barrier_text(info) + ": " + ops(n.ops) + " in " +
         model::duration_text(static_cast<double>(n.total_ns)) +
         (n.cut_off ? ", and not all of them were done"
          : regime.empty()
              ? ""
              : ", " + std::string(n.regime == model::Regime::about_equal ? "frontend and backend " : "") + regime));
    if (n.predicted) {
        tell(prediction_text(n));
    }
    std::string medians;
    const auto add = [&medians](const char* name, bool known, double ns) {
        if (known) {
            medians += (medians.empty() ? "medians: " : ", ") + std::string(name) + model::duration_text(ns);
        }
    };
    add("t₁ ", n.t1.count > 0, n.t1_ns);
    add("hand-over ", n.t2.count > 0 && n.predicted, static_cast<double>(n.h_ns));
    add("t₂ ", n.t2.count > 0, n.t2_ns);
    add("t₃ ", n.t3.count > 0, n.t3_ns);
    if (!medians.empty()) {
        tell(medians + "; the recorder's own cost " + model::duration_text(static_cast<double>(n.recorder_ns)));
    }
    if (const std::string profile = model::profile_words(info); !profile.empty()) {
        tell(profile);
    }
    tell("headway at most " + ops(n.headway_max) + ", live bytes at most " + core::bytes_text(n.live_bytes_peak) +
         (run.devices().size() > 1 ? ", on " + all_devices(run) + " together" : ""));
    if (run.folded_ops() > 0) {
        tell("of " + ops(run.op_count()) + ", " + core::count_text(run.folded_ops()) +
             " are known as sums only: the beginning and the end of the run are kept op by op");
    }
    const bool refused = run.error() && run.error()->kind == core::ErrorKind::out_of_memory &&
                         run.error()->message.find("of the budget of") != std::string::npos;  // not by the device
    if (refused && info.budget_is_default.value_or(false) && info.device_kind != "cuda") {
        tell("out of memory: tensors may take half of this machine's, " + core::bytes_text(core::default_budget()) +
             "; --budget sets another limit, --budget none removes it");
    }
}

// Sets the program's working folder and confines what it may write to.
core::Result<void> settle_in(const RunOptions& options) {
    if (!options.folder.empty()) {
        // A relative path in the environment refers to the folder that we are about to leave.
        if (const char* assets = getenv("HEADWAY_ASSETS"); assets != nullptr && *assets != '\0' && *assets != '/') {
            std::error_code ignored;
            setenv("HEADWAY_ASSETS", std::filesystem::absolute(assets, ignored).c_str(), 1);
        }
        if (chdir(options.folder.c_str()) != 0) {
            return core::Error{core::ErrorKind::unreadable,
                               "the program cannot work in " + options.folder + ": " + std::strerror(errno)};
        }
    }
    if (!options.temporary.empty()) {
        setenv("TMPDIR", options.temporary.c_str(), 1);
    }
    if (options.confine.empty()) {
        return {};
    }
    for (const auto& folder : options.confine) {
        std::error_code ignored;
        if (!std::filesystem::is_directory(folder, ignored)) {
            return usage_error("--confine names " + folder + ", which is not a folder");
        }
    }
    return confinement::confine({options.confine, options.network});
}

// Prints each question of the job's lesson with what is right for this run. Fails if the run leaves one unanswered.
int print_answers(const Job& job, std::unique_ptr<model::Run> run) {
    auto all = questions::load_questions(std::filesystem::path(job.lesson->file).parent_path());
    if (!all) {
        return fail(all.error());
    }
    if (!run->end().complete()) {  // what is asked about may have come after its end
        tell("the questions are not answered, because the run is not complete");
        return kProgramFailed;
    }
    auto data = std::make_shared<check::RunData>();
    data->run = std::move(run);
    data->printed = printed(*data->run);
    std::ifstream program(job.lesson->python_file(job.options.tab));
    for (std::string line; std::getline(program, line);) {
        data->source.push_back(line);
    }
    const auto facts = check::make_run_facts(data);
    int status = kDone;
    std::string text;
    for (const questions::Question& question : *all) {
        const questions::RunAnswer answer = questions::answer_of(question, *facts, questions::time_axis_of(*data->run));
        if (!answer.right) {
            status = kProgramFailed;
            text += question.ask + "\n  " + answer.problem + "\n";
            continue;
        }
        text += question.ask + "\n  " + questions::words_of(question, *answer.right) + "\n  " + answer.sentence + "\n";
    }
    const int printed = print_result(text);
    return printed == kDone ? status : printed;
}

// In the process of the program. The process that supervises it reports how the run ended.
int run_program_here(Job job) {
    StopSignals signals;
    process::Child::unblock_signals();
    if (auto settled = settle_in(job.options); !settled) {
        return fail(settled.error());
    }
    if (auto device = check_device(job.options.device); !device) {
        return fail(device.error());
    }
    auto outcome = execute(job, signals);
    if (!outcome) {
        return fail(outcome.error());
    }
    return outcome->error ? status_of(outcome->error->kind) : kDone;
}

}  // namespace

int run_command(const RunOptions& options) {
    auto job = make_job(options);
    if (!job) {
        return fail(job.error());
    }
    if (options.for_window && options.trace_fd >= 0) {
        const Interrupts interrupts;
        const int recording = options.trace_fd;
        return run_for_the_window([&job] { return run_program_here(std::move(*job)); }, options.limits, recording);
    }
    if (options.trace_fd >= 0) {  // another process supervises this one
        return run_program_here(std::move(*job));
    }
    if (auto ready = announce(*job); !ready) {
        return fail(ready.error());
    }
    const HeldOutputs held(options);
    const Interrupts interrupts;
    int status = kDone;
    auto child = run_in_fork(
        [&job](int recording) {
            job->options.trace_fd = recording;
            return run_program_here(std::move(*job));
        },
        options.limits, status);
    if (!child) {
        return fail(child.error());
    }
    if (!*child) {
        return status;
    }
    Interrupts::begin_saving();
    auto run = (*child)->read();
    if (!run) {
        return fail(run.error());
    }
    status = report_end(**child, run->get());
    if (*run == nullptr) {
        return status;
    }
    const int written = write_outputs(options, **run);
    tell_recording_waits(**run);
    if (options.order != 0) {
        tell("--order gives ops random times: of this run, only values, order and races mean anything");
    }
    if (options.report.empty()) {
        summarise(**run);
    }
    if (options.explain) {
        tell_explanation(**run);
    }
    if (options.answers) {
        const int answered = print_answers(*job, std::move(*run));
        status = status == kDone ? answered : status;
    }
    return status == kDone ? written : status;
}

}  // namespace headway::runner
