#include "app/ui/state/program/programs.h"

#include <algorithm>

#include "app/check/case.h"
#include "engine/core/system/output_file.h"

namespace headway::ui {

namespace fs = std::filesystem;
using editor::Document;

Programs::Programs(session::Session& session, Notices& notices, ShownSource& source,
                   std::vector<lesson::Lesson> lessons)
    : session_(session), notices_(notices), source_(source), lessons_(std::move(lessons)), places_(lessons_.size()) {}

std::string Programs::name_of(const std::string& program) const {
    for (std::size_t i = 0; i < lessons_.size(); ++i) {
        if ((places_[i].empty() ? lessons_[i].id : places_[i].string()) == program) {
            return lessons_[i].title;
        }
    }
    return fs::path(program).filename().string();
}

const lesson::Lesson* Programs::lesson() const {
    return index_ >= 0 ? &lessons_[static_cast<std::size_t>(index_)] : nullptr;
}

void Programs::choose(int index) {
    if (index >= 0 && index < static_cast<int>(lessons_.size())) {
        if (auto kept = source_.files.save_copies(); !kept) {
            notices_.add(Notice::Kind::file, Notice::Tone::bad, kept.error().message);
        }
        index_ = index;
        const fs::path& place = places_[static_cast<std::size_t>(index)];
        session_.settings.program = lesson()->program.empty() ? "" : place.empty() ? lesson()->id : place.string();
        if (on_choice) {
            on_choice(*lesson());
        }
        source_.show(*lesson(), place);
    }
}

bool Programs::choose(std::string_view id) {
    const auto found = std::find_if(lessons_.begin(), lessons_.end(),
                                    [id](const auto& l) { return l.id == id && !l.program.empty(); });
    if (found == lessons_.end()) {
        return false;
    }
    choose(static_cast<int>(found - lessons_.begin()));
    return true;
}

core::Result<void> Programs::open(const fs::path& path) {
    std::error_code problem;
    fs::path place = fs::absolute(path, problem).lexically_normal();
    if (problem || path.empty()) {
        return core::Error{core::ErrorKind::usage, "the path is empty; give the path of a file or folder"};
    }
    if (!place.has_filename()) {
        place = place.parent_path();  // a folder with a trailing slash
    }
    const auto status = fs::status(place, problem);
    if (!fs::exists(status)) {
        return core::Error{core::ErrorKind::unreadable, "there is no file " + place.string()};
    }
    if (place.filename() == "lesson.md" && lesson::load_lesson(place.parent_path())) {
        place = place.parent_path();
    }
    if (fs::is_directory(place, problem)) {
        auto lesson = lesson::load_lesson(place);
        if (!lesson) {
            const core::Error& error = lesson.error();
            const std::string line = error.line != 0 ? ":" + std::to_string(error.line) : std::string();
            return core::Error{error.kind, error.file + line + ": " + error.message};
        }
        for (const auto& tab : Sources::tabs_of(*lesson)) {
            const auto file = lesson->python_file(tab.id);
            if (!file.empty() && !fs::is_regular_file(file, problem)) {
                return core::Error{core::ErrorKind::unreadable, lesson->file + ": its program " +
                                                                    file.filename().string() + " is not in its folder"};
            }
        }
        add_opened(std::move(*lesson), place);
        return {};
    }
    if (!Document::is_program(place)) {
        if (open_recording) {
            return open_recording(place.string());
        }
        return core::Error{core::ErrorKind::unreadable,
                           place.string() + " is not a program: programs end in .py, .ipynb, .md or .txt"};
    }
    if (auto document = source_.files.show_file(place); !document) {
        return document.error();
    }
    lesson::Lesson file;
    file.id = file.title = file.program = place.filename().string();
    file.device = session_.settings.device;
    file.file = place.string();
    file.text = "From `" + place.parent_path().string() +
                "`.\n\nIt does not start by itself: press **Run**, or Ctrl+Enter in the source.";
    add_opened(std::move(file), place);
    return {};
}

core::Result<void> Programs::open_new() {
    constexpr std::string_view kFirstLines = "import headway as hw\n\n";
    const fs::path folder = source_.files.home / "programs";
    std::error_code problem;
    fs::create_directories(folder, problem);
    fs::path file;
    int number = 1;
    do {
        file = folder / ("program-" + std::to_string(number++) + ".py");
    } while (fs::exists(file, problem));
    if (auto written = core::write_whole(file.string(), kFirstLines); !written) {
        return written.error();
    }
    return open(file);
}

core::Result<void> Programs::open_exercise(const check::Exercise& exercise) {
    const fs::path file = source_.files.home / "exercises" / (exercise.id + ".py");
    std::error_code problem;
    if (!fs::exists(file, problem)) {
        fs::create_directories(file.parent_path(), problem);
        fs::copy_file(exercise.start(), file, problem);
        if (problem) {
            return core::Error{core::ErrorKind::unreadable,
                               "the exercise cannot be copied to " + file.string() + ": " + problem.message()};
        }
    }
    if (auto document = source_.files.show_file(file); !document) {
        return document.error();
    }
    lesson::Lesson shown;
    shown.id = shown.exercise = exercise.id;
    shown.title = exercise.title;
    shown.program = file.filename().string();
    shown.text = exercise.task;
    shown.file = file.string();
    shown.device = exercise.device;
    shown.streams = exercise.streams;
    shown.costs = check::draw_cases(exercise, "").front().costs;  // of the case that is shown
    add_opened(std::move(shown), file);
    return {};
}

void Programs::choose_recording(const fs::path& file) {
    std::error_code ignored;
    const fs::path place = fs::absolute(file, ignored).lexically_normal();
    lesson::Lesson shown;
    shown.id = shown.title = place.filename().string();
    shown.device = session_.settings.device;
    shown.file = place.string();
    shown.text = "A recorded run, from `" + place.parent_path().string() +
                 "`.\n\nIts program is not available, so it cannot be run.";
    add_opened(std::move(shown), place);
}

void Programs::go_to(int index) {
    if (index >= 0 && index < static_cast<int>(lessons_.size())) {
        const lesson::Lesson& wanted = lessons_[static_cast<std::size_t>(index)];
        if (wanted.program.empty() && open_recording) {
            if (auto opened = open_recording(wanted.file); !opened) {
                notices_.add(Notice::Kind::file, Notice::Tone::bad, opened.error().message);
            }
            return;
        }
    }
    choose(index);
}

void Programs::add_opened(lesson::Lesson lesson, const fs::path& place) {
    auto at = std::find(places_.begin(), places_.end(), place);
    if (at == places_.end()) {
        lessons_.push_back(std::move(lesson));
        at = places_.insert(places_.end(), place);
    } else {
        lessons_[static_cast<std::size_t>(at - places_.begin())] = std::move(lesson);
    }
    ++revision_;
    choose(static_cast<int>(at - places_.begin()));
}

}  // namespace headway::ui
