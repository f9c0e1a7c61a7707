// Tests whether equal ops (same name and shapes) took equally long on both sides.
//
// Threads: any.
#pragma once

#include "app/comparison/sample.h"
#include "app/comparison/verdict.h"

namespace headway::comparison {

// Uses the signatures that occur in all runs of both sides. The ratio is their weighted median; the weight is the
// time that a signature takes.
[[nodiscard]] EqualOps equal_ops(const Side& a, const Side& b);

// How much longer these ops took on one side than on the other, summed over a run.
[[nodiscard]] double excess_ns(const Side& a, const Side& b);

}  // namespace headway::comparison
