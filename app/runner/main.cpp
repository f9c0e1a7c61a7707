// headway-runner: the process in which programs run. `headway` executes it for the subcommands that need no window, and
// starts one for each run.
#include <signal.h>

#include <cstdio>
#include <exception>
#include <string>
#include <vector>

#include "app/runner/commands/commands.h"
#include "engine/core/system/process_limits.h"
#include "engine/core/system/standard_fds.h"

namespace {

using namespace headway::runner;

int dispatch(const std::vector<std::string>& arguments) {
    const auto line = parse_command_line(arguments);
    if (!line) {
        return fail(line.error());
    }
    switch (line->subcommand) {
        case Subcommand::help:
            return print_result(line->text);
        case Subcommand::version:
            return print_result("headway " HEADWAY_VERSION "\n");
        case Subcommand::run:
            return line->run.repeat > 1 ? repeat_command(line->run) : run_command(line->run);
        case Subcommand::compare:
            return compare_command(line->compare);
        case Subcommand::explore:
            return explore_command(line->explore);
        case Subcommand::lessons:
            return lessons_command(line->json);
        case Subcommand::devices:
            return devices_command(line->json);
        case Subcommand::bench:
            return bench_command(line->json);
        case Subcommand::explain:
            return explain_command(line->words[0]);
        case Subcommand::figure:
            return figure_command(line->words[0], line->words[1], line->figure);
        case Subcommand::check:
            return check_command(line->check);
    }
    return kUsage;
}

}  // namespace

int main(int argc, char** argv) {
    headway::core::ensure_standard_fds();
    signal(SIGXFSZ, SIG_IGN);  // exceeding the file size limit becomes an error of write()
    if (auto enough = headway::core::ensure_stack(); !enough) {
        return fail(enough.error());
    }
    int status = kProgramFailed;
    try {
        status = dispatch(std::vector<std::string>(argv + (argc > 0 ? 1 : 0), argv + argc));
    } catch (const std::exception& problem) {
        tell(std::string("an unexpected problem: ") + problem.what());
    }
    return status;
}
