// Writes a file atomically: after a failure its name still refers to the old contents.
//
// Threads: any, but one at a time for one file.
#pragma once

#include <sys/types.h>

#include <string>
#include <string_view>

#include "engine/core/result.h"

namespace headway::core {

// Errors are of kind unreadable and name the file. Anything that is not a regular file (a pipe, /dev/stdout) is written
// to directly.
Result<void> write_whole(const std::string& path, std::string_view bytes);

// The permissions that the umask gives new files, for example 0644. Any thread: the umask is read from /proc, because
// reading it with umask() would set it for a moment.
mode_t permissions_of_new_files();

}  // namespace headway::core
