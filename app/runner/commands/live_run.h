// Reads a recording while it is written, once it gets full: then what has been read can be given back, and the run may
// be of any length. Shorter runs are left alone until they have ended, so that they have the machine to themselves.
//
// Threads: one.
#pragma once

#include <memory>

#include "app/model/run/run.h"
#include "engine/core/result.h"

namespace headway::runner {

class LiveRun {
public:
    // The descriptor stays the caller's.
    explicit LiveRun(int recording) : recording_(recording) {}

    // Takes in what there is, for a few milliseconds, if the recording gets full. True if more may be there.
    bool take_in();
    // The whole run, once nothing more is recorded; null if the program never began. Fails if it cannot be read.
    [[nodiscard]] core::Result<std::unique_ptr<model::Run>> finish(const model::ProcessEnd& end);

private:
    // Null while the recording has no header yet.
    [[nodiscard]] core::Result<void> open();

    int recording_;
    std::unique_ptr<model::Run> run_;
};

}  // namespace headway::runner
