// headway check: one program, a folder of programs (check_folder.cpp), or the exercises themselves
// (check_selftest.cpp).
#include <filesystem>

#include "app/lesson/assets.h"
#include "app/runner/commands/check_parts.h"
#include "app/runner/commands/commands.h"
#include "app/runner/commands/grader.h"
#include "app/runner/execution/interrupt.h"
#include "app/runner/execution/words.h"
#include "engine/core/system/output_file.h"

namespace headway::runner {

namespace fs = std::filesystem;

namespace {

int list_exercises() {
    std::vector<core::Error> refused;
    const auto exercises = all_exercises(refused);
    if (!exercises) {
        return fail(exercises.error());
    }
    std::string text;
    for (const check::Exercise& exercise : *exercises) {
        text += left_aligned(exercise.id, 24) + " " + exercise.title + "\n";
    }
    const int status = print_result(text);
    for (const core::Error& error : refused) {
        fail(error);
    }
    return refused.empty() ? status : kUsage;
}

// The task, and the program to start from.
int show_task(const check::Exercise& exercise, const std::string& start) {
    if (!start.empty()) {
        std::error_code problem;
        fs::copy_file(exercise.start(), start, problem);
        if (problem) {
            return fail(usage_error(start + " cannot be written: " + problem.message()));
        }
        tell("wrote " + start + "; check it with: headway check " + exercise.id + " " + start);
        return kDone;
    }
    return print_result(exercise.title + "\n\n" + exercise.task + "\nStart from " + exercise.start().string() + "\n");
}

int check_one(check::Exercise exercise, const CheckOptions& options) {
    if (auto ready = check_result_file(exercise, options, {options.program}); !ready) {
        return fail(ready.error());
    }
    Grader grader(std::move(exercise));
    auto report = grader.check(options.program, options.program, options.key);
    if (!report) {
        return fail(report.error());
    }
    if (auto written = write_result(formatted({*report}, options), options.output); !written) {
        return fail(written.error());
    }
    return report->passed() ? kDone : kProgramFailed;
}

}  // namespace

core::Result<std::vector<check::Exercise>> all_exercises(std::vector<core::Error>& refused) {
    const auto assets = lesson::find_assets_dir();
    if (!assets) {
        return assets.error();
    }
    return check::load_exercises(*assets / "exercises", &refused);
}

std::string formatted(const std::vector<check::CheckReport>& reports, const CheckOptions& options) {
    if (options.format == "json") {
        return reports.size() == 1 ? check::as_json(reports.front()) : check::as_json(reports);
    }
    if (options.format == "junit") {
        return check::as_junit(reports);
    }
    if (options.format == "csv") {
        return check::as_csv(reports);
    }
    std::string text;
    for (const check::CheckReport& report : reports) {
        text += options.format == "gradescope" ? check::as_gradescope(report, options.hints)
                                               : (text.empty() ? "" : "\n") + check::as_text(report, options.hints);
    }
    return text;
}

core::Result<void> check_result_file(const check::Exercise& exercise, const CheckOptions& options,
                                     std::vector<std::string> programs) {
    for (const fs::path& file : {exercise.folder / "exercise.md", exercise.start(), exercise.reference()}) {
        programs.push_back(file.string());
    }
    return check_outputs(options.output, {}, {}, {}, programs);
}

core::Result<void> write_result(const std::string& text, const std::string& file) {
    return file.empty() ? print(text) : core::write_whole(file, text);
}

int check_command(const CheckOptions& options) {
    if (options.list) {
        return list_exercises();
    }
    const Interrupts interrupts;
    if (options.selftest) {
        return check_selftest(options);
    }
    auto exercise = check::find_exercise(options.exercise);
    if (!exercise) {
        return fail(exercise.error());
    }
    if (options.program.empty()) {
        return show_task(*exercise, options.start);
    }
    std::error_code ignored;
    if (fs::is_directory(options.program, ignored)) {
        return check_folder(*exercise, options);
    }
    if (!options.results.empty()) {
        return fail(usage_error("--results is for a folder of programs, and " + options.program + " is a file"));
    }
    return check_one(std::move(*exercise), options);
}

}  // namespace headway::runner
