#include "app/ui/state/bookmarks.h"

#include <algorithm>

#include "app/model/user_data/user_data.h"

namespace headway::ui {

std::string Bookmarks::watch(std::span<const Shown> shown) {
    std::string problem;
    const auto gone = [&](const Kept& kept) {
        return std::none_of(shown.begin(), shown.end(), [&](const Shown& s) { return s.run == kept.run; });
    };
    if (std::erase_if(kept_, gone) > 0) {
        ++revision_;
    }
    for (const Shown& s : shown) {
        Kept* kept = find(s.run);
        if (kept == nullptr) {
            kept_.push_back({s.run, {}, false, false});
            kept = &kept_.back();
        }
        if (!s.over || kept->over) {
            continue;
        }
        kept->over = true;
        if (folder.empty()) {
            continue;
        }
        auto read = model::read_bookmarks(model::bookmarks_file(folder, model::fingerprint_of(*s.run)));
        if (!read) {
            problem = read.error().message;
        } else if (!read->empty()) {
            kept->marks.insert(kept->marks.end(), read->begin(), read->end());
            std::stable_sort(kept->marks.begin(), kept->marks.end(),
                             [](const auto& a, const auto& b) { return a.begin_ns < b.begin_ns; });
            ++revision_;
        }
        if (kept->unsaved) {
            const std::string unkept = save(*kept);
            problem = problem.empty() ? unkept : problem;
        }
    }
    return problem;
}

Bookmarks::Kept* Bookmarks::find(const model::Run* run) {
    const auto found = std::find_if(kept_.begin(), kept_.end(), [run](const Kept& kept) { return kept.run == run; });
    return found == kept_.end() ? nullptr : &*found;
}

const std::vector<model::Bookmark>& Bookmarks::of(const model::Run* run) const {
    static const std::vector<model::Bookmark> none;
    const auto found = std::find_if(kept_.begin(), kept_.end(), [run](const Kept& kept) { return kept.run == run; });
    return found == kept_.end() ? none : found->marks;
}

std::optional<std::size_t> Bookmarks::add(const model::Run* run, model::Bookmark mark) {
    Kept* kept = find(run);
    if (kept == nullptr || kept->marks.size() >= model::kMostBookmarks) {
        return std::nullopt;
    }
    const auto place = std::upper_bound(kept->marks.begin(), kept->marks.end(), mark,
                                        [](const auto& a, const auto& b) { return a.begin_ns < b.begin_ns; });
    const auto index = static_cast<std::size_t>(place - kept->marks.begin());
    kept->marks.insert(place, std::move(mark));
    ++revision_;
    kept->unsaved = true;  // with its note
    return index;
}

std::string Bookmarks::set_note(const model::Run* run, std::size_t index, std::string_view note) {
    Kept* kept = find(run);
    if (kept == nullptr || index >= kept->marks.size()) {
        return {};
    }
    kept->marks[index].text = model::note_from(note);
    return changed(*kept);
}

std::string Bookmarks::remove(const model::Run* run, std::size_t index) {
    Kept* kept = find(run);
    if (kept == nullptr || index >= kept->marks.size()) {
        return {};
    }
    kept->marks.erase(kept->marks.begin() + static_cast<std::ptrdiff_t>(index));
    return changed(*kept);
}

std::string Bookmarks::changed(Kept& kept) {
    ++revision_;
    kept.unsaved = true;
    return kept.over ? save(kept) : std::string();
}

std::string Bookmarks::save(Kept& kept) const {
    if (folder.empty()) {
        return {};
    }
    const auto written =
        model::write_bookmarks(model::bookmarks_file(folder, model::fingerprint_of(*kept.run)), kept.marks);
    kept.unsaved = !written;
    return written ? std::string() : "The marks are not kept: " + written.error().message;
}

}  // namespace headway::ui
