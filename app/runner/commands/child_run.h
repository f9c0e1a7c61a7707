// A run in its own process, so that its memory and threads do not affect the next run.
//
// Threads: the main thread.
#pragma once

#include <string>
#include <vector>

#include "engine/core/result.h"
#include "engine/core/system/unique_fd.h"

namespace headway::runner {

struct ChildRun {
    core::UniqueFd recording;
    int status = 0;  // the child's exit status; the child has reported any error
};

// Runs the program with these options of `headway run` and waits for it to end. The child shares our stdout and stderr,
// and Ctrl-C reaches both. Fails when the child cannot be started.
core::Result<ChildRun> run_in_child(const std::string& program, const std::vector<std::string>& options);

}  // namespace headway::runner
