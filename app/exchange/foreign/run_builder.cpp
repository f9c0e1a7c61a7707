#include "app/exchange/foreign/run_builder.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>

#include "app/exchange/foreign/run_json.h"
#include "app/exchange/foreign/scope_order.h"
#include "engine/trace/barrier_names.h"
#include "engine/trace/frontend_records.h"
#include "engine/trace/recorder.h"

namespace headway::exchange {

namespace {

using trace::FrontendKind;

constexpr std::uint64_t kMostTicks = std::uint64_t{1} << 42;  // durations from here on do not fit into a record

std::uint32_t duration(std::int64_t begin_ns, std::int64_t end_ns) {
    const auto ns = static_cast<std::uint64_t>(std::max<std::int64_t>(end_ns - begin_ns, 0));
    return trace::pack_duration(std::min(ns, kMostTicks));
}

std::uint64_t ticks(std::int64_t ns) {
    return static_cast<std::uint64_t>(ns);
}

class Recorder {
public:
    Recorder(RunBuilder& builder, trace::Recording& recording) : builder_(builder), recording_(recording) {}

    void write() {
        metadata();
        std::vector<ScopeEvent> events = all_events();
        frontend(events);
        lanes();
        trace::StreamWriter<trace::DropRecord> drops(recording_, {trace::StreamKind::drops, 0});
        for (const RunBuilder::Drop& drop : builder_.drops) {
            drops.add({ticks(drop.ns), drop.buffer, std::min(drop.after, op_count_)});
        }
        costs();
        trace::StreamWriter<trace::OrderRecord> orders(recording_, {trace::StreamKind::orders, 0});
        for (const trace::OrderRecord& order : builder_.orders) {
            orders.add(order);
        }
        for (const model::Hold& hold : builder_.holds) {
            recording_.record_hold(hold.lane, ticks(hold.begin_ns),
                                   ticks(hold.begin_ns) + trace::unpack_duration(duration(hold.begin_ns, hold.end_ns)));
        }
        trace::StreamWriter<trace::SampleRecord> samples(recording_, {trace::StreamKind::samples, 0});
        for (const RunBuilder::Sample& sample : builder_.samples) {
            samples.add({ticks(sample.ns), sample.resident_bytes, sample.reserved_bytes, sample.live_bytes});
        }
        trace::StreamWriter<trace::SampleRecord> second_device(recording_, {trace::StreamKind::samples, 1});
        for (const RunBuilder::Sample& sample : builder_.samples) {
            if (!builder_.more_devices.empty()) {
                second_device.add({ticks(sample.ns), 0, sample.second_device_bytes, 0});
            }
        }
        trace::StreamWriter<trace::ExecRecord> launches(recording_, {trace::StreamKind::launch, 0});
        for (const model::Launch& launch : builder_.launches) {
            launches.add({ticks(launch.begin_ns), duration(launch.begin_ns, launch.end_ns), launch.op});
        }
        trace::StreamWriter<trace::DriverRecord> driver(recording_, {trace::StreamKind::driver, 0});
        for (const model::DriverEvent& event : builder_.driver) {
            driver.add({ticks(event.begin_ns), duration(event.begin_ns, event.end_ns), event.kind,
                        static_cast<std::uint16_t>(event.stream), event.bytes});
        }
        if (!builder_.error_json.empty()) {
            recording_.meta(trace::MetaType::error, 0, builder_.error_json);
        }
        if (!builder_.end_json.empty()) {
            recording_.meta(trace::MetaType::end, 0, builder_.end_json);
        }
        if (!builder_.result_json.empty()) {
            recording_.meta(trace::MetaType::result, 0, builder_.result_json);
        }
        recording_.header().recorder_ns_per_op = builder_.recorder_ns_per_op;
        recording_.header().lost_records.fetch_add(builder_.lost_records);
        recording_.header().state.store(static_cast<std::uint32_t>(builder_.state), std::memory_order_release);
    }

private:
    void costs() {
        trace::StreamWriter<trace::CostRecord> costs(recording_, {trace::StreamKind::costs, 0});
        const auto sixteenths = [](double ns) {
            return static_cast<std::uint16_t>(std::clamp(std::round(ns * model::kCostUnits), 0.0, 65'535.0));
        };
        const auto limited = [](auto value) {
            return static_cast<std::uint32_t>(
                std::clamp<std::int64_t>(static_cast<std::int64_t>(value), 0, UINT32_MAX));
        };
        for (const model::Cost& cost : builder_.costs) {
            const bool totals = cost.kind == trace::CostKind::totals;
            const bool language = totals || cost.kind == trace::CostKind::recording;
            costs.add(
                {ticks(cost.begin_ns),
                 language ? static_cast<std::uint64_t>(std::max<std::int64_t>(cost.language_ns, 0)) : cost.amount_ns,
                 totals ? limited(cost.minor_faults) : duration(cost.begin_ns, cost.end_ns),
                 totals ? limited(cost.major_faults) : limited(cost.weight), sixteenths(cost.stamp_ns),
                 sixteenths(cost.sampling_ns), cost.kind, 0});
        }
    }

    void metadata() {
        recording_.meta(trace::MetaType::run, 0, run_json(builder_));
        for (std::size_t i = 0; i < builder_.more_devices.size(); ++i) {
            const RunBuilder::Device& device = builder_.more_devices[i];
            recording_.meta(
                trace::MetaType::device, static_cast<std::uint16_t>(i + 1),
                nlohmann::json{{"kind", device.kind},
                               {"name", device.name},
                               {"simulated", device.simulated},
                               {"first_lane", device.first_lane},
                               {"lanes", lane_names(builder_, device.first_lane, device.first_lane + device.lanes)}}
                    .dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
        }
        for (std::size_t id = 0; id < std::min<std::size_t>(builder_.files.size(), core::kMostFiles + 1); ++id) {
            if (!builder_.files[id].empty()) {
                recording_.meta(trace::MetaType::file, static_cast<std::uint16_t>(id), builder_.files[id]);
            }
        }
        for (std::size_t id = 0; id < std::min<std::size_t>(builder_.signatures.size(), 65'536); ++id) {
            const model::Signature& signature = builder_.signatures[id];
            if (id == 0 && signature.name.empty()) {
                continue;
            }
            trace::SignatureInfo info{};
            info.family = static_cast<std::uint8_t>(signature.family);
            info.out_bytes = signature.out_bytes;
            info.flops = signature.flops;
            info.moved_bytes = signature.moved_bytes;
            info.op_kind = static_cast<std::uint16_t>(signature.kind);
            recording_.signature(static_cast<std::uint16_t>(id), info, signature.shapes, signature.name);
        }
    }

    std::vector<ScopeEvent> all_events() {
        std::vector<ScopeEvent> events;
        add_scopes(builder_.scopes, events);
        // The depths are correct as long as scopes stay in this order, whatever other events are in between.
        std::size_t issued = 0;
        std::int64_t latest = INT64_MIN;
        for (ScopeEvent& event : events) {
            latest = event.ns = std::max(event.ns, latest);
            while (issued < builder_.ops.size() && builder_.ops[issued].issue_begin_ns < event.ns) {
                ++issued;
            }
            event.issued = builder_.ops_before(issued, event.ns);
        }
        std::vector<ScopeEvent> batches;
        for (const model::Minibatch& batch : builder_.minibatches) {
            const auto index = static_cast<std::uint32_t>(batch.index);
            const core::OpId before = batch.first == 0 ? 0 : batch.first - 1;
            batches.push_back({before, batch.issue_begin_ns, FrontendKind::minibatch_begin, index});
            if (batch.issue_end_ns != model::kPending) {
                batches.push_back(
                    {std::max(batch.last, before), batch.issue_end_ns, FrontendKind::minibatch_end, index});
            }
        }
        const auto earlier = [](const ScopeEvent& a, const ScopeEvent& b) {
            return a.issued != b.issued ? a.issued < b.issued : a.ns < b.ns;
        };
        const auto merge_in = [&](const std::vector<ScopeEvent>& more) {
            const auto middle = static_cast<std::ptrdiff_t>(events.size());
            events.insert(events.end(), more.begin(), more.end());
            std::inplace_merge(events.begin(), events.begin() + middle, events.end(), earlier);
        };
        merge_in(batches);
        std::vector<ScopeEvent> changes;
        for (std::size_t i = 0; i < builder_.info.barrier_changes.size(); ++i) {
            const std::int64_t ns = builder_.info.barrier_changes[i].ns;
            const auto at =
                std::lower_bound(builder_.ops.begin(), builder_.ops.end(), ns,
                                 [](const RunBuilder::Op& op, std::int64_t t) { return op.issue_begin_ns < t; });
            changes.push_back({builder_.ops_before(static_cast<std::size_t>(at - builder_.ops.begin()), ns), ns,
                               FrontendKind::barrier, static_cast<std::uint32_t>(i)});
        }
        merge_in(changes);
        std::vector<ScopeEvent> works;
        for (std::size_t i = 0; i < builder_.works.size(); ++i) {
            works.push_back({builder_.works[i].issued, builder_.works[i].begin_ns, FrontendKind::work,
                             static_cast<std::uint32_t>(i)});
        }
        merge_in(works);
        std::vector<ScopeEvent> output;
        for (std::size_t i = 0; i < builder_.output.size(); ++i) {
            output.push_back({builder_.output[i].issued, builder_.output[i].ns, FrontendKind::output,
                              static_cast<std::uint32_t>(i)});
        }
        merge_in(output);
        if (builder_.program_end_ns != model::kPending) {
            events.push_back({builder_.ops_before(builder_.ops.size(), INT64_MAX), builder_.program_end_ns,
                              FrontendKind::program_end, 0});
        }
        return events;
    }

    static std::uint8_t flagged(FrontendKind kind, std::uint8_t flags = 0) {
        return static_cast<std::uint8_t>(static_cast<std::uint8_t>(kind) | flags);
    }

    void add_op(const RunBuilder::Op& op) {
        frontend_.add(packed(trace::IssueRecord{.begin = ticks(op.issue_begin_ns),
                                                .duration = duration(op.issue_begin_ns, op.issue_end_ns),
                                                .signature = op.signature,
                                                .flags = flagged(FrontendKind::issue, op.flags),
                                                .lane = op.lane,
                                                .line = op.line,
                                                .out = op.out,
                                                .in0 = op.in0,
                                                .in1 = op.in1}));
        ++op_count_;
        auto& more = builder_.more_inputs;
        const auto left = [&] { return more_ < more.size() && more[more_].op <= op_count_; };
        // A record holds two further inputs, and the line of the forward op; that alone is a record, too.
        for (bool more_records = op.forward_line != 0 || left(); more_records; more_records = left()) {
            const bool one = left(), two = one && more_ + 1 < more.size() && more[more_ + 1].op == more[more_].op;
            frontend_.add(packed(trace::MoreInputsRecord{.begin = ticks(op.issue_begin_ns),
                                                         .kind = flagged(FrontendKind::more_inputs),
                                                         .line = op.line,
                                                         .forward_line = op.forward_line,
                                                         .in0 = one ? more[more_].buffer : 0,
                                                         .in1 = two ? more[more_ + 1].buffer : 0}));
            more_ += two ? 2 : one ? 1 : 0;
        }
        for (; more_output_ < builder_.more_outputs.size() && builder_.more_outputs[more_output_].op <= op_count_;
             ++more_output_) {
            const auto& output = builder_.more_outputs[more_output_];
            frontend_.add(packed(trace::MoreOutputRecord{
                .begin = ticks(op.issue_begin_ns),
                .signature = output.signature,
                .flags = flagged(FrontendKind::more_output, output.fresh ? trace::kFreshOutput : trace::kReadsOutput),
                .line = op.line,
                .out = output.buffer}));
        }
    }

    void add_wait(const model::Wait& wait) {
        const bool all = wait.stream() < 0 && (wait.target != 0 || wait.waits_through == wait.issued);
        frontend_.add(packed(trace::WaitRecord{
            .begin = ticks(wait.begin_ns),
            .duration = duration(wait.begin_ns, wait.end_ns),
            .name = recording_.string_id(wait.name),
            .kind_and_device = flagged(
                FrontendKind::wait,
                wait.device < 0 ? std::uint8_t{0} : trace::wait_for_device(static_cast<core::DeviceId>(wait.device))),
            .wait_kind = wait.kind,
            .line = wait.line,
            .target = wait.target,
            .issued = wait.issued,
            .through = all ? 0 : wait.waits_through}));
        ++wait_count_;
    }

    void add_output(const RunBuilder::Output& output) {
        trace::each_piece(output.text,
                          {.begin = ticks(output.ns),
                           .issued = output.issued,
                           .stream = output.stream,
                           .kind = flagged(FrontendKind::output)},
                          [this](const trace::OutputRecord& piece) { frontend_.add(packed(piece)); });
    }

    void add_event(const ScopeEvent& event) {
        const std::uint8_t kind = flagged(event.kind);
        switch (event.kind) {
            case FrontendKind::barrier: {
                const auto policy = trace::barrier_called(builder_.info.barrier_changes[event.index].barrier);
                const trace::BarrierPolicy chosen = policy ? *policy : trace::BarrierPolicy{};
                frontend_.add(packed(trace::BarrierRecord{.begin = ticks(event.ns),
                                                          .barrier_kind = static_cast<std::uint16_t>(chosen.kind),
                                                          .kind = kind,
                                                          .behind = chosen.behind}));
                break;
            }
            case FrontendKind::work: {
                const model::Work& work = builder_.works[event.index];
                frontend_.add(packed(trace::WorkRecord{.begin = ticks(work.begin_ns),
                                                       .duration = duration(work.begin_ns, work.end_ns),
                                                       .name = recording_.string_id(work.name),
                                                       .kind = kind,
                                                       .line = work.line}));
                break;
            }
            case FrontendKind::output:
                add_output(builder_.output[event.index]);
                break;
            case FrontendKind::scope_begin:
            case FrontendKind::scope_end:
                frontend_.add(packed(trace::ScopeRecord{.begin = ticks(event.ns),
                                                        .name = recording_.string_id(builder_.scopes[event.index].name),
                                                        .kind = kind}));
                break;
            default:
                frontend_.add(
                    packed(trace::MinibatchRecord{.begin = ticks(event.ns), .kind = kind, .index = event.index}));
        }
    }

    // Writes the start or end of measuring, if it is before op `op` and wait `wait`.
    void measure_before(core::OpId op, std::size_t wait) {
        const auto& measured = builder_.measured;
        if (measured.has_begin && !measure_begun_ && (op >= measured.first || wait > measured.first_wait)) {
            measure_begun_ = true;
            add_event({op_count_, measured.begin_ns, FrontendKind::measure_begin});
        }
        if (measured.has_end && !measure_ended_ && (op > measured.last || wait > measured.waits_end)) {
            measure_ended_ = true;
            add_event({op_count_, measured.end_ns, FrontendKind::measure_end});
        }
    }

    // What was folded has no records, but counts.
    void pass_folded() {
        if (builder_.folds == nullptr) {
            return;
        }
        const auto& parts = builder_.folds->parts;
        for (; part_ < parts.size() && parts[part_].first == op_count_ + 1; ++part_) {
            op_count_ = parts[part_].last;
        }
        const auto& waits = builder_.folds->waits;
        for (; wait_block_ < waits.size() && waits[wait_block_].block * model::kFoldedItems <= wait_count_;
             ++wait_block_) {
            wait_count_ += waits[wait_block_].block * model::kFoldedItems == wait_count_ ? model::kFoldedItems : 0;
        }
    }

    // Writes ops, waits and events in the program's order: by the number of ops issued before, then by time.
    void frontend(const std::vector<ScopeEvent>& events) {
        const auto& ops = builder_.ops;
        const auto& waits = builder_.waits;
        std::size_t op = 0;
        std::size_t wait = 0;
        std::size_t event = 0;
        while (op < ops.size() || wait < waits.size() || event < events.size()) {
            pass_folded();
            const bool wait_due = wait < waits.size() && (waits[wait].issued <= op_count_ || op == ops.size());
            const bool mark_due = event < events.size() && (events[event].issued <= op_count_ || op == ops.size());
            if (mark_due && (!wait_due || events[event].ns <= waits[wait].begin_ns)) {
                if (events[event].kind == FrontendKind::program_end) {
                    measure_before(op_count_ + 1, SIZE_MAX);
                }
                add_event(events[event++]);
            } else if (wait_due) {
                measure_before(op_count_, wait_count_ + 1);
                add_wait(waits[wait++]);
            } else {
                measure_before(op_count_ + 1, wait_count_);
                add_op(ops[op++]);
            }
        }
        measure_before(op_count_ + 1, SIZE_MAX);
        builder_.ops = {};
        builder_.more_inputs = {};
    }

    void lanes() {
        for (std::size_t lane = 0; lane < std::min<std::size_t>(builder_.lanes.size(), core::kMaxTraceLanes); ++lane) {
            trace::StreamWriter<trace::ExecRecord> writer(recording_,
                                                          {trace::StreamKind::lane, static_cast<std::uint8_t>(lane)});
            std::size_t part = 0;
            const std::vector<RunBuilder::Part> none;
            const auto& parts = lane < builder_.parts.size() ? builder_.parts[lane] : none;
            for (const RunBuilder::Exec& exec : builder_.lanes[lane]) {
                for (; part < parts.size() && parts[part].op <= exec.op; ++part) {
                    if (parts[part].op == exec.op) {
                        writer.add({ticks(parts[part].begin_ns), duration(parts[part].begin_ns, parts[part].end_ns),
                                    trace::kPart | parts[part].signature});
                    }
                }
                writer.add({ticks(exec.begin_ns), duration(exec.begin_ns, exec.end_ns),
                            exec.op | (exec.failed ? trace::kFailedOp : 0)});
            }
            builder_.lanes[lane] = {};
        }
        for (const RunBuilder::Running& running : builder_.running) {
            if (running.lane < core::kMaxLanes) {
                trace::RunningOp& published = recording_.header().running_in(running.lane);
                published.virtual_begin_ns = ticks(running.begin_ns);
                published.op_and_begin = trace::pack_running(running.op, 0);
            }
        }
    }

    RunBuilder& builder_;
    trace::Recording& recording_;
    trace::StreamWriter<trace::FrontendRecord> frontend_{recording_, trace::kFrontendStream};
    core::OpId op_count_ = 0;
    std::size_t wait_count_ = 0, more_ = 0, more_output_ = 0;
    std::size_t part_ = 0, wait_block_ = 0;  // of what was folded: the next ones
    bool measure_begun_ = false, measure_ended_ = false;
};

std::size_t output_records(const RunBuilder& builder) {
    std::size_t count = 0;
    for (const auto& output : builder.output) {
        count += output.text.size() / trace::OutputRecord::kBytes + 1;
    }
    return count;
}

}  // namespace

core::OpId RunBuilder::ops_before(std::size_t place, std::int64_t ns) const {
    auto count = static_cast<core::OpId>(place);
    for (std::size_t i = 0; folds != nullptr && i < folds->parts.size(); ++i) {
        const model::FoldedPart& part = folds->parts[i];
        if (part.first <= count || (part.first == count + 1 && ns > part.begin_ns)) {
            count += part.last - part.first + 1;
        }
    }
    return count;
}

core::Result<std::unique_ptr<trace::Reader>> record(RunBuilder&& builder) {
    // Pages are allocated as records arrive; the last chunk of each stream may be nearly empty.
    std::size_t executed = 0;
    for (const auto& lane : builder.lanes) {
        executed += lane.size();
    }
    for (const auto& parts : builder.parts) {
        executed += parts.size();
    }
    executed += builder.launches.size() + 2 * builder.driver.size() + 2 * builder.more_outputs.size();
    const std::size_t bytes =
        (builder.ops.size() + builder.more_inputs.size() + builder.waits.size() + builder.works.size() +
         output_records(builder) + builder.costs.size() + builder.holds.size() +
         2 * (builder.scopes.size() + builder.minibatches.size()) + builder.samples.size()) *
            sizeof(trace::FrontendRecord) +
        (executed + builder.drops.size()) * sizeof(trace::ExecRecord) +
        builder.orders.size() * sizeof(trace::OrderRecord);
    const std::size_t meta = (builder.signatures.size() + builder.scopes.size() + builder.waits.size()) * 128;
    const std::size_t streams = builder.lanes.size() + 8;
    auto recording =
        trace::Recording::create(2 * bytes + meta + (streams + 80) * trace::kChunkBytes, -1, 0, builder.clock);
    if (!recording) {
        return recording.error();
    }
    Recorder(builder, **recording).write();
    return trace::Reader::open((*recording)->fd());
}

}  // namespace headway::exchange
