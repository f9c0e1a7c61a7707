#include "app/comparison/naming.h"

#include <tuple>
#include <utility>
#include <vector>

#include "app/model/numbers/format.h"
#include "engine/trace/barrier_names.h"

namespace headway::comparison {
namespace {

using model::RunInfo;

constexpr std::size_t kMostNamed = 3;       // differing settings in a name
constexpr std::size_t kMostParameters = 2;  // differing parameters in a name

std::string lanes_words(std::uint32_t count, const char* lane) {
    return model::count_text(count) + " " + lane + (count == 1 ? "" : "s");
}

// "1 GPU", "4 GPUs, links ring", "2 GPUs, links pcie, speeds 1, 0.25"; "" on other devices.
std::string gpus_words(const RunInfo& info) {
    if (!info.links) {
        return info.device_kind == "simulated" ? "1 GPU" : "";
    }
    const std::string speeds = speed_words(info);
    return std::to_string(info.links->gpus()) + " GPUs, links " + devices::word_of(info.links->topology()) +
           (speeds.empty() ? "" : ", speeds " + speeds);
}

std::string barrier_of(const RunInfo& info) {
    const auto acting = acting_barriers(info);
    return barrier_words(acting[0].barrier) + (acting.size() == 1   ? std::string()
                                               : acting.size() == 2 ? ", then " + barrier_words(acting[1].barrier)
                                                                    : std::string(", changed while it ran"));
}

std::string recording_of(const RunInfo& info) {
    return info.title.empty() ? info.program : info.title;
}

using Differences = std::vector<std::pair<std::string, std::string>>;

// Adds a pair of words if they differ.
auto adder(Differences& all) {
    return [&all](std::string of_a, std::string of_b) {
        if (of_a != of_b) {
            all.emplace_back(std::move(of_a), std::move(of_b));
        }
    };
}

void add_engine_settings(Differences& all, const RunInfo& a, const RunInfo& b) {
    const auto add = adder(all);
    const auto limit = [](std::uint32_t ops) {
        return ops == 0 ? std::string("no queue limit") : "queue limit " + model::count_text(ops);
    };
    add(limit(a.queue_limit), limit(b.queue_limit));
    const auto budget = [](const RunInfo& info) {
        return info.budget != 0                    ? "budget " + model::budget_text(info.budget)
               : info.budget_in_effect.value_or(0) ? std::string("default budget")
                                                   : std::string("no budget");
    };
    add(budget(a), budget(b));
    // If only one run has the value, the device or the version already explains it.
    const auto add_known = [&add](const std::string& before, const std::string& of_a, const std::string& of_b,
                                  const std::string& behind) {
        if (!of_a.empty() && !of_b.empty()) {
            add(before + of_a + behind, before + of_b + behind);
        }
    };
    add_known("free policy ", a.free_policy, b.free_policy, "");
    if (a.device_kind == b.device_kind) {
        add(lanes_words(a.workers, "worker"), lanes_words(b.workers, "worker"));
        add(lanes_words(a.streams, "stream"), lanes_words(b.streams, "stream"));
        add(gpus_words(a), gpus_words(b));
    }
    const auto issue = [](const RunInfo& info) {
        return info.issue == "graph" ? "issued as graphs" : "issued op by op";
    };
    add(issue(a), issue(b));
    add_known("launched by the ", a.launch, b.launch, "");
    add_known("", a.copies, b.copies, " copies");
    add_known("", a.products, b.products, " products");
    add("seed " + std::to_string(a.seed), "seed " + std::to_string(b.seed));
}

Differences differences(const RunInfo& a, const RunInfo& b) {
    Differences all;
    const auto add = adder(all);
    const auto or_first = [](const std::string& tab) { return tab.empty() ? std::string("first tab") : tab; };
    add(a.program, b.program);
    const bool both_frontends = !a.frontend.empty() && !b.frontend.empty();
    if (both_frontends && a.frontend != b.frontend) {
        add(a.frontend, b.frontend);
    } else {
        add(or_first(a.tab), or_first(b.tab));
    }
    add(a.device_kind, b.device_kind);
    // A device's name may contain the number of lanes, too.
    const bool lanes_differ = a.workers != b.workers || a.streams != b.streams;
    if (a.device_kind == b.device_kind && !lanes_differ) {
        add(a.device_name, b.device_name);
    }
    add(barrier_of(a), barrier_of(b));
    if (a.program == b.program) {
        add(parameters_of(a, b), parameters_of(b, a));
    }
    add_engine_settings(all, a, b);
    return all;
}

}  // namespace

std::string barrier_words(std::string_view barrier) {
    const auto policy = trace::barrier_called(barrier);
    return trace::name_of(policy ? *policy : trace::BarrierPolicy{}, &trace::BarrierNames::phrase);
}

std::string acting_barrier(const RunInfo& info, const std::string& barrier) {
    return info.no_minibatches && barrier != "op" ? "as-written" : barrier;
}

std::vector<RunInfo::BarrierChange> acting_barriers(const RunInfo& info) {
    std::vector<RunInfo::BarrierChange> acting{{0, acting_barrier(info, info.barrier)}};
    for (const auto& change : info.barrier_changes) {
        std::string barrier = acting_barrier(info, change.barrier);
        if (barrier != acting.back().barrier) {
            acting.push_back({change.ns, std::move(barrier)});
        }
    }
    return acting;
}

std::string parameters_of(const RunInfo& run, const RunInfo& other) {
    std::string words;
    std::size_t named = 0;
    if (run.program != other.program) {
        return words;
    }
    auto names = run.parameters;
    names.insert(other.parameters.begin(), other.parameters.end());
    for (const auto& [name, any] : names) {
        const auto own = run.parameters.find(name), theirs = other.parameters.find(name);
        const bool set = own != run.parameters.end();
        if (set && theirs != other.parameters.end() && own->second == theirs->second) {
            continue;
        }
        if (named++ == kMostParameters) {
            return words + " …";
        }
        words += (words.empty() ? "" : ", ") + name + (set ? "=" + own->second : " not set");
    }
    return words;
}

std::vector<std::string> engine_settings_of(const RunInfo& run, const RunInfo& other) {
    Differences all;
    add_engine_settings(all, run, other);
    std::vector<std::string> words;
    for (auto& [own, theirs] : all) {
        words.push_back(std::move(own));
    }
    return words;
}

Names names_of(const RunInfo& a, const RunInfo& b) {
    if (a.foreign || b.foreign) {
        const std::string of_a = recording_of(a), of_b = recording_of(b);
        return of_a == of_b ? Names{} : Names{of_a, of_b};
    }
    Names names;
    const Differences all = differences(a, b);
    for (std::size_t i = 0; i < all.size() && i < kMostNamed; ++i) {
        const char* between = i == 0 ? "" : ", ";
        names.a += between + all[i].first;
        names.b += between + all[i].second;
    }
    if (all.size() > kMostNamed) {
        names.a += " …";
        names.b += " …";
    }
    return names;
}

bool differ_in_barrier_only(const RunInfo& a, const RunInfo& b) {
    const auto rest = [](const RunInfo& x) {
        return std::tie(x.program, x.frontend, x.tab, x.torch, x.parameters, x.free_policy, x.profile, x.queue_limit,
                        x.budget, x.budget_in_effect, x.seed, x.cost_models);
    };
    return rest(a) == rest(b) && !ops_run_differently(a, b);
}

bool ops_run_differently(const RunInfo& a, const RunInfo& b) {
    return a.device_kind != b.device_kind || a.device_name != b.device_name || a.workers != b.workers ||
           a.streams != b.streams || gpus_words(a) != gpus_words(b) || a.issue != b.issue || a.launch != b.launch ||
           a.copies != b.copies || a.products != b.products;
}

}  // namespace headway::comparison
