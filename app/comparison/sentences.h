// The wording of a verdict.
//
// Threads: any.
#pragma once

#include <string>

#include "app/comparison/verdict.h"

namespace headway::comparison {

// Fills in clauses, sentence and evidence from the verdict's findings.
void write_sentence(Verdict& verdict, const Side& a, const Side& b);

// "1.30×", "5.9×", "140×", "3,974×".
std::string ratio_text(double ratio);

}  // namespace headway::comparison
