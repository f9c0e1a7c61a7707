// headway run
#include <cstdio>

#include "app/runner/commands.h"
#include "app/runner/device_choice.h"
#include "app/runner/execute.h"

namespace headway::runner {

namespace {

void summarise(const model::Run& run) {
    const auto n = run.numbers();
    const auto& info = run.info();
    std::string device = info.simulated ? "SIMULATED " + info.device_name : info.device_name;
    const auto ops = [](std::uint64_t count) { return std::to_string(count) + (count == 1 ? " op" : " ops"); };
    if (n.ops == 0) {
        tell(info.program + " on " + device + ": no ops in " + time_text(static_cast<double>(n.total_ns)));
        return;
    }
    tell(info.program + " on " + device + ", barrier " + info.barrier + ": " + ops(n.ops) + " in " +
         time_text(static_cast<double>(n.total_ns)) + ", " +
         (n.regime == model::Regime::issue_bound ? "issue-bound" : "execution-bound") + "; predicted " +
         time_text(static_cast<double>(n.predicted_ns)) + " by " + n.prediction_formula);
    const bool woken = n.handover_ns * 20 > n.total_ns;
    tell("t1 " + time_text(n.t1_ns) + ", t2 " + time_text(n.t2_ns) + ", t3 " + time_text(n.t3_ns) +
         (woken ? "; beside the stages " + time_text(static_cast<double>(n.handover_ns)) +
                      " went into waking the idle backend"
                : std::string()) +
         "; the recorder's own cost " + time_text(static_cast<double>(n.recorder_ns)));
    tell("headway at most " + ops(n.headway_max) + ", live bytes at most " +
         bytes_text(n.live_bytes_peak));
    if (n.lost_records != 0) {
        tell("the recording was full: " + std::to_string(n.lost_records) + " records are missing");
    }
}

}  // namespace

int run_command(const RunOptions& options) {
    auto job = make_job(options);
    if (!job) {
        return fail(job.error());
    }
    if (auto device = check_device(job->options.device); !device) {
        return fail(device.error());
    }
    if (auto outputs = check_outputs(options.report, options.trace, options.figure); !outputs) {
        return fail(outputs.error());
    }
    Interrupts interrupts;
    auto outcome = execute(*job, interrupts);
    if (!outcome) {
        return fail(outcome.error());
    }
    int status = outcome->error ? fail(*outcome->error) : kDone;
    const bool wanted = !options.report.empty() || !options.trace.empty() || !options.figure.empty();
    if (!wanted && options.trace_fd >= 0) {
        return status;  // whoever watches has it all
    }
    auto run = read_run(outcome->recording->fd());
    if (!run) {
        return fail(run.error());
    }
    const int written = write_outputs(options, **run);
    status = status == kDone ? written : status;
    if (options.report.empty() && options.trace_fd < 0) {
        summarise(**run);
    }
    return status;
}

}  // namespace headway::runner
