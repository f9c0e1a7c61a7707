// User data that outlives the window: bookmarks of recordings, and the arrangement of the timeline's lanes. Small
// JSON files, written atomically.
//
// Files may come from anywhere: invalid ones give an error of one sentence that names the file.
//
// Threads: any, but only one at a time per file.
#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

#include "app/model/user_data/arrangement.h"
#include "app/model/user_data/bookmark.h"
#include "engine/core/result.h"

namespace headway::model {

// The default folder for all user data: below XDG_DATA_HOME, else below the home folder, else a temporary folder.
std::filesystem::path user_data_folder();
// The arrangement file in such a folder.
std::filesystem::path arrangement_file(const std::filesystem::path& folder);

inline constexpr std::size_t kMostBookmarks = 1000;     // per recording
inline constexpr std::size_t kMostBookmarkBytes = 400;  // per note

// Empty if there is no such file. Notes are truncated, and control characters in them become spaces.
core::Result<std::vector<Bookmark>> read_bookmarks(const std::filesystem::path& file);
// Creates the folder if necessary; an empty list removes the file. An existing file that is invalid is renamed to
// FILE.bad.
core::Result<void> write_bookmarks(const std::filesystem::path& file, const std::vector<Bookmark>& bookmarks);
// The file of a recording's bookmarks in this folder.
std::filesystem::path bookmarks_file(const std::filesystem::path& folder, std::uint64_t fingerprint);

// The same for arrangements: {"rows": […], "programs": [{"program": "train", "device": "cuda", "rows": […]}]}; at
// least one of the keys is required. "rows" applies to all programs without an entry of their own. Invalid entries
// are left out; `remarks` receives one sentence for each. An empty arrangement removes the file.
core::Result<Arrangements> read_arrangements(const std::filesystem::path& file,
                                             std::vector<std::string>* remarks = nullptr);
core::Result<void> write_arrangements(const std::filesystem::path& file, const Arrangements& arrangements);
inline constexpr std::size_t kMostRows = 200;

// Makes a single line of at most kMostBookmarkBytes, cut at a character boundary.
std::string note_from(std::string_view text);

}  // namespace headway::model
