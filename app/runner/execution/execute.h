// Runs a program: sets up device, runtime and recording, runs the program on this thread, and takes everything down.
//
// Threads: the runner's main one, which is also the run's frontend.
#pragma once

#include <memory>
#include <optional>

#include "app/runner/execution/interrupt.h"
#include "app/runner/execution/job.h"
#include "engine/core/result.h"
#include "engine/trace/recorder.h"

namespace headway::runner {

// The complete recording of a run, and the error that ended it early, if any.
struct Outcome {
    std::unique_ptr<trace::Recording> recording;
    std::optional<core::Error> error;
};

// Fails when the run cannot begin (no device, no memory for the recording). The program's output goes to stdout. Closes
// the job's descriptor of the recording, so that the program does not have it.
core::Result<Outcome> execute(const Job& job, StopSignals& signals);

}  // namespace headway::runner
