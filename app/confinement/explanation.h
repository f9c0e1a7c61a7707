// What a program may do, and what this kernel cannot enforce, in words. The window and `headway run --confine` say the
// same, as it is generated here from the kernel's abilities.
//
// Threads: any.
#pragma once

#include <string>
#include <vector>

#include "app/confinement/confinement.h"

namespace headway::confinement {

struct Permissions {
    bool confined = true;
    std::vector<std::string> folders;  // where a confined program may write
    bool network = false;
};

// Full sentences in one line: "The program may read what you may read, and write only in /home/x/a and shared memory
// (/dev/shm). It cannot use the network, …. This kernel (Landlock 5) lets it signal other processes."
std::string explanation(const Permissions& permissions, const Support& kernel);

// A few words: "writes in its folder only, no network".
std::string summary(const Permissions& permissions, const Support& kernel);

}  // namespace headway::confinement
