// Reads a recording while it is being written, but only when it is getting full: the chunks that were read are given
// back, so that the run may have any length. Shorter runs are read after they have ended, so as not to disturb them.
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

    // If the recording is getting full, reads new records for a few milliseconds. True if more may be left.
    bool take_in();
    // The whole run, once nothing more is recorded; null if the program never began. Fails if it cannot be read.
    [[nodiscard]] core::Result<std::unique_ptr<model::Run>> finish(const model::ProcessEnd& end);

private:
    // Opens the recording; does nothing while it has no header yet.
    [[nodiscard]] core::Result<void> open();

    int recording_;
    std::unique_ptr<model::Run> run_;
};

}  // namespace headway::runner
