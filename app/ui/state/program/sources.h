// The open programs: the file that belongs to the selected lesson or path, the learner's copies of lessons' programs,
// and changes on disk. No ImGui, no runs.
//
// A document stays open, with its edits and its undo history, until the window closes.
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

    // Where the learner's copies are saved, one folder per lesson: $XDG_DATA_HOME/headway/programs.
    std::filesystem::path home;

    // The source of a lesson's program for this tab, or of a file from disk; null if there is none.
    editor::Document* show_lesson(const lesson::Lesson& lesson, const std::string& tab);
    core::Result<editor::Document*> show_file(const std::filesystem::path& file);
    void show_nothing() { current_ = nullptr; }
    [[nodiscard]] editor::Document* current() const { return current_; }

    // A lesson's tabs come from its programs, a file's from its document. At most one: there is no choice.
    [[nodiscard]] static std::vector<Tab> tabs_of(const lesson::Lesson& lesson);
    [[nodiscard]] static std::vector<Tab> tabs_of(const editor::Document& document);

    // The folder with a lesson's copies, in which its programs run; it need not exist. Empty if `home` is.
    [[nodiscard]] std::string folder_of(const lesson::Lesson& lesson) const;

    // Takes in changes on disk. True when something that is shown may have changed.
    bool poll();
    // Saves the document. The watch then ignores this write.
    core::Result<void> save(editor::Document& document);
    // Files from disk with unsaved edits.
    [[nodiscard]] std::vector<editor::Document*> unsaved() const;
    // Saves the copies of lessons' programs, without asking. Returns the first error.
    core::Result<void> save_copies();

private:
    std::map<std::filesystem::path, std::unique_ptr<editor::Document>> documents_;
    editor::Document* current_ = nullptr;
    editor::FileWatch watch_;
};

// $XDG_DATA_HOME/headway/programs, or its default.
std::filesystem::path default_home();
// Whether a program that runs in this folder may write there: false for a home folder and the folders above it.
bool may_write_in(const std::filesystem::path& folder);

}  // namespace headway::ui
