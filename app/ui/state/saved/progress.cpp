#include "app/ui/state/saved/progress.h"

#include <algorithm>
#include <array>
#include <utility>

#include "app/json/json_file.h"
#include "engine/core/system/output_file.h"

namespace headway::ui {
namespace {

constexpr std::array kSteps{std::pair{Progress::Step::opened, std::string_view("opened")},
                            std::pair{Progress::Step::predicted, std::string_view("predicted")},
                            std::pair{Progress::Step::ran, std::string_view("ran")}};

}  // namespace

core::Result<void> Progress::use_folder(const std::filesystem::path& folder) {
    file_ = folder / "progress.json";
    if (const auto known = read(); !known) {
        return core::Error{core::ErrorKind::unreadable,
                           "Your progress could not be read and begins again: " + known.error().message +
                               ". The file is kept as " + file_.string() + ".bad"};
    }
    return {};
}

core::Result<void> Progress::read() {
    auto saved = json::read_file(file_);
    if (!saved) {
        json::set_aside_damaged(file_);
        return saved.error();
    }
    if (!*saved) {
        return {};
    }
    const json::Value root = (*saved)->root();
    for (const auto& [lesson, steps] : root["lessons"].members()) {
        for (const json::Value& step : steps.elements()) {
            const auto* const known = std::find_if(kSteps.begin(), kSteps.end(),
                                                   [&](const auto& entry) { return entry.second == step.text(); });
            if (known != kSteps.end()) {
                lessons_[std::string(lesson)].insert(known->first);
            }
        }
    }
    for (const json::Value& exercise : root["exercises"].elements()) {
        if (exercise.is_text()) {
            exercises_.insert(std::string(exercise.text()));
        }
    }
    return {};
}

void Progress::note(const std::string& lesson, Step step) {
    changed_ = lessons_[lesson].insert(step).second || changed_;
}

void Progress::note_solved(const std::string& exercise) {
    changed_ = exercises_.insert(exercise).second || changed_;
}

void Progress::begin_again() {
    lessons_.clear();
    exercises_.clear();
    changed_ = begun_again_ = true;
}

bool Progress::has(std::string_view lesson, Step step) const {
    const auto found = lessons_.find(lesson);
    return found != lessons_.end() && found->second.contains(step);
}

bool Progress::solved(std::string_view exercise) const {
    return exercises_.find(exercise) != exercises_.end();
}

core::Result<void> Progress::save() {
    if (!std::exchange(changed_, false) || file_.empty()) {
        return {};
    }
    if (!begun_again_) {
        [[maybe_unused]] const auto added = read();  // an unreadable file is set aside
    }
    std::string text = "{\n \"lessons\": {";
    const char* between = "\n";
    for (const auto& [lesson, steps] : lessons_) {
        text += between + std::string("  ") + json::quoted(lesson) + ": [";
        between = ",\n";
        const char* comma = "";
        for (const auto& [step, word] : kSteps) {
            if (steps.contains(step)) {
                text += comma + json::quoted(word);
                comma = ", ";
            }
        }
        text += "]";
    }
    text += "\n },\n \"exercises\": [";
    const char* comma = "";
    for (const std::string& exercise : exercises_) {
        text += comma + json::quoted(exercise);
        comma = ", ";
    }
    std::error_code ignored;
    std::filesystem::create_directories(file_.parent_path(), ignored);
    auto written = core::write_whole(file_.string(), text + "]\n}\n");
    begun_again_ = begun_again_ && !written;
    return written;
}

}  // namespace headway::ui
