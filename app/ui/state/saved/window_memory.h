// What the window remembers between starts: mode, theme, scale, the sizes of the panes, and the lesson.
//
// Threads: the UI's. No ImGui.
#pragma once

#include <filesystem>
#include <string>

#include "app/ui/state/view/look.h"
#include "engine/core/result.h"

namespace headway::ui {

class WindowMemory {
public:
    // Reads window.json in this folder, applies it to the look, and writes to it from now on. A file that cannot be
    // read is replaced.
    void use_folder(const std::filesystem::path& folder, Look& look);
    [[nodiscard]] const std::string& lesson() const { return lesson_; }  // the last one chosen; empty: none

    // Writes what has changed. Call now and then, and when the window closes; cheap if nothing has changed.
    core::Result<void> save(const Look& look, const std::string& lesson);

private:
    std::filesystem::path file_;  // empty: nothing is written
    std::string lesson_, written_;
};

}  // namespace headway::ui
