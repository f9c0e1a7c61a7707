// Reads a trace file as a run. Headway's own Chrome traces are restored without loss. Traces of torch.profiler and
// other programs become lanes, issues, waits, scopes and memory, as far as they contain these; repaired and omitted
// events are counted and reported. Headway's recordings can be read, too.
//
// Reads the file in windows: memory use depends on the events, not on the size of the file.
//
// Threads: any one thread. Other threads may read the progress and cancel the reading.
#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "app/model/numbers/numbers_walk.h"
#include "app/model/run/run.h"
#include "engine/core/result.h"

namespace headway::exchange {

struct ReadProgress {
    std::atomic<int> permille{0};
    std::atomic<bool> cancel{false};
};

struct ReadTrace {
    std::unique_ptr<model::Run> run;  // complete and closed
    std::vector<std::string> notes;   // sentences about repaired and omitted events
    bool own = false;                 // written by Headway
    // Numbers of the run, completely computed; null if not computed.
    std::unique_ptr<model::NumbersWalk> walk{};
};

// Fails with one sentence that names the file and, if known, the position.
core::Result<ReadTrace> read_trace(const std::string& path, ReadProgress* progress = nullptr);

// The error if the reading was cancelled.
core::Error cancelled(const std::string& path);

// The same for a Chrome trace in memory, compressed or not; `name` is used instead of the path.
core::Result<ReadTrace> read_chrome_trace(std::string_view bytes, const std::string& name);

}  // namespace headway::exchange
