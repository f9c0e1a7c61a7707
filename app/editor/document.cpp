#include "app/editor/document.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "app/editor/file_watch.h"
#include "app/editor/line_map.h"
#include "app/editor/notebook.h"
#include "engine/core/system/output_file.h"

namespace headway::editor {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";

core::Error unreadable(std::string message) {
    return {core::ErrorKind::unreadable, std::move(message)};
}

Document::Kind kind_of(const fs::path& path) {
    const std::string end = path.extension().string();
    return end == ".ipynb"                 ? Document::Kind::notebook
           : end == ".md" || end == ".txt" ? Document::Kind::text
           : end == ".py"                  ? Document::Kind::python
                                           : Document::Kind::cpp;
}

Language language_of(Document::Kind kind) {
    return kind == Document::Kind::cpp    ? Language::cpp
           : kind == Document::Kind::text ? Language::markdown
                                          : Language::python;
}

bool is_utf8(std::string_view text) {
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t bytes = character_bytes(text, at);
        if (bytes == 1 && static_cast<unsigned char>(text[at]) >= 0x80) {
            return false;
        }
        at += bytes;
    }
    return true;
}

// Replaces invalid bytes by U+FFFD.
std::string shown_as_utf8(std::string_view text) {
    std::string shown;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t bytes = character_bytes(text, at);
        if (bytes == 1 && static_cast<unsigned char>(text[at]) >= 0x80) {
            shown += "\xef\xbf\xbd";
        } else {
            shown += text.substr(at, bytes);
        }
        at += bytes;
    }
    return shown;
}

core::Result<std::string> read(const fs::path& path) {
    std::error_code problem;
    const auto status = fs::status(path, problem);
    if (!fs::exists(status)) {
        return unreadable("there is no file " + path.string());
    }
    if (!fs::is_regular_file(status)) {
        return unreadable(path.string() + " is not a regular file");
    }
    if (fs::file_size(path, problem) > FileWatch::kMostBytes) {
        return unreadable(path.string() + " is larger than " + std::to_string(FileWatch::kMostBytes >> 20) +
                          " MB, the limit for programs");
    }
    errno = 0;
    auto bytes = read_file(path, FileWatch::kMostBytes);
    if (!bytes) {
        return unreadable(path.string() + " cannot be read" +
                          (errno != 0 ? ": " + std::string(std::strerror(errno)) : std::string()));
    }
    return std::move(*bytes);
}

}  // namespace

bool Document::is_program(const fs::path& path) {
    const std::string end = path.extension().string();
    return end == ".py" || end == ".ipynb" || end == ".md" || end == ".txt";
}

Document::Document(fs::path path, Kind kind, std::string_view shown)
    : text(shown), colours(language_of(kind)), path_(std::move(path)), kind_(kind) {}

core::Result<std::unique_ptr<Document>> Document::open(const fs::path& file) {
    auto bytes = read(file);
    if (!bytes) {
        return bytes.error();
    }
    std::unique_ptr<Document> document(new Document(file, kind_of(file), {}));
    auto shown = document->decode(*bytes);
    if (!shown) {
        return unreadable(file.string() + ": " + shown.error().message);
    }
    document->text = TextEditor(*shown);
    document->taken(*bytes);
    if (document->kind_ == Kind::cpp) {
        document->read_only_ = "This program is in C++ and built into Headway: it can be read, not changed.";
    } else if (!is_utf8(*bytes)) {
        document->read_only_ =
            "The file is not UTF-8: bytes that cannot be shown are replaced, and the text cannot be changed here.";
    }
    return document;
}

core::Result<std::unique_ptr<Document>> Document::open_lesson(const fs::path& lesson_file, const fs::path& copy) {
    auto document = open(lesson_file);
    if (!document || (*document)->read_only()) {
        return document;
    }
    Document& d = **document;
    d.lesson_file_ = lesson_file;
    d.lesson_text_ = d.text.text();
    d.path_ = copy;
    std::error_code ignored;
    if (fs::exists(copy, ignored)) {
        auto bytes = read(copy);
        auto shown = bytes ? d.decode(*bytes) : core::Result<std::string>(bytes.error());
        if (shown && is_utf8(*bytes)) {
            d.text = TextEditor(*shown);
            d.taken(*bytes);
        }
    }
    return document;
}

core::Result<std::string> Document::decode(const std::string& bytes) {
    std::string_view rest = bytes;
    byte_order_mark_ = rest.starts_with(kByteOrderMark);
    rest.remove_prefix(byte_order_mark_ ? kByteOrderMark.size() : 0);
    if (kind_ == Kind::notebook) {
        return text_of_notebook(rest);
    }
    // Write the line ends that most lines have.
    std::size_t plain = 0, carriage = 0;
    for (std::size_t i = 0; i < rest.size(); ++i) {
        if (rest[i] == '\n') {
            ++(i > 0 && rest[i - 1] == '\r' ? carriage : plain);
        }
    }
    crlf_ = carriage > plain;
    return shown_as_utf8(rest);
}

core::Result<std::string> Document::bytes_of(const std::string& text) const {
    if (kind_ == Kind::notebook) {
        return notebook_with(disk_bytes_, text);
    }
    std::string bytes(byte_order_mark_ ? kByteOrderMark : std::string_view());
    for (const char c : text) {
        if (c == '\n' && crlf_) {
            bytes += '\r';
        }
        bytes += c;
    }
    return bytes;
}

void Document::taken(const std::string& bytes) {
    saved_text_ = text.text();
    disk_bytes_ = bytes;
    disk_ = Disk::same;
    compared_ = ~std::uint64_t{0};
}

bool Document::edited() const {
    if (compared_ != text.revision()) {
        compared_ = text.revision();
        const std::string now = text.text();
        modified_ = now != saved_text_;
        differs_ = of_lesson() && now != lesson_text_;
    }
    return modified_;
}

bool Document::modified() const {
    return edited() || disk_ == Disk::gone;
}

bool Document::differs_from_lesson() const {
    [[maybe_unused]] const bool compared = edited();
    return differs_;
}

core::Result<void> Document::save() {
    if (read_only()) {
        return unreadable(name() + " cannot be changed here");
    }
    if (of_lesson() && !differs_from_lesson()) {
        std::error_code problem;
        fs::remove(path_, problem);
        taken(lesson_text_);
        return {};
    }
    auto content = bytes_of(text.text());
    if (!content) {
        return unreadable("cannot write " + path_.string() + ": " + content.error().message);
    }
    if (of_lesson()) {
        std::error_code problem;
        fs::create_directories(path_.parent_path(), problem);
    }
    if (auto written = core::write_whole(path_.string(), *content); !written) {
        return written;
    }
    taken(*content);
    return {};
}

core::Result<void> Document::write_text_to(const std::string& text, const fs::path& file) const {
    auto content = bytes_of(text);
    return content ? core::write_whole(file.string(), *content) : core::Result<void>(content.error());
}

void Document::revert() {
    if (of_lesson()) {
        text.replace_all(lesson_text_);
    }
}

void Document::note_disk(const std::optional<std::string>& bytes) {
    if (!bytes) {
        disk_ = of_lesson() ? Disk::same : Disk::gone;
        return;
    }
    if (*bytes == disk_bytes_ && disk_ == Disk::same) {
        return;
    }
    const bool with_edits = edited();
    auto shown = is_utf8(*bytes) ? decode(*bytes) : core::Result<std::string>(unreadable("not UTF-8"));
    if (read_only() && kind_ != Kind::cpp) {
        shown = decode(*bytes);
    }
    if (!shown) {
        return;  // not valid (yet): keep the text that is shown
    }
    if (*shown == text.text()) {
        taken(*bytes);
        return;
    }
    disk_bytes_ = *bytes;
    disk_ = Disk::changed;
    if (!with_edits) {
        take_disk();
    }
}

void Document::take_disk() {
    if (auto shown = decode(disk_bytes_)) {
        text.replace_all(*shown);
        taken(disk_bytes_);
    }
}

void Document::keep_mine() {
    disk_ = Disk::same;
}

void Document::set_breakpoint(std::uint32_t line, bool on) {
    if (on && line >= 1 && line <= text.lines().size()) {
        breakpoints_.insert(line);
    } else {
        breakpoints_.erase(line);
    }
}

bool Document::settle() {
    if (settled_ == text.revision()) {
        return false;
    }
    settled_ = text.revision();
    colours.update(text.lines());
    const auto before = breakpoints_;
    for (const auto& change : text.take_line_changes()) {
        std::set<std::uint32_t> moved;
        for (const std::uint32_t line : breakpoints_) {
            const std::uint32_t index = line - 1;
            if (index < change.first) {
                moved.insert(line);
            } else if (index >= change.first + change.removed) {
                moved.insert(line - change.removed + change.added);
            } else if (change.added > 0) {
                moved.insert(change.first + std::min(index - change.first, change.added - 1) + 1);
            }
        }
        breakpoints_ = std::move(moved);
    }
    return breakpoints_ != before;
}

void Document::note_run() {
    ran_ = text.lines();
    mapped_ = ~std::uint64_t{0};
}

void Document::map_lines() const {
    if (mapped_ != text.revision()) {
        mapped_ = text.revision();
        run_lines_ = line_map(ran_, text.lines());
    }
}

std::uint32_t Document::run_line(std::uint32_t line) const {
    map_lines();
    return line >= 1 && line <= run_lines_.size() ? run_lines_[line - 1] : 0;
}

std::uint32_t Document::line_of_run(std::uint32_t run_line) const {
    map_lines();
    const auto found = run_line == 0 ? run_lines_.end() : std::find(run_lines_.begin(), run_lines_.end(), run_line);
    return found == run_lines_.end() ? 0 : static_cast<std::uint32_t>(found - run_lines_.begin()) + 1;
}

}  // namespace headway::editor
