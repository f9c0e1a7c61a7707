// headway compare: two runs of one program, or two recordings.
#include <cstdio>
#include <nlohmann/json.hpp>

#include "app/model/report.h"
#include "app/runner/child_run.h"
#include "app/runner/commands.h"
#include "app/runner/device_choice.h"
#include "app/runner/interrupt.h"
#include "app/runner/job.h"
#ifdef HEADWAY_WITH_FIGURES
#include "app/figure/figure.h"
#endif

namespace headway::runner {

namespace {

std::string ratio_text(double a, double b) {
    char text[32];
    if (a <= 0) {
        return "";
    }
    std::snprintf(text, sizeof text, "%.2fx", b / a);
    return text;
}

void print_table(const model::Numbers& a, const model::Numbers& b) {
    const auto row = [](const char* name, const std::string& left, const std::string& right, const std::string& ratio) {
        std::fprintf(stderr, "  %-14s %16s %16s %10s\n", name, left.c_str(), right.c_str(), ratio.c_str());
    };
    const auto time_row = [&](const char* name, double left, double right) {
        row(name, time_text(left), time_text(right), ratio_text(left, right));
    };
    const auto count_row = [&](const char* name, std::uint64_t left, std::uint64_t right) {
        row(name, std::to_string(left), std::to_string(right),
            ratio_text(static_cast<double>(left), static_cast<double>(right)));
    };
    const auto bytes_row = [&](const char* name, std::uint64_t left, std::uint64_t right) {
        row(name, bytes_text(left), bytes_text(right),
            ratio_text(static_cast<double>(left), static_cast<double>(right)));
    };
    const auto regime = [](const model::Numbers& n) {
        return std::string(n.regime == model::Regime::issue_bound ? "issue-bound" : "execution-bound");
    };
    row("", "A", "B", "B / A");
    time_row("total", static_cast<double>(a.total_ns), static_cast<double>(b.total_ns));
    time_row("predicted", static_cast<double>(a.predicted_ns), static_cast<double>(b.predicted_ns));
    time_row("t1", a.t1_ns, b.t1_ns);
    time_row("t2", a.t2_ns, b.t2_ns);
    time_row("t3", a.t3_ns, b.t3_ns);
    row("regime", regime(a), regime(b), "");
    count_row("ops", a.ops, b.ops);
    count_row("headway", a.headway_max, b.headway_max);
    bytes_row("live bytes", a.live_bytes_peak, b.live_bytes_peak);
    bytes_row("pending bytes", a.pending_bytes_peak, b.pending_bytes_peak);
}

std::string verdict(const model::Run& a, const model::Run& b) {
#ifdef HEADWAY_WITH_FIGURES
    return figure::finding(a, &b);
#else
    const auto na = a.numbers();
    const auto nb = b.numbers();
    const auto share = [](double left, double right) {
        return left > 0 ? ratio_text(left, right) : std::string("the same");
    };
    return "B takes " + share(static_cast<double>(na.total_ns), static_cast<double>(nb.total_ns)) +
           " the time of A and needs " +
           share(static_cast<double>(na.live_bytes_peak), static_cast<double>(nb.live_bytes_peak)) + " its memory";
#endif
}

// One side as it was asked for.
struct SideOptions {
    const RunOptions& options;
    const std::vector<std::string>& words;
    const std::string& trace;  // recorded
    const char* name;
};

// What is wrong with one side, before either is run.
core::Result<void> check_side(const RunOptions& options, const char* side) {
    const auto in_side = [&](core::Error error) {
        error.message = "in " + std::string(side) + ": " + error.message;
        return error;
    };
    auto job = make_job(options);
    if (!job) {
        return in_side(job.error());
    }
    if (auto device = check_device(job->options.device); !device) {
        return in_side(device.error());
    }
    if (auto outputs = check_outputs(options.report, options.trace, options.figure); !outputs) {
        return in_side(outputs.error());
    }
    return {};
}

}  // namespace

int compare_command(const CompareOptions& options) {
    const SideOptions sides[] = {{options.a, options.words_a, options.trace_a, "--a"},
                                 {options.b, options.words_b, options.trace_b, "--b"}};
    for (const SideOptions& side : sides) {
        if (auto checked = side.trace.empty() ? check_side(side.options, side.name) : core::Result<void>(); !checked) {
            return fail(checked.error());
        }
    }
    if (auto outputs = check_outputs(options.report, "", options.figure); !outputs) {
        return fail(outputs.error());
    }
    const Interrupts interrupts;
    std::vector<std::unique_ptr<model::Run>> runs;
    int status = kDone;
    for (const SideOptions& of_side : sides) {
        if (!of_side.trace.empty()) {
            auto recorded = read_recorded(of_side.trace);
            if (!recorded) {
                return fail(recorded.error());
            }
            runs.push_back(std::move(*recorded));
            continue;
        }
        if (interrupts.asked()) {
            tell("stopped before run B, so there is nothing to compare");
            return kProgramFailed;
        }
        auto side = run_in_child(options.program, of_side.words);
        if (!side) {
            return fail(side.error());
        }
        if (side->status > kProgramFailed) {
            return side->status;  // the run has said why
        }
        status = std::max(status, side->status);
        auto run = read_run(side->recording.get());
        if (!run) {
            return fail(run.error());
        }
        runs.push_back(std::move(*run));
    }
    const model::Run& a = *runs[0];
    const model::Run& b = *runs[1];
    const auto where = [](const model::RunInfo& info) {
        return info.simulated ? "SIMULATED" : info.device_name.empty() ? info.program : info.device_name;
    };
    tell(a.info().program + (a.info().program == b.info().program ? "" : " and " + b.info().program) +
         ", A: " + where(a.info()) + ", B: " + where(b.info()));
    print_table(a.numbers(), b.numbers());
    tell(verdict(a, b));
    const auto keep_first = [&](const core::Result<void>& written) {
        if (!written) {
            const int problem = fail(written.error());
            status = status == kDone ? problem : status;
        }
    };
    if (!options.report.empty()) {
        nlohmann::ordered_json both{{"headway", HEADWAY_VERSION},
                                    {"program", a.info().program},
                                    {"a", nlohmann::ordered_json::parse(model::report_json(a))},
                                    {"b", nlohmann::ordered_json::parse(model::report_json(b))},
                                    {"verdict", verdict(a, b)}};
        keep_first(write_text(options.report,
                              both.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n"));
    }
    if (!options.figure.empty()) {
        keep_first(write_figure(options.figure, a, &b));
    }
    return status;
}

}  // namespace headway::runner
