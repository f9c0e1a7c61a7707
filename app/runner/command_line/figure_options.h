// The options of a figure on the command line; for command_line.cpp and run_options.cpp.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "app/runner/execution/options.h"
#include "engine/core/result.h"

namespace headway::runner {

// The strings from CLI11, not checked yet.
struct RawFigureOptions {
    std::string size, theme, scale, from, to, title, lanes, seconds, fps;
};

// Adds the options: `prefix` is empty for `headway figure` and "figure-" for the others (--figure-size and so on).
void add_figure_options(CLI::App& app, RawFigureOptions& raw, const std::string& prefix);

// Refuses the options where no figure is asked for. Errors are of kind usage.
core::Result<FigureRequest> checked(const RawFigureOptions& raw, const std::string& prefix, bool has_figure);

}  // namespace headway::runner
