// Ends a run that exceeds a limit and that its own watch (execution/limit_watch.h) does not end: that watch is part of
// the program's process, so it is gone after an exec, stands still with a stopped process, sees nothing without
// descriptors, and does not know the processes that the program has orphaned. This one is in the supervisor's process.
//
// Threads: the main thread.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <vector>

#include "app/confinement/limits.h"

namespace headway::runner {

class LimitGuard {
public:
    // `before`: children of this process that are not of the run. Time counts from here: nobody can
    // pause a run without a window.
    LimitGuard(const confinement::Limits& limits, int recording, std::vector<pid_t> before);

    // Call every few milliseconds. True when the run's processes are to be killed. The first limit that was exceeded:
    // reached().
    bool look();
    [[nodiscard]] const std::string& reached() const { return reached_; }
    // Once the program's process has ended, if it was ended for this: records why. If the program had ended by itself,
    // and only its threads and exit handlers went on, the recording stays as it is.
    void record() const;

private:
    confinement::Limits limits_;
    int recording_;
    std::vector<pid_t> before_;
    std::uint64_t elapsed_ns_ = 0;
    std::int64_t last_ns_, exceeded_ns_ = 0;  // 0: not exceeded
    std::string reached_;
};

}  // namespace headway::runner
