// Where the program's data files are.
#pragma once

#include <filesystem>
#include <vector>

#include "engine/core/result.h"

namespace headway::lesson {

// The folder that holds lessons/, cost_models/ …: $HEADWAY_ASSETS, else the source tree's when the executable lies in
// build/<preset>/, else ../share/headway/assets beside an installed one.
core::Result<std::filesystem::path> find_assets_dir();

// Likewise, for an executable in `executable_dir` and without the environment.
core::Result<std::filesystem::path> find_assets_dir(const std::filesystem::path& executable_dir);

// What was recorded elsewhere and came along (recordings/*.json.gz), by name; empty where there are none.
std::vector<std::filesystem::path> find_recordings();

}  // namespace headway::lesson
