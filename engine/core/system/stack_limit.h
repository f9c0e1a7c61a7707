// The limit on the stacks of this process (ulimit -s), below which libraries that draw and Python overflow theirs.
//
// Threads: the first one, before there are others.
#pragma once

#include "engine/core/result.h"

namespace headway::core {

// Raises a limit that is too small. An error (unavailable) if that is not allowed.
Result<void> ensure_stack();

}  // namespace headway::core
