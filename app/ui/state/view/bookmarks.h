// The bookmarks of the runs shown: added, edited and removed by the user, and saved on disk for each recording. A
// recording is recognised by its contents, wherever its file is.
//
// Threads: the UI's. No ImGui.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "app/model/user_data/bookmark.h"

namespace headway::ui {

class Bookmarks {
public:
    std::filesystem::path folder;  // where they are saved; empty: they are not saved

    struct Shown {
        const model::Run* run = nullptr;
        bool over = false;  // the recording is complete, so that it can be recognised
    };
    // Call once a frame. Loads the bookmarks of new runs and saves those of runs that have ended. Returns an error in
    // one sentence, or "".
    std::string watch(std::span<const Shown> shown);

    [[nodiscard]] const std::vector<model::Bookmark>& of(const model::Run* run) const;
    // Returns its index among the run's bookmarks; nothing if there are too many or the run is not shown.
    std::optional<std::size_t> add(const model::Run* run, model::Bookmark bookmark);
    // Returns the reason why it could not be saved, or "".
    std::string set_note(const model::Run* run, std::size_t index, std::string_view note);
    std::string remove(const model::Run* run, std::size_t index);
    [[nodiscard]] std::uint64_t revision() const { return revision_; }  // changes with any bookmark

private:
    struct RunBookmarks {
        const model::Run* run = nullptr;
        std::vector<model::Bookmark> bookmarks;
        bool over = false, unsaved = false;
    };
    RunBookmarks* find(const model::Run* run);
    std::string changed(RunBookmarks& entry);
    std::string save(RunBookmarks& entry) const;

    std::vector<RunBookmarks> runs_;
    std::uint64_t revision_ = 0;
};

}  // namespace headway::ui
