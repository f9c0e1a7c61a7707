// Small files of JSON that Headway keeps for the user.
//
// Threads: any, not two for the same file.
#pragma once

#include <filesystem>
#include <optional>

#include "app/json/json.h"
#include "engine/core/result.h"

namespace headway::json {

// The file's JSON object; empty if there is no file. Fails for what is not a Headway data file: no regular file, larger
// than 4 MiB, or not a JSON object.
core::Result<std::optional<Document>> read_file(const std::filesystem::path& file);
// Renames an unreadable file instead of overwriting it: it may contain something the user still wants.
void set_aside_damaged(const std::filesystem::path& file);

}  // namespace headway::json
