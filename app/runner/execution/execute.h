// One run of a program: device, runtime and recording set up, the program run on this thread, everything taken down.
#pragma once

#include <memory>
#include <optional>

#include "app/runner/execution/interrupt.h"
#include "app/runner/execution/job.h"
#include "engine/core/result.h"
#include "engine/trace/recorder.h"

namespace headway::runner {

// What is left of a run: its recording, complete, and why it ended early, if it did.
struct Outcome {
    std::unique_ptr<trace::Recording> recording;
    std::optional<core::Error> error;
};

// Fails when the run could not begin (no device, no memory to record into). The program's output goes to stdout.
core::Result<Outcome> execute(const Job& job, Interrupts& interrupts);

}  // namespace headway::runner
