// The links of a run, as they are in the report. Private to app/model/report.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "app/model/run/run.h"

namespace headway::model {

// What each link between devices carried in the measured part; null for runs without links, and where copies were
// folded. `whole`: no record is missing; otherwise the sums are null.
[[nodiscard]] nlohmann::ordered_json links_json(const Run& run, bool whole);

}  // namespace headway::model
