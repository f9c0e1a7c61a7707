// The marks of the runs that are shown: set, changed and let go by hand, kept on disk for each recording. A recording
// is known again by what is in it, wherever its file lies.
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
    std::filesystem::path folder;  // that they are kept in; empty: they are not

    struct Shown {
        const model::Run* run = nullptr;
        bool over = false;  // nothing is recorded any more: it can be known again
    };
    // Once a frame: marks of runs that have come are read, those of runs that have ended written. What went wrong, in
    // one sentence, or "".
    std::string watch(std::span<const Shown> shown);

    [[nodiscard]] const std::vector<model::Bookmark>& of(const model::Run* run) const;
    // Its place among the run's; nothing when there are too many or the run is not shown.
    std::optional<std::size_t> add(const model::Run* run, model::Bookmark mark);
    // The reason why it could not be kept, or "".
    std::string set_note(const model::Run* run, std::size_t index, std::string_view note);
    std::string remove(const model::Run* run, std::size_t index);
    [[nodiscard]] std::uint64_t revision() const { return revision_; }  // changes with any of them

private:
    struct Kept {
        const model::Run* run = nullptr;
        std::vector<model::Bookmark> marks;
        bool over = false, unsaved = false;
    };
    Kept* find(const model::Run* run);
    std::string changed(Kept& kept);
    std::string save(Kept& kept) const;

    std::vector<Kept> kept_;
    std::uint64_t revision_ = 0;
};

}  // namespace headway::ui
