#include "app/lesson/lesson.h"

#include <algorithm>
#include <fstream>
#include <sstream>

#include "app/lesson/front_matter.h"

namespace headway::lesson {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t kMostBytes = 1'000'000;

// Whether a line of a Python program assigns to this name at the top level; a parameter can replace the value.
bool gives_value(const std::string& line, const std::string& name) {
    if (line.rfind(name, 0) != 0) {
        return false;
    }
    const auto equals = line.find_first_not_of(' ', name.size());
    return equals != std::string::npos && line[equals] == '=' && line.compare(equals, 2, "==") != 0;
}

// Fails if a Python file is missing, or has no assignment to one of the parameters.
core::Result<void> check_python_files(const Lesson& lesson) {
    std::vector<std::string> tabs{""};
    for (const auto& [tab, file] : lesson.tabs) {
        tabs.push_back(tab);
    }
    for (const auto& tab : tabs) {
        const fs::path path = lesson.python_file(tab);
        if (path.empty()) {
            continue;
        }
        std::ifstream stream(path, std::ios::binary);
        if (!stream) {
            return core::Error{core::ErrorKind::unreadable,
                               "its program " + path.filename().string() + " is not in its folder", lesson.file,
                               lesson.line_of(tab), 0};
        }
        std::vector<std::string> lines;
        for (std::string line; std::getline(stream, line);) {
            lines.push_back(std::move(line));
        }
        for (std::size_t i = 0; i < lesson.parameters.size(); ++i) {
            const std::string& name = lesson.parameters[i].name;
            if (std::none_of(lines.begin(), lines.end(), [&](const auto& line) { return gives_value(line, name); })) {
                return core::Error{
                    core::ErrorKind::unreadable,
                    path.filename().string() + " has no line \"" + name + " = ...\" for the parameter " + name,
                    lesson.file, lesson.lines[i], 0};
            }
        }
    }
    return {};
}

// Moves the paragraphs that begin with **Try.** or **Make.** from the text to try_text, and the others from the first
// that begins with **Claim.** or **Look at** on to claim_text.
void split_text(Lesson& lesson) {
    std::string text;
    bool fenced = false;   // in a block of code
    bool claimed = false;  // the claim has begun
    for (std::size_t at = 0; at < lesson.text.size();) {
        std::size_t end = at;
        // A paragraph ends at an empty line outside a block of code.
        while (end < lesson.text.size()) {
            const std::size_t newline = std::min(lesson.text.find('\n', end), lesson.text.size());
            const std::string_view line = std::string_view(lesson.text).substr(end, newline - end);
            fenced = fenced != line.starts_with("```");
            end = std::min(newline + 1, lesson.text.size());
            if (!fenced && line.find_first_not_of(" \r") == std::string_view::npos) {
                break;
            }
        }
        const std::string_view paragraph = std::string_view(lesson.text).substr(at, end - at);
        const bool tries = paragraph.starts_with("**Try.**") || paragraph.starts_with("**Make.**");
        claimed = claimed || paragraph.starts_with("**Claim.**") || paragraph.starts_with("**Look at**");
        (tries ? lesson.try_text : claimed ? lesson.claim_text : text) += paragraph;
        at = end;
    }
    lesson.text = std::move(text);
}

int number_of_folder(const fs::path& folder) {
    const std::string name = folder.filename().string();
    int number = 0;
    for (std::size_t i = 0; i < name.size() && i < 6 && name[i] >= '0' && name[i] <= '9'; ++i) {
        number = number * 10 + (name[i] - '0');
    }
    return number;
}

}  // namespace

fs::path Lesson::python_file(const std::string& tab) const {
    std::string name = tab.empty() && is_python_file(program) ? program : "";
    for (const auto& [dialect, python] : tabs) {
        if (dialect == tab) {
            name = python;
        }
    }
    return name.empty() ? fs::path() : fs::path(file).parent_path() / name;
}

std::uint32_t Lesson::line_of(const std::string& tab) const {
    for (std::size_t i = 0; i < tabs.size() && i < tab_lines.size(); ++i) {
        if (tabs[i].first == tab) {
            return tab_lines[i];
        }
    }
    return program_line;
}

core::Result<Lesson> parse_lesson(const std::string& content, const std::string& file) {
    const auto fail = [&](std::string message, std::uint32_t line) {
        return core::Error{core::ErrorKind::unreadable, std::move(message), file, line, 0};
    };
    std::size_t begin = content.rfind("\xef\xbb\xbf", 0) == 0 ? 3 : 0;
    const auto line_end = [&](std::size_t from) {
        const auto end = content.find('\n', from);
        return end == std::string::npos ? content.size() : end;
    };
    const auto is_dashes = [&](std::size_t from, std::size_t to) {
        std::string line = content.substr(from, to - from);
        line.erase(line.find_last_not_of(" \r") + 1);
        return line == "---";
    };
    if (!is_dashes(begin, line_end(begin))) {
        return fail("a lesson begins with a line of three dashes", 1);
    }
    begin = std::min(line_end(begin) + 1, content.size());
    std::size_t end = begin;
    while (end < content.size() && !is_dashes(end, line_end(end))) {
        end = line_end(end) + 1;
    }
    if (end >= content.size()) {
        return fail("the front matter has no closing line of three dashes", 1);
    }
    auto lesson = parse_front_matter(content.substr(begin, end - begin), file);
    if (!lesson) {
        return lesson;
    }
    const std::size_t text = std::min(line_end(end) + 1, content.size());
    lesson->text = content.substr(text);
    lesson->text.erase(0, lesson->text.find_first_not_of("\r\n"));
    if (lesson->text.find_first_not_of(" \r\n\t") == std::string::npos) {
        return fail("the lesson has no text after its front matter",
                    1 + static_cast<std::uint32_t>(
                            std::count(content.begin(), content.begin() + static_cast<std::ptrdiff_t>(end), '\n')));
    }
    split_text(*lesson);
    return lesson;
}

core::Result<Lesson> load_lesson(const fs::path& folder) {
    const fs::path file = folder / "lesson.md";
    std::ifstream stream(file, std::ios::binary);
    std::error_code problem;
    const auto bytes = fs::file_size(file, problem);
    if (fs::is_directory(folder, problem) && !fs::exists(file, problem)) {
        return core::Error{core::ErrorKind::unreadable, "there is no lesson.md in this folder, so it is not a lesson",
                           folder.string(), 0, 0};
    }
    if (fs::is_directory(file, problem)) {
        return core::Error{core::ErrorKind::unreadable, "lesson.md is a folder, and not a file", file.string(), 0, 0};
    }
    if (!stream || problem || bytes > kMostBytes) {
        return core::Error{core::ErrorKind::unreadable,
                           problem || !stream ? "the lesson cannot be opened" : "the lesson is larger than 1 MB",
                           file.string(), 0, 0};
    }
    std::ostringstream content;
    content << stream.rdbuf();
    auto lesson = parse_lesson(content.str(), file.string());
    if (!lesson) {
        return lesson;
    }
    if (auto checked = check_python_files(*lesson); !checked) {
        return checked.error();
    }
    lesson->number = number_of_folder(folder);
    return lesson;
}

namespace {

// The folders in `dir`, sorted by name.
std::vector<fs::path> folders_in(const fs::path& dir, std::error_code& problem) {
    std::vector<fs::path> folders;
    for (fs::directory_iterator entry(dir, problem), last; !problem && entry != last; entry.increment(problem)) {
        std::error_code ignored;
        if (entry->is_directory(ignored)) {
            folders.push_back(entry->path());
        }
    }
    std::sort(folders.begin(), folders.end());
    return folders;
}

}  // namespace

std::optional<fs::path> find_lesson_folder(const fs::path& dir, const std::string& id) {
    std::error_code problem;
    for (auto& folder : folders_in(dir, problem)) {
        const std::string name = folder.filename().string();
        const auto number_ends = name.find('-');
        if (number_ends != std::string::npos && name.compare(number_ends + 1, std::string::npos, id) == 0) {
            return folder;
        }
    }
    return std::nullopt;
}

core::Result<std::vector<Lesson>> load_lessons(const fs::path& dir, std::vector<core::Error>* refused) {
    std::error_code problem;
    const std::vector<fs::path> folders = folders_in(dir, problem);
    if (problem) {
        return core::Error{core::ErrorKind::unreadable,
                           "the lessons in " + dir.string() + " cannot be read: " + problem.message(), dir.string(), 0,
                           0};
    }
    std::vector<Lesson> lessons;
    const auto leave_out = [&](core::Error error) {
        if (refused != nullptr) {
            refused->push_back(std::move(error));
        }
    };
    for (const auto& folder : folders) {
        auto lesson = load_lesson(folder);
        if (!lesson) {
            leave_out(lesson.error());
            continue;
        }
        const auto same_id =
            std::find_if(lessons.begin(), lessons.end(), [&](const Lesson& l) { return l.id == lesson->id; });
        if (same_id != lessons.end()) {
            leave_out({core::ErrorKind::unreadable, "the id " + lesson->id + " is already used by " + same_id->file,
                       lesson->file, lesson->id_line, 0});
            continue;
        }
        lessons.push_back(std::move(*lesson));
    }
    std::stable_sort(lessons.begin(), lessons.end(),
                     [](const Lesson& a, const Lesson& b) { return a.number < b.number; });
    return lessons;
}

}  // namespace headway::lesson
