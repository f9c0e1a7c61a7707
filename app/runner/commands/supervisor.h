// Waits for the process of a run, and ends what it leaves behind. This process owns the recording and the outputs, so
// they survive whatever the program does to its own process.
//
// Threads: the main thread.
#pragma once

#include <sys/types.h>

#include <functional>
#include <vector>

#include "app/confinement/limits.h"
#include "app/model/run/run_end.h"
#include "app/process/child.h"
#include "app/runner/commands/live_run.h"
#include "engine/core/result.h"
#include "engine/core/system/unique_fd.h"

namespace headway::runner {

// Memory for a recording that a child process writes and this process reads; `name` is shown by the kernel.
core::Result<core::UniqueFd> make_recording(const char* name);

// Child processes that the program starts and leaves behind become this process's children. Call before the run starts.
class Descendants {
public:
    Descendants();
    // Kills those that have come since, and waits for them.
    void end() const;
    [[nodiscard]] const std::vector<pid_t>& before() const { return before_; }

private:
    std::vector<pid_t> before_;  // children that this process had already
};

// Returns when the program's process has ended. An interrupt (interrupt.h) asks the program to stop through the
// recording, a second one kills it. `live`, if there is one, reads the recording meanwhile. `meanwhile`, if given, is
// called every few milliseconds.
model::ProcessEnd supervise(process::Child& child, int recording, LiveRun* live, const Descendants& descendants,
                            const confinement::Limits& limits, const std::function<void()>& meanwhile = {});

}  // namespace headway::runner
