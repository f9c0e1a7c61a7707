// A lesson's small picture on the map: the timeline of one of its runs on the simulated device, in columns of equal
// time. scripts/lesson-pictures writes them as picture.txt beside lesson.md:
//
//     frontend iiiwwww.pp     one letter for each column: what took most of it (issue, wait, own work, nothing)
//     lane .mmmcc..           the family of op that took most of it; one line for each lane that ran something
//     memory 0399             live bytes in each column, from 0 to 9 of the largest
//
// Threads: any.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/core/result.h"

namespace headway::lesson {

// By devices::Family: create, elementwise, matmul, reduce, update, copy, random, other.
inline constexpr std::string_view kFamilyLetters = "cemruydx";

struct Picture {
    std::string frontend;            // 'i' issue, 'w' wait, 'p' the program's own work, '.' nothing
    std::vector<std::string> lanes;  // a letter of kFamilyLetters, '.' idle
    std::string memory;              // digits

    [[nodiscard]] std::size_t columns() const { return frontend.size(); }
};

// Fails for text that is not as described above.
core::Result<Picture> parse_picture(std::string_view text);
// The picture in a lesson's folder; empty if there is none, or none that can be read.
std::optional<Picture> load_picture(const std::filesystem::path& folder);

}  // namespace headway::lesson
