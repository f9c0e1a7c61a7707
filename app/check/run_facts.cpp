#include "app/check/run_facts.h"

#include <algorithm>
#include <array>
#include <functional>
#include <mutex>
#include <utility>

#include "app/check/code_lines.h"
#include "app/check/json_value.h"
#include "app/model/numbers/numbers_walk.h"
#include "app/model/report/report.h"
#include "app/model/run/devices.h"
#include "app/model/run/queries.h"
#include "engine/core/count_text.h"
#include "engine/trace/wait_names.h"

namespace headway::check {

using expression::List;
using expression::Record;
using expression::Value;

namespace {

using Data = std::shared_ptr<const RunData>;
using Found = std::optional<core::Result<Value>>;

constexpr std::size_t kMostEvents = 200'000;
constexpr std::size_t kMostCauses = 1000;

core::Error unknown(const std::string& what) {
    return expression::sentence(what);
}

Value record(std::shared_ptr<const Record> of) {
    return Value(std::move(of));
}

core::Result<Value> time(std::int64_t ns, const char* what) {
    if (ns == model::kPending) {
        return unknown(what);
    }
    return Value(ns);
}

std::string source_line(const RunData& data, core::Line line) {
    const std::uint32_t number = core::number_of(line);
    if (number == 0 || number > data.source.size()) {
        return "";
    }
    const std::string& text = data.source[number - 1];
    const auto begin = text.find_first_not_of(" \t");
    return begin == std::string::npos ? "" : text.substr(begin);
}

// A field of a record: its name and how to get it.
template <class Of>
struct Field {
    const char* name;
    core::Result<Value> (*get)(const Of&);
};

template <class Of, std::size_t kCount>
Found found_in(const std::array<Field<Of>, kCount>& fields, const Of& of, std::string_view name) {
    for (const auto& field : fields) {
        if (name == field.name) {
            return field.get(of);
        }
    }
    return std::nullopt;
}
template <class Of, std::size_t kCount>
std::vector<std::string> names_of(const std::array<Field<Of>, kCount>& fields) {
    std::vector<std::string> names;
    for (const auto& field : fields) {
        names.emplace_back(field.name);
    }
    return names;
}

// --- ops ---

class OpRecord final : public Record {
public:
    OpRecord(Data data, core::OpId id) : data_(std::move(data)), id_(id) {}
    [[nodiscard]] Found field(std::string_view name) const override;
    [[nodiscard]] std::vector<std::string> names() const override;
    [[nodiscard]] std::string kind() const override { return "op"; }
    [[nodiscard]] std::string text() const override { return "#" + std::to_string(id_) + " " + signature().name; }
    [[nodiscard]] bool equals(const Record& other) const override {
        const auto* op = dynamic_cast<const OpRecord*>(&other);
        return op != nullptr && op->id_ == id_ && op->data_ == data_;
    }
    [[nodiscard]] const model::Op& op() const { return run().op(id_); }
    [[nodiscard]] const model::Run& run() const { return *data_->run; }
    [[nodiscard]] const model::Signature& signature() const { return run().signature(op().signature); }
    [[nodiscard]] const Data& data() const { return data_; }
    [[nodiscard]] core::OpId id() const { return id_; }

private:
    Data data_;
    core::OpId id_;
};

core::Result<Value> inputs_of(const OpRecord& op) {
    List list;
    for (const core::OpId id : op.run().dependencies(op.id())) {
        list.push_back(record(std::make_shared<OpRecord>(op.data(), id)));
    }
    return Value(std::move(list));
}

constexpr const char* kNotRun = "the op has not run";
constexpr std::array<Field<OpRecord>, 17> kOpFields{{
    {"id", [](const OpRecord& r) -> core::Result<Value> { return Value(r.id()); }},
    {"name", [](const OpRecord& r) -> core::Result<Value> { return Value(r.signature().name); }},
    {"shapes", [](const OpRecord& r) -> core::Result<Value> { return Value(r.signature().shapes); }},
    {"line", [](const OpRecord& r) -> core::Result<Value> { return Value(core::number_of(r.op().line)); }},
    {"source", [](const OpRecord& r) -> core::Result<Value> { return Value(source_line(*r.data(), r.op().line)); }},
    {"lane", [](const OpRecord& r) -> core::Result<Value> { return Value(stream_name(r.run(), r.op().lane)); }},
    {"device",
     [](const OpRecord& r) -> core::Result<Value> {
         const std::size_t device = device_of_lane(r.run(), r.op().lane);
         const bool cpu = device > 0 && r.run().devices()[device].kind == "cpu";
         return Value(cpu ? std::string("cpu") : gpu_count(r.run()) < 2 ? "gpu" : "gpu:" + std::to_string(device));
     }},
    {"minibatch", [](const OpRecord& r) -> core::Result<Value> { return Value(r.op().minibatch); }},
    {"issue_begin_ns", [](const OpRecord& r) -> core::Result<Value> { return Value(r.op().issue_begin_ns); }},
    {"issue_end_ns", [](const OpRecord& r) -> core::Result<Value> { return Value(r.op().issue_end_ns); }},
    {"begin_ns", [](const OpRecord& r) { return time(r.op().begin_ns, kNotRun); }},
    {"end_ns", [](const OpRecord& r) { return time(r.op().end_ns, kNotRun); }},
    {"ns",
     [](const OpRecord& r) {
         return time(r.op().end_ns == model::kPending ? model::kPending : r.op().end_ns - r.op().begin_ns, kNotRun);
     }},
    {"bytes", [](const OpRecord& r) -> core::Result<Value> { return Value(r.signature().out_bytes); }},
    {"flops", [](const OpRecord& r) -> core::Result<Value> { return Value(r.signature().flops); }},
    {"failed", [](const OpRecord& r) -> core::Result<Value> { return Value(r.op().failed); }},
    {"inputs", inputs_of},
}};

Found OpRecord::field(std::string_view name) const {
    return found_in(kOpFields, *this, name);
}
std::vector<std::string> OpRecord::names() const {
    return names_of(kOpFields);
}

// --- waits ---

class WaitRecord final : public Record {
public:
    WaitRecord(Data data, std::size_t index) : data_(std::move(data)), index_(index) {}
    [[nodiscard]] Found field(std::string_view name) const override;
    [[nodiscard]] std::vector<std::string> names() const override;
    [[nodiscard]] std::string kind() const override { return "wait"; }
    [[nodiscard]] std::string text() const override {
        return wait().name + " in line " + std::to_string(core::number_of(wait().line));
    }
    [[nodiscard]] bool equals(const Record& other) const override {
        const auto* same = dynamic_cast<const WaitRecord*>(&other);
        return same != nullptr && same->index_ == index_ && same->data_ == data_;
    }
    [[nodiscard]] const model::Wait& wait() const { return data_->run->waits()[index_]; }
    [[nodiscard]] const Data& data() const { return data_; }
    [[nodiscard]] std::size_t index() const { return index_; }
    // Ops that were issued and not finished at this time.
    [[nodiscard]] std::size_t open_at(std::int64_t ns) const {
        const model::Run& run = *data_->run;
        const core::OpId through = std::min(wait().issued, static_cast<core::OpId>(run.op_count()));
        std::size_t finished = 0;
        for (const model::Lane& lane : run.lanes()) {  // in which both ids and times ascend
            const auto end = std::partition_point(lane.ops.begin(), lane.ops.end(), [&](core::OpId id) {
                return id <= through && run.op(id).end_ns <= ns;
            });
            finished += static_cast<std::size_t>(end - lane.ops.begin());
        }
        return through - finished;
    }

private:
    Data data_;
    std::size_t index_;
};

core::Result<Value> causes_of(const WaitRecord& wait) {
    List list;
    for (const core::OpId id : caused_by(*wait.data()->run, wait.wait(), kMostCauses)) {
        list.push_back(record(std::make_shared<OpRecord>(wait.data(), id)));
    }
    return Value(std::move(list));
}

constexpr std::array<Field<WaitRecord>, 11> kWaitFields{{
    {"kind", [](const WaitRecord& r) -> core::Result<Value> { return Value(trace::names_of(r.wait().kind).word); }},
    {"cause", [](const WaitRecord& r) -> core::Result<Value> { return Value(trace::names_of(r.wait().kind).cause); }},
    {"name", [](const WaitRecord& r) -> core::Result<Value> { return Value(r.wait().name); }},
    {"line", [](const WaitRecord& r) -> core::Result<Value> { return Value(core::number_of(r.wait().line)); }},
    {"source", [](const WaitRecord& r) -> core::Result<Value> { return Value(source_line(*r.data(), r.wait().line)); }},
    {"begin_ns", [](const WaitRecord& r) -> core::Result<Value> { return Value(r.wait().begin_ns); }},
    {"end_ns", [](const WaitRecord& r) -> core::Result<Value> { return Value(r.wait().end_ns); }},
    {"ns", [](const WaitRecord& r) -> core::Result<Value> { return Value(r.wait().waited_ns()); }},
    {"issued", [](const WaitRecord& r) -> core::Result<Value> { return Value(r.wait().issued); }},
    {"ops", causes_of},
    {"open_after", [](const WaitRecord& r) -> core::Result<Value> { return Value(r.open_at(r.wait().end_ns)); }},
}};

Found WaitRecord::field(std::string_view name) const {
    return found_in(kWaitFields, *this, name);
}
std::vector<std::string> WaitRecord::names() const {
    return names_of(kWaitFields);
}

// --- other parts of a run ---

// A record with fixed fields.
class PlainRecord final : public Record {
public:
    PlainRecord(std::string kind, std::vector<NamedFact> fields) : kind_(std::move(kind)), fields_(std::move(fields)) {}
    [[nodiscard]] Found field(std::string_view name) const override {
        for (const NamedFact& fact : fields_) {
            if (fact.name == name) {
                return fact.value;
            }
        }
        return std::nullopt;
    }
    [[nodiscard]] std::vector<std::string> names() const override {
        std::vector<std::string> names;
        for (const NamedFact& fact : fields_) {
            names.push_back(fact.name);
        }
        return names;
    }
    [[nodiscard]] std::string kind() const override { return kind_; }

private:
    std::string kind_;
    std::vector<NamedFact> fields_;
};

Value texts(const std::vector<std::string>& lines) {
    List list;
    for (const std::string& line : lines) {
        list.emplace_back(line);
    }
    return list;
}

// The facts of one run. Those that take time are computed when they are first asked for.
class RunFacts final : public Record {
public:
    explicit RunFacts(Data data) : data_(std::move(data)) {}
    [[nodiscard]] Found field(std::string_view name) const override {
        const auto all = names();
        if (std::find(all.begin(), all.end(), name) == all.end()) {
            return std::nullopt;
        }
        const std::lock_guard lock(mutex_);
        for (const auto& [known, value] : computed_) {
            if (known == name) {
                return value;
            }
        }
        computed_.emplace_back(name, compute(name));
        return computed_.back().second;
    }
    [[nodiscard]] std::vector<std::string> names() const override {
        return {"blockers", "barriers", "code",   "headway_max", "live_bytes_peak", "minibatches",
                "ops",      "printed",  "report", "result",      "scopes",          "source",
                "total_ns", "waits",    "work",   "warmup_ops",  "backend_idle_ns"};
    }
    [[nodiscard]] std::string kind() const override { return "run"; }

private:
    [[nodiscard]] core::Result<Value> compute(std::string_view name) const {
        if (name == "source") {
            return texts(data_->source);
        }
        if (name == "code") {
            return texts(code_lines(data_->source));
        }
        if (name == "printed") {
            return printed();
        }
        if (data_->run == nullptr) {
            return unknown("the program did not begin");
        }
        const model::Run& run = *data_->run;
        const model::Run::Measured part = run.measured();
        if (name == "ops" || name == "waits" || name == "barriers" || name == "blockers") {
            if (run.op_count() > kMostEvents || !run.folded_parts().empty()) {
                return unknown("the program issued more than " + core::counted(kMostEvents, "op"));
            }
            return name == "ops" ? ops(part) : waits(part, name);
        }
        const bool listed = name == "scopes" || name == "minibatches" || name == "work";
        if (listed && !run.folded_parts().empty()) {
            return unknown("the run has too many ops to list its " + std::string(name));
        }
        if (name == "result") {
            return result_values(run.result_json());
        }
        if (name == "scopes") {
            return scopes(part);
        }
        if (name == "minibatches") {
            return minibatches(part);
        }
        if (name == "work") {
            return works(part);
        }
        if (name == "warmup_ops") {
            return Value(part.has_begin ? part.first - 1 : 0);
        }
        if (name == "total_ns") {
            return Value(total_ns_of(run));
        }
        if (name == "headway_max") {
            return Value(measured_peak(run, run.headway()));
        }
        if (name == "live_bytes_peak") {
            return Value(measured_peak(run, run.live_bytes()));
        }
        if (name == "backend_idle_ns") {
            return Value(numbers_of(run).backend_idle_ns);
        }
        const json::Document report(model::report_json(run));
        return value_of(report.root(), "report");
    }

    [[nodiscard]] Value printed() const {
        std::vector<std::string> lines;
        for (std::size_t at = 0; at < data_->printed.size();) {
            const auto end = std::min(data_->printed.find('\n', at), data_->printed.size());
            lines.push_back(data_->printed.substr(at, end - at));
            at = end + 1;
        }
        return texts(lines);
    }
    [[nodiscard]] Value ops(const model::Run::Measured& part) const {
        List list;
        for (core::OpId id = part.first; id <= part.last; ++id) {
            list.push_back(record(std::make_shared<OpRecord>(data_, id)));
        }
        return list;
    }
    [[nodiscard]] Value waits(const model::Run::Measured& part, std::string_view which) const {
        List list;
        const auto& all = data_->run->waits();
        for (std::size_t i = part.first_wait; i < part.waits_end; i = all.after(i)) {
            const std::string_view cause = trace::names_of(all[i].kind).cause;
            const bool wanted = which == "barriers" ? cause == "barrier" : which != "blockers" || cause == "blocker";
            // The run itself waits at its end for what the program has not waited for.
            if (wanted && core::number_of(all[i].line) != 0 && all[i].name != "end of the program") {
                list.push_back(record(std::make_shared<WaitRecord>(data_, i)));
            }
        }
        return list;
    }
    static bool begins_in(const model::Run::Measured& part, std::int64_t ns) {
        return ns >= part.begin_ns && (ns < part.end_ns || !part.has_end);
    }
    [[nodiscard]] Value scopes(const model::Run::Measured& part) const {
        List list;
        for (const model::Scope& scope : data_->run->scopes()) {
            if (!begins_in(part, scope.begin_ns)) {
                continue;
            }
            const bool open = scope.end_ns == model::kPending;
            list.push_back(plain(
                "scope",
                {{"name", Value(scope.name)},
                 {"begin_ns", Value(scope.begin_ns)},
                 {"end_ns", time(scope.end_ns, "the scope has no end")},
                 {"ns", time(open ? model::kPending : unpaused_ns(data_->run->pauses(), scope.begin_ns, scope.end_ns),
                             "the scope has no end")}}));
        }
        return list;
    }
    [[nodiscard]] Value minibatches(const model::Run::Measured& part) const {
        List list;
        for (const model::Minibatch& batch : data_->run->minibatches()) {
            // An optimiser's step begins the next minibatch: the first measured one may begin before the mark.
            const bool empty = batch.last < batch.first;
            if (empty ? !begins_in(part, batch.issue_begin_ns) : batch.first < part.first || batch.first > part.last) {
                continue;
            }
            std::int64_t begin_ns = model::kPending, end_ns = 0;
            for (core::OpId id = batch.first; id <= batch.last; ++id) {
                begin_ns = std::min(begin_ns, data_->run->op(id).begin_ns);
                end_ns = std::max(end_ns, data_->run->op(id).end_ns);
            }
            const char* not_run = "the minibatch has not run";
            list.push_back(plain("minibatch", {{"index", Value(batch.index)},
                                               {"ops", Value(batch.last + 1 - batch.first)},
                                               {"issue_begin_ns", Value(batch.issue_begin_ns)},
                                               {"issue_end_ns", time(batch.issue_end_ns, not_run)},
                                               {"begin_ns", time(begin_ns, not_run)},
                                               {"end_ns", time(end_ns == 0 ? model::kPending : end_ns, not_run)}}));
        }
        return list;
    }
    // The frontend's own work: NumPy, import, print, sleep.
    [[nodiscard]] Value works(const model::Run::Measured& part) const {
        List list;
        for (const model::Work& work : data_->run->works()) {
            if (begins_in(part, work.begin_ns)) {
                list.push_back(plain("work", {{"name", Value(work.name)},
                                              {"line", Value(core::number_of(work.line))},
                                              {"begin_ns", Value(work.begin_ns)},
                                              {"end_ns", Value(work.end_ns)},
                                              {"ns", Value(work.end_ns - work.begin_ns)}}));
            }
        }
        return list;
    }
    static Value plain(const char* kind, std::vector<NamedFact> fields) {
        return record(std::make_shared<PlainRecord>(kind, std::move(fields)));
    }

    Data data_;
    mutable std::mutex mutex_;
    mutable std::vector<std::pair<std::string, core::Result<Value>>> computed_;
};

// The facts of another record, and more.
class MoreFacts final : public Record {
public:
    MoreFacts(std::shared_ptr<const Record> base, std::vector<NamedFact> more)
        : base_(std::move(base)), more_("facts", std::move(more)) {}
    [[nodiscard]] Found field(std::string_view name) const override {
        auto found = more_.field(name);
        return found ? found : base_->field(name);
    }
    [[nodiscard]] std::vector<std::string> names() const override {
        std::vector<std::string> names = base_->names();
        const auto more = more_.names();
        names.insert(names.end(), more.begin(), more.end());
        return names;
    }
    [[nodiscard]] std::string kind() const override { return base_->kind(); }

private:
    std::shared_ptr<const Record> base_;
    PlainRecord more_;
};

}  // namespace

std::shared_ptr<const Record> make_run_facts(std::shared_ptr<const RunData> data) {
    return std::make_shared<RunFacts>(std::move(data));
}

std::shared_ptr<const Record> with_facts(std::shared_ptr<const Record> facts, std::vector<NamedFact> more) {
    return std::make_shared<MoreFacts>(std::move(facts), std::move(more));
}

std::shared_ptr<const Record> make_case_facts(std::shared_ptr<const RunData> run,
                                              std::shared_ptr<const RunData> reference,
                                              const std::vector<std::string>& start, const Case& with) {
    std::vector<NamedFact> of_case{{"hidden", Value(with.hidden)}};
    for (const auto& [name, text] : with.values) {
        char* end = nullptr;
        const double number = std::strtod(text.c_str(), &end);
        of_case.push_back({name, end != text.c_str() && *end == '\0' ? Value(number) : Value(text)});
    }
    std::vector<NamedFact> of_start{{"code", texts(code_lines(start))}, {"source", texts(start)}};
    std::vector<NamedFact> more;
    more.push_back({"case", record(std::make_shared<PlainRecord>("case", std::move(of_case)))});
    more.push_back({"reference", record(make_run_facts(std::move(reference)))});
    more.push_back({"start", record(std::make_shared<PlainRecord>("program", std::move(of_start)))});
    return with_facts(make_run_facts(std::move(run)), std::move(more));
}

std::vector<std::string> run_fact_names() {
    return RunFacts(std::make_shared<RunData>()).names();
}

std::vector<std::string> fact_names() {
    return make_case_facts(std::make_shared<RunData>(), std::make_shared<RunData>(), {}, {})->names();
}

Event event_of(const Record& record) {
    if (const auto* op = dynamic_cast<const OpRecord*>(&record)) {
        return {op->data().get(), op->id(), -1, core::number_of(op->op().line)};
    }
    if (const auto* wait = dynamic_cast<const WaitRecord*>(&record)) {
        return {wait->data().get(), 0, static_cast<std::int64_t>(wait->index()), core::number_of(wait->wait().line)};
    }
    return {};
}

}  // namespace headway::check
