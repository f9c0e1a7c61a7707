// A lesson: its title and text, the program that it runs, and the parameters that the learner may change.
//
// Lessons are data: one folder each under assets/lessons, NN-name/lesson.md, with a YAML front matter between two
// lines of dashes and then the text in Markdown. New lessons need no recompilation.
//
//     ---
//     id: increment
//     title: Ten thousand small steps
//     program: increment          # a built-in program, or a Python file in the lesson's folder: steps.py
//     tabs:                       # optional; the same lesson for other frameworks, chosen with --tab: mxnet, pytorch,
//                                 # tensorflow, or python (Headway's own module, beside a program in C++)
//       pytorch: steps_torch.py
//     device: cpu                 # optional; cpu, cuda or simulated
//     barrier: as-written         # optional; or none, op, minibatch, behind:K
//     costs: t1=1us,t2=0.95us     # optional; what steps take on the simulated device
//     streams: 1                  # optional; of a GPU, in place of the framework's number
//     gpus: 4                     # optional; how many GPUs the run has
//     links: ring                 # optional; between simulated ones: pcie, pairs or ring
//     gpu_speeds: [1, 1, 1, 0.5]  # optional; the speed of each of them, relative to the cost model
//     view: numbers               # optional; or output, queue, graph, threads: the tab shown when it is opened;
//                                 # formula: numbers, and a button that draws the chapter's formula
//     part: 2                     # optional; where the lesson is on the map: 1 to 4, see kParts
//     shows: Three stages         # optional; what it shows, in at most 48 characters
//     minutes: 5                  # optional; how long it takes
//     picture: --barrier none     # optional; options of the run whose timeline is its picture on the map
//     parameters:                 # optional; a built-in program keeps those that are not named here
//       n: {value: 10000, least: 1, most: 10000000, label: Steps, help: How many times y = x + 1 is issued}
//       wait: {value: once, choices: [once, each], label: Wait}
//     ---
//     The text. From the paragraph that begins with **Claim.** or **Look at** on, it is shown when the learner has run
//     the program. Paragraphs that begin with **Try.** or **Make.** are the last step of the lesson.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/lesson/parameter.h"
#include "engine/core/result.h"

namespace headway::lesson {

// The parts of the map of lessons.
inline constexpr std::array<const char*, 4> kParts{"Returning is not finishing", "Barriers and blockers",
                                                   "Memory is the price", "Streams and devices"};

// A member for each key of the front matter, the text, and the lines of the file in which they stand.
struct Lesson {
    std::string id;
    int number = 0;  // from the folder's name
    std::string title;
    // The text, Markdown: what the program does, and perhaps a question; what a run shows; what to change and to make.
    std::string text, claim_text, try_text;
    int part = 0;         // of the map, from 1; 0: not on the map
    std::string shows;    // on the map
    int minutes = 0;      // 0: not known
    std::string program;  // a built-in program, or a Python file in the lesson's folder
    std::vector<std::pair<std::string, std::string>> tabs;  // mxnet, python, pytorch or tensorflow, and its file
    std::string device = "cpu";
    std::string barrier = "as-written";
    std::string costs;               // for the simulated device, as on the command line; empty: from its cost models
    std::uint32_t streams = 0;       // of a GPU; 0: the framework's number
    std::uint32_t gpus = 1;          // of the run
    std::string links;               // between them, as on the command line; empty: the default
    std::vector<double> gpu_speeds;  // of each, relative to the cost model; empty: all 1
    std::string view = "numbers";
    std::vector<Parameter> parameters;
    std::string file;      // the file that it was read from
    std::string exercise;  // the id of the exercise that this is; empty: a lesson
    // Line numbers in that file: of each parameter, each tab, id and program.
    std::vector<std::uint32_t> lines, tab_lines;
    std::uint32_t id_line = 1, program_line = 1;

    // The Python file to run for a tab (empty: the lesson's own); empty for a built-in program or an unknown tab.
    [[nodiscard]] std::filesystem::path python_file(const std::string& tab = {}) const;
    // The line that names that file.
    [[nodiscard]] std::uint32_t line_of(const std::string& tab) const;
};

// Parses the text of a lesson's file. `file` is only used in errors, which have file and line.
core::Result<Lesson> parse_lesson(const std::string& content, const std::string& file);

// Loads a lesson from its folder (lesson.md). Errors have the file, and the line if known.
core::Result<Lesson> load_lesson(const std::filesystem::path& folder);

// The folder NN-`id` in `dir`, the first one by name; empty if there is none.
std::optional<std::filesystem::path> find_lesson_folder(const std::filesystem::path& dir, const std::string& id);

// All lessons in the folder, by number. Invalid ones are left out and reported in `refused`. Fails only if the
// folder cannot be read.
core::Result<std::vector<Lesson>> load_lessons(const std::filesystem::path& dir,
                                               std::vector<core::Error>* refused = nullptr);

}  // namespace headway::lesson
