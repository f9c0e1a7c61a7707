#include "app/ui/state/view/bookmarks.h"

#include <algorithm>

#include "app/model/user_data/user_data.h"

namespace headway::ui {

std::string Bookmarks::watch(std::span<const Shown> shown) {
    std::string problem;
    const auto gone = [&](const RunBookmarks& entry) {
        return std::none_of(shown.begin(), shown.end(), [&](const Shown& s) { return s.run == entry.run; });
    };
    if (std::erase_if(runs_, gone) > 0) {
        ++revision_;
    }
    for (const Shown& s : shown) {
        RunBookmarks* entry = find(s.run);
        if (entry == nullptr) {
            runs_.push_back({s.run, {}, false, false});
            entry = &runs_.back();
        }
        if (!s.over || entry->over) {
            continue;
        }
        entry->over = true;
        if (folder.empty()) {
            continue;
        }
        auto read = model::read_bookmarks(model::bookmarks_file(folder, model::fingerprint_of(*s.run)));
        if (!read) {
            problem = read.error().message;
        } else if (!read->empty()) {
            entry->bookmarks.insert(entry->bookmarks.end(), read->begin(), read->end());
            std::stable_sort(entry->bookmarks.begin(), entry->bookmarks.end(),
                             [](const auto& a, const auto& b) { return a.begin_ns < b.begin_ns; });
            ++revision_;
        }
        if (entry->unsaved) {
            const std::string not_saved = save(*entry);
            problem = problem.empty() ? not_saved : problem;
        }
    }
    return problem;
}

Bookmarks::RunBookmarks* Bookmarks::find(const model::Run* run) {
    const auto found =
        std::find_if(runs_.begin(), runs_.end(), [run](const RunBookmarks& entry) { return entry.run == run; });
    return found == runs_.end() ? nullptr : &*found;
}

const std::vector<model::Bookmark>& Bookmarks::of(const model::Run* run) const {
    static const std::vector<model::Bookmark> none;
    const auto found =
        std::find_if(runs_.begin(), runs_.end(), [run](const RunBookmarks& entry) { return entry.run == run; });
    return found == runs_.end() ? none : found->bookmarks;
}

std::optional<std::size_t> Bookmarks::add(const model::Run* run, model::Bookmark bookmark) {
    RunBookmarks* entry = find(run);
    if (entry == nullptr || entry->bookmarks.size() >= model::kMostBookmarks) {
        return std::nullopt;
    }
    const auto place = std::upper_bound(entry->bookmarks.begin(), entry->bookmarks.end(), bookmark,
                                        [](const auto& a, const auto& b) { return a.begin_ns < b.begin_ns; });
    const auto index = static_cast<std::size_t>(place - entry->bookmarks.begin());
    entry->bookmarks.insert(place, std::move(bookmark));
    ++revision_;
    entry->unsaved = true;  // saved together with its note
    return index;
}

std::string Bookmarks::set_note(const model::Run* run, std::size_t index, std::string_view note) {
    RunBookmarks* entry = find(run);
    if (entry == nullptr || index >= entry->bookmarks.size()) {
        return {};
    }
    entry->bookmarks[index].text = model::note_from(note);
    return changed(*entry);
}

std::string Bookmarks::remove(const model::Run* run, std::size_t index) {
    RunBookmarks* entry = find(run);
    if (entry == nullptr || index >= entry->bookmarks.size()) {
        return {};
    }
    entry->bookmarks.erase(entry->bookmarks.begin() + static_cast<std::ptrdiff_t>(index));
    return changed(*entry);
}

std::string Bookmarks::changed(RunBookmarks& entry) {
    ++revision_;
    entry.unsaved = true;
    return entry.over ? save(entry) : std::string();
}

std::string Bookmarks::save(RunBookmarks& entry) const {
    if (folder.empty()) {
        return {};
    }
    const auto written =
        model::write_bookmarks(model::bookmarks_file(folder, model::fingerprint_of(*entry.run)), entry.bookmarks);
    entry.unsaved = !written;
    return written ? std::string() : "The bookmarks could not be saved:  " + written.error().message;
}

}  // namespace headway::ui
