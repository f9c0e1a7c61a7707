// The subcommands. Each reports errors on stderr and returns the process's exit status.
//
// Threads: the main thread.
#pragma once

#include <string>
#include <vector>

#include "app/comparison/verdict.h"
#include "app/model/run/run.h"
#include "app/runner/command_line/command_line.h"
#include "app/runner/execution/job.h"
#include "app/runner/execution/messages.h"
#include "engine/core/result.h"
#include "engine/core/system/output_file.h"

namespace headway::runner {

int run_command(const RunOptions& options);
int repeat_command(const RunOptions& options);
int compare_command(const CompareOptions& options);
int explore_command(const ExploreOptions& options);
int explain_command(const std::string& trace);
int figure_command(const std::string& trace, const std::string& file, const FigureRequest& request);
int check_command(const CheckOptions& options);
int lessons_command(bool json);
int devices_command(bool json);
int bench_command(bool json);

// Reads a complete recording into a model.
core::Result<std::unique_ptr<model::Run>> read_run(const trace::Recording& recording);

// Reads a trace file into a model; reports on stderr what was repaired or left out.
core::Result<std::unique_ptr<model::Run>> read_recorded(const std::string& path);

// Checks before a long run that the requested outputs can be written: all paths differ, and none is one of the
// `inputs`.
core::Result<void> check_outputs(const std::string& report, const std::string& trace, const std::string& figure,
                                 const FigureRequest& request, const std::vector<std::string>& inputs = {});
// The same for the outputs of a run. Also prints the job's notes.
core::Result<void> announce(const Job& job);
// Keeps the folders of the outputs open while programs run.
struct HeldOutputs {
    explicit HeldOutputs(const RunOptions& options)
        : report_file(options.report), trace_file(options.trace), figure_file(options.figure) {}
    core::HeldOutput report_file, trace_file, figure_file;
};

// Where to write an output. An incomplete run does not overwrite an existing file unless `replace` is set: the output
// then goes to a file next to it, which a message names.
std::string place_of(const std::string& path, bool replace, bool complete);
// Writes the report, trace and figure requested in `options`. Reports the first failure and returns its exit status.
// `report`: the report's text, if it is not the run's own.
int write_outputs(const RunOptions& options, const model::Run& run, const std::string& report = {});
// What the program wrote to stdout, as far as it was recorded.
std::string printed(const model::Run& run);
// What happened in the run and why: a few lines.
std::vector<std::string> explanation_lines(const model::Run& run);
// The same, on stderr.
void tell_explanation(const model::Run& run);
// `verdict`: of all runs that `a` and `b` stand for; null: computed from these two alone.
core::Result<void> write_figure(const std::string& path, const model::Run& a, const model::Run* b,
                                const FigureRequest& request, const comparison::Verdict* verdict = nullptr);

}  // namespace headway::runner
