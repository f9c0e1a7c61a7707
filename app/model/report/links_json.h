// The links of a run, as they are in the report. Private to app/model/report.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "app/model/run/run.h"
#include "app/model/run/tally.h"

namespace headway::model {

// What each link between devices carried in the measured part; null for runs without links. `whole`: no record is
// missing; otherwise the sums are null.
[[nodiscard]] nlohmann::ordered_json links_json(const Run& run, const Tally& tally, bool whole);

}  // namespace headway::model
