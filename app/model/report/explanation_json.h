// The explanation of a run, as it is in the report. Private to app/model/report.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "app/model/description/numbers.h"
#include "app/model/run/run.h"

namespace headway::model {

// An array of sentences.
[[nodiscard]] nlohmann::ordered_json explanation_json(const Run& run, const Numbers& numbers);

}  // namespace headway::model
