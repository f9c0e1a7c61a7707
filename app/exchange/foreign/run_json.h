// The description of a run as a recording holds it, from what was collected from a trace.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "app/exchange/foreign/run_builder.h"

namespace headway::exchange {

// The names of lanes [first, end).
[[nodiscard]] std::vector<std::string> lane_names(const RunBuilder& builder, std::size_t first, std::size_t end);

// As trace::MetaType::run.
[[nodiscard]] std::string run_json(const RunBuilder& builder);

}  // namespace headway::exchange
