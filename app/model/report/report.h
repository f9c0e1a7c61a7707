// The numbers of a run as one JSON object, as written by `headway run --report`.
//
// Times are integers in nanoseconds, memory in bytes. The same recording always gives the same text.
//
// Threads: any that may read the run.
#pragma once

#include <string>

#include "app/model/run/run.h"

namespace headway::model {

std::string report_json(const Run& run);

}  // namespace headway::model
