#include "app/exchange/chrome/chrome_metadata.h"

#include <algorithm>

#include "app/exchange/chrome/chrome_folds.h"
#include "app/exchange/files/chrome_event.h"
#include "app/model/analysis/races.h"
#include "app/model/numbers/numbers_walk.h"
#include "app/model/description/run_info.h"
#include "engine/core/error_word.h"
#include "engine/trace/format.h"

namespace headway::exchange {

namespace {

std::uint32_t small(json::Value value) {
    return static_cast<std::uint32_t>(std::min<std::uint64_t>(value.count(), UINT32_MAX));
}

// Not checked here: Run leaves out invalid orders when it reads the recording.
std::vector<trace::OrderRecord> read_orders(json::Value list) {
    std::vector<trace::OrderRecord> orders;
    for (const json::Value entry : list.elements()) {
        trace::OrderRecord order{};
        for (const auto kind : {trace::OrderKind::stream_wait, trace::OrderKind::read_write,
                                trace::OrderKind::write_read, trace::OrderKind::write_write, trace::OrderKind::reuse,
                                trace::OrderKind::begin, trace::OrderKind::host_wait}) {
            if (entry["kind"].text() == model::word_of(kind)) {
                order.kind = kind;
            }
        }
        order.op = small(entry["op"]);
        order.other = small(entry["other"]);
        order.buffer = small(entry["buffer"]);
        order.other_buffer = small(entry["other_buffer"]);
        const auto lane = [&entry](const char* key) {
            return static_cast<std::uint8_t>(std::min<std::uint64_t>(entry[key].count(), UINT8_MAX));
        };
        order.lane = lane("lane");
        order.other_lane = lane("other_lane");
        order.line = core::make_line(small(entry["file"]), small(entry["line"]));
        orders.push_back(order);
    }
    std::stable_sort(orders.begin(), orders.end(), [](const auto& a, const auto& b) { return a.op < b.op; });
    return orders;
}

}  // namespace

void write_metadata(const model::Run& run, const model::SavedFolds* folds, JsonText& to) {
    const auto& info = run.info();
    const auto text = [&](const char* name, const std::string& value) {
        to.put_all("\"", name, "\":");
        to.put(json::quoted(value));
        to.put(",");
    };
    to.put("{\"format\":\"headway 1\",");
    text("version", info.version);
    text("program", info.program);
    text("title", info.title);
    text("frontend", info.frontend);
    if (!info.tab.empty()) {
        text("tab", info.tab);
    }
    if (!info.torch.empty()) {
        text("torch", info.torch);
    }
    if (info.cpu_ops && info.cpu_ops_ns) {
        to.put_all("\"cpu_ops\":", *info.cpu_ops, ",\"cpu_ops_ns\":", *info.cpu_ops_ns, ",");
    }
    text("device_kind", info.device_kind);
    text("device_name", info.device_name);
    to.put_all("\"simulated\":", info.simulated ? "true," : "false,");
    to.put(info.foreign ? "\"foreign\":true," : "");
    if (!info.timing.empty()) {
        text("timing", info.timing);
        text("timing_note", info.timing_note);
        to.put_all("\"timing_uncertainty_ns\":", info.timing_uncertainty_ns, ",");
    }
    if (!info.launch.empty()) {
        text("launch", info.launch);
        text("copies", info.copies);
        text("products", info.products);
    }
    text("cpu", info.cpu);
    text("os", info.os);
    to.put_all("\"cores\":", info.cores, ",");
    text("date", info.date);
    text("barrier", info.barrier);
    text("free_policy", info.free_policy);
    text("issue", info.issue.empty() ? "op" : info.issue);
    if (!info.profile.empty()) {
        text("profile", info.profile);
        to.put("\"chosen\":");
        to.list(info.chosen.size(), [&](std::size_t i) { to.put(json::quoted(info.chosen[i])); });
        to.put(",");
    }
    if (!info.cost_models.empty()) {
        to.put_all("\"cost_models\":", info.cost_models, ",");
    }
    if (info.links) {
        to.put_all("\"gpus\":", info.links->gpus(), ",\"links\":\"", devices::word_of(info.links->topology()), "\",");
        if (!info.gpu_costs.empty()) {
            to.put_all("\"gpu_speeds\":[", model::speed_words(info), "],");
        }
    }
    to.put_all("\"workers\":", info.workers, ",\"streams\":", info.streams, ",\"queue_limit\":", info.queue_limit,
               ",\"budget\":", info.budget, ",\"seed\":", info.seed);
    if (info.budget_in_effect && info.budget_is_default) {
        to.put_all(",\"budget_in_effect\":", *info.budget_in_effect,
                   ",\"budget_is_default\":", *info.budget_is_default ? "true" : "false");
    }
    to.put(",\"parameters\":{");
    bool first = true;
    for (const auto& [name, value] : info.parameters) {
        to.put(first ? "" : ",");
        to.put(json::quoted(name));
        to.put(":");
        to.put(json::quoted(value));
        first = false;
    }
    to.put("},\"barrier_changes\":");
    to.list(info.barrier_changes.size(), [&](std::size_t i) {
        to.put("{\"us\":");
        to.put_us(info.barrier_changes[i].ns);
        to.put(",\"barrier\":");
        to.put(json::quoted(info.barrier_changes[i].barrier));
        to.put("}");
    });
    const auto numbers = folds != nullptr ? folds->numbers : numbers_of(run);
    const auto measured = run.measured();
    to.put(",\"measured\":{\"begin_us\":");
    to.put_us(measured.begin_ns);
    to.put(",\"end_us\":");
    to.put_us(measured.end_ns);
    to.put_all(",\"first\":", measured.first, ",\"last\":", measured.last, ",\"first_wait\":", measured.first_wait,
               ",\"waits_end\":", measured.waits_end, ",\"begin_marked\":", measured.has_begin ? "true" : "false",
               ",\"end_marked\":", measured.has_end ? "true" : "false");
    to.put_all("},\"recorder_ns\":", numbers.recorder_ns, ",\"recorder_ns_per_op\":");
    to.put_double(run.recorder_ns_per_op());
    to.put_all(",\"lost_records\":", numbers.lost_records,
               ",\"virtual_clock\":", run.clock() == trace::ClockKind::virtual_ns ? "true" : "false",
               ",\"live_sampled\":", info.live_sampled ? "true" : "false",
               // A run in progress is written as it is now; the rest of it is unknown.
               ",\"state\":", run.state() == trace::RunState::finished ? "\"finished\"" : "\"failed\"");
    if (info.left_out > 0 || info.repaired > 0) {  // the run was imported from another file
        to.put_all(",\"left_out\":", info.left_out, ",\"repaired\":", info.repaired);
    }
    if (info.file_cut_off) {
        to.put(",\"file_cut_off\":true");
    }
    if (!info.lane_streams.empty()) {
        to.put(",\"lane_streams\":");
        to.list(info.lane_streams.size(), [&](std::size_t lane) { to.put_all(info.lane_streams[lane]); });
    }
    if (folds != nullptr) {
        to.put(",");
        write_folds(run, *folds, to);
    }
    if (const auto end_ns = run.program_end_ns()) {
        to.put(",\"program_end_us\":");
        to.put_us(*end_ns);
    }
    to.put(",\"files\":");
    to.list(run.file_count(), [&](std::size_t id) { to.put(json::quoted(run.file(static_cast<std::uint32_t>(id)))); });
    to.put(",\"lanes\":");
    to.list(run.lanes().size(), [&](std::size_t lane) { to.put(json::quoted(run.lanes()[lane].name)); });
    if (run.devices().size() > 1) {
        to.put(",\"more_devices\":");
        to.list(run.devices().size() - 1, [&](std::size_t i) {
            const auto& device = run.devices()[i + 1];
            to.put("{\"kind\":");
            to.put(json::quoted(device.kind));
            to.put(",\"name\":");
            to.put(json::quoted(device.name));
            to.put_all(",\"simulated\":", device.simulated ? "true" : "false", ",\"first_lane\":", device.first_lane,
                       ",\"lanes\":", device.lanes, "}");
        });
    }
    if (!run.orders().empty()) {
        to.put(",\"orders\":");
        to.list(run.orders().size(), [&](std::size_t i) {
            const trace::OrderRecord& order = run.orders()[i];
            to.put_all("{\"op\":", order.op, ",\"other\":", order.other, ",\"kind\":\"", model::word_of(order.kind),
                       "\",\"lane\":", static_cast<int>(order.lane),
                       ",\"other_lane\":", static_cast<int>(order.other_lane));
            if (trace::is_race(order.kind)) {
                to.put_all(",\"buffer\":", order.buffer, ",\"other_buffer\":", order.other_buffer, "}");
            } else {
                to.put_all(",\"line\":", core::number_of(order.line), ",\"file\":", core::file_of(order.line), "}");
            }
        });
    }
    to.put(",\"signatures\":");
    to.list(run.signature_count(), [&](std::size_t id) {
        const auto& signature = run.signature(static_cast<std::uint16_t>(id));
        to.put("{\"name\":");
        to.put(json::quoted(signature.name));
        to.put(",\"shapes\":");
        to.put(json::quoted(signature.shapes));
        to.put_all(",\"family\":", static_cast<int>(signature.family), ",\"out_bytes\":", signature.out_bytes,
                   ",\"flops\":", signature.flops, ",\"moved_bytes\":", signature.moved_bytes);
        // PyTorch's ops have its names: the simulated device's rules follow the kind.
        if (signature.kind != devices::OpKind::none && signature.name != devices::name_of(signature.kind)) {
            to.put_all(",\"kind\":\"", devices::name_of(signature.kind), "\"");
        }
        to.put("}");
    });
    if (!run.result_json().empty()) {
        to.put(",\"result\":");
        to.put(json::quoted(run.result_json()));
    }
    if (const auto& error = run.error()) {
        to.put_all(",\"error\":{\"kind\":\"", core::word_of(error->kind), "\",\"message\":");
        to.put(json::quoted(error->message));
        to.put(",\"file\":");
        to.put(json::quoted(error->file));
        to.put_all(",\"line\":", error->line, ",\"op\":", error->op, "}");
    }
    if (!info.foreign) {
        const model::RunEnd end = run.end();
        to.put_all(",\"end\":{\"verdict\":\"", model::word_of(end.verdict), "\",\"sentence\":");
        to.put(json::quoted(end.sentence));
        to.put(",\"missing\":");
        to.put(json::quoted(end.missing));
        to.put("}");
    }
    to.put("}");
}

namespace {

// Parses "123.456" as text, so that no digit is lost.
std::int64_t ns_in(json::Value us, std::int64_t otherwise) {
    return ns_from_us(us.written()).value_or(otherwise);
}

}  // namespace

std::string read_metadata(json::Value run, RunBuilder& builder) {
    std::string odd_devices;
    model::RunInfo& info = builder.info;
    model::read_run_info(run, info);
    for (const json::Value change : run["barrier_changes"].elements()) {
        if (change.is_object()) {
            info.barrier_changes.push_back({ns_in(change["us"], 0), std::string(change["barrier"].text())});
        }
    }
    builder.clock = run["virtual_clock"].is_true() ? trace::ClockKind::virtual_ns : trace::ClockKind::recorded_ns;
    builder.state = run["state"].text() == "failed" ? trace::RunState::failed : trace::RunState::finished;
    builder.recorder_ns_per_op = run["recorder_ns_per_op"].number().value_or(builder.recorder_ns_per_op);
    builder.lost_records = run["lost_records"].count();
    const auto words = [](json::Value from, std::size_t most) {
        std::vector<std::string> list;
        for (const json::Value word : from.elements()) {
            if (list.size() < most) {
                list.emplace_back(word.text());
            }
        }
        return list;
    };
    builder.files = words(run["files"], core::kMostFiles + 1);
    builder.lane_names = words(run["lanes"], core::kMaxTraceLanes);
    builder.orders = read_orders(run["orders"]);
    for (const json::Value entry : run["more_devices"].elements()) {
        if (entry.is_object() && builder.more_devices.size() + 1 < core::kMaxDevices) {
            const auto lanes = [&entry](const char* key) {
                return static_cast<std::uint32_t>(std::min<std::uint64_t>(entry[key].count(), core::kMaxTraceLanes));
            };
            RunBuilder::Device device{std::string(entry["kind"].text()), std::string(entry["name"].text()),
                                      entry["simulated"].is_true(), lanes("first_lane"), lanes("lanes")};
            const auto named = static_cast<std::uint32_t>(builder.lane_names.size());
            const std::uint32_t least =
                builder.more_devices.empty() ? 1 : builder.more_devices.back().first_lane + 1;  // each has a lane
            if (device.first_lane < least || device.first_lane >= named || device.lanes == 0 ||
                device.lanes > named - device.first_lane) {
                const auto said = [&entry](const char* key) {
                    return entry[key] ? entry[key].written().substr(0, 40) : std::string("nothing");
                };
                odd_devices = "The lanes of " + (device.name.empty() ? "a further device" : device.name) +
                              " are not possible (first_lane " + said("first_lane") + ", lanes " + said("lanes") +
                              ", and there are " + std::to_string(named) + " in all): ";
                device.first_lane =
                    std::clamp(device.first_lane, std::min(named, least), std::max(named > 1 ? named - 1 : 1u, least));
                device.lanes = named > device.first_lane ? named - device.first_lane : 0;
                odd_devices += "those from " + std::to_string(device.first_lane) + " on are used instead.";
            }
            builder.more_devices.push_back(std::move(device));
        }
    }
    for (const json::Value entry : run["signatures"].elements()) {
        model::Signature signature;
        signature.name = entry["name"].text();
        signature.shapes = entry["shapes"].text();
        signature.family = static_cast<devices::Family>(
            std::min<std::uint64_t>(entry["family"].count(), static_cast<std::uint64_t>(devices::Family::other)));
        signature.out_bytes = entry["out_bytes"].count();
        signature.flops = entry["flops"].count();
        signature.moved_bytes = entry["moved_bytes"].count();
        signature.kind = devices::kind_called(entry["kind"].text());
        builder.signatures.push_back(std::move(signature));
        if (builder.signatures.size() == 65'536) {
            break;
        }
    }
    if (const json::Value part = run["measured"]; part.is_object()) {
        auto& measured = builder.measured;
        measured.has_begin = part["begin_marked"].is_true();
        measured.has_end = part["end_marked"].is_true();
        measured.begin_ns = ns_in(part["begin_us"], 0);
        measured.end_ns = ns_in(part["end_us"], 0);
        measured.first = static_cast<core::OpId>(std::min<std::uint64_t>(part["first"].count(), UINT32_MAX));
        measured.last = static_cast<core::OpId>(std::min<std::uint64_t>(part["last"].count(), UINT32_MAX));
        measured.first_wait = part["first_wait"].count();
        measured.waits_end = part["waits_end"].count();
    }
    builder.program_end_ns = ns_in(run["program_end_us"], model::kPending);
    if (const json::Value error = run["error"]; error.is_object()) {
        builder.error_json = error.written();
        builder.state = trace::RunState::failed;
    }
    if (const json::Value end = run["end"]; end.is_object()) {
        builder.end_json = end.written();
    }
    builder.result_json = run["result"].text();
    return odd_devices;
}

}  // namespace headway::exchange
