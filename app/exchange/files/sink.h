// Where exported bytes go, piece by piece.
#pragma once

#include <functional>
#include <string_view>

namespace headway::exchange {

// False once nothing more can be taken; the exporter then stops.
using Sink = std::function<bool(std::string_view)>;

}  // namespace headway::exchange
