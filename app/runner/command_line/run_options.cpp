#include "app/runner/command_line/run_options.h"

#include <algorithm>
#include <tuple>

#include "app/runner/execution/device_choice.h"
#include "app/runner/execution/words.h"
#include "engine/core/device_kinds.h"
#include "engine/core/system/machine_memory.h"
#include "engine/trace/barrier_names.h"

namespace headway::runner {

std::vector<CLI::Option*> add_settings(CLI::App& app, RawRunOptions& raw) {
    std::vector<CLI::Option*> settings;
    const auto add = [&](const char* name, std::string& value, const char* words) {
        settings.push_back(app.add_option(name, value, words));
    };
    add("--device", raw.device, "cpu, cuda or simulated (default: the lesson's, else cpu)");
    add("--barrier", raw.barrier,
        "none, op, minibatch, behind:K or as-written (default: the lesson's, else as-written)");
    settings.push_back(app.add_option("--set", raw.set, "NAME=VALUE, a parameter (repeatable)")
                           ->expected(1)
                           ->allow_extra_args(false)
                           ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll));
    add("--tab", raw.tab,
        "of a document or lesson: mxnet, pytorch, tensorflow or python (default: a document's first; a lesson's "
        "program in C++, if it has one)");
    add("--workers", raw.workers,
        "CPU workers (default: the framework's; Headway's own: cores - 1, from 1 to 16; beside a GPU at most 4, "
        "simulated: 1)");
    add("--streams", raw.streams,
        "streams of a GPU, cuda or simulated (default: the lesson's, else the framework's; Headway's own: 2)");
    add("--gpus", raw.gpus, "GPUs of the run, simulated or cuda, 1 to 8 (default: the lesson's, else 1)");
    add("--links", raw.links,
        "simulated, between several GPUs: pcie (one bus for all), pairs or ring of NVLink (default: the lesson's, else "
        "pcie)");
    add("--gpu-speeds", raw.gpu_speeds,
        "simulated, several GPUs: the speed of each relative to the cost model: 1,0.25 (default: the lesson's, else "
        "1)");
    add("--budget", raw.budget,
        "bytes that tensors may take: 512M, 2G, none (default: half of the machine's memory; on cuda none)");
    add("--queue-limit", raw.queue_limit, "ops that may be issued and not finished (default: none)");
    add("--free-policy", raw.free_policy, "finish, stream or lazy (default: the framework's; Headway's own: finish)");
    add("--costs", raw.costs, "simulated: what steps take: t1=1us,t2=0.95us,t3=1us; line and print of the frontend");
    add("--order", raw.order, "simulated: N, another order of the ops that the dependencies allow (default: 0, none)");
    add("--issue", raw.issue, "op, or graph: all between two waits as one op (default: op)");
    add("--launch", raw.launch, "cuda: engine (a thread of its own launches) or frontend (default: engine)");
    add("--copies", raw.copies, "cuda: through pinned or pageable host memory (default: pinned)");
    add("--products", raw.products, "cuda: float32 or tf32 (default: float32)");
    add("--seed", raw.seed, "the same seed gives the same values (default: 0)");
    return settings;
}

CLI::Validator dash_is_standard_output() {
    return {[](std::string& path) {
                path = path == "-" ? "/dev/stdout" : path;
                return std::string();  // no error
            },
            ""};
}

void add_run_options(CLI::App& app, RawRunOptions& raw) {
    add_settings(app, raw);
    app.add_option("--repeat", raw.repeat, "N: run once to warm up, then N times, and report median and spread");
    app.add_option("--report", raw.report, "FILE.json, or - for standard output: the numbers")
        ->transform(dash_is_standard_output());
    app.add_option("--trace", raw.trace, "FILE.json or FILE.json.gz, or - for standard output: Chrome trace events")
        ->transform(dash_is_standard_output());
    app.add_option("--figure", raw.figure,
                   "FILE.png, .svg or .pdf: the timeline; animation: .gif, .mp4 or frame-%04d.png");
    add_figure_options(app, raw.figure_options, "figure-");
    app.add_flag("--explain", raw.explain, "explain in a few sentences what happened and why");
    app.add_flag("--answers", raw.answers, "print how this run answers the lesson's questions");
    app.add_flag("--replace", raw.replace, "what an incomplete run writes replaces files of earlier runs, too");
    app.add_option(
           "--confine", raw.confine,
           "DIR: the program may write there only, and has no network and no access to other processes (repeatable)")
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
    app.add_flag("--for-window", raw.for_window)->group("");
    app.add_option("--trace-limit", raw.trace_limit)->group("");
}

namespace {

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

}  // namespace

core::Result<RunOptions> checked(const RawRunOptions& raw, const CLI::App& app) {
    // An option given with an empty value is an error, not the default.
    for (const auto* option : app.get_options()) {
        for (const auto& value : option->results()) {
            if (value.empty()) {
                // get_name() is empty if the option is not in the help.
                return usage_error((option->get_positional() ? "" : "--") + option->get_single_name() +
                                   " needs a value");
            }
        }
    }
    RunOptions options;
    options.program = raw.program;
    options.device = raw.device;
    options.tab = raw.tab;
    options.watched = raw.watched;
    options.for_window = raw.for_window;
    options.replace = raw.replace;
    options.explain = raw.explain;
    options.answers = raw.answers;
    options.confine = raw.confine;
    options.network = raw.network;
    if (raw.network && raw.confine.empty()) {
        return usage_error("--network needs --confine: otherwise the network is free");
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
        return usage_error("--tab must be mxnet, pytorch, tensorflow or python, not \"" + raw.tab.substr(0, 60) + "\"");
    }
    options.workers = default_workers();
    options.workers_given = !raw.workers.empty();
    options.streams = kDefaultStreams;
    options.streams_given = !raw.streams.empty();
    if (!raw.device.empty() && !core::is_device_kind(raw.device)) {
        return usage_error(std::string("--device must be ") + core::kDeviceKinds + ", not \"" +
                           raw.device.substr(0, 60) + "\"");
    }
    if (!raw.links.empty() && !devices::topology_called(raw.links)) {
        return usage_error("--links must be pcie, pairs or ring, not \"" + raw.links.substr(0, 60) + "\"");
    }
    options.links = raw.links;
    if (!raw.gpu_speeds.empty()) {
        auto speeds = parse_speeds(raw.gpu_speeds, "--gpu-speeds");
        if (!speeds) {
            return speeds.error();
        }
        options.gpu_speeds = std::move(*speeds);
    }
    if (!raw.barrier.empty()) {
        auto barrier = trace::barrier_called(raw.barrier);
        if (!barrier) {
            return core::Error{barrier.error().kind, "--barrier: " + barrier.error().message};
        }
        options.barrier = *barrier;
    }
    for (const auto& setting : raw.set) {
        const auto equals = setting.find('=');
        if (equals == std::string::npos || equals == 0) {
            return usage_error("--set must be NAME=VALUE, not \"" + setting.substr(0, 60) + "\"");
        }
        const std::string name = setting.substr(0, equals);
        if (std::any_of(options.set.begin(), options.set.end(),
                        [&](const auto& other) { return other.first == name; })) {
            return usage_error("--set " + name.substr(0, 60) + " is given twice; give it once");
        }
        options.set.emplace_back(name, setting.substr(equals + 1));
    }
    struct Count {
        const std::string& text;
        const char* option;
        std::uint64_t least, most;
        std::uint32_t& value;
    };
    for (const auto& count : {Count{raw.workers, "--workers", 1, core::kMaxLanesOfDevice, options.workers},
                              Count{raw.streams, "--streams", 1, core::kMaxLanesOfDevice, options.streams},
                              Count{raw.gpus, "--gpus", 1, core::kMaxGpus, options.gpus},
                              Count{raw.repeat, "--repeat", 1, 1000, options.repeat},
                              Count{raw.queue_limit, "--queue-limit", 1, 1u << 24, options.queue_limit}}) {
        if (auto taken = take_count(count.text, count.option, count.least, count.most, count.value); !taken) {
            return taken.error();
        }
    }
    if (options.answers && options.repeat > 1) {
        return usage_error("--answers is for one run, so not with --repeat");
    }
    if (auto seed = take_count(raw.seed, "--seed", 0, (std::uint64_t{1} << 63) - 1, options.seed); !seed) {
        return seed.error();
    }
    if (auto taken = take_count(raw.order, "--order", 0, (std::uint64_t{1} << 63) - 1, options.order); !taken) {
        return taken.error();
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
    auto request = checked(raw.figure_options, "figure-", !raw.figure.empty());
    if (!request) {
        return request.error();
    }
    options.figure_request = *request;
    return options;
}

}  // namespace headway::runner
