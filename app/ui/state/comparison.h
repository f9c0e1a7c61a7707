// How a run is named in the window.
#pragma once

#include <string>

#include "engine/trace/format.h"

namespace headway::ui {

// "no barrier", "minibatch", "1 behind", "every op", "as written".
std::string short_barrier_label(trace::BarrierPolicy policy);

}  // namespace headway::ui
