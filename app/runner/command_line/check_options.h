// The options of `headway check`.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "app/runner/command_line/command_line.h"
#include "engine/core/result.h"

namespace headway::runner {

struct RawCheckOptions {
    CheckOptions options;
    std::string hints, jobs;
    bool no_mutants = false;
};

void add_check_options(CLI::App& app, RawCheckOptions& raw);
core::Result<CheckOptions> checked(const RawCheckOptions& raw);

}  // namespace headway::runner
