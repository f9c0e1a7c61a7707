#include "app/exchange/chrome/chrome_writer.h"

#include <algorithm>
#include <unordered_map>

#include "app/exchange/chrome/chrome_folds.h"
#include "app/exchange/chrome/chrome_metadata.h"
#include "app/exchange/chrome/chrome_words.h"
#include "app/exchange/files/json_text.h"
#include "app/json/json.h"
#include "app/model/run/devices.h"

namespace headway::exchange {

namespace {

class Writer : JsonText {
public:
    Writer(const model::Run& run, const Sink& sink)
        : JsonText(sink), run_(run), folds_(run.folded_parts().empty() ? nullptr : folds_to_write(run)) {}

    bool write() {
        put("{\"displayTimeUnit\":\"ns\",\n\"otherData\":");
        write_metadata(run_, folds_.get(), *this);
        put(",\n\"traceEvents\":[\n");
        names();
        issues();
        waits();
        works();
        output();
        scopes();
        minibatches();
        drops();
        costs();
        launches();
        driver_events();
        executions();
        holds();
        if (folds_ != nullptr) {
            write_folded_blocks(run_, *folds_, *this, first_);
            model::each_curve(run_, [this](const char* name, const char* unit, const model::Curve& curve) {
                counter(name, unit, curve);
            });
            put("\n]}\n");
            return flush();
        }
        if (run_.capabilities().issues) {
            counter("headway", "ops", run_.headway());
        }
        counter("live bytes", "bytes", run_.live_bytes());
        counter("reserved bytes", "bytes", run_.reserved_bytes());
        for (std::size_t device = 0; device < run_.devices().size() && run_.devices().size() > 1; ++device) {
            counter(("live bytes, " + device_name(run_, device)).c_str(), "bytes", live_bytes(run_, device));
        }
        if (run_.devices().size() > 1) {
            counter(kReservedSecondDevice, "bytes", reserved_bytes(run_, 1));
        }
        counter("resident bytes", "bytes", run_.resident_bytes());
        put("\n]}\n");
        return flush();
    }

private:
    // Writes the start of an event, up to its name; false if the sink has failed.
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

    void names();
    void issues();
    void waits();
    void works();
    void output();
    void scopes();
    void minibatches();
    void launches();
    void driver_events();
    void drops();
    void costs();
    void executions();
    bool execution(int tid, core::OpId id, std::int64_t begin_ns, std::int64_t end_ns, const char* state);
    void holds();
    void edge(std::size_t lane, std::size_t i);
    void counter(const char* name, const char* unit, const model::Curve& curve);

    const model::Run& run_;
    const std::unique_ptr<model::SavedFolds> folds_;  // null: the run was not folded
    std::unordered_map<std::uint16_t, SignatureText> signatures_;
    std::unordered_map<core::Line, std::string> lines_;  // with quotes, and the file's number
    bool first_ = true;
};

void Writer::names() {
    const auto& info = run_.info();
    metadata("process_name", 0,
             "\"name\":" + json::quoted("Headway: " + info.title + (info.simulated ? " (SIMULATED)" : "")));
    int order = 0;
    const auto thread_if = [&](bool any, int tid, const char* name) {
        if (any) {
            thread(tid, name, order++);
        }
    };
    thread(kFrontendTid, "Frontend", order++);
    thread(kWaitsTid, "Frontend waits", order++);
    thread_if(!run_.works().empty(), kWorkTid, "Frontend's own work");
    thread_if(!run_.program_output().written().empty(), kOutputTid, "Program's output");
    thread(kDropsTid, "Frontend drops tensors", order++);
    thread_if(folds_ != nullptr, kFoldedTid, "Only sums were kept");
    thread_if(!run_.costs().empty(), kCostsTid, "Frontend costs, measured on some events");
    thread_if(!run_.minibatches().empty(), kMinibatchesTid, "Minibatches");
    int deepest = -1;
    for (const auto& scope : run_.scopes()) {
        deepest = std::max(deepest, scope.depth);
    }
    for (int depth = 0; depth <= deepest; ++depth) {
        thread(scope_tid(depth), depth == 0 ? "Scopes" : "Scopes, level " + std::to_string(depth + 1), order++);
    }
    thread_if(!run_.launches().empty(), kLaunchTid, "Launch");
    thread_if(!run_.driver_events().empty(), kDriverTid, "Driver");
    for (std::size_t lane = 0; lane < run_.lanes().size(); ++lane) {
        thread(kFirstLaneTid + static_cast<int>(lane), stream_name(run_, lane), order++);
    }
}

void Writer::issues() {
    for (core::OpId id = run_.next_known(1); id <= run_.op_count() && good(); id = run_.next_known(id + 1)) {
        const auto& op = run_.op(id);
        const auto& text = signature(op.signature);
        event("X", kFrontendTid);
        span(op.issue_begin_ns, op.issue_end_ns);
        put_all(op.not_issued ? ",\"cat\":\"unissued\"" : ",\"cat\":\"issue\"",
                ",\"name\":", std::string_view(text.name), ",\"args\":{\"op\":", id,
                ",\"sig\":", std::uint32_t{op.signature});
        put_line(op.line);
        if (op.forward_line != 0) {
            put(",\"forward\":");
            put(json::quoted(run_.line_text(op.forward_line)));
            put_all(",\"forward_file\":", core::file_of(op.forward_line));
        }
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
        if (op.out_on_cpu) {
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
    const auto& waits = run_.waits();
    for (std::size_t i = 0; i < waits.size(); i = waits.after(i)) {
        const model::Wait& wait = waits[i];
        if (wait.folded) {
            continue;
        }
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
        if (wait.stream() >= 0) {
            put_all(",\"stream\":", wait.stream(), ",\"through\":", wait.target_op);
        } else if (wait.target != 0) {
            put_all(",\"target\":", wait.target);
        } else {
            put_all(",\"through\":", wait.waits_through);
        }
        if (folds_ != nullptr && wait.target_op != 0) {  // it may have been folded
            put_all(",\"target_op\":", wait.target_op);
        }
        put("}}");
    }
}

void Writer::works() {
    const auto& works = run_.works();
    for (std::size_t i = 0; i < works.size(); i = works.after(i)) {
        const model::Work& work = works[i];
        if (work.folded) {
            continue;
        }
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

void Writer::output() {
    const model::ProgramOutput& output = run_.program_output();
    for (const auto& written : output.written()) {
        if (!event("i", kOutputTid)) {
            return;
        }
        put(",\"ts\":");
        put_us(written.ns);
        put_all(",\"s\":\"t\",\"cat\":\"output\",\"name\":\"", written.error ? "stderr" : "stdout",
                "\",\"args\":{\"issued\":", written.issued, ",\"text\":");
        put(json::quoted(std::string(output.text(written))));
        put("}}");
    }
}

void Writer::scopes() {
    const auto& scopes = run_.scopes();
    for (std::size_t i = 0; i < scopes.size(); i = scopes.after(i)) {
        const model::Scope& scope = scopes[i];
        if (scope.folded) {
            continue;
        }
        if (!event("X", scope_tid(scope.depth))) {
            return;
        }
        span(scope.begin_ns, scope.end_ns == model::kPending ? run_.now_ns() : scope.end_ns);
        put(",\"cat\":\"scope\",\"name\":");
        put(json::quoted(scope.name));
        put(scope.end_ns == model::kPending ? ",\"args\":{\"open\":true}}" : "}");
    }
}

void Writer::minibatches() {
    const auto& minibatches = run_.minibatches();
    for (std::size_t i = 0; i < minibatches.size(); i = minibatches.after(i)) {
        const model::Minibatch& minibatch = minibatches[i];
        if (minibatch.folded) {
            continue;
        }
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
    const auto& launches = run_.launches();
    for (std::size_t i = 0; i < launches.size(); i = launches.after(i)) {
        const model::Launch& launch = launches[i];
        if (launch.folded) {
            continue;
        }
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
        const auto& ops = run_.lanes()[lane].ops;
        for (std::size_t i = 0; i < ops.size(); i = ops.after(i)) {
            const core::OpId id = ops[i];
            const auto& op = run_.op(id);
            if (op.begin_ns == model::kPending || ops.is_folded(i)) {
                continue;
            }
            if (op.folded) {
                edge(lane, i);
                continue;
            }
            if (!execution(tid, id, op.begin_ns, op.end_ns, op.failed ? "failed" : nullptr)) {
                return;
            }
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
        if (const model::Running* running = run_.running(lane)) {  // when the run was cut off
            execution(tid, running->op, running->begin_ns, run_.now_ns(), "open");
        }
    }
}

// `state`: what the op is besides executed; null for nothing. False if the sink failed.
bool Writer::execution(int tid, core::OpId id, std::int64_t begin_ns, std::int64_t end_ns, const char* state) {
    if (!event("X", tid)) {
        return false;
    }
    const auto& text = signature(run_.op(id).signature);
    span(begin_ns, end_ns);
    put_all(",\"cat\":", std::string_view(text.category), ",\"name\":", std::string_view(text.name),
            ",\"args\":{\"op\":", id, ",\"shapes\":", std::string_view(text.shapes));
    state != nullptr ? put_all(",\"", std::string_view(state), "\":true}}") : put("}}");
    return true;
}

// An op whose issue was folded, but not its execution.
void Writer::edge(std::size_t lane, std::size_t i) {
    const model::Lane& ran = run_.lanes()[lane];
    const core::OpId id = ran.ops[i];
    const model::SpanIndex::Span span = ran.index.at(i, [&](std::size_t) {
        const model::Op& op = run_.op(id);
        return std::pair{op.begin_ns, op.end_ns};
    });
    if (!event("X", kFirstLaneTid + static_cast<int>(lane))) {
        return;
    }
    this->span(span.begin_ns, span.end_ns);
    put_all(",\"cat\":\"execute,", word_for(span.family), "\",\"name\":\"", word_for(span.family),
            "\",\"args\":{\"op\":", id, ",\"family\":", static_cast<int>(span.family));
    put(span.flagged ? ",\"failed\":true}}" : "}}");
}

void Writer::counter(const char* name, const char* unit, const model::Curve& curve) {
    for (std::size_t i = 0; i < curve.size(); ++i) {
        if (curve.is_folded(i)) {
            i += model::Curve::kFolded - 1;
            continue;
        }
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
