// headway explain and headway figure: what a trace file shows, in words and as a picture.
#include "app/exchange/chrome/chrome_reader.h"
#include "app/runner/commands/commands.h"

namespace headway::runner {

core::Result<std::unique_ptr<model::Run>> read_recorded(const std::string& path) {
    auto trace = exchange::read_trace(path);
    if (!trace) {
        return trace.error();
    }
    for (const std::string& note : trace->notes) {
        tell(path + ": " + note);
    }
    return std::move(trace->run);
}

int explain_command(const std::string& trace) {
    auto run = read_recorded(trace);
    if (!run) {
        return fail(run.error());
    }
    std::string text;
    for (const std::string& line : explanation_lines(**run)) {
        text += line + "\n";
    }
    return print_result(text);
}

int figure_command(const std::string& trace, const std::string& file, const FigureRequest& request) {
    if (auto possible = check_outputs("", "", file, request, {trace}); !possible) {
        return fail(possible.error());
    }
    auto run = read_recorded(trace);
    if (!run) {
        return fail(run.error());
    }
    if (auto written = write_figure(file, **run, nullptr, request); !written) {
        return fail(written.error());
    }
    return kDone;
}

}  // namespace headway::runner
