// What is included with Headway apart from the lessons: exercises and recordings.
//
// Threads: the UI's. No ImGui.
#pragma once

#include <filesystem>
#include <optional>
#include <vector>

#include "app/check/exercise.h"

namespace headway::ui {

class IncludedFiles {
public:
    IncludedFiles();
    [[nodiscard]] const std::vector<check::Exercise>& exercises();
    [[nodiscard]] const std::vector<std::filesystem::path>& recordings() const { return recordings_; }

private:
    std::vector<std::filesystem::path> recordings_;
    std::optional<std::vector<check::Exercise>> exercises_;  // loaded when they are first asked for
};

}  // namespace headway::ui
