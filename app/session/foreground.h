// The runner as a command in the foreground, for `headway run`: a program that takes its process down with it, by a
// signal or by ending it behind our back, is told of in one sentence by the process that is left.
//
// Threads: the only one of the process.
#pragma once

#include <string>

namespace headway::session {

// Becomes the parent of `runner`, with these arguments (null-terminated, argv[0] of no matter), its input, output and
// signals. The exit status to end with: the runner's own; 1 when it did not end by its own word.
int run_in_foreground(const std::string& runner, char** arguments);

}  // namespace headway::session
