// Lines above the timeline.
//
// Threads: the UI's. No ImGui.
#pragma once

#include <algorithm>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace headway::ui {

// Shown until it is closed or replaced by another of its kind, or with the same text. The progress of an export and of
// opening a recording have kinds of their own, as closing one of these cancels the work.
struct Notice {
    enum class Kind { run, device, file, start, exporting, opening } kind = Kind::run;
    enum class Tone { info, good, bad } tone = Tone::info;
    std::string text;
};

class Notices {
public:
    void add(Notice::Kind kind, Notice::Tone tone, std::string text) {
        std::erase_if(notices_, [&](const Notice& notice) { return notice.kind == kind || notice.text == text; });
        notices_.push_back({kind, tone, std::move(text)});
    }
    void dismiss(Notice::Kind kind) {
        std::erase_if(notices_, [kind](const Notice& notice) { return notice.kind == kind; });
    }
    // By the learner.
    void close(Notice::Kind kind) {
        dismiss(kind);
        closed_.insert(kind);
    }
    // Whether the learner has closed one of this kind since the last call.
    bool take_closed(Notice::Kind kind) { return closed_.erase(kind) > 0; }
    // All but the progress of what goes on.
    void clear() {
        std::erase_if(notices_, [](const Notice& notice) { return notice.kind < Notice::Kind::exporting; });
    }
    [[nodiscard]] const std::vector<Notice>& all() const { return notices_; }
    [[nodiscard]] bool has(Notice::Kind kind) const {
        return std::any_of(notices_.begin(), notices_.end(), [kind](const Notice& n) { return n.kind == kind; });
    }

private:
    std::vector<Notice> notices_;
    std::set<Notice::Kind> closed_;
};

}  // namespace headway::ui
