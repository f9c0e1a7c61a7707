// The parts of `headway check`.
//
// Threads: the main thread.
#pragma once

#include <string>
#include <vector>

#include "app/check/exercise.h"
#include "app/check/result.h"
#include "app/runner/command_line/command_line.h"
#include "engine/core/result.h"

namespace headway::runner {

// The exercises among the assets. Invalid ones are left out and reported in `refused`.
core::Result<std::vector<check::Exercise>> all_exercises(std::vector<core::Error>& refused);

// In the format of the options.
std::string formatted(const std::vector<check::CheckReport>& reports, const CheckOptions& options);
// Checks before programs run that the file for the result can be written, and that it is neither one of `programs` nor
// a file of the exercise.
core::Result<void> check_result_file(const check::Exercise& exercise, const CheckOptions& options,
                                     std::vector<std::string> programs);
// To a file, or to stdout if `file` is empty.
core::Result<void> write_result(const std::string& text, const std::string& file);

// These report errors on stderr, and return the exit status.
int check_folder(const check::Exercise& exercise, const CheckOptions& options);
int check_selftest(const CheckOptions& options);

}  // namespace headway::runner
