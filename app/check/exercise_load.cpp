// Exercises and their solutions on disk.
#include <algorithm>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <optional>

#include "app/check/exercise.h"
#include "app/lesson/assets.h"

namespace headway::check {

namespace fs = std::filesystem;

namespace {

core::Error unreadable(const std::string& message, const fs::path& file) {
    return {core::ErrorKind::unreadable, message, file.string(), 0, 0};
}

std::optional<std::string> bytes_of(const fs::path& file) {
    std::ifstream in(file, std::ios::binary);
    if (!in) {
        return std::nullopt;
    }
    return std::string(std::istreambuf_iterator<char>(in), {});
}

// All regular files below a folder, sorted by their path.
std::vector<fs::path> files_below(const fs::path& folder) {
    std::vector<fs::path> files;
    std::error_code problem;
    for (fs::recursive_directory_iterator entry(folder, problem), last; !problem && entry != last;
         entry.increment(problem)) {
        std::error_code ignored;
        if (entry->is_regular_file(ignored)) {
            files.push_back(entry->path());
        }
    }
    std::sort(files.begin(), files.end());
    return files;
}

std::vector<fs::path> folders_in(const fs::path& dir) {
    std::vector<fs::path> folders;
    std::error_code problem;
    for (fs::directory_iterator entry(dir, problem), last; !problem && entry != last; entry.increment(problem)) {
        std::error_code ignored;
        if (fs::exists(entry->path() / "exercise.md", ignored)) {
            folders.push_back(entry->path());
        }
    }
    std::sort(folders.begin(), folders.end());
    return folders;
}

std::string trimmed(const std::string& text) {
    const auto begin = text.find_first_not_of(" \t\r");
    return begin == std::string::npos ? "" : text.substr(begin, text.find_last_not_of(" \t\r") - begin + 1);
}

core::Result<Solution> load_solution(const fs::path& file) {
    Solution solution;
    solution.file = file;
    const auto text = bytes_of(file);
    if (!text) {
        return unreadable("the solution cannot be read", file);
    }
    bool judged = false;
    for (std::size_t at = 0; at < text->size();) {
        const auto end = std::min(text->find('\n', at), text->size());
        const std::string line = trimmed(text->substr(at, end - at));
        at = end + 1;
        if (line.empty() || line[0] != '#') {
            break;
        }
        const std::string words = trimmed(line.substr(1));
        if (words == "right" || words == "wrong") {
            judged = true;
            solution.right = words == "right";
        } else if (words.starts_with("says:")) {
            solution.says.push_back(trimmed(words.substr(5)));
        } else if (words.starts_with("fails:")) {
            std::string left = words.substr(6) + ",";
            for (auto comma = left.find(','); comma != std::string::npos; comma = left.find(',')) {
                solution.fails.push_back(trimmed(left.substr(0, comma)));
                left.erase(0, comma + 1);
            }
        }
    }
    if (!judged) {
        return unreadable("the solution must begin with the comment # right or # wrong", file);
    }
    if (!solution.right && (solution.fails.empty() || solution.says.empty())) {
        return unreadable("a wrong solution needs the comments # fails: CHECK and # says: WORDS", file);
    }
    return solution;
}

}  // namespace

// FNV-1a. It tells versions of an exercise apart, and is no protection against forgery.
std::string hash_of(std::string_view bytes) {
    std::uint64_t hash = 0xcbf29ce484222325u;
    for (const char c : bytes) {
        hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
    }
    char text[20];
    std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(hash));
    return text;
}

core::Result<Exercise> load_exercise(const fs::path& folder) {
    const fs::path file = folder / "exercise.md";
    const auto content = bytes_of(file);
    if (!content) {
        return unreadable("there is no exercise.md that can be read", file);
    }
    auto exercise = parse_exercise(*content, file.string());
    if (!exercise) {
        return exercise;
    }
    std::error_code ignored;
    for (const fs::path& needed : {exercise->start(), exercise->reference()}) {
        if (!fs::is_regular_file(needed, ignored)) {
            return unreadable("its program " + fs::relative(needed, folder, ignored).string() + " is not in its folder",
                              file);
        }
    }
    const std::string name = folder.filename().string();
    exercise->number = std::atoi(name.c_str());
    std::string all;
    for (const fs::path& part : files_below(folder)) {
        all += fs::relative(part, folder, ignored).string() + '\0' + bytes_of(part).value_or("") + '\0';
    }
    exercise->hash = hash_of(all);
    return exercise;
}

std::vector<Exercise> load_exercises(const fs::path& dir, std::vector<core::Error>* refused) {
    std::vector<Exercise> exercises;
    for (const fs::path& folder : folders_in(dir)) {
        auto exercise = load_exercise(folder);
        const auto same_id = std::find_if(exercises.begin(), exercises.end(),
                                          [&](const Exercise& other) { return exercise && other.id == exercise->id; });
        if (same_id != exercises.end()) {
            exercise = unreadable("the id " + exercise->id + " is already used by " + same_id->file, exercise->file);
        }
        if (exercise) {
            exercises.push_back(std::move(*exercise));
        } else if (refused != nullptr) {
            refused->push_back(exercise.error());
        }
    }
    std::stable_sort(exercises.begin(), exercises.end(),
                     [](const Exercise& a, const Exercise& b) { return a.number < b.number; });
    return exercises;
}

core::Result<Exercise> find_exercise(const std::string& id_or_folder) {
    std::error_code ignored;
    if (fs::exists(fs::path(id_or_folder) / "exercise.md", ignored)) {
        return load_exercise(fs::absolute(id_or_folder, ignored).lexically_normal());
    }
    const auto assets = lesson::find_assets_dir();
    if (!assets) {
        return assets.error();
    }
    const fs::path dir = *assets / "exercises";
    for (const fs::path& folder : folders_in(dir)) {
        const std::string name = folder.filename().string();
        const auto dash = name.find('-');
        if ((dash == std::string::npos ? name : name.substr(dash + 1)) == id_or_folder) {
            auto exercise = load_exercise(folder);
            if (!exercise || exercise->id == id_or_folder) {
                return exercise;
            }
        }
    }
    std::string known;
    for (Exercise& exercise : load_exercises(dir)) {  // a folder may have another name than its exercise
        if (exercise.id == id_or_folder) {
            return std::move(exercise);
        }
        known += (known.empty() ? "" : ", ") + exercise.id;
    }
    return core::Error{core::ErrorKind::usage, "there is no exercise \"" + id_or_folder.substr(0, 60) +
                                                   (known.empty() ? "\"" : "\"; there are: " + known)};
}

core::Result<std::vector<Solution>> load_solutions(const Exercise& exercise) {
    std::vector<Solution> solutions;
    for (const fs::path& file : files_below(exercise.folder / "solutions")) {
        if (file.extension() != ".py" && file.extension() != ".ipynb") {
            continue;
        }
        auto solution = load_solution(file);
        if (!solution) {
            return solution.error();
        }
        for (const std::string& id : solution->fails) {
            if (id != kRuns && std::none_of(exercise.checks.begin(), exercise.checks.end(),
                                            [&](const Check& check) { return check.id == id; })) {
                return unreadable("it names the check \"" + id.substr(0, 60) + "\", which the exercise does not have",
                                  file);
            }
        }
        solutions.push_back(std::move(*solution));
    }
    return solutions;
}

}  // namespace headway::check
