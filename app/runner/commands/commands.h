// The subcommands. Each returns the process's exit status and has said on stderr what went wrong.
//
// Threads: the main thread.
#pragma once

#include <string>

#include "app/comparison/verdict.h"
#include "app/model/run/run.h"
#include "app/runner/execution/messages.h"
#include "app/runner/execution/options.h"
#include "engine/core/result.h"

namespace headway::runner {

int run_command(const RunOptions& options);
int repeat_command(const RunOptions& options);
int compare_command(const CompareOptions& options);
int figure_command(const std::string& trace, const std::string& file, const FigureWish& wish);
int lessons_command(bool json);
int devices_command(bool json);
int bench_command(bool json);

// The recording behind `fd`, complete, as a model.
core::Result<std::unique_ptr<model::Run>> read_run(int fd);
core::Result<std::unique_ptr<model::Run>> read_run(const trace::Recording& recording);

// A trace on disk as a model; what was mended or left out of it is told on stderr.
core::Result<std::unique_ptr<model::Run>> read_recorded(const std::string& path);

// Whether the outputs could be written as they are wished for, before a long run: none of them twice, and none over one
// of the `inputs`.
core::Result<void> check_outputs(const std::string& report, const std::string& trace, const std::string& figure,
                                 const FigureWish& wish, const std::vector<std::string>& inputs = {});
// The same for everything that is asked for: report, trace and figure of one run; the first that fails is told, and its
// exit status returned. `report`: the text, where it is not the run's own.
int write_outputs(const RunOptions& options, const model::Run& run, const std::string& report = {});
core::Result<void> write_text(const std::string& path, const std::string& text);
// `verdict`: of all runs of which `a` and `b` are one each; null: of these two alone.
core::Result<void> write_figure(const std::string& path, const model::Run& a, const model::Run* b,
                                const FigureWish& wish, const comparison::Verdict* verdict = nullptr);

}  // namespace headway::runner
