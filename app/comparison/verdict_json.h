// The verdict as the report has it.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "app/comparison/verdict.h"

namespace headway::comparison {

// {"runs", "simulated", "a", "b", "time": {"claim", "subject", "ratio", "p", "medians", "spreads"}, "memory": {…},
// "headway": {…}, "ops", "waits", "equal_ops": {…}, "reason", "sentence", "evidence"}. What is not known is null.
// Of time, "faster" is the subject's; of memory and headway, "more" is.
[[nodiscard]] nlohmann::ordered_json verdict_json(const Verdict& verdict);

}  // namespace headway::comparison
