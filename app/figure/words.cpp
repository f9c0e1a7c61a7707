#include "app/figure/words.h"

#include <algorithm>
#include <cmath>

#include "app/figure/format.h"
#include "app/figure/timeline.h"

namespace headway::figure {
namespace {

// A parameter's name in words.
std::string readable(std::string name) {
    std::replace(name.begin(), name.end(), '_', ' ');
    return name;
}

using model::Numbers;
using model::Run;

constexpr double kSame = 0.02;  // differences below this are none

std::string barrier_subject(const std::string& barrier) {
    if (barrier == "minibatch") {
        return "A barrier per minibatch";
    }
    if (barrier == "op") {
        return "A barrier after every op";
    }
    if (barrier.starts_with("behind:")) {
        return "A barrier " + barrier.substr(7) + " behind";
    }
    if (barrier == "none") {
        return "Running without a barrier";
    }
    return "Running as written";
}

std::string capitalised(std::string words) {
    if (!words.empty() && words[0] >= 'a' && words[0] <= 'z') {
        words[0] = static_cast<char>(words[0] - 'a' + 'A');
    }
    return words;
}

// What B has that A has not, as the subject of a sentence.
std::string subject(const Run& a, const Run& b) {
    const auto& x = a.info();
    const auto& y = b.info();
    if (x.program != y.program) {
        return y.program;
    }
    if (x.frontend != y.frontend && !y.frontend.empty()) {
        return "Issuing from " + y.frontend;
    }
    if (!x.barrier_changes.empty() || !y.barrier_changes.empty()) {
        return capitalised(barrier_label(b));  // which switch did what cannot be told apart
    }
    if (x.barrier != y.barrier) {
        return barrier_subject(y.barrier);
    }
    if (x.queue_limit != y.queue_limit) {
        return y.queue_limit == 0 ? "No queue limit" : "A queue limit of " + count_text(y.queue_limit);
    }
    if (x.free_policy != y.free_policy) {
        return "Free policy " + y.free_policy;
    }
    if (x.device_name != y.device_name || x.device_kind != y.device_kind) {
        return "The " + y.device_kind + " device";
    }
    if (x.workers != y.workers) {
        return count_text(y.workers) + (y.workers == 1 ? " worker" : " workers");
    }
    if (x.streams != y.streams) {
        return count_text(y.streams) + (y.streams == 1 ? " stream" : " streams");
    }
    return "";
}

// "takes 14 % more time", "saves 93 % of the memory", "needs 13 times the memory"; empty when there is no difference to
// speak of. Shares are of what A took.
std::string change(double a, double b, const std::string& of, const std::string& verb) {
    if (a <= 0 || b <= 0 || std::abs(b - a) <= kSame * std::max(a, b)) {
        return "";
    }
    if (b < a) {
        return "saves " + percent_text((a - b) / a) + " of the " + of;
    }
    return b >= 2 * a ? verb + " " + times_text(b / a) + " the " + of
                      : verb + " " + percent_text((b - a) / a) + " more " + of;
}

std::string outcome(const Run& run, const Numbers& n) {
    std::string s = duration_text(static_cast<double>(n.total_ns));
    if (run.error()) {
        return (run.error()->stopped() ? "stopped after " : "failed after ") + s;
    }
    s += run.state() == trace::RunState::running ? " so far" : "";
    if (!n.told.issues && !n.told.memory) {
        return s + ", " + ops_text(n.told, n.ops);
    }
    std::string rest;
    if (n.told.issues) {
        rest = "at most " + count_text(n.headway_max) + (n.headway_max == 1 ? " op" : " ops") + " ahead";
    }
    if (n.told.memory) {
        rest += (rest.empty() ? "peak " : ", peak ") + bytes_text(n.live_bytes_peak);
    }
    return s + (run.devices().size() > 1 ? "; on both devices " : ", ") + rest;
}

}  // namespace

std::string finding_of(const Run& a, const Numbers& na, const Run* b, const Numbers& nb, Clear clear) {
    const std::string label = a.told().settings ? capitalised(barrier_label(a)) : barrier_label(a);
    if (b == nullptr) {
        return label + ": " + outcome(a, na);
    }
    if (a.error() || b->error()) {
        std::string of_a = label;
        std::string of_b = barrier_label(*b);
        if (of_b == barrier_label(a)) {
            of_a = "Run A";
            of_b = "run B";
        }
        return of_a + ": " + outcome(a, na) + "; " + of_b + ": " + outcome(*b, nb);
    }
    if ((!a.told().settings || !b->told().settings) && a.info().program == b->info().program) {
        return "A: " + outcome(a, na) + "; B: " + outcome(*b, nb);  // what differs is not known: no verdict
    }
    const std::string what = subject(a, *b);
    if (a.info().program == b->info().program && a.info().parameters != b->info().parameters) {
        return "A: " + outcome(a, na) + "; B: " + outcome(*b, nb);  // not the same work: no verdict
    }
    if (a.info().program != b->info().program) {
        return a.info().program + ": " + outcome(a, na) + "; " + what + ": " + outcome(*b, nb);
    }
    if (a.info().simulated != b->info().simulated) {
        return "A: " + outcome(a, na) + "; B: " + outcome(*b, nb) + "; a virtual clock against a real one";
    }
    const std::string time =
        change(static_cast<double>(na.total_ns), static_cast<double>(nb.total_ns), "time", "takes");
    const bool both_devices = a.devices().size() > 1 || b->devices().size() > 1;
    const std::string memory = change(static_cast<double>(na.live_bytes_peak), static_cast<double>(nb.live_bytes_peak),
                                      both_devices ? "memory on both devices" : "memory", "needs");
    if (!what.empty() && !(clear.time && clear.memory)) {
        const std::string& change_of = clear.time ? time : memory;
        if (change_of.empty() || !(clear.time || clear.memory)) {
            const std::string little = ", and less than " + percent_text(kSame) + " in ";
            return what + " makes no clear difference in " +
                   (clear.time     ? "memory" + little + "time"
                    : clear.memory ? "time" + little + "memory"
                                   : "time or memory");
        }
        return what + " " + change_of + ", with no clear difference in " + (clear.time ? "memory" : "time");
    }
    if (what.empty()) {  // the same settings: whatever differs is noise
        return std::string("Same settings") + (clear.time ? "" : ", no clear difference in time") +
               "; A: " + outcome(a, na) + "; B: " + outcome(*b, nb);
    }
    if (time.empty() && memory.empty()) {
        return what + " changes neither time nor memory by more than " + percent_text(kSame);
    }
    if (time.empty()) {
        return what + " " + memory + " and costs no time";
    }
    if (memory.empty()) {
        return what + " " + time;
    }
    const bool less_time = time.starts_with("saves"), less_memory = memory.starts_with("saves");
    if (less_time && less_memory) {  // "saves 75 % of the time and 60 % of the memory"
        return what + " " + time + " and " + memory.substr(6);
    }
    return what + " " + time + (less_time && !less_memory ? " but " : " and ") + memory;
}

// What one run is called after, for the table and the header.
std::string other_parameters(const Run& run, const Run& other) {
    constexpr int kMost = 2;  // a label is no list
    std::string words;
    int named = 0;
    if (run.info().program != other.info().program) {
        return words;
    }
    for (const auto& [name, value] : run.info().parameters) {
        const auto& theirs = other.info().parameters;
        const auto found = theirs.find(name);
        if (found == theirs.end() || found->second == value) {
            continue;
        }
        if (named++ == kMost) {
            return words + " …";
        }
        words += (words.empty() ? "" : ", ") + readable(name) + " " + value;
    }
    return words;
}

std::string run_label(const Run& run, const Run* other) {
    std::string label = barrier_label(run);
    if (other == nullptr || !run.told().settings) {
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
    if (const std::string parameters = other_parameters(run, *other); !parameters.empty()) {
        label += ", " + parameters;
    }
    if (x.queue_limit != y.queue_limit) {
        label += x.queue_limit == 0 ? ", no queue limit" : ", queue limit " + count_text(x.queue_limit);
    }
    if (x.free_policy != y.free_policy) {
        label += ", free policy " + x.free_policy;
    }
    if (x.device_name != y.device_name || x.device_kind != y.device_kind) {
        label += ", " + x.device_kind;
    }
    if (x.workers != y.workers && x.workers != 0) {
        label += ", " + count_text(x.workers) + (x.workers == 1 ? " worker" : " workers");
    }
    return label;
}

const char* ops_word(const model::Told& told, std::uint64_t count) {
    return told.backend ? (count == 1 ? "op" : "ops") : count == 1 ? "span" : "spans";
}

std::string ops_text(const model::Told& told, std::uint64_t count) {
    return count_text(count) + " " + ops_word(told, count);
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
    return run.devices().size() < 2 ? own : own + (own.empty() ? "" : " and ") + run.devices()[1].name;
}

std::string subtitle_of(const Run& a, const Run* b) {
    const auto& info = b != nullptr ? b->info() : a.info();
    std::string s = info.title.empty() ? info.program : info.title;
    std::string parameters;
    for (const auto& [name, value] : info.parameters) {
        parameters += ", " + readable(name) + " ";
        const auto other = a.info().parameters.find(name);
        if (b != nullptr && other != a.info().parameters.end() && other->second != value) {
            parameters += other->second + " / ";
        }
        parameters += value;
    }
    s += parameters;
    const std::string device = devices_of(b != nullptr ? *b : a);
    if (!device.empty()) {
        s += "; " + device;
    }
    s += ".";
    if (b != nullptr && a.info().program == info.program && a.info().parameters == info.parameters &&
        a.told().settings && b->told().settings) {
        const auto& x = a.info();
        const bool rest_same = x.queue_limit == info.queue_limit && x.free_policy == info.free_policy &&
                               x.device_name == info.device_name && x.workers == info.workers &&
                               x.budget == info.budget && x.streams == info.streams && x.seed == info.seed;
        s += " Same program, same axis";
        s += rest_same && x.barrier != info.barrier ? "; only the barrier differs." : ".";
    }
    return s;
}

std::string heading_of(const Run& a, const Run* b) {
    if (b == nullptr) {
        return a.told().settings ? capitalised(run_label(a, nullptr)) : run_label(a, nullptr);
    }
    return "A: " + run_label(a, b) + "; B: " + run_label(*b, &a);
}

std::string caption_of(const Run& a, const Numbers& na, const Run* b, const Numbers& nb) {
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
    add(both([](const Run& r, const Numbers&) { return source_of(r.info()); }));
    if (a.info().simulated || (b != nullptr && b->info().simulated)) {
        add("SIMULATED");
    }
    add(both([](const Run& r, const Numbers&) {
        return r.info().cpu.empty() || r.info().device_name.find(r.info().cpu) != std::string::npos ? std::string()
                                                                                                    : r.info().cpu;
    }));
    const bool settings = na.told.settings && (b == nullptr || nb.told.settings);
    if (settings) {
        add("seed " + both([](const Run& r, const Numbers&) { return std::to_string(r.info().seed); }));
    }
    add(both([](const Run& r, const Numbers&) {
        return r.info().free_policy.empty() ? std::string() : "free policy " + r.info().free_policy;
    }));
    const bool budget = a.info().budget > 0 || (b != nullptr && b->info().budget > 0);
    const bool limit = a.info().queue_limit > 0 || (b != nullptr && b->info().queue_limit > 0);
    add(both([&](const Run& r, const Numbers&) {
        return !budget                ? std::string()
               : r.info().budget == 0 ? "no budget"
                                      : "budget " + budget_in_both_units(r.info().budget);
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
    }
    add(both([](const Run& r, const Numbers&) { return r.info().date.substr(0, 10); }));
    std::string line;
    for (const std::string& part : parts) {
        line += (line.empty() ? "" : " · ") + part;
    }
    return line;
}

}  // namespace headway::figure
