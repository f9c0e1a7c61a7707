// Lines above the timeline.
//
// Threads: the UI's. No ImGui.
#pragma once

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace headway::ui {

// Shown until it is closed or replaced by another of its kind, or with the same text.
struct Notice {
    enum class Kind { run, device, file, start } kind = Kind::run;
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
    void clear() { notices_.clear(); }
    [[nodiscard]] const std::vector<Notice>& all() const { return notices_; }
    [[nodiscard]] bool has(Notice::Kind kind) const {
        return std::any_of(notices_.begin(), notices_.end(), [kind](const Notice& n) { return n.kind == kind; });
    }

private:
    std::vector<Notice> notices_;
};

}  // namespace headway::ui
