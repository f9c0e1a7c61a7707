// Makes sure that standard input, output and error are open: if the caller closed one, /dev/null replaces it. Otherwise
// the next file that is opened would get that number, and printed text would be written into it.
//
// Threads: the first one, before any other file is opened.
#pragma once

namespace headway::core {

// Call first in main().
void ensure_standard_fds();

}  // namespace headway::core
