// A verdict as JSON for the report.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "app/comparison/verdict.h"

namespace headway::comparison {

// {"runs", "simulated", "a", "b", "time": {"claim", "subject", "ratio", "p", "medians", "spreads"}, "memory": {…},
// "headway": {…}, "ops", "waits", "equal_ops": {…}, "races", "unfinished", "busy_runs", "reason", "sentence",
// "evidence"}. Unknown values are null. The subject is the side that is faster (time) or has more (memory, headway).
[[nodiscard]] nlohmann::ordered_json verdict_json(const Verdict& verdict);

}  // namespace headway::comparison
