#include "app/json/json_file.h"

#include <fstream>
#include <iterator>
#include <string>

namespace headway::json {

namespace fs = std::filesystem;

namespace {

constexpr std::uintmax_t kMostFileBytes = 4u << 20;

}  // namespace

core::Result<std::optional<Document>> read_file(const fs::path& file) {
    std::error_code problem;
    if (!fs::exists(file, problem)) {
        return std::optional<Document>();
    }
    const auto wrong = [&file](const std::string& why) {
        return core::Error{core::ErrorKind::unreadable, file.string() + " " + why};
    };
    if (!fs::is_regular_file(file, problem) || fs::file_size(file, problem) > kMostFileBytes || problem) {
        return wrong("is not a Headway data file: it is not a regular file, or is larger than 4 MiB");
    }
    std::ifstream in(file, std::ios::binary);
    const std::string bytes{std::istreambuf_iterator<char>(in), {}};
    if (in.bad()) {
        return wrong("cannot be read");
    }
    Document document(bytes);
    if (!document.root().is_object()) {
        const std::uint32_t line = line_of_error(bytes);
        return wrong(line == 0 ? "is damaged: it is not a JSON object"
                               : "is damaged: it is not JSON at line " + std::to_string(line));
    }
    return std::optional(std::move(document));
}

void set_aside_damaged(const fs::path& file) {
    std::error_code ignored;
    fs::path bad = file;
    bad += ".bad";
    fs::rename(file, bad, ignored);
}

}  // namespace headway::json
