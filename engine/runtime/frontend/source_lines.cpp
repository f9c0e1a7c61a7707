#include "engine/runtime/frontend/source_lines.h"

#include <cstring>

namespace headway::runtime {

std::uint32_t SourceLines::file_at(const char* path) {
    last_path_ = path;
    for (std::size_t i = files_.size(); i-- > 0;) {
        if (files_[i].first == path) {
            return last_file_ = static_cast<std::uint32_t>(i + 1);
        }
    }
    const char* slash = std::strrchr(path, '/');
    last_file_ = add_file(slash != nullptr ? slash + 1 : path);
    files_.back().first = path;
    return last_file_;
}

std::uint32_t SourceLines::add_file(const std::string& name) {
    files_.emplace_back(nullptr, name);
    recording_.meta(trace::MetaType::file, static_cast<std::uint16_t>(files_.size()), name);
    return static_cast<std::uint32_t>(files_.size());
}

std::string_view SourceLines::name_of_file(std::uint32_t file) const {
    return file >= 1 && file <= files_.size() ? std::string_view(files_[file - 1].second) : "";
}

std::string SourceLines::text(core::Line line) const {
    if (core::number_of(line) == 0) {
        return "";
    }
    return ", at " + std::string(file_name(line)) + ":" + std::to_string(core::number_of(line));
}

core::Error SourceLines::error(core::ErrorKind kind, std::string message, core::Line line, core::OpId op) const {
    return {kind, std::move(message), std::string(file_name(line)), core::number_of(line), op};
}

void SourceLines::raise(core::ErrorKind kind, std::string message, core::OpId op) const {
    throw ProgramError(error(kind, std::move(message) + text(current_), current_, op));
}

}  // namespace headway::runtime
