#include "app/ui/state/program/shown_source.h"

#include <algorithm>
#include <tuple>

#include "app/model/description/sentence.h"

namespace headway::ui {

namespace fs = std::filesystem;
using editor::Document;

ShownSource::ShownSource(session::Session& session, Notices& notices, std::function<void()> wake)
    : files(std::move(wake)), session_(session), notices_(notices) {
    files.home = default_home();
}

std::string ShownSource::text() const {
    const editor::Document* shown = document();
    if (shown == nullptr) {
        return {};
    }
    if (text_of_ != shown || text_revision_ != shown->text.revision()) {
        text_of_ = shown;
        text_revision_ = shown->text.revision();
        text_ = shown->text.text();
    }
    return text_;
}

bool ShownSource::from_file() const {
    std::error_code ignored;
    return !place_.empty() && !fs::is_directory(place_, ignored);
}

void ShownSource::show(lesson::Lesson lesson, fs::path place) {
    lesson_ = std::move(lesson);
    place_ = std::move(place);
    open_document();
}

// Opens the lesson's document, and lists its tabs.
void ShownSource::open_document() {
    files.show_nothing();
    tabs_.clear();
    session_.settings.tab.clear();
    if (!lesson_ || lesson_->program.empty()) {
        return;
    }
    const auto choice = tab_of_.find(session_.settings.program);
    const bool file = from_file();
    if (file) {
        if (auto shown = files.show_file(place_)) {
            tabs_ = Sources::tabs_of(**shown);
        } else {
            notices_.add(Notice::Kind::file, Notice::Tone::bad, shown.error().message);
        }
    } else {
        tabs_ = Sources::tabs_of(*lesson_);
    }
    const auto known = std::find_if(tabs_.begin(), tabs_.end(),
                                    [&](const Tab& t) { return choice != tab_of_.end() && t.id == choice->second; });
    if (!tabs_.empty()) {
        session_.settings.tab = known != tabs_.end() ? known->id : tabs_.front().id;
    }
    if (!file) {
        files.show_lesson(*lesson_, session_.settings.tab);
    }
    if (on_change) {
        on_change();
    }
}

void ShownSource::set_tab(const std::string& id) {
    tab_of_[session_.settings.program] = id;
    open_document();
}

void ShownSource::save() {
    Document* shown = document();
    if (shown == nullptr || shown->read_only()) {
        notices_.add(Notice::Kind::file, Notice::Tone::info,
                     shown == nullptr ? "There is no source to save." : shown->read_only_reason());
        return;
    }
    const bool differs = !shown->of_lesson() || shown->differs_from_lesson();
    if (auto saved = files.save(*shown); !saved) {
        notices_.add(Notice::Kind::file, Notice::Tone::bad, saved.error().message);
    } else if (shown->of_lesson()) {
        notices_.add(Notice::Kind::file, Notice::Tone::good,
                     differs ? "Your copy is saved in " + shown->path().string()
                             : "This is the lesson's own program, without changes: there is nothing to save.");
    } else {
        notices_.dismiss(Notice::Kind::file);
    }
}

void ShownSource::revert() {
    if (document() != nullptr && document()->of_lesson()) {
        document()->revert();
        if (auto saved = files.save(*document()); !saved) {
            notices_.add(Notice::Kind::file, Notice::Tone::bad, saved.error().message);
        }
    }
}

std::pair<std::string, bool> ShownSource::working_folder() const {
    if (from_file()) {
        const fs::path folder = place_.parent_path();
        return {folder.string(), may_write_in(folder)};
    }
    return {lesson_ ? files.folder_of(*lesson_) : std::string(), true};
}

core::Result<void> ShownSource::prepare_run() {
    session::Settings& settings = session_.settings;
    std::error_code ignored;
    settings.source.clear();
    settings.text = text();
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
        const auto kept = shown->modified() ? files.save(*shown) : core::Result<void>();
        if (!shown->differs_from_lesson()) {
            return kept;
        }
        if (kept) {
            settings.source = shown->path().string();
            return {};
        }
        // The copy could not be saved; the program runs anyway.
        notices_.add(Notice::Kind::file, Notice::Tone::bad, kept.error().message);
    } else if (!shown->modified()) {
        return {};
    }
    const auto refused = [](const core::Error& why) {
        return core::Error{why.kind, model::sentence_of("What is in the editor cannot be run: " + why.message)};
    };
    const auto folder = session_.temporary_folder("source");
    if (!folder) {
        return refused(folder.error());
    }
    const fs::path copy = *folder / shown->path().filename();
    if (auto written = shown->write_to(copy); !written) {
        return refused(written.error());
    }
    settings.source = copy.string();
    return {};
}

}  // namespace headway::ui
