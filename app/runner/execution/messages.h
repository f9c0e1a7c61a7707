// What the runner says on stderr, and the exit statuses that go with it.
//
// Threads: any.
#pragma once

#include <cstdint>
#include <string>

#include "engine/core/result.h"

namespace headway::runner {

inline constexpr int kDone = 0, kProgramFailed = 1, kUsage = 2, kUnavailable = 3;

// One sentence on stderr: "headway: …".
void tell(const std::string& sentence);
// Likewise for an error, with its place; returns the exit status it means.
int fail(const core::Error& error);

// "12.3 ms", "1.2 MB"
std::string time_text(double ns);
std::string bytes_text(std::uint64_t bytes);

}  // namespace headway::runner
