// How Run::update() processes each kind of record of the frontend and the lanes.
#include <algorithm>

#include "app/model/run/devices.h"
#include "app/model/run/folding.h"
#include "app/model/run/intake.h"
#include "app/model/run/queries.h"
#include "app/model/run/saved_folds.h"

#include "engine/trace/barrier_names.h"
#include "engine/trace/wait_names.h"

namespace headway::model {

// ---- the frontend's records ----

void Run::take(const trace::FrontendRecord& record) {
    const auto kind = trace::kind_of(record);
    const bool of_last_op = kind == trace::FrontendKind::more_inputs || kind == trace::FrontendKind::more_output;
    if (restoring_ != nullptr && !of_last_op) {
        restoring_->catch_up();
    }
    if (kind == trace::FrontendKind::output) {
        const std::int64_t ns = ns_from_ticks(record.begin);
        see(ns);
        program_output_.take(trace::as<trace::OutputRecord>(record), ns);
        return;
    }
    if (!of_last_op) {  // else part of their op's time
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
    op.out_on_cpu = record.output_on_cpu();
    op.links = links_of(op);
    op.minibatch = intake_->open_minibatch;
    any_issued_ = any_issued_ || !op.not_issued;
    ops_.push_back(op);
    ++open_ops_[op.lane];
    issue_index_.add(op.issue_begin_ns, issue_ns_of(*this, static_cast<OpId>(ops_.size())), devices::Family::other,
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
        memory.made(*out, signature(op.signature).out_bytes, op.issue_begin_ns, memory_device(*this, op));
    }
    dependencies_->add(id, op, in0, in1, out);
}

// The links of a copy between devices: from the one that holds what it reads, which is the host if that is in the
// memory of the program.
std::uint32_t Run::links_of(const Op& op) const {
    const devices::OpKind kind = signature(op.signature).kind;
    const bool to_host = kind == devices::OpKind::copy_to_host;
    if (!info_.links || (!to_host && kind != devices::OpKind::copy_to_device)) {
        return 0;
    }
    const std::uint32_t host = info_.links->gpus();
    const auto own = static_cast<std::uint32_t>(device_of_lane(*this, op.lane));
    const BufferState* in = to_host || op.in0 == 0 ? nullptr : intake_->memory.find(op.in0, ops_.size());
    const std::uint32_t from = to_host ? own : in != nullptr ? in->device : host;
    return info_.links->between(from, to_host ? host : own);
}

void Run::take_more_inputs(const trace::MoreInputsRecord& record) {
    if (ops_.empty()) {
        return;
    }
    const auto id = static_cast<OpId>(ops_.size());
    Op& op = ops_.back();
    op.forward_line = record.forward_line;
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
        memory.made(*buffer, signature(record.signature).out_bytes, op.issue_begin_ns, device_of_lane(*this, op.lane));
        if (op.begin_ns != kPending) {
            memory.started(*buffer, op.begin_ns);
        }
    }
    if (op.end_ns != kPending) {
        buffer->last_end_ns = std::max(buffer->last_end_ns, op.end_ns);
    }
}

OpId Run::op_waited_for(const Wait& wait, OpId through) const {
    if (wait.stream() >= 0) {
        return std::min(through, wait.issued);
    }
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
    wait.target_op = restoring_ != nullptr ? restoring_->next_target() : op_waited_for(wait, record.through);
    add_wait(std::move(wait));
}

void Run::add_wait(Wait wait) {
    wait_index_.add(wait.begin_ns, wait.end_ns - wait.begin_ns, devices::Family::other, false);
    wait_kinds_.add(static_cast<std::uint32_t>(wait.kind), wait.waited_ns());
    any_paused_ = any_paused_ || wait.kind == trace::WaitKind::paused;
    each_pause(holds_, wait, [this](const Hold& pause) { pauses_.add(pause); });
    if (program_end_ns_ != kPending) {  // a wait for what is left, or of an exit handler: the run goes on until then
        program_end_ns_ = std::max(program_end_ns_, wait.end_ns);
    }
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
        case trace::FrontendKind::minibatch_begin: {
            const std::uint32_t index =
                std::min<std::uint32_t>(trace::as<trace::MinibatchRecord>(record).index, INT32_MAX);
            const Minibatch begun{static_cast<std::int32_t>(index), ns, kPending, issued + 1, issued};
            if (open_minibatch >= 0 && minibatches_[static_cast<std::size_t>(open_minibatch)].first == begun.first) {
                minibatches_[static_cast<std::size_t>(open_minibatch)] = begun;  // instead of an empty one
                break;
            }
            end_minibatch();
            minibatches_.push_back(begun);
            open_minibatch = static_cast<std::int32_t>(minibatches_.size() - 1);
            break;
        }
        case trace::FrontendKind::minibatch_end:
            end_minibatch();
            break;
        case trace::FrontendKind::measure_begin:
            if (measure_end_ns_ == kPending) {  // the last mark counts: it may follow that of the imports' end
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
            if (program_end_ns_ == kPending) {  // a program that raised has a second one, after its error was reported
                program_end_ns_ = ns;
            }
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
    if (op.links != 0 && !failed) {
        intake_->transfers.push_back(id);
    }

    if (id <= intake_->headway_counted && begin_ns < op.issue_end_ns && !op.not_issued) {
        headway_.add(begin_ns, 1);  // counted from the end of the issue so far
        headway_.add(op.issue_end_ns, -1);
    }
    if (!op.not_issued) {
        headway_.add(end_ns, -1);
    }

    Memory& memory = intake_->memory;
    if (op.fresh_output && took_memory(op, memory.policy())) {
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
