#include "app/lesson/assets.h"

#include <algorithm>
#include <cstdlib>

namespace headway::lesson {

namespace fs = std::filesystem;

core::Result<fs::path> find_assets_dir(const fs::path& executable_dir) {
    std::error_code ignored;
    for (const char* relative : {"../../assets", "../share/headway/assets"}) {
        const fs::path candidate = (executable_dir / relative).lexically_normal();
        if (fs::is_directory(candidate / "lessons", ignored)) {
            return candidate;
        }
    }
    return core::Error{core::ErrorKind::unreadable,
                       "the folder assets was found neither at ../../assets nor at ../share/headway/assets from " +
                           executable_dir.string() + "; set HEADWAY_ASSETS to its path"};
}

core::Result<fs::path> find_assets_dir() {
    std::error_code problem;
    if (const char* named = std::getenv("HEADWAY_ASSETS"); named != nullptr && *named != '\0') {
        if (!fs::is_directory(named, problem)) {
            return core::Error{core::ErrorKind::unreadable,
                               std::string("HEADWAY_ASSETS names ") + named + ", which is not a folder"};
        }
        return fs::path(named);
    }
    const fs::path executable = fs::read_symlink("/proc/self/exe", problem);
    if (problem) {
        return core::Error{
            core::ErrorKind::unreadable,
            "the folder assets cannot be found: /proc/self/exe cannot be read; set HEADWAY_ASSETS to its path"};
    }
    return find_assets_dir(executable.parent_path());
}

std::vector<fs::path> find_recordings() {
    std::vector<fs::path> found;
    const auto assets = find_assets_dir();
    std::error_code ignored;
    if (assets) {
        for (const auto& entry : fs::directory_iterator(*assets / "recordings", ignored)) {
            if (entry.path().filename().string().ends_with(".json.gz") && entry.is_regular_file(ignored)) {
                found.push_back(entry.path());
            }
        }
    }
    std::sort(found.begin(), found.end());
    return found;
}

}  // namespace headway::lesson
