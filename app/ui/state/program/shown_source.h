// The source of the chosen program: its document, its tabs, and what a run of it reads.
//
// Threads: the UI's. No ImGui.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/lesson/lesson.h"
#include "app/session/session.h"
#include "app/ui/state/program/sources.h"
#include "app/ui/state/view/notices.h"

namespace headway::ui {

class ShownSource {
public:
    // `wake` is called on another thread when a file has changed on disk.
    ShownSource(session::Session& session, Notices& notices, std::function<void()> wake);

    Sources files;
    std::function<void()> on_change;  // called when another source is shown

    // Shows the program of this lesson. `place` is the file or folder that it was opened from; empty: included with
    // Headway.
    void show(lesson::Lesson lesson, std::filesystem::path place);
    [[nodiscard]] editor::Document* document() const { return files.current(); }  // null: no source to show
    [[nodiscard]] std::string text() const;                                       // the document's

    [[nodiscard]] const std::vector<Tab>& tabs() const { return tabs_; }  // at most one: no choice
    [[nodiscard]] const std::string& tab() const { return session_.settings.tab; }
    void set_tab(const std::string& id);

    void save();    // with a notice: where it was saved, or why not
    void revert();  // back to the lesson's own program

    // The folder that the program runs in (it need not exist; empty: the window's), and whether a confined program may
    // write there.
    [[nodiscard]] std::pair<std::string, bool> working_folder() const;
    // Sets the session's source, text and folder for a run of the document.
    core::Result<void> prepare_run();

private:
    void open_document();
    [[nodiscard]] bool from_file() const;  // opened from a file, not from a folder

    session::Session& session_;
    Notices& notices_;
    std::optional<lesson::Lesson> lesson_;
    std::filesystem::path place_;
    std::vector<Tab> tabs_;
    std::map<std::string, std::string> tab_of_;  // the chosen tab, by lesson
    // The document's text, cached until its next edit.
    mutable std::string text_;
    mutable const editor::Document* text_of_ = nullptr;
    mutable std::uint64_t text_revision_ = 0;
};

}  // namespace headway::ui
