// headway compare: runs a program with two sets of options, alternating and several times each; or compares two
// recordings.
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>
#include <utility>

#include "app/comparison/sentences.h"
#include "app/comparison/verdict.h"
#include "app/comparison/verdict_json.h"
#include "app/model/numbers/format.h"
#include "app/model/numbers/numbers_walk.h"
#include "app/model/report/report.h"
#include "app/runner/commands/child_run.h"
#include "app/runner/commands/commands.h"
#include "app/runner/commands/spread.h"
#include "app/runner/execution/device_choice.h"
#include "app/runner/execution/interrupt.h"
#include "app/runner/execution/job.h"

namespace headway::runner {

namespace {

using Json = nlohmann::ordered_json;

std::string ratio_of(double a, double b) {
    return a > 0 ? comparison::ratio_text(b / a) : "–";
}

// All runs of one side in order, without the warm-up. A recorded side has one.
struct Side {
    std::vector<std::unique_ptr<model::Run>> runs;
    std::vector<model::Numbers> numbers;
    std::optional<model::Numbers> warm_up;

    [[nodiscard]] const model::Run& middle() const { return *runs[middle_of(numbers)]; }
    [[nodiscard]] bool all_complete() const {
        return std::all_of(runs.begin(), runs.end(), [](const auto& run) { return run->end().complete(); });
    }
    void take(std::unique_ptr<model::Run> run) {
        numbers.push_back(numbers_of(*run));
        runs.push_back(std::move(run));
    }
    [[nodiscard]] comparison::Side for_comparison() const {
        comparison::Side side{middle().info(), {}, warm_up.has_value()};
        for (std::size_t i = 0; i < runs.size(); ++i) {
            side.samples.push_back(comparison::sample_of(*runs[i], numbers[i], true));
        }
        return side;
    }
};

void print_table(const Side& a, const Side& b, bool compared) {
    // A ratio of virtual time to real time means nothing, so it is not shown.
    const bool one_clock = a.middle().info().simulated == b.middle().info().simulated;
    const bool repeated = a.numbers.size() > 1;
    const auto row = [&](const char* name, const std::string& left, const std::string& left_spread,
                         const std::string& right, const std::string& right_spread, const std::string& ratio) {
        std::string line = "  " + left_aligned(name, 14);
        const std::size_t width = repeated ? 12 : 17;
        line += right_aligned(left, width) + (repeated ? right_aligned(left_spread, 20) : "");
        line += right_aligned(right, width) + (repeated ? right_aligned(right_spread, 20) : "");
        std::fprintf(stderr, "%s%s\n", line.c_str(), ratio.empty() ? "" : right_aligned(ratio, 11).c_str());
    };
    row("", "A", "least–most", "B", "least–most", "B / A");
    const auto range = [](const Measure& measure, const MedianAndRange& spread) {
        return spread.least == spread.most ? std::string("the same")
                                           : text_of(measure, spread.least) + "–" + text_of(measure, spread.most);
    };
    const auto regime = [](const Side& side) {
        const std::string word = model::regime_word(side.numbers.front());
        for (const model::Numbers& n : side.numbers) {
            if (model::regime_word(n) != word) {
                return std::string("varies between runs");
            }
        }
        return word.empty() ? std::string("–") : word;
    };
    for (const Measure& measure : measures()) {
        const MedianAndRange left = median_and_range(measure, a.numbers);
        const MedianAndRange right = median_and_range(measure, b.numbers);
        // A measure that a trace lacks has neither a value nor a ratio.
        const bool known_a = is_known(measure, a.numbers), known_b = is_known(measure, b.numbers);
        const bool spans = std::string_view(measure.key) == "ops" && !a.numbers.front().capabilities.backend &&
                           !b.numbers.front().capabilities.backend;
        row(spans ? "spans" : measure.name, known_a ? text_of(measure, left.median) : "–",
            known_a ? range(measure, left) : "", known_b ? text_of(measure, right.median) : "–",
            known_b ? range(measure, right) : "",
            compared && known_a && known_b && (one_clock || measure.unit != Measure::Unit::ns)
                ? ratio_of(left.median, right.median)
                : "–");
        if (std::string_view(measure.key) == "t3_ns") {
            row("regime", repeated ? "" : regime(a), regime(a), repeated ? "" : regime(b), regime(b), "");
        }
    }
}

// The verdict's evidence in addition to totals and peaks: for each signature that all runs have, the number of ops and
// their median duration in each run.
Json op_times_of(const comparison::Side& side) {
    Json times = Json::object();
    for (const auto& [signature, first] : side.samples.front().ops) {
        Json entry;
        for (const comparison::Sample& sample : side.samples) {
            if (const auto found = sample.ops.find(signature); found != sample.ops.end()) {
                entry["count"].push_back(found->second.count);
                entry["median_ns"].push_back(static_cast<std::int64_t>(found->second.median_ns));
            }
        }
        if (entry["count"].size() == side.samples.size()) {
            times[signature] = std::move(entry);
        }
    }
    return times;
}

std::string dumped(const Json& json) {
    return json.dump(2, ' ', false, Json::error_handler_t::replace);
}

std::string report_of(const Side& side, const comparison::Side& compared) {
    std::string report = model::report_json(side.middle());
    if (side.warm_up) {
        Json repeat = spreads_json(side.numbers, *side.warm_up);
        repeat["op_times"] = op_times_of(compared);
        report = with_member(std::move(report), "repeat", dumped(repeat));
    }
    return report;
}

// One side of the command line.
struct SideOptions {
    const RunOptions& options;
    const std::vector<std::string>& words;
    const std::string& trace;  // path of a recording; empty: the side is run
    const char* name;
};

// Checks one side before either is run, and adds the files that it reads to `inputs`. Returns whether its clock is
// virtual.
core::Result<bool> check_side(const RunOptions& options, const char* side, std::vector<std::string>& inputs) {
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
    const auto files = job->files();
    inputs.insert(inputs.end(), files.begin(), files.end());
    for (const std::string& note : job->notes) {
        tell("in " + std::string(side) + ": " + note);
    }
    return job->options.device == "simulated";
}

// Odd rounds begin with B, so that neither side always runs first.
std::size_t side_at(std::uint32_t round, std::size_t place) {
    return round % 2 == 0 ? place : 1 - place;
}

// Runs both sides alternately, so that changes of the machine's speed affect both. With more than one repeat, the first
// round is a warm-up. Stops at the first failure. status: kDone, kProgramFailed if a program failed, or the status that
// ends the command.
struct Rounds {
    int status = kDone;
    bool stop = false;  // there is nothing to compare
};
Rounds run_rounds(const std::string& program, const SideOptions (&sides)[2], std::uint32_t repeat, Side (&both)[2]) {
    const Interrupts interrupts;
    Rounds result;
    const std::uint32_t rounds = repeat > 1 ? repeat + 1 : 1;
    for (std::uint32_t round = 0; round < rounds && result.status == kDone; ++round) {
        std::unique_ptr<model::Run> runs[2];
        for (std::size_t place = 0; place < 2; ++place) {
            const std::size_t i = side_at(round, place);
            if (!sides[i].trace.empty()) {
                auto recorded = read_recorded(sides[i].trace);
                if (!recorded) {
                    return {fail(recorded.error()), true};
                }
                runs[i] = std::move(*recorded);
                continue;
            }
            if (interrupts.asked()) {
                tell("stopped after " + std::to_string(round * 2 + place) + " of " + std::to_string(rounds * 2) +
                     " runs, so there is nothing to compare");
                return {kProgramFailed, true};
            }
            auto ran = run_in_child(program, sides[i].words, sides[i].options.limits);
            if (!ran) {
                return {fail(ran.error()), true};
            }
            auto run = ran->read();
            if (!run) {
                return {fail(run.error()), true};
            }
            const int status = report_end(*ran, run->get());
            if (*run == nullptr || status == kUsage || status == kUnavailable) {
                return {status, true};
            }
            result.status = std::max(result.status, status);
            runs[i] = std::move(*run);
        }
        const bool warms_up = rounds > 1 && round == 0 && result.status == kDone;
        for (std::size_t i = 0; i < 2; ++i) {
            if (warms_up) {
                both[i].warm_up = numbers_of(*runs[i]);
            } else {
                both[i].take(std::move(runs[i]));
            }
        }
    }
    return result;
}

}  // namespace

int compare_command(const CompareOptions& options) {
    const SideOptions sides[2] = {{options.a, options.words_a, options.trace_a, "--a"},
                                  {options.b, options.words_b, options.trace_b, "--b"}};
    std::vector<std::string> inputs{options.trace_a, options.trace_b};
    bool exact = true;  // all clocks are virtual, so one run of each is enough
    for (const SideOptions& side : sides) {
        if (!side.trace.empty()) {
            continue;
        }
        auto simulated = check_side(side.options, side.name, inputs);
        if (!simulated) {
            return fail(simulated.error());
        }
        exact = exact && *simulated;
    }
    if (auto outputs = check_outputs(options.report, "", options.figure, options.figure_request, inputs); !outputs) {
        return fail(outputs.error());
    }
    const bool recorded = !options.trace_a.empty() || !options.trace_b.empty();
    const std::uint32_t repeat = options.repeat != 0 ? options.repeat
                                 : exact || recorded ? 1
                                                     : static_cast<std::uint32_t>(comparison::kRuns);
    Side both[2];
    const Rounds done = run_rounds(options.program, sides, repeat, both);
    int status = done.status;
    if (done.stop) {
        return status;
    }
    const model::Run& a = both[0].middle();
    const model::Run& b = both[1].middle();
    const auto where = [](const model::RunInfo& info) {
        return info.simulated ? "SIMULATED" : info.device_name.empty() ? info.program : info.device_name;
    };
    const std::string runs = std::to_string(both[0].runs.size()) + (both[0].runs.size() == 1 ? " run" : " runs");
    tell(a.info().program + (a.info().program == b.info().program ? "" : " and " + b.info().program) +
         ", A: " + where(a.info()) + ", B: " + where(b.info()) + "; " + runs + " of each" +
         (both[0].warm_up ? " in turn, after one each to warm up" : ""));
    const comparison::Side compared[2] = {both[0].for_comparison(), both[1].for_comparison()};
    const auto verdict = comparison::verdict_of(compared[0], compared[1]);
    print_table(both[0], both[1], verdict.compares());
    for (std::size_t i = 0; i < std::size(both); ++i) {
        if (const auto paused = both[i].numbers[middle_of(both[i].numbers)].paused_ns; paused > 0) {
            tell(std::string("run ") + (i == 0 ? "A" : "B") + " stood still for " +
                 model::duration_text(static_cast<double>(paused)) +
                 " (paused or stepped), which its times do not count");
        }
    }
    tell(verdict.sentence);
    tell(verdict.evidence);
    const bool replace = options.replace || options.a.replace || options.b.replace;
    const bool complete = both[0].all_complete() && both[1].all_complete();
    const auto keep_first = [&](const core::Result<void>& written) {
        if (!written) {
            const int problem = fail(written.error());
            status = status == kDone ? problem : status;
        }
    };
    if (!options.report.empty()) {
        std::string report =
            dumped({{"headway", HEADWAY_VERSION}, {"program", a.info().program}, {"runs", both[0].runs.size()}});
        report = with_member(std::move(report), "a", report_of(both[0], compared[0]));
        report = with_member(std::move(report), "b", report_of(both[1], compared[1]));
        report = with_member(std::move(report), "verdict", dumped(comparison::verdict_json(verdict)));
        keep_first(core::write_whole(place_of(options.report, replace, complete), report));
    }
    if (!options.figure.empty()) {
        keep_first(write_figure(place_of(options.figure, replace, complete), a, &b, options.figure_request, &verdict));
    }
    return status;
}

}  // namespace headway::runner
