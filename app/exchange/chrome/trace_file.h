// Writes a run to disk as Chrome trace events (chrome_writer.h).
//
// Threads: one that may read the run.
#pragma once

#include <functional>
#include <string>

#include "app/model/run/run.h"
#include "engine/core/result.h"

namespace headway::exchange {

// Compressed if the name ends in .gz. Writes the file atomically; an error contains the reason. `go_on` is called
// repeatedly; if it returns false, writing is cancelled.
core::Result<void> write_trace_file(const model::Run& run, const std::string& path,
                                    const std::function<bool()>& go_on = {});

}  // namespace headway::exchange
