// AppState: the open programs.
#include <algorithm>
#include <tuple>

#include "app/ui/state/app_state.h"

namespace headway::ui {

namespace fs = std::filesystem;
using editor::Document;

const fs::path& AppState::place() const {
    static const fs::path none;
    return lesson_ >= 0 ? places_[static_cast<std::size_t>(lesson_)] : none;
}

core::Result<void> AppState::open(const fs::path& path) {
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
                return core::Error{core::ErrorKind::unreadable,
                                   lesson->file + ": its program " + file.filename().string() + " is not beside it"};
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
    if (auto document = sources.show_file(place); !document) {
        take_source();
        return document.error();
    }
    lesson::Lesson file;
    file.id = file.title = file.program = place.filename().string();
    file.device = session.settings.device;
    file.file = place.string();
    file.text = "From `" + place.parent_path().string() +
                "`.\n\nIt does not run by itself: **Run**, or Ctrl+Enter in the source.";
    add_opened(std::move(file), place);
    return {};
}

void AppState::choose_recording(const fs::path& file) {
    std::error_code ignored;
    const fs::path place = fs::absolute(file, ignored).lexically_normal();
    lesson::Lesson shown;
    shown.id = shown.title = place.filename().string();
    shown.device = session.settings.device;
    shown.file = place.string();
    shown.text = "A recorded run, from `" + place.parent_path().string() +
                 "`.\n\nIts program is not available, so it cannot be run.";
    add_opened(std::move(shown), place);
}

void AppState::go_to(int index) {
    if (index >= 0 && index < static_cast<int>(lessons_.size())) {
        const lesson::Lesson& wanted = lessons_[static_cast<std::size_t>(index)];
        if (wanted.program.empty() && open_recording) {
            if (auto opened = open_recording(wanted.file); !opened) {
                notices.add(Notice::Kind::file, Notice::Tone::bad, opened.error().message);
            }
            return;
        }
    }
    choose_lesson(index);
}

void AppState::add_opened(lesson::Lesson lesson, const fs::path& place) {
    auto at = std::find(places_.begin(), places_.end(), place);
    if (at == places_.end()) {
        lessons_.push_back(std::move(lesson));
        at = places_.insert(places_.end(), place);
    } else {
        lessons_[static_cast<std::size_t>(at - places_.begin())] = std::move(lesson);
    }
    ++lessons_revision_;
    choose_lesson(static_cast<int>(at - places_.begin()));
}

// Opens the document of what is selected, and lists its tabs.
void AppState::take_source() {
    std::error_code ignored;
    sources.show_nothing();
    tabs_.clear();
    session.settings.tab.clear();
    if (lesson() == nullptr || lesson()->program.empty()) {
        return;
    }
    const std::string chosen = tab_of_[session.settings.program];
    const bool file = !place().empty() && !fs::is_directory(place(), ignored);
    if (file) {
        if (auto shown = sources.show_file(place())) {
            tabs_ = Sources::tabs_of(**shown);
        } else {
            notices.add(Notice::Kind::file, Notice::Tone::bad, shown.error().message);
        }
    } else {
        tabs_ = Sources::tabs_of(*lesson());
    }
    const auto known = std::find_if(tabs_.begin(), tabs_.end(), [&](const Tab& t) { return t.id == chosen; });
    if (!tabs_.empty()) {
        session.settings.tab = known != tabs_.end() ? known->id : tabs_.front().id;
    }
    if (!file) {
        sources.show_lesson(*lesson(), session.settings.tab);
    }
    hand_over_breakpoints();
}

void AppState::set_tab(const std::string& id) {
    tab_of_[session.settings.program] = id;
    take_source();
}

void AppState::save() {
    Document* shown = document();
    if (shown == nullptr || shown->read_only()) {
        notices.add(Notice::Kind::file, Notice::Tone::info,
                    shown == nullptr ? "There is no source to save." : shown->read_only_reason());
        return;
    }
    const bool differs = !shown->of_lesson() || shown->differs_from_lesson();
    if (auto saved = sources.save(*shown); !saved) {
        notices.add(Notice::Kind::file, Notice::Tone::bad, saved.error().message);
    } else if (shown->of_lesson()) {
        notices.add(Notice::Kind::file, Notice::Tone::good,
                    differs ? "Your copy is saved in " + shown->path().string()
                            : "This is the lesson's own program, without changes: there is nothing to save.");
    } else {
        notices.dismiss(Notice::Kind::file);
    }
}

void AppState::revert() {
    if (document() != nullptr && document()->of_lesson()) {
        document()->revert();
        if (auto saved = sources.save(*document()); !saved) {
            notices.add(Notice::Kind::file, Notice::Tone::bad, saved.error().message);
        }
    }
}

std::pair<std::string, bool> AppState::working_folder() const {
    std::error_code ignored;
    if (!place().empty() && !fs::is_directory(place(), ignored)) {
        const fs::path folder = place().parent_path();
        return {folder.string(), may_write_in(folder)};
    }
    return {lesson() != nullptr ? sources.folder_of(*lesson()) : std::string(), true};
}

core::Result<void> AppState::prepare_run() {
    session::Settings& settings = session.settings;
    std::error_code ignored;
    settings.source.clear();
    settings.text = shown_text();
    std::tie(settings.folder, settings.folder_writable) = working_folder();
    fs::create_directories(settings.folder, ignored);
    if (!fs::is_directory(settings.folder, ignored)) {
        settings.folder.clear();
    }
    Document* shown = document();
    if (shown == nullptr || shown->read_only()) {
        return {};
    }
    if (shown->of_lesson()) {
        const auto kept = shown->modified() ? sources.save(*shown) : core::Result<void>();
        if (!shown->differs_from_lesson()) {
            return kept;
        }
        if (kept) {
            settings.source = shown->path().string();
            return {};
        }
        // The copy could not be saved; the program runs anyway.
        notices.add(Notice::Kind::file, Notice::Tone::bad, kept.error().message);
    } else if (!shown->modified()) {
        return {};
    }
    const fs::path folder = fs::path(session.temporary_folder()) / "source";
    fs::create_directories(folder, ignored);
    const fs::path copy = folder / shown->path().filename();
    if (auto written = shown->write_to(copy); !written) {
        return core::Error{written.error().kind, "What is in the editor cannot be run: " + written.error().message};
    }
    settings.source = copy.string();
    return {};
}

bool AppState::ran_document() const {
    return document() != nullptr && document() == ran_ && ran_started_ == session.started() && session.b() != nullptr &&
           ran_tab_ == tab();
}

std::uint32_t AppState::current_line() const {
    if (!session.live() || !ran_document() || session.b()->run() == nullptr) {
        return 0;
    }
    const core::Line line = session.current_line();
    const std::string& file = session.b()->run()->file(core::file_of(line));
    return fs::path(file).filename() == document()->path().filename() ? document()->line_of_run(core::number_of(line))
                                                                      : 0;
}

std::uint32_t AppState::failed_line() const {
    const model::Run* run = ran_document() ? session.b()->run() : nullptr;
    if (run == nullptr || !run->error() || fs::path(run->error()->file).filename() != document()->path().filename()) {
        return 0;
    }
    return document()->line_of_run(run->error()->line);
}

std::uint32_t AppState::selected_line() const {
    const model::Run* run =
        ran_document() && timeline.selection.any() && timeline.selection.run == 0 ? session.b()->run() : nullptr;
    if (run == nullptr || timeline.selection.op > run->op_count()) {
        return 0;
    }
    const core::Line line = run->op(timeline.selection.op).line;
    return fs::path(run->file(core::file_of(line))).filename() == document()->path().filename()
               ? document()->line_of_run(core::number_of(line))
               : 0;
}

void AppState::set_breakpoint(std::uint32_t line, bool on) {
    if (can_step_lines()) {
        document()->set_breakpoint(line, on);
        hand_over_breakpoints();
    }
}

// Sends the breakpoints to the runner. It counts lines in the text that it runs; during a run only that text's document
// sets breakpoints.
void AppState::hand_over_breakpoints() {
    const bool live = session.live();
    if (live && !ran_document()) {
        return;
    }
    std::set<std::uint32_t> lines;
    if (can_step_lines()) {
        for (const auto line : document()->breakpoints()) {
            lines.insert(live ? document()->run_line(line) : line);
        }
    }
    session.set_breakpoints(std::move(lines));
}

}  // namespace headway::ui
