// Runs the programs of an exercise, and has them judged: each run in a process of its own, confined, with limits, and
// with its output kept from the terminal. This process only reads the recording.
//
// Threads: the main thread, with Interrupts.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "app/check/case.h"
#include "app/check/exercise.h"
#include "app/check/judge.h"
#include "app/check/result.h"
#include "app/session/temporary_folder.h"
#include "engine/core/result.h"

namespace headway::runner {

class Grader {
public:
    explicit Grader(check::Exercise exercise);

    [[nodiscard]] const check::Exercise& exercise() const { return exercise_; }
    // `name`: the program's in the report. `key` chooses the hidden cases; empty: the program's text does. `brief`:
    // ends with the first case that shows that the program does not pass. Fails if the program's file cannot be read,
    // or the exercise is broken; what is wrong with the program is in the report.
    core::Result<check::CheckReport> check(const std::filesystem::path& program, const std::string& name,
                                           const std::string& key = {}, bool brief = false);

private:
    struct Ran {
        std::shared_ptr<const check::RunData> data;
        check::CaseEnd ending;
    };
    core::Result<Ran> run(const std::filesystem::path& program, const check::Case& with) const;
    // The reference's run in a case. Of equal cases it is run once.
    core::Result<std::shared_ptr<const check::RunData>> reference(const check::Case& with);

    check::Exercise exercise_;
    session::TemporaryFolder folder_;
    std::vector<std::pair<check::Case, std::shared_ptr<const check::RunData>>> references_;
};

// The lines of a program's text, also of a notebook. Errors are of kind unreadable.
core::Result<std::vector<std::string>> lines_of_program(const std::filesystem::path& file);

}  // namespace headway::runner
