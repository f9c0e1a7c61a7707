#include "app/lesson/lesson.h"

#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <set>
#include <sstream>

#include "app/lesson/detail_tab_names.h"
#include "engine/core/ids.h"
#include "engine/devices/simulated/cost_model.h"
#include "engine/trace/barrier_names.h"

namespace headway::lesson {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t kMostBytes = 1'000'000;

// An error in the front matter and its line.
struct Refusal {
    std::string message;
    int line;  // of the YAML text, from 0
};

[[noreturn]] void refuse(std::string message, const YAML::Node& at) {
    throw Refusal{std::move(message), at.Mark().line};
}

std::string words(const YAML::Node& node, const std::string& name) {
    if (!node.IsScalar()) {
        refuse(name + " must be a single value", node);
    }
    return node.Scalar();
}

double number(const YAML::Node& node, const std::string& name) {
    double value = 0;
    if (!node.IsScalar() || !YAML::convert<double>::decode(node, value) || !(value >= -1e18 && value <= 1e18)) {
        refuse(name + " must be a number", node);
    }
    return value;
}

// Counts the characters of UTF-8 text.
std::size_t characters(std::string_view text) {
    return static_cast<std::size_t>(
        std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; }));
}

// A whole number from 1 to `most`.
int whole(const YAML::Node& node, const std::string& name, std::size_t most) {
    const double value = number(node, name);
    if (value != std::floor(value) || value < 1 || value > static_cast<double>(most)) {
        refuse(name + " must be a whole number from 1 to " + std::to_string(most), node);
    }
    return static_cast<int>(value);
}

void allow_only(const YAML::Node& map, const std::set<std::string>& known, const std::string& what) {
    std::set<std::string> seen;
    for (const auto& entry : map) {
        const std::string key = words(entry.first, "a key of " + what);
        if (known.count(key) == 0) {
            std::string list;
            for (const auto& name : known) {
                list += (list.empty() ? "" : ", ") + name;
            }
            refuse("\"" + key + "\" is not known in " + what + " (known: " + list + ")", entry.first);
        }
        if (!seen.insert(key).second) {
            refuse("\"" + key + "\" is said twice in " + what, entry.first);
        }
    }
}

Parameter parse_parameter(const std::string& name, const YAML::Node& node) {
    if (!node.IsMap()) {
        refuse("parameter " + name + " must be a map with value, and least and most or choices", node);
    }
    allow_only(node, {"choices", "fractions", "help", "label", "least", "most", "value"}, "parameter " + name);
    Parameter parameter;
    parameter.name = name;
    parameter.label = node["label"] ? words(node["label"], name + ".label") : name;
    parameter.help = node["help"] ? words(node["help"], name + ".help") : "";
    if (!node["value"]) {
        refuse("parameter " + name + " has no value", node);
    }
    parameter.value = words(node["value"], name + ".value");
    if (node["choices"]) {
        if (!node["choices"].IsSequence() || node["choices"].size() == 0) {
            refuse(name + ".choices must be a list of words", node["choices"]);
        }
        for (const auto& choice : node["choices"]) {
            parameter.choices.push_back(words(choice, name + ".choices"));
        }
    } else {
        if (!node["least"] || !node["most"]) {
            refuse("parameter " + name + " needs least and most, or choices", node);
        }
        parameter.least = number(node["least"], name + ".least");
        parameter.most = number(node["most"], name + ".most");
        if (parameter.least > parameter.most) {
            refuse("parameter " + name + " has a least that is larger than its most", node["least"]);
        }
        if (node["fractions"] && !YAML::convert<bool>::decode(node["fractions"], parameter.whole)) {
            refuse(name + ".fractions must be true or false", node["fractions"]);
        }
        parameter.whole = !(node["fractions"] && parameter.whole);
    }
    auto value = accept_value(parameter, parameter.value);
    if (!value) {
        refuse(value.error().message, node["value"]);
    }
    parameter.value = *value;
    return parameter;
}

// True for the name of a Python file in the same folder.
bool is_python_file(const std::string& name) {
    return name.size() > 3 && name.compare(name.size() - 3, 3, ".py") == 0 && name.find('/') == std::string::npos;
}

Lesson parse_front(const YAML::Node& front) {
    if (!front.IsMap()) {
        refuse("the front matter must be a list of names with values", front);
    }
    allow_only(front,
               {"barrier", "costs", "device", "gpu_speeds", "gpus", "id", "links", "minutes", "parameters", "part",
                "picture", "program", "shows", "streams", "tabs", "title", "view"},
               "a lesson");
    for (const char* needed : {"id", "title", "program"}) {
        if (!front[needed]) {
            refuse(std::string("the lesson has no ") + needed, front);
        }
    }
    Lesson lesson;
    lesson.id = words(front["id"], "id");
    if (lesson.id.empty() ||
        lesson.id.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-") != std::string::npos) {
        refuse("id must be made of the letters a to z, digits and dashes", front["id"]);
    }
    lesson.id_line = static_cast<std::uint32_t>(front["id"].Mark().line);
    lesson.program_line = static_cast<std::uint32_t>(front["program"].Mark().line);
    lesson.title = words(front["title"], "title");
    lesson.program = words(front["program"], "program");
    if (lesson.title.empty() || lesson.program.empty()) {
        refuse("title and program must not be empty", front);
    }
    if (const auto tabs = front["tabs"]; tabs && !tabs.IsNull()) {
        if (!tabs.IsMap()) {
            refuse("tabs must be a list of dialects with Python files", tabs);
        }
        allow_only(tabs, {"mxnet", "python", "pytorch", "tensorflow"}, "tabs");
        for (const auto& entry : tabs) {
            const std::string file = words(entry.second, "the file of a tab");
            if (!is_python_file(file)) {
                refuse("a tab names a Python file in the lesson's folder, not \"" + file + "\"", entry.second);
            }
            lesson.tabs.emplace_back(entry.first.Scalar(), file);
            lesson.tab_lines.push_back(static_cast<std::uint32_t>(entry.first.Mark().line));
        }
    }
    if (front["device"]) {
        lesson.device = words(front["device"], "device");
        if (lesson.device != "cpu" && lesson.device != "cuda" && lesson.device != "simulated") {
            refuse("device must be cpu, cuda or simulated", front["device"]);
        }
    }
    if (front["barrier"]) {
        lesson.barrier = words(front["barrier"], "barrier");
        if (const auto barrier = trace::barrier_from_word(lesson.barrier); !barrier) {
            refuse(barrier.error().message, front["barrier"]);
        }
    }
    if (front["costs"]) {
        lesson.costs = words(front["costs"], "costs");
        if (lesson.costs.find('=') == std::string::npos) {
            refuse("costs must be like t1=1us,t2=0.95us,t3=1us", front["costs"]);
        }
    }
    const auto count = [&front](const char* key, std::uint32_t most, std::uint32_t& value) {
        if (front[key]) {
            const double said = number(front[key], key);
            if (said != std::floor(said) || said < 1 || said > most) {
                refuse(std::string(key) + " must be a whole number from 1 to " + std::to_string(most), front[key]);
            }
            value = static_cast<std::uint32_t>(said);
        }
    };
    count("streams", core::kMaxLanesOfDevice, lesson.streams);
    count("gpus", core::kMaxGpus, lesson.gpus);
    if (front["links"]) {
        lesson.links = words(front["links"], "links");
        if (lesson.links != "pcie" && lesson.links != "pairs" && lesson.links != "ring") {
            refuse("links must be pcie, pairs or ring", front["links"]);
        }
    }
    if (const auto speeds = front["gpu_speeds"]) {
        if (!speeds.IsSequence() || lesson.gpus < 2 || speeds.size() != lesson.gpus) {
            refuse("gpu_speeds must have a number for each of several gpus, such as [1, 0.5]", speeds);
        }
        for (const auto& speed : speeds) {
            const double said = number(speed, "a speed");
            if (said < devices::kLeastSpeed || said > devices::kMostSpeed) {
                refuse("a speed is a number from 0.01 to 100", speed);
            }
            lesson.gpu_speeds.push_back(said);
        }
    }
    if (front["view"]) {
        lesson.view = words(front["view"], "view");
        if (!is_detail_tab(lesson.view) && lesson.view != "formula") {
            std::string all;
            for (const DetailTabName& tab : kDetailTabs) {
                all += std::string(tab.id) + (&tab == &kDetailTabs.back() ? " or formula" : ", ");
            }
            refuse("view must be " + all, front["view"]);
        }
    }
    if (front["part"]) {
        lesson.part = whole(front["part"], "part", kParts.size());
    }
    if (front["minutes"]) {
        lesson.minutes = whole(front["minutes"], "minutes", 120);
    }
    if (front["shows"]) {
        constexpr std::size_t kMost = 48;  // of a card on the map
        lesson.shows = words(front["shows"], "shows");
        if (lesson.shows.empty() || characters(lesson.shows) > kMost) {
            refuse("shows must have 1 to " + std::to_string(kMost) + " characters", front["shows"]);
        }
    }
    if (const auto parameters = front["parameters"]; parameters && !parameters.IsNull()) {
        if (!parameters.IsMap()) {
            refuse("parameters must be a list of names with maps", parameters);
        }
        std::set<std::string> seen;
        for (const auto& entry : parameters) {
            const std::string name = words(entry.first, "a parameter's name");
            if (!seen.insert(name).second) {
                refuse("parameter " + name + " is said twice", entry.first);
            }
            lesson.parameters.push_back(parse_parameter(name, entry.second));
            lesson.lines.push_back(static_cast<std::uint32_t>(entry.first.Mark().line));
        }
    }
    return lesson;
}

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
                               "its program " + path.filename().string() + " is not beside it", lesson.file,
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
    // Lines of the YAML text count from 0; the text begins on line 2 of the file.
    const auto file_line = [](int yaml_line) { return static_cast<std::uint32_t>(std::max(yaml_line, 0) + 2); };
    try {
        Lesson lesson = parse_front(YAML::Load(content.substr(begin, end - begin)));
        for (auto* lines : {&lesson.lines, &lesson.tab_lines}) {
            for (auto& line : *lines) {
                line = file_line(static_cast<int>(line));
            }
        }
        lesson.id_line = file_line(static_cast<int>(lesson.id_line));
        lesson.program_line = file_line(static_cast<int>(lesson.program_line));
        lesson.file = file;
        const std::size_t text = std::min(line_end(end) + 1, content.size());
        lesson.text = content.substr(text);
        lesson.text.erase(0, lesson.text.find_first_not_of("\r\n"));
        if (lesson.text.find_first_not_of(" \r\n\t") == std::string::npos) {
            return fail("the lesson has no text after its front matter",
                        1 + static_cast<std::uint32_t>(
                                std::count(content.begin(), content.begin() + static_cast<std::ptrdiff_t>(end), '\n')));
        }
        split_text(lesson);
        return lesson;
    } catch (const Refusal& refusal) {
        return fail(refusal.message, file_line(refusal.line));
    } catch (const YAML::Exception& problem) {
        return fail("the front matter cannot be read: " + problem.msg, file_line(problem.mark.line));
    }
}

core::Result<Lesson> load_lesson(const fs::path& folder) {
    const fs::path file = folder / "lesson.md";
    std::ifstream stream(file, std::ios::binary);
    std::error_code problem;
    const auto bytes = fs::file_size(file, problem);
    if (fs::is_directory(folder, problem) && !fs::exists(file, problem)) {
        return core::Error{core::ErrorKind::unreadable, "there is no lesson.md in this folder, so it is no lesson",
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
