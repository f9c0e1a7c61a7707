#include "app/runner/command_line/command_line.h"

#include <CLI/CLI.hpp>
#include <algorithm>

#include "app/runner/command_line/check_options.h"
#include "app/runner/command_line/figure_options.h"
#include "app/runner/command_line/run_options.h"
#include "app/runner/execution/words.h"

namespace headway::runner {

namespace {

// Rewrites an error of CLI11 as one of our sentences.
core::Error complaint(const CLI::App& app, const CLI::ParseError& problem, const std::string& command) {
    const std::string see = "; see " + command + " --help";
    if (dynamic_cast<const CLI::ExtrasError*>(&problem) != nullptr) {
        const auto extras = app.remaining(true);
        const std::string extra = extras.empty() ? std::string("an argument") : extras.front().substr(0, 60);
        const bool is_option = !extra.empty() && extra[0] == '-';
        return {core::ErrorKind::usage,
                (is_option ? "unknown option " : "unexpected argument ") + extra + " for " + command + see};
    }
    std::string text = problem.what();
    text = text.substr(0, text.find('\n'));
    return {core::ErrorKind::usage, text.substr(0, 200) + see};
}

// The arguments given for both sides that this side does not override.
std::vector<std::string> words_for_side(const std::vector<CLI::Option*>& of_both, const CLI::App& side,
                                        const std::vector<std::string>& set) {
    std::vector<std::string> words;
    for (const CLI::Option* option : of_both) {
        const std::string name = option->get_name();
        for (const std::string& value : option->results()) {
            const std::string parameter = value.substr(0, value.find('=') + 1);  // of --set: "NAME="
            bool said = side.count(name) > 0;
            if (name == "--set") {
                said = value.find('=') != std::string::npos &&
                       std::any_of(set.begin(), set.end(),
                                   [&](const std::string& own) { return own.starts_with(parameter); });
            }
            if (!said) {
                words.insert(words.end(), {name, value});
            }
        }
    }
    return words;
}

// Parses the options of one side together with those given for both. A single word that is not an option is the path of
// a trace.
core::Result<RunOptions> parse_side(const std::string& text, const char* side, const std::string& program,
                                    const std::vector<CLI::Option*>& of_both, std::vector<std::string>& words,
                                    std::string& trace) {
    const auto in_side = [&](core::Error error) {
        error.message = "in " + std::string(side) + ": " + error.message;
        return error;
    };
    auto split = split_options(text);
    if (!split) {
        return in_side(split.error());
    }
    words = *split;
    if (words.size() == 1 && !words[0].empty() && words[0][0] != '-') {
        trace = words[0];  // options for both sides are for those that are run
        return RunOptions{};
    }
    CLI::App app;
    app.set_help_flag();
    RawRunOptions raw;
    add_run_options(app, raw);
    try {
        app.parse(std::vector<std::string>(words.rbegin(), words.rend()));
        const auto more = words_for_side(of_both, app, raw.set);
        words.insert(words.begin(), more.begin(), more.end());
        raw = {};
        app.parse(std::vector<std::string>(words.rbegin(), words.rend()));
    } catch (const CLI::ParseError& problem) {
        return in_side(complaint(app, problem, "headway run"));
    }
    if (!raw.repeat.empty()) {
        return in_side({core::ErrorKind::usage, "--repeat is for both sides: headway compare PROGRAM --repeat N"});
    }
    if (raw.answers) {
        return in_side({core::ErrorKind::usage, "--answers is for one run: headway run PROGRAM --answers"});
    }
    if (raw.explain) {
        return in_side({core::ErrorKind::usage, "--explain is for one run: headway run PROGRAM --explain"});
    }
    if (!raw.trace.empty()) {
        return in_side({core::ErrorKind::usage, "--trace is for one run: headway run PROGRAM --trace FILE"});
    }
    for (const CLI::Option* option : app.get_options()) {
        const std::string name = option->get_name();
        if (option->count() > 0 && (name == "--report" || name.starts_with("--figure"))) {
            return in_side({core::ErrorKind::usage, name + " is for both sides: headway compare PROGRAM " + name});
        }
    }
    if (!raw.trace_fd.empty()) {
        return in_side({core::ErrorKind::usage, "--trace-fd is not for a comparison"});
    }
    if (!raw.confine.empty()) {
        return in_side({core::ErrorKind::usage, "--confine is not for a comparison"});
    }
    auto options = checked(raw, app);
    if (!options) {
        return in_side(options.error());
    }
    if (options->order != 0) {
        return in_side({core::ErrorKind::usage, "--order gives ops random times, which cannot be compared"});
    }
    options->program = program;
    return options;
}

}  // namespace

core::Result<CommandLine> parse_command_line(const std::vector<std::string>& arguments) {
    CommandLine line;
    CLI::App app(
        "Shows how far the frontend runs ahead of the backend, and what barriers and memory have to do with it.",
        "headway");
    app.require_subcommand(1);
    bool version = false;
    app.add_flag("--version", version, "Print the version");

    RawRunOptions raw;
    auto* run = app.add_subcommand("run", "Run a program without a window");
    run->add_option("PROGRAM", raw.program, "a lesson's id or its folder, or a .py, .ipynb or .md file")->required();
    add_run_options(*run, raw);

    std::string side_a, side_b, repeat_sides;
    RawRunOptions raw_both;
    RawFigureOptions raw_compared, raw_figure;
    auto* compare = app.add_subcommand("compare", "Two runs on one time axis");
    compare->add_option("PROGRAM", line.compare.program, "as for run; not needed for two traces");
    compare->add_option("--a", side_a, "options of run A, in one string; or a trace on disk")->required();
    compare->add_option("--b", side_b, "options of run B, in one string; or a trace on disk")->required();
    const auto settings = add_settings(*compare, raw_both);
    for (CLI::Option* option : settings) {
        option->group("For both runs, unless --a or --b sets another value");
    }
    compare->add_option("--repeat", repeat_sides,
                        "N: run each once to warm up, then N times in turn, and compare the medians (default: 5; "
                        "simulated: once)");
    compare->add_option("--figure", line.compare.figure,
                        "FILE.png, .svg or .pdf: both timelines; animation: .gif, .mp4 or frame-%04d.png");
    add_figure_options(*compare, raw_compared, "figure-");
    compare->add_option("--report", line.compare.report, "FILE.json, or - for standard output: the numbers of both")
        ->transform(dash_is_standard_output());
    compare->add_flag("--replace", line.compare.replace,
                      "what a comparison with an incomplete run writes replaces files of earlier ones, too");

    std::string explore_orders, explore_seed;
    RawRunOptions raw_explored;
    auto* explore = app.add_subcommand("explore", "One program in many orders of its ops: do the outcomes differ?");
    explore->add_option("PROGRAM", line.explore.program, "as for run")->required();
    explore->add_option("--orders", explore_orders, "N: how many orders (default: 100)");
    explore->add_option("--first", explore_seed, "SEED of the first order; the others follow (default: 1)");
    explore->add_option("--report", line.explore.report, "FILE.json, or - for standard output: outcomes and races")
        ->transform(dash_is_standard_output());
    explore->add_flag("--replace", raw_explored.replace,
                      "what an incomplete exploration writes replaces the file of an earlier one, too");
    auto explored = add_settings(*explore, raw_explored);
    // Refused below, except --device simulated, so not in the help.
    std::erase_if(explored, [](CLI::Option* option) {
        const bool chosen_here = option->get_name() == "--device" || option->get_name() == "--order";
        if (chosen_here) {
            option->group("")->take_last();
        }
        return chosen_here;
    });

    std::string file_in, file_out;
    auto* explain = app.add_subcommand("explain", "What happened in a recorded run, and why");
    explain->add_option("TRACE", file_in, "FILE.json or FILE.json.gz")->required();

    auto* figure = app.add_subcommand("figure", "A figure from a trace on disk");
    figure->add_option("TRACE", file_in, "FILE.json or FILE.json.gz")->required();
    figure->add_option("-o", file_out, "FILE.png, .svg, .pdf; animation: .gif, .mp4 (with ffmpeg) or frame-%04d.png")
        ->required();
    add_figure_options(*figure, raw_figure, "");

    RawCheckOptions raw_check;
    auto* check = app.add_subcommand("check", "Check a learner's program, or a folder of them");
    add_check_options(*check, raw_check);

    auto* lessons = app.add_subcommand("lessons", "List the lessons");
    lessons->add_flag("--json", line.json, "as JSON");
    auto* devices = app.add_subcommand("devices", "List the devices, and why one is not available");
    devices->add_flag("--json", line.json, "as JSON");
    auto* bench = app.add_subcommand("bench", "The engine's own costs on this machine");
    bench->add_flag("--json", line.json, "as JSON");

    std::string command = "headway";
    for (const auto& argument : arguments) {
        if (!argument.empty() && argument[0] != '-') {
            const auto known = app.get_subcommands([&](const CLI::App* sub) { return sub->get_name() == argument; });
            if (!known.empty()) {
                command += " " + argument;
            } else {
                return usage_error("unknown command " + argument.substr(0, 60) + "; see headway --help");
            }
            break;
        }
    }
    try {
        app.parse(std::vector<std::string>(arguments.rbegin(), arguments.rend()));
    } catch (const CLI::CallForHelp&) {
        const auto parsed = app.get_subcommands();
        line.text = parsed.empty() ? app.help() : parsed.front()->help("headway");
        return line;
    } catch (const CLI::CallForAllHelp&) {
        line.text = app.help();
        return line;
    } catch (const CLI::ParseError& problem) {
        if (version) {
            line.subcommand = Subcommand::version;
            return line;
        }
        return complaint(app, problem, command);
    }
    if (version) {
        line.subcommand = Subcommand::version;
    } else if (run->parsed()) {
        line.subcommand = Subcommand::run;
        auto options = checked(raw, *run);
        if (!options) {
            return options.error();
        }
        line.run = *options;
    } else if (compare->parsed()) {
        line.subcommand = Subcommand::compare;
        auto& options = line.compare;
        auto request = checked(raw_compared, "figure-", !options.figure.empty());
        if (!request) {
            return request.error();
        }
        options.figure_request = *request;
        auto a = parse_side(side_a, "--a", options.program, settings, options.words_a, options.trace_a);
        if (!a) {
            return a.error();
        }
        auto b = parse_side(side_b, "--b", options.program, settings, options.words_b, options.trace_b);
        if (!b) {
            return b.error();
        }
        const bool both_recorded = !options.trace_a.empty() && !options.trace_b.empty();
        if (options.program.empty() && !both_recorded) {
            return core::Error{
                core::ErrorKind::usage,
                "compare needs a PROGRAM to run, or --a and --b must both be traces on disk; see headway "
                "compare --help"};
        }
        if (both_recorded) {
            const auto given = std::find_if(settings.begin(), settings.end(),
                                            [](const CLI::Option* option) { return option->count() > 0; });
            const std::string unused = !options.program.empty()  ? options.program.substr(0, 60)
                                       : given != settings.end() ? (*given)->get_name()
                                                                 : "";
            if (!unused.empty()) {
                return usage_error("compare runs nothing when --a and --b are both traces, so " + unused +
                                   " has no meaning here");
            }
        }
        if (auto taken = take_count(repeat_sides, "--repeat", 1, 1000, options.repeat); !taken) {
            return taken.error();
        }
        if (options.repeat > 1 && (!options.trace_a.empty() || !options.trace_b.empty())) {
            return usage_error("--repeat runs both sides, so neither --a nor --b may be a trace");
        }
        options.a = *a;
        options.b = *b;
    } else if (explore->parsed()) {
        line.subcommand = Subcommand::explore;
        auto options = checked(raw_explored, *explore);
        if (!options) {
            return options.error();
        }
        line.explore.run = *options;
        line.explore.run.program = line.explore.program;
        line.explore.run.device = "simulated";
        if (!raw_explored.order.empty() || (!raw_explored.device.empty() && raw_explored.device != "simulated")) {
            return core::Error{
                core::ErrorKind::usage,
                "explore runs on the device simulated and chooses the orders itself; see headway explore "
                "--help"};
        }
        if (auto taken = take_count(explore_orders, "--orders", 1, 1'000'000, line.explore.orders); !taken) {
            return taken.error();
        }
        if (auto taken = take_count(explore_seed, "--first", 1, std::uint64_t{1} << 62, line.explore.seed); !taken) {
            return taken.error();
        }
        for (const CLI::Option* option : explored) {
            for (const std::string& value : option->results()) {
                line.explore.words.insert(line.explore.words.end(), {option->get_name(), value});
            }
        }
    } else if (explain->parsed()) {
        line.subcommand = Subcommand::explain;
        line.words = {file_in};
    } else if (figure->parsed()) {
        line.subcommand = Subcommand::figure;
        line.words = {file_in, file_out};
        auto request = checked(raw_figure, "", true);
        if (!request) {
            return request.error();
        }
        line.figure = *request;
    } else if (check->parsed()) {
        line.subcommand = Subcommand::check;
        auto options = checked(raw_check);
        if (!options) {
            return options.error();
        }
        line.check = *options;
    } else if (lessons->parsed()) {
        line.subcommand = Subcommand::lessons;
    } else if (devices->parsed()) {
        line.subcommand = Subcommand::devices;
    } else {
        line.subcommand = Subcommand::bench;
    }
    return line;
}

}  // namespace headway::runner
