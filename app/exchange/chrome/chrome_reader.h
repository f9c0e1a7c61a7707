// A trace from disk as a run: Headway's own Chrome traces come back as they were; those of torch.profiler and others
// become lanes, issues, waits, scopes and memory as far as they tell of them. What was mended or left out is counted
// and said. Also Headway's recordings themselves.
//
// Reading goes window by window, so memory follows the events that are kept and not the size of the file.
//
// Threads: any one, which may be in the background; the progress may be looked at and the reading cancelled from
// others.
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
    std::vector<std::string> notes;   // sentences about what was mended or left out
    bool own = false;                 // Headway's; else of another program
    // Over the run, to its end; null: nobody has made one.
    std::unique_ptr<model::NumbersWalk> walk{};
};

// Fails in one sentence that names the file and, where it is one, the place.
core::Result<ReadTrace> read_trace(const std::string& path, ReadProgress* progress = nullptr);

// What it says where the reading was cancelled.
core::Error cancelled(const std::string& path);

// The same over a Chrome trace's bytes in memory, packed or not; `name` stands for the path.
core::Result<ReadTrace> read_chrome_trace(std::string_view bytes, const std::string& name);

}  // namespace headway::exchange
