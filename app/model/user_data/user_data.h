// What outlives the window: marks of recordings, and how the timeline's lanes are arranged. Small JSON files, each
// written whole or not at all.
//
// Reading is for files of any origin: what is not understood is an error in one sentence that names the file.
//
// Threads: any; one at a time per file.
#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

#include "app/model/user_data/arrangement.h"
#include "app/model/user_data/bookmark.h"
#include "engine/core/result.h"

namespace headway::model {

// Where it all lies, for whoever is not told otherwise: below XDG_DATA_HOME, else below the home folder, else a
// temporary one.
std::filesystem::path kept_folder();
// The lanes' file in such a folder.
std::filesystem::path arrangement_file(const std::filesystem::path& folder);

inline constexpr std::size_t kMostBookmarks = 1000;     // of a recording
inline constexpr std::size_t kMostBookmarkBytes = 400;  // of a note

// Nothing when there is no such file. Notes are cut, and control characters in them become spaces.
core::Result<std::vector<Bookmark>> read_bookmarks(const std::filesystem::path& file);
// Makes the folder where it is missing; no marks: no file. A file that cannot be understood is put aside as FILE.bad.
core::Result<void> write_bookmarks(const std::filesystem::path& file, const std::vector<Bookmark>& marks);
// The file of a recording's marks in this folder.
std::filesystem::path bookmarks_file(const std::filesystem::path& folder, std::uint64_t fingerprint);

// Likewise: {"rows": […], "programs": [{"program": "train", "device": "cuda", "rows": […]}]}, of which one is enough.
// "rows" are of all programs that have none of their own. Entries that cannot be understood are left out; nothing
// arranged: no file. What was left out is said in `remarks`, one sentence each.
core::Result<Arrangements> read_arrangements(const std::filesystem::path& file,
                                             std::vector<std::string>* remarks = nullptr);
core::Result<void> write_arrangements(const std::filesystem::path& file, const Arrangements& arrangements);
inline constexpr std::size_t kMostRows = 200;

// One line of at most kMostBookmarkBytes, cut at a character.
std::string note_from(std::string_view text);

}  // namespace headway::model
