// Restricts what a learner's program may do to the computer, irrevocably, for itself and all its child processes:
// Landlock (Linux 5.13) limits by path where it writes, and by scope whom it signals; a filter of system calls
// (system_calls.h) denies what has no path. What a given kernel enforces of it: explanation.h.
//
// Reading is not restricted.
//
// Threads: confine() applies to the calling thread and to threads started later, so call it before starting
// threads.
#pragma once

#include <string>
#include <vector>

#include "engine/core/result.h"

namespace headway::confinement {

// Which restrictions the kernel supports.
struct Support {
    int version = 0;       // of Landlock; 0: none
    bool seccomp = false;  // system calls can be denied
    [[nodiscard]] bool writes() const { return version >= 1; }
    [[nodiscard]] bool truncation() const { return version >= 3; }  // otherwise other files may still be truncated
    [[nodiscard]] bool tcp() const { return version >= 4; }         // without seccomp, only TCP can be denied
    [[nodiscard]] bool signals() const { return version >= 6; }     // other processes cannot be signalled

    friend bool operator==(const Support&, const Support&) = default;
};
Support support();

struct Rules {
    // Files can be created, changed and removed only in these; those that do not exist are ignored. Files in /dev/shm
    // as well, which is where Python's multiprocessing keeps semaphores, and some devices (/dev/null, a GPU's).
    std::vector<std::string> folders;
    bool network = false;  // otherwise there are no sockets but pairs within the program
};

// Fails without Landlock. A program whose rules could not all be applied must not run.
core::Result<void> confine(const Rules& rules);

}  // namespace headway::confinement
