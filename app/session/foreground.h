// Runs the runner in the foreground, for `headway run`. If the program ends the runner's process, by a signal or by
// exiting, this process reports it in one sentence.
//
// Threads: the only one of the process.
#pragma once

#include <string>

namespace headway::session {

// Starts `runner` with these arguments (null-terminated; argv[0] is replaced), with this process's input and
// output, and forwards signals. Returns the exit status to use: the runner's own, or 1 if the runner did not end
// regularly.
int run_in_foreground(const std::string& runner, char** arguments);

}  // namespace headway::session
