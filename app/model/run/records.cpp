// How Run::update() processes each kind of record.
#include <algorithm>
#include <cmath>

#include "app/model/run/folding.h"
#include "app/model/run/intake.h"
#include "app/model/run/saved_folds.h"

#include "engine/trace/barrier_names.h"
#include "engine/trace/wait_names.h"

namespace headway::model {

namespace {

constexpr std::uint64_t kAtOnce = 1u << 12;  // frontend records taken before the other streams are checked

}  // namespace

// ---- streams ----

bool Run::take_frontend(std::uint64_t end, std::int64_t& horizon_ns) {
    const std::uint64_t stop = std::min(end, intake_->frontend + kAtOnce);
    const std::uint64_t start = intake_->frontend;
    std::uint64_t last_begin = 0;
    while (intake_->frontend < stop) {
        const auto records =
            reader_->records<trace::FrontendRecord>({trace::StreamKind::frontend, 0}, intake_->frontend);
        const std::size_t count = std::min<std::size_t>(records.size(), stop - intake_->frontend);
        if (count == 0) {
            break;
        }
        for (std::size_t i = 0; i < count; ++i) {
            take(records[i]);
        }
        last_begin = records[count - 1].begin;
        intake_->frontend += count;
    }
    // The records that list further inputs and outputs of the last op belong to it; no drop may be taken before
    // them.
    for (bool more = true; more && intake_->frontend > start && intake_->frontend < end;) {
        const auto records =
            reader_->records<trace::FrontendRecord>({trace::StreamKind::frontend, 0}, intake_->frontend);
        const auto kind = records.empty() ? trace::FrontendKind::issue : trace::kind_of(records[0]);
        more = kind == trace::FrontendKind::more_inputs || kind == trace::FrontendKind::more_output;
        if (more) {
            take(records[0]);
            ++intake_->frontend;
        }
    }
    const bool any = intake_->frontend > start;
    if (any && intake_->frontend < end) {
        horizon_ns = ns_from_ticks(last_begin);
    }
    return any;
}

bool Run::take_lanes(std::int64_t horizon_ns) {
    bool any = false;
    const std::size_t recorded = reader_->lanes();
    while (lanes_.size() < recorded) {
        lanes_.push_back({"Lane " + std::to_string(lanes_.size())});
    }
    intake_->lanes.resize(recorded, 0);
    intake_->parts.resize(recorded);
    for (std::size_t lane = 0; lane < recorded; ++lane) {
        const trace::StreamId id{trace::StreamKind::lane, static_cast<std::uint8_t>(lane)};
        std::uint64_t& next = intake_->lanes[lane];
        const std::uint64_t stop = next + 2 * kAtOnce;
        bool held = false;
        while (next < stop && !held) {
            const auto records = reader_->records<trace::ExecRecord>(id, next);
            if (records.empty()) {
                break;
            }
            for (const trace::ExecRecord& record : records.first(std::min<std::size_t>(records.size(), stop - next))) {
                const OpId op = record.id();
                const std::int64_t begin_ns = ns_from_ticks(record.begin);
                if (record.is_part()) {
                    ++next;
                    any = true;  // a composite op may have more parts than one call takes
                    intake_->parts[lane].push_back(
                        {begin_ns, end_of(record.begin, record.duration), 0, record.part_signature()});
                    continue;
                }
                if (op > ops_.size() || begin_ns > horizon_ns) {
                    held = true;  // its issue has not been taken yet
                    break;
                }
                ++next;
                any = true;
                take_exec(lane, op, record.failed(), begin_ns, end_of(record.begin, record.duration));
            }
        }
    }
    return any;
}

bool Run::take_drops(std::uint64_t end, std::int64_t horizon_ns) {
    bool any = false;
    std::uint64_t& next = intake_->drops;
    while (next < end) {
        const auto records = reader_->records<trace::DropRecord>({trace::StreamKind::drops, 0}, next);
        if (records.empty()) {
            return any;
        }
        for (const trace::DropRecord& record : records.first(std::min<std::size_t>(records.size(), end - next))) {
            const std::int64_t ns = ns_from_ticks(record.time);
            if (record.after > ops_.size() || ns >= horizon_ns) {
                return any;  // earlier records have not been taken yet
            }
            ++next;
            any = true;
            see(ns);
            if (BufferState* buffer = intake_->memory.find(record.buffer, ops_.size())) {
                intake_->memory.dropped(record.buffer, *buffer, ns);
            }
        }
    }
    return any;
}

void Run::take_samples() {
    std::uint64_t& next = intake_->samples;
    while (true) {
        const auto records = reader_->records<trace::SampleRecord>({trace::StreamKind::samples, 0}, next);
        if (records.empty()) {
            return;
        }
        for (const trace::SampleRecord& record : records) {
            const std::int64_t ns = ns_from_ticks(record.time);
            if (info_.live_sampled) {
                live_.set(ns, static_cast<std::int64_t>(record.live_bytes));
            }
            if (record.resident_bytes != 0 || !info_.live_sampled) {
                resident_.set(ns, static_cast<std::int64_t>(record.resident_bytes));
            }
            reserved_.set(ns, static_cast<std::int64_t>(record.reserved_bytes));
            if (devices_.size() > 1) {
                take_reserved_of_devices(record);
            }
        }
        next += records.size();
    }
}

// The second device's sample was recorded before the sum, with the same time.
void Run::take_reserved_of_devices(const trace::SampleRecord& sum) {
    const std::int64_t ns = ns_from_ticks(sum.time);
    std::uint64_t second_bytes = 0;
    for (bool earlier = true; earlier;) {
        const auto records =
            reader_->records<trace::SampleRecord>({trace::StreamKind::samples, 1}, intake_->second_device_samples);
        earlier = !records.empty() && records[0].time <= sum.time;
        if (earlier) {
            second_bytes = records[0].reserved_bytes;
            ++intake_->second_device_samples;
        }
    }
    devices_[1].reserved.set(ns, static_cast<std::int64_t>(second_bytes));
    devices_[0].reserved.set(
        ns, static_cast<std::int64_t>(sum.reserved_bytes - std::min(second_bytes, sum.reserved_bytes)));
}

void Run::take_launches() {
    std::uint64_t& next = intake_->launches;
    while (true) {
        const auto records = reader_->records<trace::ExecRecord>({trace::StreamKind::launch, 0}, next);
        for (const trace::ExecRecord& record : records) {
            const OpId op = record.id();
            if (op > ops_.size()) {
                return;  // its issue has not been taken yet
            }
            ++next;
            if (op != 0) {
                if (restoring_ != nullptr) {
                    restoring_->catch_up_launches();
                }
                launches_.push_back({ns_from_ticks(record.begin), end_of(record.begin, record.duration), op});
                launch_index_.add(launches_.back().begin_ns, launches_.back().end_ns - launches_.back().begin_ns,
                                  devices::Family::other, false);
            }
        }
        if (records.empty()) {
            return;
        }
    }
}

void Run::take_driver_events() {
    std::uint64_t& next = intake_->driver;
    while (true) {
        const auto records = reader_->records<trace::DriverRecord>({trace::StreamKind::driver, 0}, next);
        for (const trace::DriverRecord& record : records) {
            driver_events_.push_back({ns_from_ticks(record.begin), end_of(record.begin, record.duration), record.kind,
                                      record.bytes, record.stream});
        }
        next += records.size();
        if (records.empty()) {
            return;
        }
    }
}

void Run::take_holds() {
    std::uint64_t& next = intake_->holds;
    while (true) {
        const auto records = reader_->records<trace::ExecRecord>({trace::StreamKind::holds, 0}, next);
        for (const trace::ExecRecord& record : records) {
            if (record.op < core::kMaxTraceLanes) {
                holds_.add({ns_from_ticks(record.begin), end_of(record.begin, record.duration), record.op});
            }
        }
        next += records.size();
        if (records.empty()) {
            return;
        }
    }
}

void Run::take_costs() {
    std::uint64_t& next = intake_->costs;
    // Stored in sixteenths of a nanosecond; traces read from a file already have this unit.
    const double unit = clock() == trace::ClockKind::recorded_ns ? 1 : ns_per_tick_ * kCostUnits;
    // Limit the value to the largest one that a trace file can store.
    const auto short_ns = [unit](std::uint16_t ticks) {
        return std::min(std::round(ticks * unit), 65'535.0) / kCostUnits;
    };
    while (true) {
        const auto records = reader_->records<trace::CostRecord>({trace::StreamKind::costs, 0}, next);
        for (const trace::CostRecord& record : records) {
            Cost cost;
            cost.kind = record.kind;
            cost.begin_ns = cost.end_ns = ns_from_ticks(record.begin);
            cost.sampling_ns = short_ns(record.sampling);
            if (record.kind == trace::CostKind::totals) {
                cost.minor_faults = record.duration;
                cost.major_faults = record.weight;
            } else {
                cost.end_ns = end_of(record.begin, record.duration);
                cost.weight = record.weight;
                cost.stamp_ns = short_ns(record.stamp);
            }
            if (record.kind == trace::CostKind::totals || record.kind == trace::CostKind::recording) {
                cost.language_ns = ns_from_ticks(reader_->header().first_ticks + record.amount);
            } else {
                cost.amount_ns = record.amount;
            }
            costs_.push_back(cost);
        }
        next += records.size();
        if (records.empty()) {
            return;
        }
    }
}

// ---- the frontend's records ----

void Run::take(const trace::FrontendRecord& record) {
    if (restoring_ != nullptr) {
        restoring_->catch_up();
    }
    const auto kind = trace::kind_of(record);
    if (kind == trace::FrontendKind::output) {
        const std::int64_t ns = ns_from_ticks(record.begin);
        see(ns);
        program_output_.take(trace::as<trace::OutputRecord>(record), ns);
        return;
    }
    if (kind != trace::FrontendKind::more_inputs &&
        kind != trace::FrontendKind::more_output) {  // part of their op's time
        first_ns_ = std::min(first_ns_, ns_from_ticks(record.begin));
        see(end_of(record.begin, record.duration));
    }
    switch (kind) {
        case trace::FrontendKind::issue:
            take_issue(trace::as<trace::IssueRecord>(record));
            break;
        case trace::FrontendKind::more_inputs:
            take_more_inputs(trace::as<trace::MoreInputsRecord>(record));
            break;
        case trace::FrontendKind::more_output:
            take_more_output(trace::as<trace::MoreOutputRecord>(record));
            break;
        case trace::FrontendKind::wait:
            take_wait(trace::as<trace::WaitRecord>(record));
            break;
        case trace::FrontendKind::work:
            take_work(trace::as<trace::WorkRecord>(record));
            break;
        default:
            take_program_event(record);
            break;
    }
}

void Run::take_issue(const trace::IssueRecord& record) {
    if (ops_.size() >= trace::kFailedOp - 1) {
        return;
    }
    Op op;
    op.issue_begin_ns = ns_from_ticks(record.begin);
    op.issue_end_ns = end_of(record.begin, record.duration);
    op.line = record.line;
    op.out = record.out;
    op.in0 = record.in0;
    op.in1 = record.in1;
    op.signature = record.signature;
    op.lane = record.lane;
    op.fresh_output = record.fresh_output();
    op.reads_output = record.reads_output();
    op.not_issued = record.not_issued();
    op.out_on_other_device = record.output_on_other_device();
    op.minibatch = intake_->open_minibatch;
    any_issued_ = any_issued_ || !op.not_issued;
    ops_.push_back(op);
    ++open_ops_[op.lane];
    issue_index_.add(op.issue_begin_ns, issue_ns(static_cast<OpId>(ops_.size())), devices::Family::other,
                     op.not_issued);

    Memory& memory = intake_->memory;
    const auto id = static_cast<OpId>(ops_.size());
    BufferState* in0 = memory.find(op.in0, ops_.size());
    BufferState* in1 = memory.find(op.in1, ops_.size());
    BufferState* out = memory.find(op.out, ops_.size());
    for (BufferState* buffer : {in0, in1, out}) {
        if (buffer != nullptr) {
            ++buffer->open;
        }
    }
    if (out != nullptr && op.fresh_output) {
        memory.made(*out, signature(op.signature).out_bytes, op.issue_begin_ns, memory_device(op));
    }
    dependencies_->add(id, op, in0, in1, out);
}

void Run::take_more_inputs(const trace::MoreInputsRecord& record) {
    if (ops_.empty()) {
        return;
    }
    const auto id = static_cast<OpId>(ops_.size());
    Op& op = ops_.back();
    for (const BufferId input : {record.in0, record.in1}) {
        if (input == 0) {
            continue;
        }
        op.more_inputs = true;
        BufferState* buffer = intake_->memory.find(input, ops_.size());
        dependencies_->add_input(id, op, input, buffer);
        if (buffer != nullptr && op.end_ns == kPending) {
            ++buffer->open;
        } else if (buffer != nullptr) {
            buffer->last_end_ns = std::max(buffer->last_end_ns, op.end_ns);
        }
    }
}

void Run::take_more_output(const trace::MoreOutputRecord& record) {
    Memory& memory = intake_->memory;
    memory.expect_one_more();
    BufferState* buffer = memory.find(record.out, ops_.size());
    if (ops_.empty() || record.out == 0) {
        return;
    }
    const auto id = static_cast<OpId>(ops_.size());
    Op& op = ops_.back();
    op.more_outputs = true;
    const bool fresh = record.fresh_output();
    dependencies_->add_output({id, record.out, record.signature, fresh}, buffer);
    if (buffer == nullptr) {
        return;
    }
    if (op.end_ns == kPending) {
        ++buffer->open;
    }
    if (fresh) {
        memory.made(*buffer, signature(record.signature).out_bytes, op.issue_begin_ns, device_of_lane(op.lane));
        if (op.begin_ns != kPending) {
            memory.started(*buffer, op.begin_ns);
        }
    }
    if (op.end_ns != kPending) {
        buffer->last_end_ns = std::max(buffer->last_end_ns, op.end_ns);
    }
}

OpId Run::op_waited_for(const Wait& wait) const {
    const BufferState* buffer = wait.target != 0 ? intake_->memory.find(wait.target, ops_.size()) : nullptr;
    if (buffer == nullptr) {
        return 0;
    }
    const OpId last = std::min<OpId>(wait.issued, static_cast<OpId>(ops_.size()));
    const bool copied = trace::is_blocker(wait.kind) && last != 0 && ops_[last - 1].in0 == wait.target &&
                        signature(ops_[last - 1].signature).kind == devices::OpKind::copy_to_host;
    return copied ? last : buffer->writer;
}

void Run::take_wait(const trace::WaitRecord& record) {
    Wait wait;
    wait.begin_ns = ns_from_ticks(record.begin);
    wait.end_ns = end_of(record.begin, record.duration);
    wait.kind = record.wait_kind;
    wait.name = string(record.name);
    if (wait.name.empty()) {
        wait.name = trace::names_of(wait.kind).name;
    }
    wait.held_ns = wait.kind == trace::WaitKind::paused ? 0 : holds_.held_ns(wait.begin_ns, wait.end_ns);
    wait.line = record.line;
    wait.device = record.device();
    wait.target = record.target;
    wait.issued = static_cast<OpId>(std::min<std::size_t>(record.issued, ops_.size()));
    if (wait.target == 0) {
        wait.waits_through = record.through != 0 ? std::min(record.through, wait.issued) : wait.issued;
    }
    wait.target_op = restoring_ != nullptr ? restoring_->next_target() : op_waited_for(wait);
    wait_index_.add(wait.begin_ns, wait.end_ns - wait.begin_ns, devices::Family::other, false);
    wait_kinds_.add(static_cast<std::uint32_t>(wait.kind), wait.waited_ns());
    any_paused_ = any_paused_ || wait.kind == trace::WaitKind::paused;
    waits_.push_back(std::move(wait));
}

void Run::take_work(const trace::WorkRecord& record) {
    Work work;
    work.begin_ns = ns_from_ticks(record.begin);
    work.end_ns = end_of(record.begin, record.duration);
    work.name = string(record.name);
    if (work.name.empty()) {
        work.name = "work";
    }
    work.line = record.line;
    work.issued = restoring_ != nullptr ? restoring_->next_issued() : static_cast<OpId>(ops_.size());
    work_index_.add(work.begin_ns, work.end_ns - work.begin_ns, devices::Family::other, false);
    works_.push_back(std::move(work));
}

void Run::take_program_event(const trace::FrontendRecord& record) {
    const std::int64_t ns = ns_from_ticks(record.begin);
    const auto issued = static_cast<OpId>(ops_.size());
    auto& open_scopes = intake_->open_scopes;
    auto& open_minibatch = intake_->open_minibatch;
    const auto end_minibatch = [&] {
        if (open_minibatch >= 0) {
            Minibatch& minibatch = minibatches_[static_cast<std::size_t>(open_minibatch)];
            minibatch.issue_end_ns = ns;
            minibatch.last = issued;
            open_minibatch = -1;
        }
    };
    switch (trace::kind_of(record)) {
        case trace::FrontendKind::scope_begin:
            scopes_.push_back({string(trace::as<trace::ScopeRecord>(record).name), ns, kPending,
                               static_cast<int>(open_scopes.size())});
            open_scopes.push_back(scopes_.size() - 1);
            break;
        case trace::FrontendKind::scope_end: {
            const std::string& name = string(trace::as<trace::ScopeRecord>(record).name);
            const auto found = std::find_if(open_scopes.rbegin(), open_scopes.rend(),
                                            [&](std::size_t open) { return scopes_[open].name == name; });
            if (found != open_scopes.rend()) {
                scopes_[*found].end_ns = ns;
                open_scopes.erase(std::next(found).base());
            }
            break;
        }
        case trace::FrontendKind::minibatch_begin:
            end_minibatch();
            minibatches_.push_back({static_cast<std::int32_t>(trace::as<trace::MinibatchRecord>(record).index), ns,
                                    kPending, issued + 1, issued});
            open_minibatch = static_cast<std::int32_t>(minibatches_.size() - 1);
            break;
        case trace::FrontendKind::minibatch_end:
            end_minibatch();
            break;
        case trace::FrontendKind::measure_begin:
            if (measure_begin_ns_ == kPending) {
                measure_begin_ns_ = ns;
                measure_begin_op_ = issued;
                measure_begin_wait_ = waits_.size();
                if (folding_ != nullptr) {
                    folding_->begin_measuring();
                }
            }
            break;
        case trace::FrontendKind::barrier: {
            std::string word = trace::word_of(trace::as<trace::BarrierRecord>(record).policy());
            if (ops_.empty()) {
                // Changed while the runner started: this barrier applies from the start.
                info_.barrier = std::move(word);
            } else {
                info_.barrier_changes.push_back({ns, std::move(word)});
            }
            break;
        }
        case trace::FrontendKind::measure_end:
            if (measure_begin_ns_ != kPending) {
                measure_end_ns_ = ns;
                measure_end_op_ = issued;
                measure_end_wait_ = waits_.size();
                if (folding_ != nullptr) {
                    folding_->end_measuring();
                }
            }
            break;
        case trace::FrontendKind::program_end:
            program_end_ns_ = ns;
            break;
        default:
            break;
    }
}

// ---- the lanes' records ----

void Run::take_exec(std::size_t lane, OpId id, bool failed, std::int64_t begin_ns, std::int64_t end_ns) {
    if (id == 0 || ops_[id - 1].end_ns != kPending) {
        if (restoring_ != nullptr && id != 0) {
            restoring_->take_edge(lane, id, failed, begin_ns, end_ns);
        }
        return;
    }
    if (restoring_ != nullptr) {
        restoring_->catch_up(lane);
    }
    Op& op = ops_[id - 1];
    --open_ops_[op.lane];
    op.begin_ns = begin_ns;
    op.end_ns = end_ns;
    op.failed = failed;
    op.lane = static_cast<std::uint8_t>(lane);
    if (auto& parts = intake_->parts[lane]; !parts.empty()) {
        for (Part& part : parts) {
            part.op = id;
            lanes_[lane].parts.push_back(part);
        }
        parts.clear();
    }
    lanes_[lane].ops.push_back(id);
    lanes_[lane].index.add(begin_ns, end_ns - begin_ns, signature(op.signature).family, failed);
    lanes_[lane].kinds.add(op.signature, end_ns - begin_ns);
    last_exec_ns_ = std::max(last_exec_ns_, end_ns);
    see(end_ns);

    if (id <= intake_->headway_counted && begin_ns < op.issue_end_ns && !op.not_issued) {
        headway_.add(begin_ns, 1);  // counted from the end of the issue so far
        headway_.add(op.issue_end_ns, -1);
    }
    if (!op.not_issued) {
        headway_.add(end_ns, -1);
    }

    Memory& memory = intake_->memory;
    if (op.fresh_output) {
        if (BufferState* out = memory.find(op.out, ops_.size())) {
            memory.started(*out, begin_ns);
        }
    }
    const auto release = [&](BufferId buffer) {
        if (BufferState* state = memory.find(buffer, ops_.size())) {
            memory.released(buffer, *state, end_ns);
        }
    };
    release(op.in0);
    release(op.in1);
    release(op.out);
    if (op.more_inputs) {
        dependencies_->each_more_input(id, release);
    }
    if (op.more_outputs) {
        dependencies_->each_more_output(id, [&](const MoreOutput& output) {
            if (BufferState* state = output.fresh ? memory.find(output.buffer, ops_.size()) : nullptr) {
                memory.started(*state, begin_ns);
            }
            release(output.buffer);
        });
    }
}

// An op counts from the end of its issue, or from its start where a lane was faster than the return of the call.
// Ops with an unknown issue time do not count.
void Run::count_headway() {
    for (std::size_t& i = intake_->headway_counted; i < ops_.size(); ++i) {
        if (!ops_[i].not_issued) {
            headway_.add(std::min(ops_[i].issue_end_ns, ops_[i].begin_ns), 1);
        }
    }
}

}  // namespace headway::model
