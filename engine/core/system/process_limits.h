// Limits of this process (ulimit) below which Headway or a library that it uses does not work.
#pragma once

#include <cstddef>

#include "engine/core/result.h"

namespace headway::core {

// Raises the stack limit (ulimit -s) if it is so small that drawing libraries or Python would overflow the stack. An
// error (unavailable) if it cannot be raised.
//
// Threads: the first one, before there are others.
Result<void> ensure_stack();

// An error (unavailable) if the address space limit (ulimit -v) is too small for a run with this many workers. Without
// this check Python would start, and OpenBLAS would wait forever for memory, without a message.
Result<void> check_addresses(std::size_t workers);

// Whether the address space was limited at the first call.
bool addresses_are_limited();

}  // namespace headway::core
