// Ops of a GPU whose times nobody reported: the profiling library lost their records. Their own records in the lane then
// divide the time within which they ran, and a DriverRecord of this kind says so: the `bytes` ops of lane `stream` that
// begin within its time ran at some moments within it.
#pragma once

#include "engine/trace/format.h"

namespace headway::trace {

inline constexpr DriverKind kBoundedOps{32};

}  // namespace headway::trace
