#include "app/lesson/picture.h"

#include <fstream>
#include <sstream>

namespace headway::lesson {

core::Result<Picture> parse_picture(std::string_view text) {
    constexpr std::size_t kMostColumns = 400, kMostLanes = 16;
    Picture picture;
    std::uint32_t number = 0;
    const auto wrong = [&number](const std::string& why) {
        return core::Error{core::ErrorKind::unreadable, why, "picture.txt", number, 0};
    };
    while (!text.empty()) {
        const std::size_t newline = std::min(text.find('\n'), text.size());
        const std::string_view line = text.substr(0, newline);
        text.remove_prefix(std::min(newline + 1, text.size()));
        ++number;
        const std::size_t space = std::min(line.find(' '), line.size());
        const std::string_view name = line.substr(0, space);
        const std::string columns(line.substr(std::min(space + 1, line.size())));
        const auto only = [&columns](std::string_view letters) {
            return !columns.empty() && columns.find_first_not_of(letters) == std::string::npos;
        };
        if (columns.size() > kMostColumns || (number > 1 && columns.size() != picture.columns())) {
            return wrong("every line must have the same number of columns, at most " + std::to_string(kMostColumns));
        }
        if (name == "frontend" && number == 1 && only("iwp.")) {
            picture.frontend = columns;
        } else if (name == "lane" && number > 1 && picture.lanes.size() < kMostLanes &&
                   only(std::string(kFamilyLetters) + ".")) {
            picture.lanes.push_back(columns);
        } else if (name == "memory" && number > 1 && only("0123456789")) {
            picture.memory = columns;
        } else {
            return wrong("a line must be frontend, lane or memory with its columns; scripts/lesson-pictures writes it");
        }
    }
    if (picture.frontend.empty() || picture.memory.empty()) {
        return wrong("a picture needs a line for the frontend and one for the memory");
    }
    return picture;
}

std::optional<Picture> load_picture(const std::filesystem::path& folder) {
    std::ifstream file(folder / "picture.txt", std::ios::binary);
    if (!file) {
        return std::nullopt;
    }
    std::ostringstream text;
    text << file.rdbuf();
    auto picture = parse_picture(text.str());
    return picture ? std::optional(std::move(*picture)) : std::nullopt;
}

}  // namespace headway::lesson
