// An exercise: a task, a program to start from, the cases in which a learner's program is run, and the checks that it
// must pass.
//
// Exercises are data, one folder each under assets/exercises: NN-name/exercise.md (a YAML front matter between two
// lines of dashes, then the task in Markdown), start.py, and solutions/*.py. docs/exercises.md describes them.
//
// Threads: any; an exercise does not change once it is loaded.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/expression/expression.h"
#include "engine/core/result.h"

namespace headway::check {

// Where the values of a parameter come from. One value, several to choose from, or a range.
struct Choice {
    std::string name;
    std::vector<std::string> values;  // as for --set; empty: the range
    std::int64_t least = 0, most = 0;
    std::uint32_t line = 0;
};

// One run of the program. The values of a hidden case are drawn (draw_cases() in case.h), and no message contains them.
struct CasePlan {
    bool hidden = false;
    std::vector<Choice> choices;
};

struct Check {
    std::string id, title, why;
    std::optional<expression::Expression> pass;  // always there after parsing
    expression::Sentence fail;
    std::optional<expression::Expression> at;  // the op, wait or line to blame
    std::vector<std::string> hints;
    std::vector<std::string> needs;  // checks that must pass before this one can be judged
    bool partial = false;            // also judged if the program did not end
    double points = 1;
    std::uint32_t line = 0;  // in the exercise's file
};

struct Limits {
    std::uint64_t time_ms = 5'000, memory_bytes = 1'000'000'000, output_bytes = 1'000'000;
};

// A program in the exercise's folder that the self-test grades. Its first lines are comments that say what it must get:
//   # right   or   # wrong
//   # fails: CHECK, CHECK        the checks that it must fail; the others must not fail
//   # says: WORDS                words of the verdict; may be repeated
struct Solution {
    std::filesystem::path file;
    bool right = false;
    std::vector<std::string> fails, says;
};

// A mutant of the reference that passes, and why that is right.
struct Equivalent {
    std::string mutant, why;
    std::uint32_t line = 0;
};

struct Exercise {
    std::string id, title, task, version;
    std::string lesson;  // the lesson that it belongs to, or ""
    int number = 0;      // from the folder's name
    std::filesystem::path folder;
    std::string file;                         // exercise.md, for messages
    std::string device = "simulated", costs;  // as for headway run; costs may contain parameters in braces
    std::uint32_t streams = 0;                // 0: the framework's
    std::string budget;                       // as for headway run, or ""
    std::vector<std::string> results;         // top-level names whose values are compared
    std::vector<CasePlan> cases;              // at least one
    std::vector<std::pair<std::string, expression::Expression>> let;  // named values, each may use those before it
    std::vector<Check> checks;
    std::vector<Equivalent> equivalents;
    Limits limits;
    std::string hash;  // of all files of the folder

    [[nodiscard]] std::filesystem::path start() const { return folder / "start.py"; }
    [[nodiscard]] std::filesystem::path reference() const { return folder / "solutions" / "reference.py"; }
    [[nodiscard]] double points() const;
};

// The check that every exercise begins with: the program runs to its end, and is one that may be graded.
inline constexpr const char* kRuns = "runs";

// Parses the text of exercise.md. Errors have file and line. Neither solutions nor hash are read.
core::Result<Exercise> parse_exercise(const std::string& content, const std::string& file);

// Errors have the file, and the line if known.
core::Result<Exercise> load_exercise(const std::filesystem::path& folder);

// All exercises of a folder, by number. Invalid ones, and those with the id of another, are left out and reported in
// `refused`.
std::vector<Exercise> load_exercises(const std::filesystem::path& dir, std::vector<core::Error>* refused = nullptr);

// The exercise with this id, or in this folder. The error lists those that exist.
core::Result<Exercise> find_exercise(const std::string& id_or_folder);

core::Result<std::vector<Solution>> load_solutions(const Exercise& exercise);

// 16 hexadecimal digits; equal for equal bytes.
std::string hash_of(std::string_view bytes);

}  // namespace headway::check
