// The races of a run as a part of the report.
#pragma once

#include <nlohmann/json.hpp>

#include "app/model/run/run.h"

namespace headway::model {

// `whole`: no records are missing, so that pairs can be counted.
[[nodiscard]] nlohmann::ordered_json races_json(const Run& run, bool whole);

}  // namespace headway::model
