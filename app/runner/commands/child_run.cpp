#include "app/runner/commands/child_run.h"

#include <signal.h>
#include <sys/resource.h>

#include "app/process/child.h"
#include "app/runner/commands/commands.h"
#include "app/runner/commands/supervisor.h"
#include "engine/core/system/signal_words.h"

namespace headway::runner {

namespace {

core::Error cannot_start(const core::Error& error) {
    return {core::ErrorKind::failed, "a run cannot be started: " + error.message};
}

}  // namespace

core::Result<ChildRun> run_in_child(const std::string& program, const std::vector<std::string>& options,
                                    const confinement::Limits& limits, bool quiet) {
    auto recording = make_recording("headway-run");
    if (!recording) {
        return recording.error();
    }
    process::Command command{.program = "/proc/self/exe",
                             .arguments = {"run", program, "--trace-fd", std::to_string(recording->get())},
                             .name = "headway-runner",
                             .in = process::Stream::ours(),
                             .out = process::Stream::ours(),
                             .err = process::Stream::ours(),
                             .passed = recording->get(),
                             .foreground = true};
    command.arguments.insert(command.arguments.end(), options.begin(), options.end());
    if (quiet) {
        command.in = command.out = command.err = process::Stream::nothing();
    }
    const Descendants descendants;
    auto child = process::Child::start(command);
    if (!child) {
        return cannot_start(child.error());
    }
    LiveRun live(recording->get());
    const model::ProcessEnd end = supervise(*child, recording->get(), &live, descendants, limits);
    return ChildRun{std::move(*recording), std::move(live), end};
}

core::Result<std::optional<ChildRun>> run_in_fork(const std::function<int(int recording)>& run,
                                                  const confinement::Limits& limits, int& status) {
    auto recording = make_recording("headway-run");
    if (!recording) {
        return recording.error();
    }
    const Descendants descendants;
    auto child = process::Child::fork();
    if (!child) {
        return cannot_start(child.error());
    }
    if (!*child) {
        status = run(recording->release());
        return std::optional<ChildRun>();
    }
    LiveRun live(recording->get());
    const model::ProcessEnd end = supervise(**child, recording->get(), &live, descendants, limits);
    return std::optional(ChildRun{std::move(*recording), std::move(live), end});
}

int run_for_the_window(const std::function<int()>& run, const confinement::Limits& limits, int recording) {
    const Descendants descendants;
    auto child = process::Child::fork();
    if (!child) {
        return fail(cannot_start(child.error()));
    }
    if (!*child) {
        return run();
    }
    const model::ProcessEnd end = supervise(**child, recording, nullptr, descendants, limits);
    if (end.signal != 0) {
        const rlimit no_core{0, 0};
        setrlimit(RLIMIT_CORE, &no_core);
        signal(end.signal, SIG_DFL);
        raise(end.signal);
    }
    return end.status;
}

core::Result<std::unique_ptr<model::Run>> ChildRun::read() {
    if (end.damaged) {
        return core::Error{core::ErrorKind::failed,
                           "the program wrote into the recording's memory, so there is nothing to report"};
    }
    auto run = live.finish(end);
    if (run && *run != nullptr && (*run)->info().version.empty()) {
        return std::unique_ptr<model::Run>();  // the device could not be made
    }
    return run;
}

int report_end(const ChildRun& child, const model::Run* run) {
    if (run == nullptr) {
        // The process has said why. Unless it was ended before it could.
        if (child.end.stop_asked) {
            tell("stopped before the program began");
            return kProgramFailed;
        }
        if (child.end.signal != 0) {
            tell("the run was ended by " + core::signal_words(child.end.signal) + " before the program began");
            return kProgramFailed;
        }
        if (child.end.status == kDone) {
            tell(
                "the program ended, but its recording cannot be read: the program wrote into the recording's memory, "
                "or there was no room for one (--trace-limit)");
            return kProgramFailed;
        }
        return child.end.status;
    }
    const model::RunEnd end = run->end();
    if (end.complete()) {
        if (child.end.ended_well()) {
            return kDone;
        }
        tell(end.text());
        return kProgramFailed;
    }
    tell(end.text());
    switch (end.verdict) {
        case model::Verdict::overflowed:
            return kOverflowed;
        case model::Verdict::failed:
            return run->error() ? status_of(run->error()->kind) : kProgramFailed;
        default:
            return kProgramFailed;
    }
}

}  // namespace headway::runner
