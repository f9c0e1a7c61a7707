#include "app/runner/execution/options.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <tuple>

#include "app/runner/execution/check_options.h"
#include "app/runner/execution/device_choice.h"
#include "app/runner/execution/figure_options.h"
#include "engine/core/system/machine_memory.h"
#include "engine/trace/barrier_names.h"

namespace headway::runner {

namespace {

// The words of the command line: a member for each option.
struct RawRunOptions {
    RawFigureOptions figure_options;
    std::string program, tab, device, barrier, workers, streams, budget, queue_limit, free_policy, seed, costs;
    std::string issue, launch, copies, products;
    std::string report, trace, figure, trace_fd, trace_limit, repeat, source, folder, temporary;
    std::string memory_limit, time_limit, process_limit, output_limit, graded;
    std::vector<std::string> set, confine;
    bool watched = false, replace = false, network = false, explain = false, answers = false;
};

// Adds the options that change the run itself, as opposed to its outputs.
std::vector<CLI::Option*> add_settings(CLI::App& app, RawRunOptions& raw) {
    std::vector<CLI::Option*> settings;
    const auto add = [&](const char* name, std::string& value, const char* words) {
        settings.push_back(app.add_option(name, value, words));
    };
    add("--device", raw.device, "cpu, cuda or simulated (default: the lesson's, else cpu)");
    add("--barrier", raw.barrier, "none, op, minibatch or behind:K (default: as the program is written)");
    settings.push_back(app.add_option("--set", raw.set, "NAME=VALUE, a parameter (repeatable)")
                           ->expected(1)
                           ->allow_extra_args(false)
                           ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll));
    add("--tab", raw.tab, "of a document or lesson: mxnet, pytorch, tensorflow or python (default: its first)");
    add("--workers", raw.workers,
        "CPU workers, also in a run on a GPU (default: the framework's; Headway's own: cores - 1, at least 1)");
    add("--streams", raw.streams, "streams of a GPU, cuda or simulated (default: the framework's; Headway's own: 2)");
    add("--budget", raw.budget,
        "bytes that tensors may take: 512M, 2G, none (default: half of the machine's memory; on a GPU none)");
    add("--queue-limit", raw.queue_limit, "ops that may be issued and not finished (default: none)");
    add("--free-policy", raw.free_policy, "finish, stream or lazy (default: the framework's; Headway's own: finish)");
    add("--costs", raw.costs, "simulated: what steps take: t1=1us,t2=0.95us,t3=1us; line and print of the frontend");
    add("--issue", raw.issue, "op, or graph: all between two waits as one op (default: op)");
    add("--launch", raw.launch, "cuda: engine (a thread of its own launches) or frontend (default: engine)");
    add("--copies", raw.copies, "cuda: through pinned or pageable host memory (default: pinned)");
    add("--products", raw.products, "cuda: float32 or tf32 (default: float32)");
    add("--seed", raw.seed, "the same seed gives the same values (default: 0)");
    return settings;
}

void add_run_options(CLI::App& app, RawRunOptions& raw) {
    add_settings(app, raw);
    app.add_option("--repeat", raw.repeat, "N: run once to warm up, then N times, and tell median and spread");
    app.add_option("--report", raw.report, "FILE.json: the numbers");
    app.add_option("--trace", raw.trace, "FILE.json or FILE.json.gz: Chrome trace events");
    app.add_option("--figure", raw.figure,
                   "FILE.png, .svg or .pdf: the timeline; moving: .gif, .mp4 or frame-%04d.png");
    add_figure_options(app, raw.figure_options, "figure-");
    app.add_flag("--explain", raw.explain, "tell in a few sentences what happened and why");
    app.add_flag("--answers", raw.answers, "print how this run answers the lesson's questions");
    app.add_flag("--replace", raw.replace, "what an incomplete run writes replaces files of earlier runs, too");
    app.add_option("--confine", raw.confine,
                   "DIR: the program may write there only, and has no network and no other programs (repeatable)")
        ->expected(1)
        ->allow_extra_args(false)
        ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
    app.add_flag("--network", raw.network, "with --confine: the program may use the network");
    app.add_option("--memory-limit", raw.memory_limit, "BYTES of memory that end the run: 512M, 2G (default: none)");
    app.add_option("--time-limit", raw.time_limit, "SECONDS that end the run (default: none)");
    app.add_option("--process-limit", raw.process_limit,
                   "N: more child processes at the same time end the run (default: none)");
    app.add_option("--output-limit", raw.output_limit,
                   "BYTES that the program may print and write to files (default: none)");
    app.add_option("--source", raw.source)->group("");
    app.add_option("--folder", raw.folder)->group("");
    app.add_option("--temporary", raw.temporary)->group("");
    app.add_option("--graded", raw.graded)->group("");
    app.add_option("--trace-fd", raw.trace_fd)->group("");
    app.add_flag("--watched", raw.watched)->group("");
    app.add_option("--trace-limit", raw.trace_limit)->group("");
}

core::Result<void> take_cuda_words(const RawRunOptions& raw, devices::CudaOptions& cuda) {
    bool frontend = false;
    if (auto taken = take_word(raw.launch, "--launch", "engine", "frontend", frontend); !taken) {
        return taken;
    }
    cuda.launch = frontend ? devices::CudaLaunch::frontend : devices::CudaLaunch::engine;
    if (auto taken = take_word(raw.copies, "--copies", "pageable", "pinned", cuda.pinned); !taken) {
        return taken;
    }
    return take_word(raw.products, "--products", "float32", "tf32", cuda.tf32);
}

core::Result<void> take_limits(const RawRunOptions& raw, confinement::Limits& limits) {
    for (const auto& [text, option, value] : {std::tuple{&raw.memory_limit, "--memory-limit", &limits.memory_bytes},
                                              std::tuple{&raw.output_limit, "--output-limit", &limits.output_bytes}}) {
        if (!text->empty()) {
            auto bytes = parse_bytes(*text, option);
            if (!bytes) {
                return bytes.error();
            }
            *value = *bytes;
        }
    }
    if (!raw.time_limit.empty()) {
        auto seconds = parse_number(raw.time_limit, "--time-limit", 0.001, 1e9);
        if (!seconds) {
            return seconds.error();
        }
        limits.time_ms = static_cast<std::uint64_t>(*seconds * 1000);
    }
    if (auto taken = take_count(raw.process_limit, "--process-limit", 1, 10'000, limits.processes); !taken) {
        return taken;
    }
    return confinement::check_limits(limits);
}

core::Result<RunOptions> checked(const RawRunOptions& raw, const CLI::App& app) {
    // An option given with an empty value is an error, not the default.
    for (const auto* option : app.get_options()) {
        for (const auto& value : option->results()) {
            if (value.empty()) {
                return core::Error{core::ErrorKind::usage, option->get_name() + " needs a value"};
            }
        }
    }
    RunOptions options;
    options.program = raw.program;
    options.device = raw.device;
    options.tab = raw.tab;
    options.watched = raw.watched;
    options.replace = raw.replace;
    options.explain = raw.explain;
    options.answers = raw.answers;
    options.confine = raw.confine;
    options.network = raw.network;
    if (raw.network && raw.confine.empty()) {
        return core::Error{core::ErrorKind::usage, "--network needs --confine: otherwise the network is free"};
    }
    if (auto taken = take_limits(raw, options.limits); !taken) {
        return taken.error();
    }
    if (!raw.graded.empty()) {
        options.graded = names_in(raw.graded);
    }
    options.source = raw.source;
    options.folder = raw.folder;
    options.temporary = raw.temporary;
    if (!raw.tab.empty() && raw.tab != "mxnet" && raw.tab != "pytorch" && raw.tab != "tensorflow" &&
        raw.tab != "python") {
        return core::Error{core::ErrorKind::usage,
                           "--tab must be mxnet, pytorch, tensorflow or python, not \"" + raw.tab.substr(0, 60) + "\""};
    }
    options.workers = default_workers();
    options.workers_given = !raw.workers.empty();
    options.streams = kDefaultStreams;
    options.streams_given = !raw.streams.empty();
    if (!raw.device.empty() && raw.device != "cpu" && raw.device != "cuda" && raw.device != "simulated") {
        return core::Error{core::ErrorKind::usage,
                           "--device must be cpu, cuda or simulated, not \"" + raw.device.substr(0, 60) + "\""};
    }
    if (!raw.barrier.empty()) {
        auto barrier = trace::barrier_from_word(raw.barrier);
        if (!barrier) {
            return core::Error{barrier.error().kind, "--barrier: " + barrier.error().message};
        }
        if (barrier->kind != trace::BarrierKind::as_written) {
            options.barrier = *barrier;
        }
    }
    for (const auto& setting : raw.set) {
        const auto equals = setting.find('=');
        if (equals == std::string::npos || equals == 0) {
            return core::Error{core::ErrorKind::usage,
                               "--set must be NAME=VALUE, not \"" + setting.substr(0, 60) + "\""};
        }
        const std::string name = setting.substr(0, equals);
        if (std::any_of(options.set.begin(), options.set.end(),
                        [&](const auto& other) { return other.first == name; })) {
            return core::Error{core::ErrorKind::usage, "--set " + name.substr(0, 60) + " is given twice; give it once"};
        }
        options.set.emplace_back(name, setting.substr(equals + 1));
    }
    struct Count {
        const std::string& text;
        const char* option;
        std::uint64_t least, most;
        std::uint32_t& value;
    };
    for (const auto& count : {Count{raw.workers, "--workers", 1, core::kMaxLanes, options.workers},
                              Count{raw.streams, "--streams", 1, core::kMaxLanes, options.streams},
                              Count{raw.repeat, "--repeat", 1, 1000, options.repeat},
                              Count{raw.queue_limit, "--queue-limit", 1, 1u << 24, options.queue_limit}}) {
        if (auto taken = take_count(count.text, count.option, count.least, count.most, count.value); !taken) {
            return taken.error();
        }
    }
    if (auto seed = take_count(raw.seed, "--seed", 0, (std::uint64_t{1} << 63) - 1, options.seed); !seed) {
        return seed.error();
    }
    if (auto fd = take_count(raw.trace_fd, "--trace-fd", 3, 1'000'000, options.trace_fd); !fd) {
        return fd.error();
    }
    struct Bytes {
        const std::string& text;
        const char* option;
        std::uint64_t& value;
    };
    for (const auto& bytes : {Bytes{raw.budget, "--budget", options.budget},
                              Bytes{raw.trace_limit, "--trace-limit", options.trace_limit}}) {
        if (&bytes.value == &options.budget && bytes.text == "none") {
            options.budget = core::kNoBudget;
        } else if (!bytes.text.empty()) {
            auto value = parse_bytes(bytes.text, bytes.option);
            if (!value) {
                return value.error();
            }
            bytes.value = *value;
        }
    }
    if (!raw.free_policy.empty()) {
        auto policy = parse_free_policy(raw.free_policy);
        if (!policy) {
            return policy.error();
        }
        options.free_policy = *policy;
    }
    if (!raw.costs.empty()) {
        auto costs = parse_costs(raw.costs, "--costs");
        if (!costs) {
            return costs.error();
        }
        options.costs = raw.costs;
        options.cost_choice = *costs;
    }
    if (auto taken = take_word(raw.issue, "--issue", "op", "graph", options.graphs); !taken) {
        return taken.error();
    }
    if (auto taken = take_cuda_words(raw, options.cuda); !taken) {
        return taken.error();
    }
    options.report = raw.report;
    options.trace = raw.trace;
    options.figure = raw.figure;
    auto wish = checked(raw.figure_options, "figure-");
    if (!wish) {
        return wish.error();
    }
    options.figure_wish = *wish;
    return options;
}

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
        for (const CLI::Option* option : of_both) {
            if (option->count() > 0) {
                return in_side({core::ErrorKind::usage, option->get_name() + " is of a run, and this side is a trace"});
            }
        }
        trace = words[0];
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
                        "FILE.png, .svg or .pdf: both timelines; moving: .gif, .mp4 or frame-%04d.png");
    add_figure_options(*compare, raw_compared, "figure-");
    compare->add_option("--report", line.compare.report, "FILE.json: the numbers of both");

    std::string file_in, file_out;
    auto* figure = app.add_subcommand("figure", "A figure from a trace on disk");
    figure->add_option("TRACE", file_in, "FILE.json or FILE.json.gz")->required();
    figure->add_option("-o", file_out, "FILE.png, .svg, .pdf; moving: .gif, .mp4 (with ffmpeg) or frame-%04d.png")
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
                return core::Error{core::ErrorKind::usage,
                                   "unknown command " + argument.substr(0, 60) + "; see headway --help"};
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
        auto wish = checked(raw_compared, "figure-");
        if (!wish) {
            return wish.error();
        }
        options.figure_wish = *wish;
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
        if (!options.program.empty() && both_recorded) {
            return core::Error{core::ErrorKind::usage, "compare runs nothing when --a and --b are both traces, so " +
                                                           options.program.substr(0, 60) + " has no meaning here"};
        }
        if (auto taken = take_count(repeat_sides, "--repeat", 1, 1000, options.repeat); !taken) {
            return taken.error();
        }
        if (options.repeat > 1 && (!options.trace_a.empty() || !options.trace_b.empty())) {
            return core::Error{core::ErrorKind::usage,
                               "--repeat runs both sides, so neither --a nor --b may be a trace"};
        }
        options.a = *a;
        options.b = *b;
    } else if (figure->parsed()) {
        line.subcommand = Subcommand::figure;
        line.words = {file_in, file_out};
        auto wish = checked(raw_figure, "");
        if (!wish) {
            return wish.error();
        }
        line.figure = *wish;
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
