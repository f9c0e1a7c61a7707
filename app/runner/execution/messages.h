// The runner's messages on stderr, and its exit statuses.
//
// Threads: any.
#pragma once

#include <cstdint>
#include <string>

#include "engine/core/result.h"

namespace headway::runner {

inline constexpr int kDone = 0, kProgramFailed = 1, kUsage = 2, kUnavailable = 3, kOverflowed = 4;

// Writes one line to stderr: "headway: …".
void tell(const std::string& sentence);
// The same for an error, with its file and line; returns the matching exit status.
int fail(const core::Error& error);
// Writes a command's result to stdout at once. Fails if it cannot be written, as on a full disk.
core::Result<void> print(const std::string& text);
// The same; reports the failure on stderr and returns the exit status.
int print_result(const std::string& text);
int status_of(core::ErrorKind kind);

}  // namespace headway::runner
