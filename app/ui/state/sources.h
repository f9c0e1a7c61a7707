// The programs that are open: which file belongs to what is chosen, the learner's copies of lessons' programs, and what
// changes on disk. No ImGui, no runs.
//
// A document that was open once stays open, with its edits and its undo, until the window closes.
//
// Threads: the UI's.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "app/editor/document.h"
#include "app/editor/file_watch.h"
#include "app/lesson/lesson.h"
#include "engine/core/result.h"

namespace headway::ui {

struct Tab {
    std::string id;  // mxnet, pytorch, tensorflow; empty: the program itself
    std::string label;
};

class Sources {
public:
    // `wake` is called, on another thread, when a file has changed on disk.
    explicit Sources(std::function<void()> wake = {}) : watch_(std::move(wake)) {}

    // Where the learner's copies are kept, a folder for each lesson: $XDG_DATA_HOME/headway/programs.
    std::filesystem::path home;

    // The source of a lesson's program in this tab, or of a file from disk; null where there is none.
    editor::Document* show_lesson(const lesson::Lesson& lesson, const std::string& tab);
    core::Result<editor::Document*> show_file(const std::filesystem::path& file);
    void show_nothing() { current_ = nullptr; }
    [[nodiscard]] editor::Document* current() const { return current_; }

    // Of a lesson: its program's and its tabs'. Of a file: those of a document. One or none: nothing to choose.
    [[nodiscard]] static std::vector<Tab> tabs_of(const lesson::Lesson& lesson);
    [[nodiscard]] static std::vector<Tab> tabs_of(const editor::Document& document);

    // The folder of a lesson's copies, in which its programs work; it need not be there. Empty when there is no home.
    [[nodiscard]] std::string folder_of(const lesson::Lesson& lesson) const;

    // Takes in what has changed on disk. True when something that is shown may have changed.
    bool poll();
    // Saves; what is watched goes on from there.
    core::Result<void> save(editor::Document& document);
    // Files from disk with edits that are not saved.
    [[nodiscard]] std::vector<editor::Document*> unsaved() const;
    // Copies of lessons' programs are kept without being asked. The first error.
    core::Result<void> keep_copies();

private:
    std::map<std::filesystem::path, std::unique_ptr<editor::Document>> documents_;
    editor::Document* current_ = nullptr;
    editor::FileWatch watch_;
};

// $XDG_DATA_HOME/headway/programs, or where that is by default.
std::filesystem::path default_home();
// Whether a program that works in this folder may write there: not in a home folder, or above it.
bool may_write_in(const std::filesystem::path& folder);

}  // namespace headway::ui
