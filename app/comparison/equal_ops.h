// Whether equal ops (same name and shapes) took equally long on both sides.
//
// Threads: any.
#pragma once

#include "app/comparison/sample.h"
#include "app/comparison/verdict.h"

namespace headway::comparison {

// Of the signatures that all runs of both sides have. The ratio is the median over them, each counted by the time
// that it takes.
[[nodiscard]] EqualOps equal_ops(const Side& a, const Side& b);

// By how much longer these ops took on the one side than on the other, added up over a run.
[[nodiscard]] double excess_ns(const Side& a, const Side& b);

}  // namespace headway::comparison
