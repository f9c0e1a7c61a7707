// Which lessons the learner has opened, run and answered, and which exercises are solved: a readable file that the
// learner can delete.
//
//     {"lessons": {"warm-up": ["opened", "ran"]}, "exercises": ["needless-barrier"]}
//
// Threads: the UI's. No ImGui.
#pragma once

#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <string_view>

#include "engine/core/result.h"

namespace headway::ui {

class Progress {
public:
    enum class Step { opened, predicted, ran };

    // Reads the file in this folder, and writes to it from now on. An unreadable file is set aside, and the error says
    // so.
    core::Result<void> use_folder(const std::filesystem::path& folder);
    [[nodiscard]] const std::filesystem::path& file() const { return file_; }

    void note(const std::string& lesson, Step step);
    void note_solved(const std::string& exercise);
    void begin_again();  // forgets everything

    [[nodiscard]] bool has(std::string_view lesson, Step step) const;
    [[nodiscard]] bool solved(std::string_view exercise) const;
    // Writes what was noted since the last call, in addition to what another window has written meanwhile. Call once a
    // frame.
    core::Result<void> save();

private:
    core::Result<void> read();  // adds what is in the file

    std::filesystem::path file_;  // empty: nothing is written
    std::map<std::string, std::set<Step>, std::less<>> lessons_;
    std::set<std::string, std::less<>> exercises_;
    bool changed_ = false;
    bool begun_again_ = false;  // what is in the file is to be forgotten
};

}  // namespace headway::ui
