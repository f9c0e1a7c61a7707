// Where the program's data files are.
//
// Threads: any.
#pragma once

#include <filesystem>
#include <vector>

#include "engine/core/result.h"

namespace headway::lesson {

// The folder that contains lessons/, cost_models/ …: $HEADWAY_ASSETS; else the source tree's if the executable is
// in build/<preset>/; else ../share/headway/assets relative to an installed executable.
core::Result<std::filesystem::path> find_assets_dir();

// The same for an executable in `executable_dir`, ignoring the environment.
core::Result<std::filesystem::path> find_assets_dir(const std::filesystem::path& executable_dir);

// The recordings shipped with the program (recordings/*.json.gz), by name; empty if there are none.
std::vector<std::filesystem::path> find_recordings();

}  // namespace headway::lesson
