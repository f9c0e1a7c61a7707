// Writing a file so that its name holds either all of the new bytes or what it held before.
#pragma once

#include <string>
#include <string_view>

#include "engine/core/result.h"

namespace headway::core {

// Errors are of kind unreadable and name the file. What is no regular file (a pipe, /dev/stdout) is written to as it
// is.
Result<void> write_whole(const std::string& path, std::string_view bytes);

}  // namespace headway::core
