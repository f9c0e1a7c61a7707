// A folder for temporary files of programs. It is locked while its owner runs, so that the next owner removes the
// folders of owners that were killed, and of no others.
//
// Threads: any, one at a time.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "engine/core/system/unique_fd.h"

namespace headway::session {

class TemporaryFolder {
public:
    static constexpr std::string_view kOfWindows = "headway-window-";
    // Makes a folder in `parent`, after removing abandoned ones of this user there whose names begin so.
    explicit TemporaryFolder(const std::filesystem::path& parent, std::string_view prefix = kOfWindows);
    TemporaryFolder();  // in the system's folder for temporary files
    ~TemporaryFolder();
    TemporaryFolder(const TemporaryFolder&) = delete;
    TemporaryFolder& operator=(const TemporaryFolder&) = delete;

    [[nodiscard]] const std::string& path() const { return path_; }  // "" if it could not be made
    // Then: why, and what to do. Else "".
    [[nodiscard]] const std::string& problem() const { return problem_; }

private:
    std::string path_, problem_;
    core::UniqueFd lock_;  // the folder itself, locked: a program that writes there cannot remove the lock
};

}  // namespace headway::session
