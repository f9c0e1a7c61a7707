#include "app/runner/commands/child_run.h"

#include <sys/mman.h>

#include <cerrno>
#include <cstring>

#include "app/process/child.h"
#include "app/runner/commands/commands.h"
#include "app/runner/execution/interrupt.h"
#include "engine/core/system/signal_words.h"

namespace headway::runner {

core::Result<ChildRun> run_in_child(const std::string& program, const std::vector<std::string>& options) {
    ChildRun run{core::UniqueFd(memfd_create("headway-run", MFD_CLOEXEC)), 0};
    if (!run.recording) {
        return core::Error{core::ErrorKind::failed,
                           std::string("a run cannot be started: memfd_create: ") + std::strerror(errno)};
    }
    process::Command command{.program = "/proc/self/exe",
                             .arguments = {"run", program, "--trace-fd", std::to_string(run.recording.get())},
                             .name = "headway-runner",
                             .in = process::Stream::ours(),
                             .out = process::Stream::ours(),
                             .err = process::Stream::ours(),
                             .passed = run.recording.get(),
                             .foreground = true};
    command.arguments.insert(command.arguments.end(), options.begin(), options.end());
    auto child = process::Child::start(command);
    if (!child) {
        return core::Error{core::ErrorKind::failed, "a run cannot be started: " + child.error().message};
    }
    Interrupts::watch_child(child->pid());
    const process::Ending ending = child->wait();
    Interrupts::watch_child(0);
    run.status = ending.status;
    if (ending.signal != 0) {
        tell("the run was ended by " + core::signal_words(ending.signal));
        run.status = kProgramFailed;
    }
    return run;
}

}  // namespace headway::runner
