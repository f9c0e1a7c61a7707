// headway compare: two runs of one program, each once or several times in turn; or two recordings.
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>
#include <utility>

#include "app/model/report.h"
#include "app/runner/child_run.h"
#include "app/runner/commands.h"
#include "app/runner/device_choice.h"
#include "app/runner/interrupt.h"
#include "app/runner/job.h"
#include "app/runner/spread.h"
#ifdef HEADWAY_WITH_FIGURES
#include "app/figure/figure.h"
#endif

namespace headway::runner {

namespace {

using Json = nlohmann::ordered_json;

std::string ratio_text(double a, double b) {
    char text[32];
    if (a <= 0) {
        return "–";
    }
    std::snprintf(text, sizeof text, "%.2fx", b / a);
    return text;
}

// All runs of one side, in their order, without the warm-up. Of a recorded side, or without --repeat, there is one.
struct Side {
    std::vector<std::unique_ptr<model::Run>> runs;
    std::vector<model::Numbers> numbers;
    std::optional<model::Numbers> warm_up;

    [[nodiscard]] const model::Run& middle() const { return *runs[middle_of(numbers)]; }
};

void print_table(const Side& a, const Side& b) {
    const bool repeated = a.numbers.size() > 1;
    const auto row = [&](const char* name, const std::string& left, const std::string& left_spread,
                         const std::string& right, const std::string& right_spread, const std::string& ratio) {
        std::string line =
            std::string("  ") + name + std::string(14 - std::min<std::size_t>(14, std::strlen(name)), ' ');
        const std::size_t width = repeated ? 12 : 17;
        line += right_aligned(left, width) + (repeated ? right_aligned(left_spread, 20) : "");
        line += right_aligned(right, width) + (repeated ? right_aligned(right_spread, 20) : "");
        std::fprintf(stderr, "%s%s\n", line.c_str(), ratio.empty() ? "" : right_aligned(ratio, 11).c_str());
    };
    row("", "A", "least–most", "B", "least–most", "B / A");
    const auto range = [](const Measure& measure, const Spread& spread) {
        return spread.least == spread.most ? std::string("the same")
                                           : text_of(measure, spread.least) + "–" + text_of(measure, spread.most);
    };
    const auto regime = [](const Side& side) {
        std::string word = model::regime_word(side.numbers.front());
        if (word.empty()) {
            return std::string("–");
        }
        for (const model::Numbers& n : side.numbers) {
            const std::string other = model::regime_word(n);
            const bool even = n.regime_even || word == "about equal";
            if (other != word && !word.starts_with("now")) {
                word = even ? "about equal" : "now one, now the other";
            }
        }
        return word;
    };
    for (const Measure& measure : measures()) {
        const Spread left = spread_of(measure, a.numbers);
        const Spread right = spread_of(measure, b.numbers);
        // Where a trace does not tell of it there is neither a number nor a ratio.
        const bool told_a = is_told(measure, a.numbers), told_b = is_told(measure, b.numbers);
        const bool spans = std::string_view(measure.key) == "ops" && !a.numbers.front().told.backend &&
                           !b.numbers.front().told.backend;
        row(spans ? "spans" : measure.name, told_a ? text_of(measure, left.median) : "–",
            told_a ? range(measure, left) : "", told_b ? text_of(measure, right.median) : "–",
            told_b ? range(measure, right) : "", told_a && told_b ? ratio_text(left.median, right.median) : "–");
        if (std::string_view(measure.key) == "t3_ns") {
            row("regime", repeated ? "" : regime(a), regime(a), repeated ? "" : regime(b), regime(b), "");
        }
    }
}

// What the two sides say beside each other, and of how many runs each that is said.
std::string verdict(const Side& a, const Side& b) {
    const auto na = medians_of(a.numbers);
    const auto nb = medians_of(b.numbers);
    const auto of_both = [&](const char* key) {
        const auto all = measures();
        const auto& measure =
            *std::find_if(all.begin(), all.end(), [key](const Measure& m) { return std::string_view(m.key) == key; });
        return std::pair{spread_of(measure, a.numbers), spread_of(measure, b.numbers)};
    };
    const bool repeated = a.numbers.size() > 1;
    const auto [time_a, time_b] = of_both("total_ns");
    const auto [bytes_a, bytes_b] = of_both("live_bytes_peak");
    const bool unclear_time = repeated && unclear(time_a, time_b);
    const bool unclear_memory = repeated && unclear(bytes_a, bytes_b);
    const std::string of = repeated ? " (medians of " + std::to_string(a.numbers.size()) + " runs each)"
                                    : std::string(" (of one run each)");
#ifdef HEADWAY_WITH_FIGURES
    return figure::finding(a.middle(), na, b.middle(), nb, {!unclear_time, !unclear_memory}) + of;
#else
    const auto share = [](double left, double right, bool is_unclear, const char* what) {
        return is_unclear ? std::string("with no clear difference in ") + what
               : left > 0 ? "with " + ratio_text(left, right) + " of its " + what
                          : std::string("with as much ") + what;
    };
    const std::string memory = na.told.memory && nb.told.memory
                                   ? " and " + share(static_cast<double>(na.live_bytes_peak),
                                                     static_cast<double>(nb.live_bytes_peak), unclear_memory, "memory")
                                   : std::string();
    return "B stands beside A " +
           share(static_cast<double>(na.total_ns), static_cast<double>(nb.total_ns), unclear_time, "time") + memory +
           of;
#endif
}

Json report_of(const Side& side) {
    Json report = Json::parse(model::report_json(side.middle()));
    if (side.warm_up) {
        report["repeat"] = spreads_json(side.numbers, *side.warm_up);
    }
    return report;
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
    if (auto outputs =
            check_outputs(options.report, options.trace, options.figure, options.figure_wish, {options.program});
        !outputs) {
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
    if (auto outputs = check_outputs(options.report, "", options.figure, options.figure_wish,
                                     {options.trace_a, options.trace_b, options.a.program, options.b.program});
        !outputs) {
        return fail(outputs.error());
    }
    const Interrupts interrupts;
    Side both[2];
    int status = kDone;
    // In turn, so that a machine that grows warm or busy does it to both; the first round warms up.
    const std::uint32_t rounds = options.repeat > 1 ? options.repeat + 1 : 1;
    for (std::uint32_t round = 0; round < rounds; ++round) {
        for (std::size_t i = 0; i < std::size(both); ++i) {
            Side& side = both[i];
            if (!sides[i].trace.empty()) {
                auto recorded = read_recorded(sides[i].trace);
                if (!recorded) {
                    return fail(recorded.error());
                }
                side.runs.push_back(std::move(*recorded));
                side.numbers.push_back(side.runs.back()->numbers());
                continue;
            }
            if (interrupts.asked()) {
                tell(rounds == 1 ? "stopped before run B, so there is nothing to compare"
                                 : "stopped after " + std::to_string(round * 2 + i) + " of " +
                                       std::to_string(rounds * 2) + " runs, so there is nothing to compare");
                return kProgramFailed;
            }
            auto ran = run_in_child(options.program, sides[i].words);
            if (!ran) {
                return fail(ran.error());
            }
            if (ran->status > kProgramFailed) {
                return ran->status;  // the run has said why
            }
            status = std::max(status, ran->status);
            auto run = read_run(ran->recording.get());
            if (!run) {
                return fail(run.error());
            }
            auto numbers = (*run)->numbers();
            if (rounds > 1 && round == 0) {
                side.warm_up = std::move(numbers);
                continue;
            }
            side.runs.push_back(std::move(*run));
            side.numbers.push_back(std::move(numbers));
        }
    }
    const model::Run& a = both[0].middle();
    const model::Run& b = both[1].middle();
    const auto where = [](const model::RunInfo& info) {
        return info.simulated ? "SIMULATED" : info.device_name.empty() ? info.program : info.device_name;
    };
    tell(
        a.info().program + (a.info().program == b.info().program ? "" : " and " + b.info().program) +
        ", A: " + where(a.info()) + ", B: " + where(b.info()) +
        (rounds > 1 ? "; " + std::to_string(options.repeat) + " runs of each in turn, after one each to warm up" : ""));
    print_table(both[0], both[1]);
    for (std::size_t i = 0; i < std::size(both); ++i) {
        if (const auto paused = both[i].numbers[middle_of(both[i].numbers)].paused_ns; paused > 0) {
            tell(std::string("run ") + (i == 0 ? "A" : "B") + " stood still for " +
                 time_text(static_cast<double>(paused)) + " (paused or stepped), which its times do not count");
        }
    }
    const std::string said = verdict(both[0], both[1]);
    tell(said);
    const auto keep_first = [&](const core::Result<void>& written) {
        if (!written) {
            const int problem = fail(written.error());
            status = status == kDone ? problem : status;
        }
    };
    if (!options.report.empty()) {
        const Json report{{"headway", HEADWAY_VERSION}, {"program", a.info().program}, {"runs", both[0].runs.size()},
                          {"a", report_of(both[0])},    {"b", report_of(both[1])},     {"verdict", said}};
        keep_first(write_text(options.report, report.dump(2, ' ', false, Json::error_handler_t::replace) + "\n"));
    }
    if (!options.figure.empty()) {
        FigureWish wish = options.figure_wish;
        if (wish.title.empty() && rounds > 1) {
            wish.title = said;  // of all runs, and not of the two that are drawn
        }
        keep_first(write_figure(options.figure, a, &b, wish));
    }
    return status;
}

}  // namespace headway::runner
