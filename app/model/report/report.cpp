#include "app/model/report/report.h"

#include <bitset>
#include <cmath>
#include <nlohmann/json.hpp>

#include "app/json/json.h"
#include "app/model/analysis/bounded_ops.h"
#include "app/model/analysis/critical_path.h"
#include "app/model/analysis/idle.h"
#include "app/model/analysis/wait_details.h"
#include "app/model/numbers/lane_time.h"
#include "app/model/numbers/numbers_walk.h"
#include "app/model/replay/what_if.h"
#include "app/model/report/explanation_json.h"
#include "app/model/report/links_json.h"
#include "app/model/report/races_json.h"
#include "app/model/report/support.h"
#include "app/model/run/devices.h"
#include "app/model/run/queries.h"
#include "engine/core/error_word.h"
#include "engine/trace/wait_names.h"

namespace headway::model {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kCausesOfAWait = 1000;
// Above this total each wait lists only a few causes; the counts stay exact.
constexpr std::size_t kCausesInAll = 1'000'000;
constexpr std::size_t kFewCauses = 10;

std::string dumped(const Json& json) {
    return json.dump(2, ' ', false, Json::error_handler_t::replace);
}

Json time_or_null(std::int64_t ns) {
    return ns == kPending ? Json(nullptr) : Json(ns);
}

Json settings_of(const RunInfo& info, const TraceCapabilities& capabilities) {
    Json settings;
    settings["barrier"] = if_recorded(capabilities.settings, info.barrier);
    settings["free_policy"] = if_recorded(capabilities.settings, info.free_policy);
    settings["workers"] = if_recorded(capabilities.settings, info.workers);
    settings["streams"] = if_recorded(capabilities.backend, info.streams);
    if (info.links) {
        settings["gpus"] = info.links->gpus();
        settings["links"] = devices::word_of(info.links->topology());
        for (const devices::CostModel& gpu : info.gpu_costs) {
            settings["gpu_speeds"].push_back(gpu.speed);
        }
    }
    // The budget in effect; null: none, or an older recording without it. And whether it is the default.
    const std::uint64_t budget = info.budget_in_effect.value_or(info.budget);
    settings["budget"] = capabilities.settings && budget != 0 ? Json(budget) : Json(nullptr);
    settings["budget_is_default"] =
        capabilities.settings && info.budget_is_default ? Json(*info.budget_is_default) : Json(nullptr);
    settings["queue_limit"] = if_recorded(capabilities.settings, info.queue_limit);
    settings["seed"] = if_recorded(capabilities.settings, info.seed);
    if (!info.profile.empty()) {
        settings["profile"] = info.profile;
        settings["chosen"] = info.chosen;  // all other settings follow the profile
    }
    for (const auto& change : info.barrier_changes) {
        settings["barrier_changes"].push_back({{"ns", change.ns}, {"barrier", change.barrier}});
    }
    settings["issue"] = if_recorded(capabilities.settings, info.issue.empty() ? std::string("op") : info.issue);
    if (!info.launch.empty()) {
        settings["launch"] = info.launch;
        settings["copies"] = info.copies;
        settings["products"] = info.products;
    }
    return settings;
}

void put_line(Json& entry, const Run& run, core::Line line) {
    entry["line"] = core::number_of(line);
    entry["file"] = run.file(core::file_of(line));
}

// Appends one line of text per wait, without a JSON object in memory: there may be a million waits.
void append_waits(std::string& text, const Run& run, const Support& support) {
    const Run::Measured part = run.measured();
    const bool recorded = support.has.issues && support.whole();  // the ops that a wait was for are known
    constexpr const char* kFirst = "[\n    {";
    const char* before = kFirst;
    std::size_t named = 0;
    for (std::size_t i = part.first_wait; i < part.waits_end; i = run.waits().after(i)) {
        const Wait& wait = run.waits()[i];
        if (wait.kind == trace::WaitKind::paused || run.is_folded_wait(i)) {
            continue;  // a pause of the learner, listed as such
        }
        std::size_t count = 0;
        const auto causes = caused_by(run, wait, named < kCausesInAll ? kCausesOfAWait : kFewCauses, &count);
        named += causes.size();
        text += before;
        before = ",\n    {";
        const auto put = [&text](const char* key, const std::string& value) {
            text += '"';
            text += key;
            text += "\": ";
            text += value;
            text += ", ";
        };
        put("line", std::to_string(core::number_of(wait.line)));
        put("file", json::quoted(run.file(core::file_of(wait.line))));
        put("kind", json::quoted(trace::names_of(wait.kind).word));
        put("name", json::quoted(wait.name));
        put("begin_ns", std::to_string(wait.begin_ns));
        put("ns", std::to_string(wait.waited_ns()));
        if (run.devices().size() > 1) {
            const int device = device_of(run, wait);
            put("device", device < 0 ? "null" : json::quoted(device_word(run, static_cast<std::size_t>(device))));
        }
        std::string list = "[";
        for (const OpId cause : causes) {
            list += (list.size() > 1 ? ", " : "") + std::to_string(cause);
        }
        if (!recorded) {
            text += "\"caused_by\": null, \"caused_by_count\": null, \"split\": null}";
            continue;
        }
        put("caused_by", list + "]");
        text += "\"caused_by_count\": " + std::to_string(count);
        if (count > 0 && was_cut_off(run, wait)) {
            text += ", \"split\": null}";
            continue;
        }
        const WaitSplit split = split_of(run, i);
        text += ", \"split\": {\"before_ns\": " + std::to_string(split.before_ns) +
                ", \"before_ops\": " + std::to_string(split.before_ops) +
                ", \"own_ns\": " + std::to_string(split.own_ns) + ", \"own_ops\": " + std::to_string(split.own_ops) +
                ", \"handover_ns\": " + std::to_string(split.handover_ns) +
                ", \"return_ns\": " + std::to_string(split.return_ns) + "}}";
    }
    text += before != kFirst ? "\n  ]" : "[]";
}

// The times in which the learner had paused the frontend, except holds within a wait.
Json pauses_of(const Run& run) {
    const Run::Measured part = run.measured();
    Json list = Json::array();
    for (std::size_t i = part.first_wait; i < part.waits_end; i = run.waits().after(i)) {
        const Wait& pause = run.waits()[i];
        if (!pause.folded && pause.kind == trace::WaitKind::paused) {
            Json entry;
            put_line(entry, run, pause.line);
            entry["begin_ns"] = pause.begin_ns;
            entry["ns"] = paused_in(run, pause, part);
            list.push_back(std::move(entry));
        }
    }
    return list;
}

Json lines_of(const Run& run, const Support& support, const std::vector<LineCost>& costs) {
    Json list = Json::array();
    const TraceCapabilities& capabilities = support.has;
    if (!capabilities.issues && !capabilities.waits) {
        return nullptr;
    }
    for (const LineCost& cost : costs) {
        Json entry;
        put_line(entry, run, cost.line);
        entry["issue_ns"] = support.all(capabilities.issues, cost.issue_ns);
        entry["blocked_ns"] = support.all(capabilities.waits, cost.blocked_ns);
        entry["recorded_work_ns"] = support.all(capabilities.settings, cost.recorded_work_ns);
        entry["ops"] = support.all(cost.ops);
        entry["backward_ops"] = support.all(cost.backward_ops);
        entry["backward_ns"] = support.all(cost.backward_ns);
        list.push_back(std::move(entry));
    }
    return list;
}

// Which torch the program imported. Ops on CPU tensors are not ops of the run.
Json torch_of(const RunInfo& info) {
    if (info.torch.empty()) {
        return nullptr;
    }
    Json torch{{"name", info.torch}};
    torch["cpu_ops"] = info.cpu_ops ? Json(*info.cpu_ops) : Json(nullptr);
    torch["cpu_ops_ns"] = info.cpu_ops_ns ? Json(*info.cpu_ops_ns) : Json(nullptr);
    return torch;
}

Json minibatches_of(const Run& run, const Support& support) {
    Json list = Json::array();
    const auto& minibatches = run.minibatches();
    for (std::size_t i = 0; i < minibatches.size(); i = minibatches.after(i)) {
        const Minibatch& minibatch = minibatches[i];
        if (minibatch.folded) {
            continue;
        }
        std::int64_t begin_ns = kPending;
        std::int64_t end_ns = minibatch.first <= minibatch.last ? 0 : kPending;
        for (OpId id = minibatch.first; id <= minibatch.last; ++id) {
            if (run.is_folded(id)) {  // when it ran is not known any more
                begin_ns = end_ns = kPending;
                break;
            }
            const Op& op = run.op(id);
            begin_ns = std::min(begin_ns, op.begin_ns);
            end_ns = std::max(end_ns, op.end_ns);  // kPending if any of them has not run
        }
        Json entry;
        entry["index"] = minibatch.index;
        entry["issue_begin_ns"] = minibatch.issue_begin_ns;
        entry["issue_end_ns"] = support.all(time_or_null(minibatch.issue_end_ns));
        const bool recorded = support.has.issues;  // the minibatch of each op is known
        entry["execute_begin_ns"] = support.all(recorded, time_or_null(begin_ns));
        entry["execute_end_ns"] = support.all(recorded, time_or_null(end_ns));
        list.push_back(std::move(entry));
    }
    return list;
}

// Null if nothing was measured.
Json spread_of(const Support& support, const Spread& spread) {
    if (spread.count == 0 || !support.whole()) {
        return nullptr;
    }
    return {{"p10_ns", spread.p10},
            {"median_ns", spread.median},
            {"p90_ns", spread.p90},
            {"most_ns", spread.most},
            {"count", spread.count}};
}

// The parts of the frontend's time; they add up to total_ns plus pauses.
Json frontend_of(const FrontendTime& time, const Support& support) {
    Json json;
    json["issue_ns"] = support.all(support.has.issues, time.issue_ns);
    json["work_ns"] = support.all(support.has.settings, time.work_ns);
    json["drop_ns"] = support.all(support.has.settings, time.drop_ns);
    json["wait_ns"] = support.all(support.has.waits, time.wait_ns);
    json["record_ns"] = support.all(support.has.settings, time.record_ns);
    json["descheduled_ns"] = support.all(support.has.settings, time.descheduled_ns);
    json["paused_ns"] = support.all(support.has.settings, time.paused_ns);
    json["unnamed_ns"] = support.all(time.unnamed_ns);
    json["record_each"] = spread_of(support, time.record_each);
    json["drop_each"] = spread_of(support, time.drop_each);
    return json;
}

// Totals of the GPU driver's activities other than running ops.
Json driver_of(const Run& run, const Support& support) {
    std::uint64_t waits = 0, between_streams = 0, allocations = 0, allocated_bytes = 0;
    std::int64_t wait_ns = 0;
    for (const DriverEvent& event : run.driver_events()) {
        if (event.kind == trace::DriverKind::stream_waits_for_event) {
            ++between_streams;
        } else if (trace::is_wait(event.kind)) {
            ++waits;
            wait_ns += event.end_ns - event.begin_ns;
        } else if (event.kind == trace::DriverKind::device_taken) {
            ++allocations;
            allocated_bytes += event.bytes;
        }
    }
    return {{"waits", support.all(waits)},
            {"wait_ns", support.all(wait_ns)},
            {"waits_between_streams", support.all(between_streams)},
            {"allocations", support.all(allocations)},
            {"allocated_bytes", support.all(allocated_bytes)}};
}

// Each device separately.
Json devices_of(const Run& run, const Support& support, const Tally& tally) {
    std::vector<Tally::OfDevice> sums = tally.devices;
    sums.resize(std::max<std::size_t>(run.devices().size(), 1));
    sums[0].busy_ns -= shared_ns(run);
    const Run::Measured part = run.measured();
    const std::vector<KnownLane> known = known_lanes(run, part);
    const std::int64_t total_ns = total_ns_of(run);
    const TraceCapabilities& capabilities = support.has;
    Json list = Json::array();
    for (std::size_t i = 0; i < run.devices().size(); ++i) {
        const RunDevice& device = run.devices()[i];
        Json entry;
        entry["id"] = device_word(run, i);
        entry["kind"] = device.kind;
        entry["name"] = device.name;
        entry["simulated"] = device.simulated;
        if (i < run.info().gpu_costs.size()) {
            entry["speed"] = speed_of(run, i);
        }
        entry["lanes"] = Json::array();
        for (std::size_t lane = device.first_lane; lane < run.lanes().size() && device_of_lane(run, lane) == i;
             ++lane) {
            entry["lanes"].push_back(run.lanes()[lane].name);
        }
        entry["ops"] = support.all(sums[i].ops);
        entry["busy_ns"] = support.all(capabilities.backend, sums[i].busy_ns);
        const std::int64_t busy_ns = sums[i].busy_ns - sums[i].busy_in_pauses_ns;
        entry["idle_ns"] = support.all(capabilities.backend, lane_time(run, part, total_ns, busy_ns, known, i).idle_ns);
        entry["waits"] = support.all(capabilities.waits, sums[i].waits);
        entry["waited_ns"] = support.all(capabilities.waits, sums[i].waited_ns);
        entry["live_bytes_peak"] = support.all(capabilities.memory, measured_peak(run, live_bytes(run, i)));
        entry["pending_bytes_peak"] = support.all(capabilities.tensors, measured_peak(run, pending_bytes(run, i)));
        entry["reserved_bytes_peak"] =
            support.all(capabilities.settings && run.clock() != trace::ClockKind::virtual_ns,
                        std::max(measured_peak(run, reserved_bytes(run, i)), measured_peak(run, live_bytes(run, i))));
        list.push_back(std::move(entry));
    }
    return list;
}

Json scopes_of(const Run& run, const Support& support) {
    Json list = Json::array();
    for (std::size_t i = 0; i < run.scopes().size(); i = run.scopes().after(i)) {
        const Scope& scope = run.scopes()[i];
        if (scope.folded) {
            continue;
        }
        Json entry;
        entry["name"] = scope.name;
        entry["ns"] = support.all(scope.end_ns != kPending, unpaused_ns(run.pauses(), scope.begin_ns, scope.end_ns));
        list.push_back(std::move(entry));
    }
    return list;
}

// What is only in the sums, and not listed op by op.
Json folded_of(const Run& run, const Support& support) {
    if (run.folded_parts().empty()) {
        return nullptr;
    }
    Json folded;
    std::uint64_t waits = 0;
    folded["ops"] = support.all(run.folded_ops());
    folded["parts"] = Json::array();
    for (const FoldedPart& part : run.folded_parts()) {
        waits += part.waits_end - part.first_wait;
        folded["parts"].push_back(
            {{"first_op", part.first}, {"last_op", part.last}, {"begin_ns", part.begin_ns}, {"end_ns", part.end_ns}});
    }
    folded["waits"] = support.all(waits);
    return folded;
}

Json error_of(const Run& run) {
    if (!run.error()) {
        return nullptr;
    }
    Json error;
    error["kind"] = core::word_of(run.error()->kind);
    error["message"] = run.error()->message;
    error["file"] = run.error()->file;
    error["line"] = run.error()->line;
    error["op"] = run.error()->op;
    return error;
}

}  // namespace

// predicted_ns plus the parts gives measured_ns.
static Json prediction_of(const Numbers& numbers) {
    if (!numbers.predicted) {
        return nullptr;
    }
    Json prediction;
    prediction["predicted_ns"] = numbers.predicted_ns;
    prediction["parts"] = Json::array();
    for (const PredictionPart& part : numbers.prediction_parts) {
        prediction["parts"].push_back({{"name", part.name}, {"ns", part.ns}});
    }
    prediction["measured_ns"] = numbers.total_ns;
    prediction["handover_median_ns"] = numbers.h_ns;
    prediction["formula"] = numbers.prediction_formula;
    prediction["formula_ns"] = numbers.prediction_formula.empty() ? Json(nullptr) : Json(numbers.formula_ns);
    prediction["no_formula"] = numbers.no_formula.empty() ? Json(nullptr) : Json(numbers.no_formula);
    prediction["frontend_ns"] = numbers.frontend_ns;
    prediction["busiest_lane_ns"] = numbers.busiest_lane_ns;
    prediction["longest_chain_ns"] = numbers.longest_chain_ns;
    return prediction;
}

std::string report_json(const Run& run) {
    const RunInfo& info = run.info();
    NumbersWalk walk(run);
    walk.step(0);
    const Numbers& numbers = walk.numbers();
    const auto whole = [](double ns) { return static_cast<std::int64_t>(std::llround(ns)); };

    Json report = {{"headway", info.version}, {"program", info.program}, {"language", info.frontend}};
    report["torch"] = torch_of(info);
    report["device"] = {{"kind", info.device_kind}, {"name", info.device_name}, {"simulated", info.simulated}};
    if (!info.timing.empty()) {
        report["device"]["timing"] = info.timing;
        report["device"]["timing_note"] = info.timing_note;
        report["device"]["timing_uncertainty_ns"] = info.timing_uncertainty_ns;
        report["device"]["bounded_ops"] = bounded_ops(run);
    }
    const Support support(run);
    const TraceCapabilities& capabilities = support.has;
    report["machine"] = {{"cpu", if_recorded(capabilities.settings, info.cpu)},
                         {"cores", if_recorded(capabilities.settings, info.cores)},
                         {"os", if_recorded(capabilities.settings, info.os)}};
    report["settings"] = settings_of(info, capabilities);
    report["parameters"] = Json::object();
    for (const auto& [name, value] : info.parameters) {
        report["parameters"][name] = value;
    }
    report["ops"] = support.all(numbers.ops);
    report["parts"] = support.all(capabilities.settings, numbers.parts);
    report["total_ns"] = support.all(numbers.total_ns);
    report["warmup_ns"] = if_recorded(capabilities.settings, numbers.warmup_ns);
    report["issue_ns"] = support.all(capabilities.issues, numbers.frontend.issue_ns);
    report["op_issue_ns"] = support.all(capabilities.issues, numbers.op_issue_ns);
    report["blocked_ns"] = support.all(capabilities.waits, numbers.blocked_ns);
    report["recorded_work_ns"] = support.all(capabilities.settings, numbers.recorded_work_ns);
    report["backend_busy_ns"] = support.all(capabilities.backend, numbers.backend_busy_ns);
    report["backend_idle_ns"] = support.all(capabilities.backend, numbers.backend_idle_ns);
    report["backend_open_ns"] = support.all(capabilities.backend, numbers.backend_open_ns);
    report["recorder_ns"] = support.all(capabilities.settings, numbers.recorder_ns);
    report["recording_wait_ns"] = support.all(capabilities.settings, numbers.recording_wait_ns);
    if (!run.launches().empty()) {
        report["launch_ns"] = support.all(numbers.launch_ns);
    }
    report["frontend"] = frontend_of(numbers.frontend, support);
    report["frontend_page_faults"] =
        numbers.frontend.faults && support.whole()
            ? Json{{"minor", numbers.frontend.faults->minor}, {"major", numbers.frontend.faults->major}}
            : Json(nullptr);
    report["t1_ns"] = support.all(capabilities.issues && numbers.t1.count > 0, whole(numbers.t1_ns));
    report["t2_ns"] = support.all(capabilities.backend && numbers.t2.count > 0, whole(numbers.t2_ns));
    report["t3_ns"] = support.all(capabilities.issues && numbers.t3.count > 0, whole(numbers.t3_ns));
    report["t1"] = if_recorded(capabilities.issues, spread_of(support, numbers.t1));
    report["t2"] = if_recorded(capabilities.backend, spread_of(support, numbers.t2));
    report["t3"] = if_recorded(capabilities.issues, spread_of(support, numbers.t3));
    report["regime"] = support.all(*regime_word(numbers) != '\0', std::string(regime_word(numbers)));
    report["predicted_ns"] = support.all(numbers.predicted, numbers.predicted_ns);
    report["prediction"] = support.all(prediction_of(numbers));
    report["handover_ns"] = support.all(numbers.handover_ns.has_value(), numbers.handover_ns.value_or(0));
    report["headway_max"] = support.all(capabilities.issues, numbers.headway_max);
    report["live_bytes_peak"] = support.all(capabilities.memory, numbers.live_bytes_peak);
    report["pending_bytes_peak"] = support.all(capabilities.tensors, numbers.pending_bytes_peak);
    // Samples of the process; on a virtual clock there are none.
    const bool real = run.clock() != trace::ClockKind::virtual_ns;
    report["reserved_bytes_peak"] = support.all(capabilities.settings && real, numbers.reserved_bytes_peak);
    report["rss_bytes_peak"] = support.all(capabilities.settings && real, numbers.rss_bytes_peak);
    report["lost_records"] = numbers.lost_records;
    report["folded"] = folded_of(run, support);
    // The rest needs dependencies and the duration of each op.
    for (const char* key : {"critical_path", "idle", "without_barriers_ns", "without_blockers_ns"}) {
        report[key] = nullptr;
    }
    const bool folded = !run.folded_parts().empty();
    if (capabilities.tensors && support.whole() && !run.cut_off() && !folded) {
        const PathTotals path = critical_path(run);
        report["critical_path"] = {{"frontend_ns", path.frontend_ns}, {"handover_ns", path.handover_ns},
                                   {"execute_ns", path.execute_ns},   {"return_ns", path.return_ns},
                                   {"limit_ns", path.limit_ns},       {"ops", path.ops}};
        report["without_barriers_ns"] = without_barriers(run).total_ns;  // computed, not measured
        report["without_blockers_ns"] = without_blockers(run).total_ns;
    }
    if (capabilities.tensors && support.whole() && !folded) {
        const IdleCauses idle = idle_causes(run);
        report["idle"] = {
            {"frontend_ns", idle.frontend_ns}, {"barrier_ns", idle.barrier_ns},   {"blocker_ns", idle.blocker_ns},
            {"limit_ns", idle.limit_ns},       {"paused_ns", idle.paused_ns},     {"dependency_ns", idle.dependency_ns},
            {"link_ns", idle.link_ns},         {"handover_ns", idle.handover_ns}, {"done_ns", idle.done_ns}};
    }

    if (has_driver_calls(run)) {
        report["driver"] = driver_of(run, support);
    }
    const RunEnd end = run.end();
    report["end"] = {{"verdict", word_of(end.verdict)},
                     {"sentence", end.sentence},
                     {"missing", end.missing.empty() ? Json(nullptr) : Json(end.missing)},
                     {"recorded_ops", run.op_count()}};
    report["explanation"] = explanation_json(run, numbers);
    Json rest;
    rest["pauses"] = pauses_of(run);
    rest["lines"] = lines_of(run, support, walk.lines());
    rest["minibatches"] = minibatches_of(run, support);
    rest["scopes"] = scopes_of(run, support);
    rest["devices"] = devices_of(run, support, walk.tally());
    rest["links"] = links_json(run, walk.tally(), support.whole());
    rest["races"] = races_json(run, support.whole());
    rest["error"] = error_of(run);
    const json::Document result(run.result_json());

    // Assemble one object: the first one without its closing brace, the waits, the rest without its opening brace.
    std::string text = dumped(report);
    text.resize(text.size() - 2);
    text += ",\n  \"waits\": ";
    append_waits(text, run, support);
    text += "," + dumped(rest).substr(1);
    text.resize(text.size() - 2);
    text += ",\n  \"result\": " + (result.root() ? result.root().as_json() : "null") + "\n}\n";
    return text;
}

}  // namespace headway::model
