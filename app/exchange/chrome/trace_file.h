// A run on disk, as Chrome trace events (chrome_writer.h).
//
// Threads: one that may read the run.
#pragma once

#include <functional>
#include <string>

#include "app/model/run/run.h"
#include "engine/core/result.h"

namespace headway::exchange {

// Compressed where the name ends in .gz. The file is there whole or not at all; an error says why not. `go_on` is asked
// every so often, and false gives it up.
core::Result<void> write_trace_file(const model::Run& run, const std::string& path,
                                    const std::function<bool()>& go_on = {});

}  // namespace headway::exchange
