#include "app/figure/words.h"

#include <algorithm>
#include <cmath>

#include "app/comparison/naming.h"
#include "app/model/run/devices.h"
#include "app/render/format.h"
#include "app/timeline/op_words.h"
#include "app/timeline/timeline.h"

namespace headway::figure {
namespace {

// A parameter's name with spaces for underscores.
std::string readable(std::string name) {
    std::replace(name.begin(), name.end(), '_', ' ');
    return name;
}

using model::Numbers;
using model::Run;

std::string capitalised(std::string words) {
    if (!words.empty() && words[0] >= 'a' && words[0] <= 'z') {
        words[0] = static_cast<char>(words[0] - 'a' + 'A');
    }
    return words;
}

std::string outcome(const Run& run, const Numbers& n) {
    if (!has_all_records(run)) {
        return std::string(run.info().file_cut_off ? "the file is cut off" : model::word_of(run.end().verdict)) +
               ", so the run's sums are not known";
    }
    std::string s = duration_text(static_cast<double>(n.total_ns));
    if (run.error()) {
        // "in all", because after the failure the backend still executed the ops that were issued.
        return run.error()->stopped() ? "stopped after " + s : "failed, " + s + " in all";
    }
    if (const auto verdict = run.end().verdict;
        verdict == model::Verdict::crashed || verdict == model::Verdict::stopped) {
        return std::string(model::word_of(verdict)) + " after " + s;
    }
    s += run.state() == trace::RunState::running ? " so far" : "";
    if (!n.capabilities.issues && !n.capabilities.memory) {
        return s + ", " + ops_text(n.capabilities, n.ops);
    }
    std::string rest;
    if (n.capabilities.issues) {
        rest = "at most " + count_text(n.headway_max) + (n.headway_max == 1 ? " op" : " ops") + " ahead";
    }
    if (n.capabilities.memory) {
        rest += (rest.empty() ? "peak " : ", peak ") + bytes_text(n.live_bytes_peak);
    }
    return s + (run.devices().size() > 1 ? "; on " + all_devices(run) + " " : ", ") + rest;
}

}  // namespace

std::string finding_of(const Run& run, const Numbers& numbers) {
    return (run.capabilities().settings ? capitalised(barrier_label(run)) : barrier_label(run)) + ": " +
           outcome(run, numbers);
}

std::string run_label(const Run& run, const Run* other) {
    std::string label = barrier_label(run);
    if (other == nullptr || !run.capabilities().settings) {
        return label;
    }
    const auto& x = run.info();
    const auto& y = other->info();
    if (x.program != y.program) {
        label = x.program + ", " + label;
    }
    if (x.frontend != y.frontend && !x.frontend.empty()) {
        label = x.frontend + ", " + label;
    }
    if (x.tab != y.tab && !x.tab.empty()) {
        label = x.tab + ", " + label;
    }
    if (const std::string parameters = comparison::parameters_of(x, y); !parameters.empty()) {
        label += ", " + parameters;
    }
    if (x.device_name != y.device_name || x.device_kind != y.device_kind) {
        label += ", " + x.device_kind;
    }
    for (const std::string& setting : comparison::engine_settings_of(x, y)) {
        label += ", " + setting;
    }
    return label;
}

std::string source_of(const model::RunInfo& info) {
    std::string lost;
    const auto add = [&lost](const std::string& words) { lost += (lost.empty() ? "" : ", ") + words; };
    if (info.left_out > 0) {
        add(count_text(info.left_out) + (info.left_out == 1 ? " event" : " events") + " left out");
    }
    if (info.repaired > 0) {
        add(count_text(info.repaired) +
            (info.left_out > 0    ? ""
             : info.repaired == 1 ? " event"
                                  : " events") +
            " repaired");
    }
    if (info.file_cut_off) {
        add("file cut off");
    }
    const std::string source = info.foreign ? "recorded by another program" : "";
    return source + (source.empty() || lost.empty() ? "" : ": ") + lost;
}

std::string device_of(const model::RunInfo& info) {
    if (info.foreign && info.device_kind == "trace") {
        return info.device_name;
    }
    std::string device = info.device_name.empty() ? info.device_kind : info.device_name;
    const bool cpu = info.device_kind == "cpu";
    const std::uint32_t lanes = cpu ? info.workers : info.streams;
    const std::string what = cpu ? "worker" : "stream";
    if (lanes > 0 && device.find(what) == std::string::npos) {
        device.append(", ").append(count_text(lanes)).append(" ").append(what).append(lanes == 1 ? "" : "s");
    }
    return device;
}

std::string devices_of(const Run& run) {
    const std::string own = device_of(run.info());
    std::string all = gpu_count(run) > 1 ? std::to_string(gpu_count(run)) + " × " + own : own;
    if (run.info().links) {
        all += std::string(", links ") + devices::word_of(run.info().links->topology());
        const std::string speeds = speed_words(run.info());
        all += speeds.empty() ? "" : ", speeds " + speeds;
    }
    for (const model::RunDevice& device : run.devices()) {
        if (&device != &run.devices().front() && device.kind == "cpu") {
            all += (all.empty() ? "" : " and ") + device.name;
        }
    }
    return all;
}

std::string subtitle_of(const Run& a, const Run* b) {
    const auto& info = b != nullptr ? b->info() : a.info();
    const auto title_of = [](const model::RunInfo& of) { return of.title.empty() ? of.program : of.title; };
    const auto both = [](const std::string& of_a, const std::string& of_b) {
        return of_a == of_b || of_a.empty() || of_b.empty() ? of_b : of_a + " / " + of_b;
    };
    std::string s = both(title_of(a.info()), title_of(info));
    const auto& first = a.info().program == info.program ? a.info() : info;
    auto parameters = info.parameters;
    parameters.insert(first.parameters.begin(), first.parameters.end());
    for (const auto& parameter : parameters) {
        const std::string& name = parameter.first;
        const auto value_in = [&name](const model::RunInfo& of) {
            const auto found = of.parameters.find(name);
            return found == of.parameters.end() ? std::string("not set") : found->second;
        };
        const std::string of_a = value_in(first), of_b = value_in(info);
        s += ", " + readable(name) + " " + (of_a == of_b ? of_b : of_a + " / " + of_b);
    }
    const std::string device = both(devices_of(a), devices_of(b != nullptr ? *b : a));
    if (!device.empty()) {
        s += "; " + device;
    }
    s += ".";
    if (b != nullptr && a.info().program == info.program && a.info().tab == info.tab &&
        a.info().frontend == info.frontend && a.info().parameters == info.parameters &&
        a.op_count() == b->op_count() &&  // else its file may have changed in between
        a.capabilities().settings && b->capabilities().settings) {
        const bool barrier =
            barrier_label(a) != barrier_label(*b) && comparison::differ_in_barrier_only(a.info(), info);
        s += " Same program, same axis";
        s += barrier ? "; only the barrier differs." : ".";
    }
    return s;
}

std::string heading_of(const Run& a, const Run* b) {
    if (b == nullptr) {
        return a.capabilities().settings ? capitalised(run_label(a, nullptr)) : run_label(a, nullptr);
    }
    return "A: " + run_label(a, b) + "; B: " + run_label(*b, &a);
}

std::string caption_of(const Run& a, const Numbers& na, const Run* b, const Numbers& nb, const std::string& evidence) {
    std::vector<std::string> parts;
    const auto both = [&](auto part) {
        const std::string of_a = part(a, na);
        const std::string of_b = b != nullptr ? part(*b, nb) : of_a;
        const auto or_dash = [](const std::string& words) { return words.empty() ? std::string("–") : words; };
        return of_a == of_b ? of_a : or_dash(of_a) + " / " + or_dash(of_b);
    };
    const auto add = [&](std::string words) {
        if (!words.empty()) {
            parts.push_back(std::move(words));
        }
    };
    add(both([](const Run& r, const Numbers&) {
        return r.info().version.empty() ? "Headway" : "Headway " + r.info().version;
    }));
    add(both([](const Run& r, const Numbers&) { return r.info().program; }));
    add(both([](const Run& r, const Numbers&) { return devices_of(r); }));
    add(evidence);
    add(both([](const Run& r, const Numbers&) { return source_of(r.info()); }));
    if (a.info().simulated || (b != nullptr && b->info().simulated)) {
        add("SIMULATED");
    }
    const auto names_its_cpu = [](const model::RunInfo& info) {
        return info.device_name.find(info.cpu) != std::string::npos;
    };
    if (!names_its_cpu(a.info()) || (b != nullptr && !names_its_cpu(b->info()))) {
        add(both([](const Run& r, const Numbers&) { return r.info().cpu; }));
    }
    const bool settings = na.capabilities.settings && (b == nullptr || nb.capabilities.settings);
    if (settings) {
        add("seed " + both([](const Run& r, const Numbers&) { return std::to_string(r.info().seed); }));
    }
    add(both([](const Run& r, const Numbers&) {
        if (r.info().profile.empty()) {
            return r.info().free_policy.empty() ? std::string() : "free policy " + r.info().free_policy;
        }
        return model::profile_words(r.info());
    }));
    const bool budget = a.info().budget > 0 || (b != nullptr && b->info().budget > 0);
    const bool limit = a.info().queue_limit > 0 || (b != nullptr && b->info().queue_limit > 0);
    add(both([&](const Run& r, const Numbers&) {
        const std::uint64_t limit = r.info().budget_in_effect.value_or(r.info().budget);
        return !budget      ? std::string()
               : limit == 0 ? "no budget"
                            : (r.info().budget == 0 ? "default budget " : "budget ") + budget_in_both_units(limit);
    }));
    add(both([&](const Run& r, const Numbers&) {
        return !limit                      ? std::string()
               : r.info().queue_limit == 0 ? "no queue limit"
                                           : "queue limit " + count_text(r.info().queue_limit);
    }));
    if (settings) {
        add("recorder " + both([](const Run&, const Numbers& n) {
                return n.total_ns > 0
                           ? percent_text(static_cast<double>(n.recorder_ns) / static_cast<double>(n.total_ns))
                           : "0 %";
            }));
        add(both([](const Run&, const Numbers& n) {
            return n.recording_wait_ns == 0 ? std::string()
                                            : "held back " + duration_text(static_cast<double>(n.recording_wait_ns)) +
                                                  " by the full recording";
        }));
        add(both([](const Run& r, const Numbers&) {
            return r.folded_ops() == 0 ? std::string() : count_text(r.folded_ops()) + " ops folded";
        }));
    }
    add(both([](const Run& r, const Numbers&) { return r.info().date.substr(0, 10); }));
    std::string line;
    for (const std::string& part : parts) {
        line += (line.empty() ? "" : " · ") + part;
    }
    return line;
}

}  // namespace headway::figure
