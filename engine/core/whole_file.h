// Writing a file so that its name holds either all of the new bytes or what it held before.
#pragma once

#include <sys/types.h>

#include <string>
#include <string_view>

#include "engine/core/result.h"

namespace headway::core {

// Errors are of kind unreadable and name the file. What is no regular file (a pipe, /dev/stdout) is written to as it
// is.
Result<void> write_whole(const std::string& path, std::string_view bytes);

// What the umask leaves of a new file's permissions: 0644, say. From any thread, for the umask is looked up and not
// set, as umask() would.
mode_t permissions_of_new_files();

}  // namespace headway::core
