#include "app/ui/state/learning/checking.h"

#include <filesystem>
#include <fstream>
#include <utility>

#include "app/model/description/sentence.h"

namespace headway::ui {

namespace fs = std::filesystem;

void Checking::start() {
    process_.reset();
    const lesson::Lesson* lesson = programs_.lesson();
    if (lesson == nullptr || lesson->exercise.empty()) {
        notices_.add(Notice::Kind::run, Notice::Tone::info, "Only exercises are checked: choose one first.");
        return;
    }
    // A file of its own, so that the check sees the text as it is now.
    const auto folder = session_.temporary_folder("check");
    if (!folder) {
        notices_.add(Notice::Kind::run, Notice::Tone::bad,
                     model::sentence_of("The program cannot be checked: " + folder.error().message));
        return;
    }
    const fs::path file = *folder / lesson->program;
    text_ = source_.text();
    std::ofstream out(file, std::ios::binary);
    out << text_;
    out.close();
    if (!out) {
        notices_.add(Notice::Kind::run, Notice::Tone::bad,
                     "The program cannot be checked: " + file.string() + " cannot be written.");
        return;
    }
    auto started = check::CheckProcess::start({.runner = session_.options().runner,
                                               .exercise = lesson->exercise,
                                               .program = file.string(),
                                               .name = lesson->program});
    if (!started) {
        notices_.add(Notice::Kind::run, Notice::Tone::bad, started.error().message);
        return;
    }
    process_ = std::move(*started);
}

bool Checking::poll() {
    if (lesson_ != programs_.index()) {
        lesson_ = programs_.index();
        process_.reset();
        report_.reset();
    }
    if (!process_) {
        return false;
    }
    auto result = process_->poll();
    if (!result) {
        return false;
    }
    process_.reset();
    if (!*result) {
        notices_.add(Notice::Kind::run, Notice::Tone::bad, result->error().message);
        return true;
    }
    report_ = std::move(**result);
    checked_text_ = text_;
    hints_.assign(report_->checks.size(), 0);
    return true;
}

}  // namespace headway::ui
