// How a run ended, written into its recording by another process: the one that supervises it, and has ended it.
//
// Threads: one. The process that recorded has ended.
#pragma once

#include <string_view>

namespace headway::trace {

// Records this error (JSON, as MetaType::error) as the run's, and that the run failed. `recording`: its descriptor.
// False, and nothing is changed, if the run had not begun or had ended by itself, or if there is no room.
bool record_error(int recording, std::string_view error);

}  // namespace headway::trace
