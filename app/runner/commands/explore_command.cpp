// headway explore: one program in many orders of its ops that its dependencies allow, each in a run of its own on the
// simulated device. Tells whether what the program prints differs, and the races that explain it.
#include <algorithm>
#include <cstdio>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <sstream>
#include <tuple>
#include <utility>
#include <variant>

#include "app/model/analysis/races.h"
#include "app/model/run/devices.h"
#include "app/runner/commands/child_run.h"
#include "app/runner/commands/commands.h"
#include "app/runner/execution/interrupt.h"
#include "app/runner/execution/job.h"
#include "app/runner/execution/words.h"
#include "engine/core/count_text.h"

namespace headway::runner {

namespace {

using Json = nlohmann::ordered_json;

// What one program printed, and how it ended, in one or more of the orders.
struct OrderOutcome {
    std::string text;   // durations left out: they differ in each order
    std::string error;  // empty: it ended well
    std::uint64_t runs = 0;
    std::uint64_t first = 0;  // seed of the first order with this outcome
};

struct FoundRace {
    std::string text;  // "mean in line 12 in Stream 1 reads what …"
    std::string missing;
    std::uint64_t runs = 0, first = 0;
};

// "mean in line 12 in Stream 1"
std::string op_text(const model::Run& run, model::OpId id, core::Line line, std::uint8_t lane) {
    std::string text = run.is_folded(id) ? "an op" : run.signature(run.op(id).signature).name;
    if (line != 0) {
        text += " in " + run.line_text(line);
    }
    return lane < run.lanes().size() ? text + " in " + stream_name(run, lane) : text;
}

std::string race_text(const model::Run& run, const model::Race& race) {
    const model::RaceWords words = model::words_of(race.kind);
    return op_text(run, race.op, race.line, race.lane) + " " + words.does + " " +
           op_text(run, race.other, race.other_line, race.other_lane) + " " + words.done + ", and nothing orders them";
}

// FNV-1a, to name an outcome.
std::string hash_of(const std::string& text) {
    std::uint64_t hash = 0xcbf29ce484222325u;
    for (const char c : text) {
        hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
    }
    char digits[17];
    std::snprintf(digits, sizeof digits, "%016llx", static_cast<unsigned long long>(hash));
    return digits;
}

class Explored {
public:
    // `ended_well`: of the run's process.
    void take(const model::Run& run, std::uint64_t order, bool ended_well) {
        program_ = run.info().program;
        const Printed key = printed_by(run, ended_well);
        ++outcomes_.try_emplace(key, OrderOutcome{key.first, key.second, 0, order}).first->second.runs;
        for (const model::Race& race : model::races(run)) {
            const std::string key = race_text(run, race);
            ++races_.try_emplace(key, FoundRace{key, model::missing(run, race), 0, order}).first->second.runs;
        }
        ++runs_;
    }

    // Whether the outcomes may depend on something else than the order: no race explains them.
    [[nodiscard]] bool unexplained() const { return races_.empty() && outcomes_.size() > 1; }
    [[nodiscard]] std::uint64_t first_order() const { return outcomes().front().first; }
    // Another run of first_order().
    void take_again(const model::Run& run, bool ended_well) {
        const OrderOutcome first = outcomes().front();
        repeats_ = printed_by(run, ended_well) == Printed{first.text, first.error};
    }

    [[nodiscard]] std::vector<OrderOutcome> outcomes() const {
        std::vector<OrderOutcome> list;
        for (const auto& [key, outcome] : outcomes_) {
            list.push_back(outcome);
        }
        std::sort(list.begin(), list.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
        return list;
    }
    [[nodiscard]] std::uint64_t runs() const { return runs_; }
    [[nodiscard]] bool all_ended_well() const {
        return std::all_of(outcomes_.begin(), outcomes_.end(),
                           [](const auto& entry) { return entry.second.error.empty(); });
    }

    void print() const {
        const auto all = outcomes();
        tell(core::counted(runs_, "order") + " of " + program_ +
             ", SIMULATED: " + (all.size() == 1 ? "the same outcome each time" : core::counted(all.size(), "outcome")));
        const std::vector<std::string> lines = different_lines(all);
        for (std::size_t i = 0; i < all.size() && (all.size() > 1 || !all_ended_well()); ++i) {
            const OrderOutcome& outcome = all[i];
            const std::string line = lines[i].substr(0, 200);
            std::fprintf(stderr, "  %s, first with --order %llu: %s\n", core::counted(outcome.runs, "order").c_str(),
                         static_cast<unsigned long long>(outcome.first),
                         !outcome.error.empty() ? outcome.error.c_str()
                         : line.empty()         ? "nothing more printed"
                                                : ("“" + line + "”").c_str());
        }
        for (const auto& [key, race] : races_) {
            std::fprintf(stderr, "  race, in %s: %s. Missing: %s.\n", core::counted(race.runs, "order").c_str(),
                         race.text.c_str(), race.missing.c_str());
        }
        if (!repeats_) {
            std::fprintf(stderr,
                         "  one order, run twice, had two outcomes: the program depends on something else, such as "
                         "random numbers without a seed\n");
        } else if (unexplained()) {
            std::fprintf(stderr,
                         "  no race between streams: the program asks for the time or for what is done, or it "
                         "changes memory that a copy still reads\n");
        }
    }

    [[nodiscard]] std::string json(const ExploreOptions& options) const {
        Json report;
        report["headway"] = HEADWAY_VERSION;
        report["program"] = program_;
        report["orders"] = runs_;
        report["first"] = options.seed;
        report["outcomes"] = Json::array();
        for (const OrderOutcome& outcome : outcomes()) {
            report["outcomes"].push_back({{"orders", outcome.runs},
                                          {"first", outcome.first},
                                          {"hash", hash_of(outcome.text + '\0' + outcome.error)},
                                          {"printed", outcome.text},
                                          {"error", outcome.error.empty() ? Json(nullptr) : Json(outcome.error)}});
        }
        report["repeats"] = repeats_;
        report["races"] = Json::array();
        for (const auto& [key, race] : races_) {
            report["races"].push_back(
                {{"race", race.text}, {"missing", race.missing}, {"orders", race.runs}, {"first", race.first}});
        }
        return report.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
    }

private:
    using Printed = std::pair<std::string, std::string>;  // text and error

    static Printed printed_by(const model::Run& run, bool ended_well) {
        const model::RunEnd end = run.end();
        return {without_durations(printed(run)), run.error()                    ? run.error()->message
                                                 : end.complete() && ended_well ? ""
                                                                                : end.sentence};
    }

    // For each outcome, its version of the first line that is not the same in all of them.
    static std::vector<std::string> different_lines(const std::vector<OrderOutcome>& outcomes) {
        std::vector<std::istringstream> texts;
        for (const OrderOutcome& outcome : outcomes) {
            texts.emplace_back(outcome.text);
        }
        std::vector<std::string> lines(outcomes.size());
        for (bool more = true; more;) {
            more = false;
            for (std::size_t i = 0; i < lines.size(); ++i) {
                lines[i].clear();
                more = static_cast<bool>(std::getline(texts[i], lines[i])) || more;
            }
            if (std::any_of(lines.begin(), lines.end(), [&](const auto& line) { return line != lines.front(); })) {
                break;
            }
        }
        return lines;
    }

    std::string program_;
    std::uint64_t runs_ = 0;
    std::map<Printed, OrderOutcome> outcomes_;
    std::map<std::string, FoundRace> races_;
    bool repeats_ = true;  // false: one order, run twice, had two outcomes
};

}  // namespace

int explore_command(const ExploreOptions& options) {
    auto job = make_job(options.run);
    if (!job) {
        return fail(job.error());
    }
    for (const std::string& note : job->notes) {
        tell(note);
    }
    if (auto ready = check_outputs(options.report, {}, {}, {}, job->files()); !ready) {
        return fail(ready.error());
    }
    const Interrupts interrupts;
    Explored explored;
    // The run of one order and whether its process ended well; null if it was interrupted; or an exit status.
    using OneRun = std::pair<std::unique_ptr<model::Run>, bool>;
    const auto run_order = [&](std::uint64_t order) -> std::variant<OneRun, int> {
        std::vector<std::string> words = options.words;
        words.insert(words.end(), {"--device", "simulated", "--order", std::to_string(order)});
        auto child = run_in_child(options.program, words, options.run.limits, true);
        if (!child) {
            return fail(child.error());
        }
        auto run = child->read();
        if (!run) {
            return fail(run.error());
        }
        if (child->end.stop_asked) {
            return OneRun{};
        }
        if (*run == nullptr) {
            return report_end(*child, nullptr);
        }
        return OneRun{std::move(*run), child->end.ended_well()};
    };
    for (std::uint64_t i = 0; i < options.orders && !interrupts.asked(); ++i) {
        const std::uint64_t order = options.seed + i;
        const auto outcome = run_order(order);
        if (const int* status = std::get_if<int>(&outcome)) {
            return *status;
        }
        const auto& [run, ended_well] = std::get<OneRun>(outcome);
        if (run == nullptr) {
            break;  // keep the results of the earlier orders
        }
        explored.take(*run, order, ended_well);
    }
    if (explored.unexplained() && !interrupts.asked()) {
        const auto outcome = run_order(explored.first_order());
        if (const OneRun* again = std::get_if<OneRun>(&outcome); again != nullptr && again->first != nullptr) {
            explored.take_again(*again->first, again->second);
        }
    }
    if (explored.runs() == 0) {
        tell("stopped before the first order had ended");
        return kProgramFailed;
    }
    explored.print();
    if (explored.runs() < options.orders) {
        tell("stopped after " + std::to_string(explored.runs()) + " of " + std::to_string(options.orders) + " orders");
    }
    if (!options.report.empty()) {
        const std::string path = place_of(options.report, options.run.replace,
                                          explored.all_ended_well() && explored.runs() == options.orders);
        if (auto written = core::write_whole(path, explored.json(options)); !written) {
            return fail(written.error());
        }
    }
    const bool all_done = explored.all_ended_well() && explored.runs() == options.orders;
    return explored.outcomes().size() == 1 && all_done ? kDone : kProgramFailed;
}

}  // namespace headway::runner
