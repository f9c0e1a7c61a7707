// headway check --selftest: the exercises themselves. Each has at least one right and five wrong solutions that get the
// verdicts and words that they say; the program to start from does not pass; and every mutant of the reference fails,
// or is declared to be equivalent.
#include <unistd.h>

#include <algorithm>
#include <filesystem>

#include "app/check/mutants.h"
#include "app/runner/commands/check_parts.h"
#include "app/runner/commands/commands.h"
#include "app/runner/commands/grader.h"
#include "app/runner/execution/interrupt.h"
#include "engine/core/system/output_file.h"

namespace headway::runner {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t kLeastRight = 1, kLeastWrong = 5;
constexpr const char* kKey = "selftest";  // the same hidden cases for all solutions and mutants, so that the reference
                                          // runs once

class SelfTest {
public:
    SelfTest(check::Exercise exercise, const std::string& key)
        : grader_(std::move(exercise)), key_(key.empty() ? kKey : key) {}

    // True if everything is as it should be. Fails if something cannot be run.
    core::Result<bool> run(bool with_mutants) {
        const check::Exercise& exercise = grader_.exercise();
        auto solutions = check::load_solutions(exercise);
        if (!solutions) {
            return solutions.error();
        }
        std::size_t right = 0, wrong = 0;
        for (const check::Solution& solution : *solutions) {
            (solution.right ? right : wrong) += 1;
            auto report = grader_.check(solution.file, solution.file.filename().string(), key_);
            if (!report) {
                return report.error();
            }
            judge(solution, *report);
        }
        if (right < kLeastRight || wrong < kLeastWrong) {
            complain("solutions", "an exercise needs at least " + std::to_string(kLeastRight) + " right and " +
                                      std::to_string(kLeastWrong) + " wrong solutions; it has " +
                                      std::to_string(right) + " and " + std::to_string(wrong));
        }
        auto start = grader_.check(exercise.start(), "start.py", key_);
        if (!start) {
            return start.error();
        }
        if (start->passed()) {
            complain("start.py", "the program to start from passes, so there is nothing to do");
        } else if (start->checks.front().outcome != check::Outcome::passed) {
            complain("start.py", "the program to start from does not run: " + start->checks.front().sentence);
        }
        std::size_t mutants = 0;
        if (with_mutants) {
            auto tried = try_mutants();
            if (!tried) {
                return tried.error();
            }
            mutants = *tried;
        }
        if (auto printed =
                print(exercise.id + ": " + std::to_string(right) + " right, " + std::to_string(wrong) + " wrong, " +
                      std::to_string(mutants) + " mutants, " + std::to_string(complaints_) + " complaints\n");
            !printed) {
            return printed.error();
        }
        return complaints_ == 0;
    }

private:
    void complain(const std::string& what, const std::string& words) {
        ++complaints_;
        // If this fails, so does printing the sums, which the caller reports.
        [[maybe_unused]] const auto printed = print(grader_.exercise().id + ": " + what + ": " + words + "\n");
    }

    void judge(const check::Solution& solution, const check::CheckReport& report) {
        const std::string name = solution.file.filename().string();
        if (solution.right) {
            if (!report.passed()) {
                const auto failed = std::find_if(report.checks.begin(), report.checks.end(), [](const auto& check) {
                    return check.outcome != check::Outcome::passed;
                });
                complain(name, "it is right, but check " + failed->id + ": " + failed->sentence);
            }
            return;
        }
        if (report.passed()) {
            complain(name, "it is wrong, and passes");
            return;
        }
        std::string words = report.sentence;
        for (const check::CheckResult& check : report.checks) {
            words += " " + check.sentence;
            const bool wanted =
                std::find(solution.fails.begin(), solution.fails.end(), check.id) != solution.fails.end();
            if (wanted && check.outcome != check::Outcome::failed) {
                complain(name, "check " + check.id + " should fail: it is " + check::word_of(check.outcome));
            }
            if (!wanted && check.outcome == check::Outcome::failed) {
                complain(name, "check " + check.id + " should not fail: " + check.sentence);
            }
        }
        for (const std::string& said : solution.says) {
            if (words.find(said) == std::string::npos) {
                complain(name, "the verdict should say \"" + said + "\"; it says: " + words);
            }
        }
    }

    // Returns the number of mutants.
    core::Result<std::size_t> try_mutants() {
        const check::Exercise& exercise = grader_.exercise();
        auto lines = lines_of_program(exercise.reference());
        if (!lines) {
            return lines.error();
        }
        std::vector<std::string> parameters;
        for (const check::Choice& choice : exercise.cases.front().choices) {
            parameters.push_back(choice.name);
        }
        std::vector<bool> used(exercise.equivalents.size(), false);
        const auto mutants = check::mutants_of(*lines, parameters);
        for (const check::Mutant& mutant : mutants) {
            if (Interrupts::count() > 0) {
                return core::Error{core::ErrorKind::stopped, "stopped", {}, 0, 0};
            }
            auto passes = mutant_passes(mutant);
            if (!passes) {
                return passes.error();
            }
            const auto declared =
                std::find_if(exercise.equivalents.begin(), exercise.equivalents.end(),
                             [&](const check::Equivalent& equivalent) { return equivalent.mutant == mutant.name; });
            if (declared != exercise.equivalents.end()) {
                used[static_cast<std::size_t>(declared - exercise.equivalents.begin())] = true;
                if (!*passes) {
                    complain("mutant", "\"" + mutant.name + "\" is declared to be equivalent, and fails");
                }
            } else if (*passes) {
                complain("mutant", "\"" + mutant.name + "\" passes, and is not declared to be equivalent");
            }
        }
        for (std::size_t i = 0; i < used.size(); ++i) {
            if (!used[i]) {
                complain("mutant", "there is no mutant \"" + exercise.equivalents[i].mutant + "\"");
            }
        }
        return mutants.size();
    }

    core::Result<bool> mutant_passes(const check::Mutant& mutant) {
        std::error_code problem;
        const fs::path file = fs::temp_directory_path(problem) / ("headway-mutant-" + std::to_string(getpid()) + ".py");
        if (auto written = core::write_whole(file.string(), mutant.text); !written) {
            return written.error();
        }
        auto report = grader_.check(file, "mutant.py", key_, true);
        fs::remove(file, problem);
        if (!report) {
            return report.error();
        }
        return report->passed();
    }

    Grader grader_;
    std::string key_;
    std::size_t complaints_ = 0;
};

}  // namespace

int check_selftest(const CheckOptions& options) {
    std::vector<check::Exercise> exercises;
    std::vector<core::Error> refused;
    if (options.exercise.empty()) {
        auto all = all_exercises(refused);
        if (!all) {
            return fail(all.error());
        }
        exercises = std::move(*all);
    } else {
        auto one = check::find_exercise(options.exercise);
        if (!one) {
            return fail(one.error());
        }
        exercises.push_back(std::move(*one));
    }
    bool good = refused.empty();
    for (const core::Error& error : refused) {
        fail(error);
    }
    for (check::Exercise& exercise : exercises) {
        auto result = SelfTest(std::move(exercise), options.key).run(options.mutants);
        if (!result) {
            return fail(result.error());
        }
        good = good && *result;
    }
    return good ? kDone : kProgramFailed;
}

}  // namespace headway::runner
