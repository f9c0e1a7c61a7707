// Standard input, output and error are always there: where the caller closed one, /dev/null takes its place. Otherwise
// the next file that is opened gets that number, and what is printed ends up in it.
#pragma once

namespace headway::core {

// First thing in main().
void ensure_standard_fds();

}  // namespace headway::core
