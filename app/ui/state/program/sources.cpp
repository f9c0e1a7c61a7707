#include "app/ui/state/program/sources.h"

#include <unistd.h>

#include <cstdlib>

#include "app/lesson/document_tabs.h"
#include "app/model/user_data/user_data.h"

namespace headway::ui {

namespace fs = std::filesystem;
using editor::Document;

namespace {

// Where the sources of the built-in programs are: next to the executable in a build, or installed.
fs::path built_in_source(const std::string& program) {
    std::error_code ignored;
    const auto here = fs::read_symlink("/proc/self/exe", ignored).parent_path();
    for (const auto& folder : {here / "programs", here / ".." / "share" / "headway" / "programs"}) {
        const auto path = folder / (program + ".cpp");
        if (fs::is_regular_file(path, ignored)) {
            return path;
        }
    }
    return {};
}

std::string text_of(const fs::path& file) {
    return editor::read_file(file, editor::FileWatch::kMostBytes).value_or("");
}

}  // namespace

fs::path default_home() {
    return model::user_data_folder() / "programs";
}

bool may_write_in(const fs::path& folder) {
    std::error_code problem;
    const fs::path real = fs::weakly_canonical(folder, problem);
    if (problem || real == real.root_path()) {
        return false;
    }
    const char* home = std::getenv("HOME");
    if (home == nullptr || *home != '/') {
        return true;
    }
    // The home folder itself, or a folder that contains it.
    const fs::path own = fs::weakly_canonical(home, problem);
    for (fs::path above = own;; above = above.parent_path()) {
        if (above == real) {
            return false;
        }
        if (above == above.parent_path()) {
            return true;
        }
    }
}

Document* Sources::show_lesson(const lesson::Lesson& lesson, const std::string& tab) {
    current_ = nullptr;
    fs::path file = lesson.python_file(tab);
    const bool python = !file.empty();
    file = python ? file : built_in_source(lesson.program);
    if (file.empty()) {
        return nullptr;
    }
    auto& slot = documents_[file];
    if (slot == nullptr) {
        auto opened = python && !home.empty() ? Document::open_lesson(file, home / lesson.id / file.filename())
                                              : Document::open(file);
        if (!opened) {
            documents_.erase(file);
            return nullptr;
        }
        slot = std::move(*opened);
        slot->settle();
        if (slot->of_lesson()) {
            watch_.watch(slot->path());
        }
    }
    return current_ = slot.get();
}

core::Result<Document*> Sources::show_file(const fs::path& file) {
    auto& slot = documents_[file];
    if (slot == nullptr) {
        auto opened = Document::open(file);
        if (!opened) {
            documents_.erase(file);
            return opened.error();
        }
        slot = std::move(*opened);
        slot->settle();
        watch_.watch(file);
    }
    current_ = slot.get();
    return current_;
}

std::vector<Tab> Sources::tabs_of(const lesson::Lesson& lesson) {
    std::vector<Tab> tabs;
    if (const auto own = lesson.python_file(); !own.empty()) {
        tabs.push_back({"", lesson::dialect_label(lesson::dialect_of(text_of(own)))});
    }
    for (const auto& [tab, file] : lesson.tabs) {
        tabs.push_back({tab, lesson::dialect_label(tab)});
    }
    if (lesson.python_file().empty() && !tabs.empty()) {
        tabs.push_back({"", "C++"});  // a built-in program: last, as learners read Python
    }
    return tabs;
}

std::vector<Tab> Sources::tabs_of(const Document& document) {
    std::vector<Tab> tabs;
    if (document.kind() == Document::Kind::text) {
        for (const auto& tab : lesson::document_tabs(document.text.text())) {
            tabs.push_back({tab, lesson::dialect_label(tab)});
        }
    }
    return tabs;
}

std::string Sources::folder_of(const lesson::Lesson& lesson) const {
    return home.empty() ? std::string() : (home / lesson.id).string();
}

bool Sources::poll() {
    bool any = false;
    for (const auto& change : watch_.take()) {
        for (const auto& [file, document] : documents_) {
            if (document->path() == change.path) {
                document->note_disk(change.bytes);
                any = true;
            }
        }
    }
    return any;
}

core::Result<void> Sources::save(Document& document) {
    auto saved = document.save();
    if (saved) {
        watch_.watch(document.path());
    }
    return saved;
}

std::vector<Document*> Sources::unsaved() const {
    std::vector<Document*> unsaved;
    for (const auto& [file, document] : documents_) {
        if (!document->of_lesson() && !document->read_only() && document->modified()) {
            unsaved.push_back(document.get());
        }
    }
    return unsaved;
}

core::Result<void> Sources::save_copies() {
    core::Result<void> first;
    for (const auto& [file, document] : documents_) {
        if (document->of_lesson() && !document->read_only() && document->modified()) {
            if (auto kept = save(*document); !kept && first) {
                first = kept;
            }
        }
    }
    return first;
}

}  // namespace headway::ui
