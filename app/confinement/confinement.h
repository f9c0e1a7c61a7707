// Restricts what a learner's program may write, with Landlock (Linux 5.13): a process irrevocably gives up the
// right to write outside a few folders, for itself and all its child processes.
//
// Reading and the network are not restricted.
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
    int version = 0;  // Landlock version; 0: none
    [[nodiscard]] bool writes() const { return version >= 1; }
    [[nodiscard]] bool truncation() const { return version >= 3; }  // otherwise other files may still be truncated
    [[nodiscard]] bool signals() const { return version >= 6; }     // other processes cannot be signalled
};
Support support();

// From now on files can be created, changed and removed only in these folders; folders that do not exist are
// ignored. Some devices (/dev/null, a GPU's) stay writable. On failure nothing has changed.
core::Result<void> confine(const std::vector<std::string>& folders);

}  // namespace headway::confinement
