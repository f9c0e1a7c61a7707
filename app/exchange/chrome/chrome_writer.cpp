#include "app/exchange/chrome/chrome_writer.h"

#include <algorithm>
#include <unordered_map>

#include "app/exchange/files/json_text.h"
#include "app/json/json.h"
#include "engine/core/error_word.h"

namespace headway::exchange {

namespace {

const char* group_of(trace::WaitKind kind) {
    if (trace::is_barrier(kind)) {
        return "barrier";
    }
    if (trace::is_blocker(kind)) {
        return "blocker";
    }
    return kind == trace::WaitKind::paused ? "paused" : "limit";
}

// Categories are part of the file format, so they are independent of the names shown in the window.
const char* word_for(devices::Family family) {
    switch (family) {
        case devices::Family::create:
            return "create";
        case devices::Family::elementwise:
            return "elementwise";
        case devices::Family::matmul:
            return "matmul";
        case devices::Family::reduce:
            return "reduce";
        case devices::Family::update:
            return "update";
        case devices::Family::copy:
            return "copy";
        case devices::Family::random:
            return "random";
        case devices::Family::other:
            break;
    }
    return "other";
}

const char* word_for(trace::DriverKind kind) {
    switch (kind) {
        case trace::DriverKind::event_wait:
            return "wait for an event";
        case trace::DriverKind::stream_waits_for_event:
            return "stream waits for an event";
        case trace::DriverKind::stream_wait:
            return "wait for a stream";
        case trace::DriverKind::device_wait:
            return "wait for the device";
        case trace::DriverKind::device_taken:
            return "device memory taken";
        case trace::DriverKind::device_given_back:
            return "device memory given back";
        case trace::DriverKind::pinned_taken:
            return "pinned memory taken";
        case trace::DriverKind::pinned_given_back:
            return "pinned memory given back";
        case trace::DriverKind::other_wait:
            break;
    }
    return "wait";
}

const char* word_for(trace::CostKind kind) {
    switch (kind) {
        case trace::CostKind::recording:
            return "recording";
        case trace::CostKind::drop:
            return "drop";
        case trace::CostKind::not_scheduled:
        case trace::CostKind::not_scheduled_issue:
            return "not scheduled";
        case trace::CostKind::totals:
            break;
    }
    return "totals";
}

class Writer : JsonText {
public:
    Writer(const model::Run& run, const Sink& sink) : JsonText(sink), run_(run) {}

    bool write() {
        put("{\"displayTimeUnit\":\"ns\",\n\"otherData\":");
        other_data();
        put(",\n\"traceEvents\":[\n");
        names();
        issues();
        waits();
        works();
        scopes();
        minibatches();
        drops();
        costs();
        launches();
        driver_events();
        executions();
        holds();
        if (run_.capabilities().issues) {
            counter("headway", "ops", run_.headway());
        }
        counter("live bytes", "bytes", run_.live_bytes());
        counter("reserved bytes", "bytes", run_.reserved_bytes());
        for (std::size_t device = 0; device < run_.devices().size() && run_.devices().size() > 1; ++device) {
            counter(("live bytes, " + run_.device_name(device)).c_str(), "bytes", run_.live_bytes(device));
        }
        if (run_.devices().size() > 1) {
            counter(kReservedSecondDevice, "bytes", run_.reserved_bytes(1));
        }
        counter("resident bytes", "bytes", run_.resident_bytes());
        put("\n]}\n");
        return flush();
    }

private:
    // Writes the begin of an event, up to its name; false if the sink has failed.
    bool event(std::string_view phase, int tid) {
        flush_when_full();
        put(first_ ? "{\"ph\":\"" : ",\n{\"ph\":\"");
        first_ = false;
        put_all(phase, "\",\"pid\":1,\"tid\":", tid);
        return good();
    }
    void span(std::int64_t begin_ns, std::int64_t end_ns) {
        put(",\"ts\":");
        put_us(begin_ns);
        put(",\"dur\":");
        put_us(std::max<std::int64_t>(end_ns - begin_ns, 0));
    }
    void metadata(const char* what, int tid, const std::string& value) {
        event("M", tid);
        put_all(",\"name\":\"", what, "\",\"args\":{", value, "}}");
    }
    void thread(int tid, std::string_view name, int order) {
        metadata("thread_name", tid, "\"name\":" + json::quoted(name));
        metadata("thread_sort_index", tid, "\"sort_index\":" + std::to_string(order));
    }

    struct SignatureText {
        std::string name, shapes, category;  // with quotes
    };
    const SignatureText& signature(std::uint16_t id) {
        const auto [at, fresh] = signatures_.try_emplace(id);
        if (fresh) {
            const auto& signature = run_.signature(id);
            at->second = {json::quoted(signature.name), json::quoted(signature.shapes),
                          json::quoted(std::string("execute,") + word_for(signature.family))};
        }
        return at->second;
    }
    // `,"line":"train.py:3","file":1`
    void put_line(core::Line line) {
        if (line == 0) {
            return;
        }
        const auto [at, fresh] = lines_.try_emplace(line);
        if (fresh) {
            at->second =
                ",\"line\":" + json::quoted(run_.line_text(line)) + ",\"file\":" + std::to_string(core::file_of(line));
        }
        put(std::string_view(at->second));
    }

    void other_data();
    void names();
    void issues();
    void waits();
    void works();
    void scopes();
    void minibatches();
    void launches();
    void driver_events();
    void drops();
    void costs();
    void executions();
    void holds();
    void counter(const char* name, const char* unit, const model::Curve& curve);

    const model::Run& run_;
    std::unordered_map<std::uint16_t, SignatureText> signatures_;
    std::unordered_map<core::Line, std::string> lines_;  // with quotes, and the file's number
    bool first_ = true;
};

void Writer::other_data() {
    const auto& info = run_.info();
    const auto text = [&](const char* name, const std::string& value) {
        put_all("\"", name, "\":");
        put(json::quoted(value));
        put(",");
    };
    put("{\"format\":\"headway 1\",");
    text("version", info.version);
    text("program", info.program);
    text("title", info.title);
    text("frontend", info.frontend);
    if (!info.tab.empty()) {
        text("tab", info.tab);
    }
    text("device_kind", info.device_kind);
    text("device_name", info.device_name);
    put_all("\"simulated\":", info.simulated ? "true," : "false,");
    put(info.foreign ? "\"foreign\":true," : "");
    if (!info.timing.empty()) {
        text("timing", info.timing);
        text("timing_note", info.timing_note);
        put_all("\"timing_uncertainty_ns\":", info.timing_uncertainty_ns, ",");
    }
    if (!info.launch.empty()) {
        text("launch", info.launch);
        text("copies", info.copies);
        text("products", info.products);
    }
    text("cpu", info.cpu);
    text("os", info.os);
    put_all("\"cores\":", info.cores, ",");
    text("date", info.date);
    text("barrier", info.barrier);
    text("free_policy", info.free_policy);
    text("issue", info.issue.empty() ? "op" : info.issue);
    if (!info.profile.empty()) {
        text("profile", info.profile);
        put("\"chosen\":");
        list(info.chosen.size(), [&](std::size_t i) { put(json::quoted(info.chosen[i])); });
        put(",");
    }
    if (!info.cost_models.empty()) {
        put_all("\"cost_models\":", info.cost_models, ",");
    }
    put_all("\"workers\":", info.workers, ",\"streams\":", info.streams, ",\"queue_limit\":", info.queue_limit,
            ",\"budget\":", info.budget, ",\"seed\":", info.seed);
    if (info.budget_in_effect && info.budget_is_default) {
        put_all(",\"budget_in_effect\":", *info.budget_in_effect,
                ",\"budget_is_default\":", *info.budget_is_default ? "true" : "false");
    }
    put(",\"parameters\":{");
    bool first = true;
    for (const auto& [name, value] : info.parameters) {
        put(first ? "" : ",");
        put(json::quoted(name));
        put(":");
        put(json::quoted(value));
        first = false;
    }
    put("},\"barrier_changes\":");
    list(info.barrier_changes.size(), [&](std::size_t i) {
        put("{\"us\":");
        put_us(info.barrier_changes[i].ns);
        put(",\"barrier\":");
        put(json::quoted(info.barrier_changes[i].barrier));
        put("}");
    });
    const auto numbers = run_.numbers();
    const auto measured = run_.measured();
    put(",\"measured\":{\"begin_us\":");
    put_us(measured.begin_ns);
    put(",\"end_us\":");
    put_us(measured.end_ns);
    put_all(",\"first\":", measured.first, ",\"last\":", measured.last, ",\"first_wait\":", measured.first_wait,
            ",\"waits_end\":", measured.waits_end, ",\"begin_marked\":", measured.begin_marked ? "true" : "false",
            ",\"end_marked\":", measured.end_marked ? "true" : "false");
    put_all("},\"recorder_ns\":", numbers.recorder_ns, ",\"recorder_ns_per_op\":");
    put_double(run_.recorder_ns_per_op());
    put_all(",\"lost_records\":", numbers.lost_records,
            ",\"virtual_clock\":", run_.clock() == trace::ClockKind::virtual_ns ? "true" : "false",
            ",\"live_sampled\":", info.live_sampled ? "true" : "false",
            // A run in progress is written as it is now; the rest of it is unknown.
            ",\"state\":", run_.state() == trace::RunState::finished ? "\"finished\"" : "\"failed\"");
    if (info.left_out > 0 || info.repaired > 0) {  // the run was imported from another file
        put_all(",\"left_out\":", info.left_out, ",\"repaired\":", info.repaired);
    }
    if (info.file_cut_off) {
        put(",\"file_cut_off\":true");
    }
    if (!info.lane_streams.empty()) {
        put(",\"lane_streams\":");
        list(info.lane_streams.size(), [&](std::size_t lane) { put_all(info.lane_streams[lane]); });
    }
    if (const auto end_ns = run_.program_end_ns()) {
        put(",\"program_end_us\":");
        put_us(*end_ns);
    }
    put(",\"files\":");
    list(run_.file_count(), [this](std::size_t id) { put(json::quoted(run_.file(static_cast<std::uint32_t>(id)))); });
    put(",\"lanes\":");
    list(run_.lanes().size(), [this](std::size_t lane) { put(json::quoted(run_.lanes()[lane].name)); });
    if (run_.devices().size() > 1) {
        put(",\"more_devices\":");
        list(run_.devices().size() - 1, [this](std::size_t i) {
            const auto& device = run_.devices()[i + 1];
            put("{\"kind\":");
            put(json::quoted(device.kind));
            put(",\"name\":");
            put(json::quoted(device.name));
            put_all(",\"simulated\":", device.simulated ? "true" : "false", ",\"first_lane\":", device.first_lane,
                    ",\"lanes\":", device.lanes, "}");
        });
    }
    put(",\"signatures\":");
    list(run_.signature_count(), [this](std::size_t id) {
        const auto& signature = run_.signature(static_cast<std::uint16_t>(id));
        put("{\"name\":");
        put(json::quoted(signature.name));
        put(",\"shapes\":");
        put(json::quoted(signature.shapes));
        put_all(",\"family\":", static_cast<int>(signature.family), ",\"out_bytes\":", signature.out_bytes,
                ",\"flops\":", signature.flops, ",\"moved_bytes\":", signature.moved_bytes, "}");
    });
    if (!run_.result_json().empty()) {
        put(",\"result\":");
        put(json::quoted(run_.result_json()));
    }
    if (const auto& error = run_.error()) {
        put_all(",\"error\":{\"kind\":\"", core::word_of(error->kind), "\",\"message\":");
        put(json::quoted(error->message));
        put(",\"file\":");
        put(json::quoted(error->file));
        put_all(",\"line\":", error->line, ",\"op\":", error->op, "}");
    }
    if (!info.foreign) {
        const model::RunEnd end = run_.end();
        put_all(",\"end\":{\"verdict\":\"", model::word_of(end.verdict), "\",\"sentence\":");
        put(json::quoted(end.sentence));
        put(",\"missing\":");
        put(json::quoted(end.missing));
        put("}");
    }
    put("}");
}

void Writer::names() {
    const auto& info = run_.info();
    metadata("process_name", 0,
             "\"name\":" + json::quoted("Headway: " + info.title + (info.simulated ? " (SIMULATED)" : "")));
    int order = 0;
    thread(kFrontendTid, "Frontend", order++);
    thread(kWaitsTid, "Frontend waits", order++);
    if (!run_.works().empty()) {
        thread(kWorkTid, "Frontend's own work", order++);
    }
    thread(kDropsTid, "Frontend drops tensors", order++);
    if (!run_.costs().empty()) {
        thread(kCostsTid, "Frontend costs, measured on some events", order++);
    }
    if (!run_.minibatches().empty()) {
        thread(kMinibatchesTid, "Minibatches", order++);
    }
    int deepest = -1;
    for (const auto& scope : run_.scopes()) {
        deepest = std::max(deepest, scope.depth);
    }
    for (int depth = 0; depth <= deepest; ++depth) {
        thread(kFirstScopeTid + depth, depth == 0 ? "Scopes" : "Scopes, level " + std::to_string(depth + 1), order++);
    }
    if (!run_.launches().empty()) {
        thread(kLaunchTid, "Launch", order++);
    }
    if (!run_.driver_events().empty()) {
        thread(kDriverTid, "Driver", order++);
    }
    for (std::size_t lane = 0; lane < run_.lanes().size(); ++lane) {
        const std::string device = run_.device_name(run_.device_of_lane(lane));
        thread(kFirstLaneTid + static_cast<int>(lane), (device.empty() ? "" : device + " ") + run_.lanes()[lane].name,
               order++);
    }
}

void Writer::issues() {
    for (core::OpId id = 1; id <= run_.op_count() && good(); ++id) {
        const auto& op = run_.op(id);
        const auto& text = signature(op.signature);
        event("X", kFrontendTid);
        span(op.issue_begin_ns, op.issue_end_ns);
        put_all(op.not_issued ? ",\"cat\":\"unissued\"" : ",\"cat\":\"issue\"",
                ",\"name\":", std::string_view(text.name), ",\"args\":{\"op\":", id,
                ",\"sig\":", std::uint32_t{op.signature});
        put_line(op.line);
        put_all(",\"lane\":", std::uint32_t{op.lane}, ",\"out\":", op.out);
        if (op.in0 != 0 || op.in1 != 0 || op.more_inputs) {
            put_all(",\"in\":[", op.in0);
            if (op.in1 != 0 || op.more_inputs) {
                put_all(",", op.in1);
            }
            if (op.more_inputs) {
                for (const auto buffer : run_.more_inputs(id)) {
                    put_all(",", buffer);
                }
            }
            put("]");
        }
        if (op.more_outputs) {  // created outputs with their signatures, then changed ones
            for (const bool made : {true, false}) {
                const char* before = made ? ",\"made\":[" : ",\"changed\":[";
                bool any = false;
                for (const auto& output : run_.more_outputs(id)) {
                    if (output.fresh == made) {
                        put_all(any ? "," : before, output.buffer, ",", std::uint32_t{output.signature});
                        any = true;
                    }
                }
                put(any ? "]" : "");
            }
        }
        if (op.reads_output) {
            put(",\"in_place\":true");
        }
        if (op.not_issued) {
            put(",\"unissued\":true");
        }
        if (op.out_on_other_device) {
            put(",\"beside\":true");
        }
        if (op.fresh_output) {
            put_all(",\"bytes\":", run_.signature(op.signature).out_bytes);
        }
        if (op.minibatch >= 0) {
            put_all(",\"minibatch\":", op.minibatch);
        }
        put("}}");
        if (op.begin_ns != model::kPending && !op.not_issued) {
            event("s", kFrontendTid);
            put(",\"ts\":");
            put_us(op.issue_begin_ns);
            put_all(",\"cat\":\"run\",\"name\":\"run\",\"id\":", id, "}");
        }
    }
}

void Writer::waits() {
    for (const auto& wait : run_.waits()) {
        if (!event("X", kWaitsTid)) {
            return;
        }
        span(wait.begin_ns, wait.end_ns);
        put_all(",\"cat\":\"wait,", group_of(wait.kind), "\",\"name\":");
        put(json::quoted(wait.name));
        put_all(",\"args\":{\"kind\":", static_cast<int>(wait.kind), ",\"issued\":", wait.issued);
        put_line(wait.line);
        if (wait.device >= 0) {
            put_all(",\"device\":", wait.device);
        }
        if (wait.target != 0) {
            put_all(",\"target\":", wait.target);
        } else {
            put_all(",\"through\":", wait.waits_through);
        }
        put("}}");
    }
}

void Writer::works() {
    for (const auto& work : run_.works()) {
        if (!event("X", kWorkTid)) {
            return;
        }
        span(work.begin_ns, work.end_ns);
        put(",\"cat\":\"work\",\"name\":");
        put(json::quoted(work.name));
        put_all(",\"args\":{\"issued\":", work.issued);
        put_line(work.line);
        put("}}");
    }
}

void Writer::scopes() {
    for (const auto& scope : run_.scopes()) {
        if (!event("X", kFirstScopeTid + scope.depth)) {
            return;
        }
        span(scope.begin_ns, scope.end_ns == model::kPending ? run_.now_ns() : scope.end_ns);
        put(",\"cat\":\"scope\",\"name\":");
        put(json::quoted(scope.name));
        put(scope.end_ns == model::kPending ? ",\"args\":{\"open\":true}}" : "}");
    }
}

void Writer::minibatches() {
    for (const auto& minibatch : run_.minibatches()) {
        if (!event("X", kMinibatchesTid)) {
            return;
        }
        span(minibatch.issue_begin_ns,
             minibatch.issue_end_ns == model::kPending ? run_.now_ns() : minibatch.issue_end_ns);
        put_all(",\"cat\":\"minibatch\",\"name\":\"minibatch ", minibatch.index,
                "\",\"args\":{\"index\":", minibatch.index, ",\"first\":", minibatch.first,
                ",\"last\":", minibatch.last, minibatch.issue_end_ns == model::kPending ? ",\"open\":true}}" : "}}");
    }
}

void Writer::launches() {
    for (const auto& launch : run_.launches()) {
        if (!event("X", kLaunchTid)) {
            return;
        }
        span(launch.begin_ns, launch.end_ns);
        put_all(",\"cat\":\"launch\",\"name\":", std::string_view(signature(run_.op(launch.op).signature).name),
                ",\"args\":{\"op\":", launch.op, "}}");
    }
}

void Writer::driver_events() {
    for (const auto& driver : run_.driver_events()) {
        if (!event("X", kDriverTid)) {
            return;
        }
        span(driver.begin_ns, driver.end_ns);
        put_all(",\"cat\":\"driver\",\"name\":\"", word_for(driver.kind),
                "\",\"args\":{\"kind\":", static_cast<int>(driver.kind), ",\"stream\":", driver.stream);
        if (!trace::is_wait(driver.kind)) {
            put_all(",\"bytes\":", driver.bytes);
        }
        put("}}");
    }
}

void Writer::drops() {
    run_.each_drop([this](core::BufferId buffer, std::int64_t ns, core::OpId after) {
        if (!event("i", kDropsTid)) {
            return;
        }
        put(",\"ts\":");
        put_us(ns);
        put_all(",\"s\":\"t\",\"cat\":\"drop\",\"name\":\"drop\",\"args\":{\"buffer\":", buffer, ",\"after\":", after,
                "}}");
    });
}

void Writer::costs() {
    for (const auto& cost : run_.costs()) {
        if (!event("X", kCostsTid)) {
            return;
        }
        span(cost.begin_ns, cost.end_ns);
        put_all(",\"cat\":\"cost\",\"name\":\"", word_for(cost.kind),
                "\",\"args\":{\"kind\":", static_cast<int>(cost.kind), ",\"weight\":", cost.weight,
                ",\"without_core_ns\":", cost.amount_ns, ",\"language_ns\":", cost.language_ns, ",\"stamp_ns\":");
        put_double(cost.stamp_ns);
        put(",\"sampling_ns\":");
        put_double(cost.sampling_ns);
        if (cost.kind == trace::CostKind::totals) {
            put_all(",\"minor_faults\":", cost.minor_faults, ",\"major_faults\":", cost.major_faults);
        }
        put("}}");
    }
}

void Writer::holds() {
    for (const model::Hold& hold : run_.holds().list()) {
        event("X", kFirstLaneTid + static_cast<int>(hold.lane));
        span(hold.begin_ns, hold.end_ns);
        put_all(",\"cat\":\"", kHoldCategory, "\",\"name\":\"held by the learner\"}");
    }
}

void Writer::executions() {
    for (std::size_t lane = 0; lane < run_.lanes().size(); ++lane) {
        const int tid = kFirstLaneTid + static_cast<int>(lane);
        for (const auto id : run_.lanes()[lane].ops) {
            const auto& op = run_.op(id);
            if (op.begin_ns == model::kPending) {
                continue;
            }
            const auto& text = signature(op.signature);
            if (!event("X", tid)) {
                return;
            }
            span(op.begin_ns, op.end_ns == model::kPending ? run_.now_ns() : op.end_ns);
            put_all(",\"cat\":", std::string_view(text.category), ",\"name\":", std::string_view(text.name),
                    ",\"args\":{\"op\":", id, ",\"shapes\":", std::string_view(text.shapes));
            put(op.failed ? ",\"failed\":true}}" : "}}");
            for (const auto& part : run_.parts(id)) {
                const auto& piece = signature(part.signature);
                event("X", tid);
                span(part.begin_ns, part.end_ns);
                put_all(",\"cat\":\"part\",\"name\":", std::string_view(piece.name), ",\"args\":{\"part_of\":", id,
                        ",\"sig\":", std::uint32_t{part.signature}, ",\"shapes\":", std::string_view(piece.shapes),
                        "}}");
            }
            if (op.not_issued) {
                continue;
            }
            event("f", tid);
            put(",\"ts\":");
            put_us(op.begin_ns);
            put_all(",\"cat\":\"run\",\"name\":\"run\",\"bp\":\"e\",\"id\":", id, "}");
        }
    }
}

void Writer::counter(const char* name, const char* unit, const model::Curve& curve) {
    for (std::size_t i = 0; i < curve.size(); ++i) {
        if (!event("C", 0)) {
            return;
        }
        put(",\"ts\":");
        put_us(curve.time(i));
        put_all(",\"name\":\"", name, "\",\"args\":{\"", unit, "\":", curve.value(i), "}}");
    }
}

}  // namespace

bool write_chrome_trace(const model::Run& run, const Sink& sink) {
    return Writer(run, sink).write();
}

}  // namespace headway::exchange
