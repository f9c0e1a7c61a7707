// Limits of this process (ulimit) below which Headway or a library that it uses does not work.
#pragma once

#include <cstddef>

#include "engine/core/result.h"

namespace headway::core {

// The stacks (ulimit -s), which libraries that draw and Python would overflow: raises a limit that is too small. An
// error (unavailable) if that is not allowed.
//
// Threads: the first one, before there are others.
Result<void> ensure_stack();

// The addresses (ulimit -v) of a run with this many workers. An error (unavailable) if there are fewer: Python would
// start, but OpenBLAS waits for ever when it gets no memory, and no thread can say what is missing.
Result<void> check_addresses(std::size_t workers);

// Whether this process began under a limit on its addresses.
bool addresses_are_limited();

}  // namespace headway::core
