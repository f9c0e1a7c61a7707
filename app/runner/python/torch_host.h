// The runner's side of the PyTorch module: loads libheadway_torch.so, and gives it the run's engine.
//
// Ops may come from any thread (autograd has its own), so everything that uses the runtime while the module is loaded
// takes run_lock(). Order: the GIL, if it is taken at all, before the lock.
#pragma once

#include <Python.h>

#include <mutex>

namespace headway::runner::python {

// Locked if the module is loaded; otherwise only the frontend uses the runtime, and nothing is locked.
[[nodiscard]] std::unique_lock<std::mutex> run_lock();

// Call in a process that the program has forked: from now on the module's ops are errors, and memory is not given back.
void close_torch();

}  // namespace headway::runner::python
