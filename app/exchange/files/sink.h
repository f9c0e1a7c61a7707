// Receives exported bytes in pieces.
//
// Threads: the exporter's.
#pragma once

#include <functional>
#include <string_view>

namespace headway::exchange {

// Returns false if it cannot take more; the exporter then stops.
using Sink = std::function<bool(std::string_view)>;

}  // namespace headway::exchange
