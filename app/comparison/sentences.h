// The wording of a verdict.
//
// Threads: any.
#pragma once

#include "app/comparison/verdict.h"

namespace headway::comparison {

// Fills in clauses, sentence and evidence from the verdict's findings.
void write_sentence(Verdict& verdict, const Side& a, const Side& b);

}  // namespace headway::comparison
