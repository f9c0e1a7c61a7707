// A run in its own process, so that what the program does to its process, its memory and its threads affects neither
// the recording nor the next run.
//
// Threads: the main thread.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/confinement/limits.h"
#include "app/model/run/run.h"
#include "app/runner/commands/live_run.h"
#include "engine/core/result.h"
#include "engine/core/system/unique_fd.h"

namespace headway::runner {

struct ChildRun {
    core::UniqueFd recording;
    LiveRun live;
    model::ProcessEnd end;

    // The recorded run; null if the program never began. Fails if the recording cannot be read. Call once.
    [[nodiscard]] core::Result<std::unique_ptr<model::Run>> read();
};

// Runs the program with these options of `headway run` and waits for it to end. The child shares our input and output;
// `quiet`: it has neither, and what it prints is in the recording alone. Fails when the child cannot be started.
core::Result<ChildRun> run_in_child(const std::string& program, const std::vector<std::string>& options,
                                    const confinement::Limits& limits, bool quiet = false);

// The same in a copy of this process, which must have no other threads: it starts faster, as nothing is loaded or
// parsed again. `run` gets the descriptor of the recording, and returns the copy's exit status. Returns in both
// processes; empty in the copy, which is to exit with `status`.
core::Result<std::optional<ChildRun>> run_in_fork(const std::function<int(int recording)>& run,
                                                  const confinement::Limits& limits, int& status);

// The same for a process that reads the recording itself, and whose child this process is. Returns the exit status in
// the copy, and in this process once the copy has ended; or ends this process by the signal that ended the copy.
int run_for_the_window(const std::function<int()>& run, const confinement::Limits& limits, int recording);

// Reports a run that did not complete; returns the exit status for it. `run`: null if it never began.
int report_end(const ChildRun& child, const model::Run* run);

}  // namespace headway::runner
