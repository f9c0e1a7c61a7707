// What a learner's program may do to the rest of the machine: with Landlock (Linux 5.13), a process gives up the right
// to write outside a few folders, for itself and all that it starts, and cannot take it back.
//
// Reading and the network stay open.
//
// Threads: confine() holds for the thread that calls it and those that it starts afterwards; so it comes first.
#pragma once

#include <string>
#include <vector>

#include "engine/core/result.h"

namespace headway::confinement {

// What the kernel offers.
struct Support {
    int version = 0;  // of Landlock; 0: none
    [[nodiscard]] bool writes() const { return version >= 1; }
    [[nodiscard]] bool truncation() const { return version >= 3; }  // else files elsewhere may still be emptied
    [[nodiscard]] bool signals() const { return version >= 6; }     // other processes cannot be ended
};
Support support();

// From here on files are made, changed and removed only in these folders; a folder that is not there is left out. Some
// devices (/dev/null, a GPU's) stay open. Fails with the reason, and then nothing has changed.
core::Result<void> confine(const std::vector<std::string>& folders);

}  // namespace headway::confinement
