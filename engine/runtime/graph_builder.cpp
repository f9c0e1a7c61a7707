#include "engine/runtime/graph_builder.h"

#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "engine/runtime/op_queue.h"

namespace headway::runtime {

using core::ErrorKind;
using devices::Command;
using devices::Signature;

namespace {

constexpr std::size_t kMostGathered = 1024;

}  // namespace

// --- gathering ---

void GraphBuilder::set_gathering(bool on) {
    if (!on) {
        issue_gathered();
    }
    gathering_ = on;
    queue_.control.set_gathers(on);
}

// Ops that read host memory or call a host function are never gathered.
bool GraphBuilder::takes(const Operation& operation) {
    const auto refuse_in_trace = [this](const char* why) {
        if (tracing_) {
            queue_.lines.raise(ErrorKind::failed, std::string("a traced function ") + why);
        }
    };
    if (operation.crosses()) {
        refuse_in_trace("runs on one device, and cannot copy to another one");
        issue_gathered();
        return false;
    }
    if (!gathered_.empty() && operation.device != gathered_.front().operation.device) {
        refuse_in_trace("runs on one device, and this op's is another one");
        issue_gathered();  // a composite runs in one lane
    }
    if (operation.values != nullptr) {
        issue_gathered();  // it may produce the value that is read
        return false;
    }
    if (operation.host == nullptr) {
        return true;
    }
    for (const Buffer* input : {operation.in0, operation.in1}) {
        if (input != nullptr && input->gathered) {
            refuse_in_trace("cannot hand values to the host");
            issue_gathered();
        }
    }
    return false;
}

Buffer* GraphBuilder::gather(const Operation& operation) {
    queue_.control.expect_own_process();
    queue_.control.attend_if_asked();
    Gathered next{operation, operation.out == nullptr && operation.signature->out_bytes != 0};
    Buffer*& out = next.operation.out;
    if (next.fresh) {
        out = queue_.memory.new_buffer(*operation.signature, operation.memory);
    }
    if (out != nullptr) {
        out->gathered = true;  // also if it is changed in place: its values are not ready yet
    }
    hold(next);
    gathered_.push_back(next);
    Buffer* made = next.fresh ? out : nullptr;
    if (gathered_.size() >= kMostGathered && !tracing_) {
        issue_gathered();
    }
    return made;
}

void GraphBuilder::hold(const Gathered& gathered) {
    for (Buffer* buffer : {gathered.operation.in0, gathered.operation.in1, gathered.operation.out}) {
        if (buffer != nullptr) {
            ++buffer->references;
        }
    }
}

// In reverse order, so that memory is freed in the reverse order of its allocation: a composite that is run again is
// then more likely to get the same addresses.
void GraphBuilder::release_buffers(const Ops& ops) {
    for (auto it = ops.rbegin(); it != ops.rend(); ++it) {
        for (Buffer* buffer : {it->operation.in0, it->operation.in1, it->operation.out}) {
            if (buffer != nullptr) {
                buffer->gathered = false;
                if (--buffer->references == 0) {
                    queue_.drop(buffer);
                }
            }
        }
    }
}

void GraphBuilder::issue_gathered() {
    if (gathered_.empty() || tracing_) {
        return;
    }
    const Signature& signature = queue_.signatures.composite("graph", signatures_of(gathered_));
    issue_together(std::exchange(gathered_, {}), signature);
}

void GraphBuilder::discard() {
    tracing_ = false;
    release_buffers(std::exchange(gathered_, {}));
    stand_ins_.clear();
}

std::vector<const Signature*> GraphBuilder::signatures_of(const Ops& ops) {
    std::vector<const Signature*> signatures;
    signatures.reserve(ops.size());
    for (const Gathered& gathered : ops) {
        signatures.push_back(gathered.operation.signature);
    }
    return signatures;
}

// --- issuing together ---

// Each gathered op holds references to its buffers; they are released here, also after an error.
void GraphBuilder::issue_together(const Ops& ops, const Signature& signature) {
    struct ReleaseBuffers {
        GraphBuilder& graphs;
        const Ops& ops;
        ~ReleaseBuffers() { graphs.release_buffers(ops); }
    } const release_at_end{*this, ops};

    if (queue_.control.acts_before_composite()) {
        queue_.control.before_issue();
    }
    const std::uint64_t begin = queue_.recorder.called();
    queue_.recorder.expect_room_for_op();
    Placement placement;
    const bool program_streams = queue_.streams.active();
    if (queue_.lanes.count() > 1) {
        place_together(ops, placement);
    }
    const std::uint32_t lane = placement.lane;
    if (!queue_.memory.lazy()) {
        take_memory_together(ops, lane, signature);
    }
    queue_.scheduler.submit_waits(placement);

    auto composite = std::make_unique<devices::Composite>();
    composite->steps.reserve(ops.size());
    const std::uint8_t flags = queue_.memory.lazy() ? devices::kLazyOperands : std::uint8_t{0};
    const CommandPlace place{queue_.recorder.next_op(), lane, queue_.lanes.submitted()[lane] + 1,
                             program_streams ? 0 : queue_.lanes.count(), queue_.lines.short_number()};
    if (program_streams) {
        note_uses(ops, place);
    }
    for (const Gathered& gathered : ops) {
        Command& step = composite->steps.emplace_back();
        fill_command(step, gathered.operation, gathered.operation.out, gathered.fresh, place);
        step.flags = flags;
    }
    Command command;
    command.signature = &signature;
    command.composite = composite.get();
    command.op = place.op;
    command.line = place.line;
    command.flags = static_cast<std::uint8_t>(flags | devices::kComposite);
    if (placement.waits > 0) {
        command.wait_lane = static_cast<std::uint8_t>(placement.wait_lane[0]);
        command.wait_seq = placement.wait_seq[0];
    }
    composites_.keep(lane, place.seq, std::move(composite));
    queue_.lanes.submit(lane, command);
    record_together(ops, signature, begin, lane);
    if (queue_.control.after_issue(lane, place.seq)) [[unlikely]] {
        queue_.streams.host_waited(lane, place.seq, place.op);
    }
    if (queue_.recorder.issued() % RunControl::kLookAtQueueEvery == 0) [[unlikely]] {
        queue_.control.limit_queue(lane, place.seq);
    }
    composites_.release(queue_.lanes);
}

std::vector<ProgramStreams::Access> GraphBuilder::accesses_of(const Ops& ops) {
    std::vector<ProgramStreams::Access> accesses;
    std::unordered_map<const Buffer*, std::size_t> places;
    const auto add = [&](Buffer* buffer, bool writes) {
        if (buffer == nullptr) {
            return;
        }
        const auto [place, first] = places.try_emplace(buffer, accesses.size());
        if (first) {
            accesses.push_back({buffer, writes});
        }
        accesses[place->second].writes |= writes;
    };
    for (const Gathered& gathered : ops) {
        add(gathered.operation.in0, false);
        add(gathered.operation.in1, false);
        add(gathered.operation.out, true);
    }
    return accesses;
}

void GraphBuilder::note_uses(const Ops& ops, const CommandPlace& place) {
    for (const Gathered& gathered : ops) {
        if (gathered.fresh && queue_.streams.governs(gathered.operation.device)) {
            queue_.streams.allocated(*gathered.operation.out, place.lane);
        }
    }
    queue_.streams.issue(accesses_of(ops), place.op, place.lane, place.seq);
}

void GraphBuilder::place_together(const Ops& ops, Placement& placement) {
    if (queue_.streams.governs(ops.front().operation.device)) {
        const std::uint32_t lane = queue_.streams.current(ops.front().operation.device);
        queue_.streams.place(accesses_of(ops), lane, placement);
        return;
    }
    Scheduler::Needs needs(queue_.lanes.count());
    for (const Gathered& gathered : ops) {
        queue_.scheduler.collect(gathered.operation, needs);
    }
    queue_.scheduler.choose_lane(needs, ops.front().operation.device, placement);
}

void GraphBuilder::take_memory_together(const Ops& ops, std::uint32_t lane, const Signature& signature) {
    std::uint64_t bytes = 0;
    for (const Gathered& gathered : ops) {
        bytes += gathered.fresh ? gathered.operation.signature->out_bytes : 0;
    }
    MemoryManager& memory = queue_.memory;
    const core::DeviceId device = ops.front().operation.device;
    const core::OpId op = queue_.recorder.issued() + 1;
    memory.expect_room(device, bytes, signature, op);
    memory.reclaim();  // blocks are reused last in, first out: a GPU graph that gets its old addresses needs no update
    try {
        for (const Gathered& gathered : ops) {
            if (gathered.fresh) {
                gathered.operation.out->data = memory.take(*gathered.operation.signature, device, lane, op);
            }
        }
    } catch (const ProgramError&) {
        for (const Gathered& gathered : ops) {
            if (gathered.fresh && gathered.operation.out->data != nullptr) {
                memory.give_back(*gathered.operation.out, lane);
            }
        }
        throw;
    }
}

// One issue for the composite. The last op's output is its output, and the buffers that it reads from outside are its
// inputs. All other buffers that it writes follow, including intermediate results, because they take memory.
void GraphBuilder::record_together(const Ops& ops, const Signature& signature, std::uint64_t begin,
                                   std::uint32_t lane) {
    const Buffer* main = ops.back().operation.out;
    CompositeEvent event;
    std::unordered_set<const Buffer*> made, read, written;
    for (const Gathered& gathered : ops) {
        const Operation& operation = gathered.operation;
        for (const Buffer* input : {operation.in0, operation.in1}) {
            if (input != nullptr && !made.contains(input) && input != main && read.insert(input).second) {
                event.inputs.push_back(input->id);
            }
        }
        if (gathered.fresh) {
            made.insert(operation.out);
        }
    }
    if (main != nullptr) {
        event.main = {main->id, 0, made.contains(main) ? trace::kFreshOutput : trace::kReadsOutput};
    }
    for (const Gathered& gathered : ops) {
        const Buffer* out = gathered.operation.out;
        if (out != nullptr && out != main && (gathered.fresh || !made.contains(out)) && written.insert(out).second) {
            event.others.push_back({out->id, gathered.operation.signature->id,
                                    gathered.fresh ? trace::kFreshOutput : trace::kReadsOutput});
        }
    }
    queue_.recorder.end_composite(begin, signature.id, lane, event);
}

// --- traced functions ---

// While tracing, stand-ins replace the inputs. This distinguishes an argument of the function from a captured tensor,
// even if both are the same tensor.
std::vector<Tensor> GraphBuilder::trace_begin(std::span<const Tensor> inputs) {
    if (tracing_) {
        queue_.lines.raise(ErrorKind::failed, "a function is being traced already");
    }
    for (const Tensor& input : inputs) {
        static_cast<void>(queue_.buffer_of(input, "tracing"));
    }
    issue_gathered();
    for (const Tensor& input : inputs) {
        const Buffer& like = *input.buffer();
        Buffer* buffer = queue_.memory.new_buffer(like.bytes, like.size_class, like.device);
        buffer->gathered = true;
        stand_ins_.push_back(Tensor(buffer, input.shape_id()));
    }
    tracing_ = true;
    before_trace_ = queue_.random;
    queue_.control.set_gathers(true);
    return stand_ins_;
}

// Restores the state before tracing and returns the gathered ops.
std::vector<GraphBuilder::Gathered> GraphBuilder::stop_tracing() {
    tracing_ = false;
    queue_.random = before_trace_;  // tracing consumes no random numbers
    for (const Tensor& stand_in : stand_ins_) {
        stand_in.buffer()->gathered = false;
    }
    Ops ops = std::exchange(gathered_, {});
    set_gathering(gathering_);
    return ops;
}

void GraphBuilder::trace_abandon() {
    release_buffers(stop_tracing());
    stand_ins_.clear();
}

Graph GraphBuilder::trace_end(std::string_view name, std::span<const Tensor> outputs) {
    const Ops ops = stop_tracing();
    const std::vector<Tensor> inputs = std::exchange(stand_ins_, {});
    Graph graph;
    graph.name = name;
    graph.device = ops.empty() ? core::DeviceId{0} : ops.front().operation.device;
    std::unordered_map<const Buffer*, std::uint32_t> value_of;
    for (const Tensor& input : inputs) {
        value_of.try_emplace(input.buffer(), graph.values);
        ++graph.values;
        graph.inputs.push_back(input.shape_id());
    }
    // Captured values are numbered before values that the ops make.
    std::unordered_set<const Buffer*> made;
    for (const Gathered& gathered : ops) {
        if (gathered.fresh) {
            made.insert(gathered.operation.out);
        }
    }
    const auto note_outside = [&](Buffer* buffer) {
        if (buffer != nullptr && !made.contains(buffer) && value_of.try_emplace(buffer, graph.values).second) {
            ++graph.values;
            ++buffer->references;
            graph.captured.push_back(Tensor(buffer, 0));
        }
    };
    for (const Gathered& gathered : ops) {
        note_outside(gathered.operation.in0);
        note_outside(gathered.operation.in1);
        note_outside(gathered.operation.out);
    }
    for (const Tensor& output : outputs) {
        note_outside(output.buffer());
    }
    const auto value = [&](const Buffer* buffer) { return buffer != nullptr ? value_of.at(buffer) : Graph::kNone; };
    for (const Gathered& gathered : ops) {
        const Operation& operation = gathered.operation;
        Graph::Step step;
        step.signature = operation.signature;
        step.in0 = value(operation.in0);
        step.in1 = value(operation.in1);
        if (gathered.fresh) {
            value_of[operation.out] = graph.values++;
        }
        step.out = value(operation.out);
        step.payload = operation.payload;
        step.random = operation.random_stream != 0;
        step.fresh = gathered.fresh;
        graph.steps.push_back(step);
    }
    for (const Tensor& output : outputs) {
        graph.outputs.push_back({value(output.buffer()), output.shape_id()});
    }
    release_buffers(ops);
    if (!ops.empty()) {
        graph.signature = &queue_.signatures.composite(name, signatures_of(ops));
    }
    return graph;
}

void GraphBuilder::expect_traced_inputs(const Graph& graph, std::span<const Tensor> inputs) const {
    const auto refuse = [&](const std::string& why) {
        queue_.lines.raise(ErrorKind::shape, graph.name + ": it was traced " + why);
    };
    if (inputs.size() != graph.inputs.size()) {
        refuse("with " + std::to_string(graph.inputs.size()) + " tensors and is called with " +
               std::to_string(inputs.size()));
    }
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        const Buffer* input = queue_.buffer_of(inputs[i], graph.name.c_str());
        if (input->device != graph.device && !graph.steps.empty()) {
            refuse("on " + queue_.lanes.name_of(graph.device) + " and is called with a tensor on " +
                   queue_.lanes.name_of(input->device));
        }
        if (inputs[i].shape_id() != graph.inputs[i]) {
            refuse("with a tensor of shape " + to_string(queue_.signatures.shape(graph.inputs[i])) +
                   " and is called with " + to_string(inputs[i].shape()));
        }
    }
}

std::vector<Tensor> GraphBuilder::run(const Graph& graph, std::span<const Tensor> inputs) {
    expect_traced_inputs(graph, inputs);
    issue_gathered();
    std::vector<Buffer*> values;
    values.reserve(graph.values);
    for (const auto& tensors : {inputs, std::span<const Tensor>(graph.captured)}) {
        for (const Tensor& tensor : tensors) {
            values.push_back(tensor.buffer());
        }
    }
    const auto at = [&](std::uint32_t value) { return value != Graph::kNone ? values[value] : nullptr; };
    Ops ops;
    std::vector<Tensor> kept;  // holds results until issued, while another trace is open
    ops.reserve(graph.steps.size());
    for (const Graph::Step& step : graph.steps) {
        Operation operation;
        operation.signature = step.signature;
        operation.in0 = at(step.in0);
        operation.in1 = at(step.in1);
        operation.payload = step.payload;
        operation.random_stream = step.random ? queue_.random.next() : 0;
        operation.device = operation.memory = graph.device;
        operation.out = step.fresh ? nullptr : at(step.out);
        if (tracing_) {
            if (Buffer* made = queue_.issue(operation)) {
                values.push_back(made);
                kept.push_back(Tensor(made, 0));
            }
            continue;
        }
        if (step.fresh) {
            Buffer* out = queue_.memory.new_buffer(*step.signature, graph.device);
            out->references = 0;
            out->gathered = true;
            operation.out = out;
            values.push_back(out);
        }
        ops.push_back({operation, step.fresh});
        hold(ops.back());
    }
    std::vector<Tensor> outputs;
    for (const Graph::Output& output : graph.outputs) {
        Buffer* buffer = values[output.value];
        ++buffer->references;
        outputs.push_back(Tensor(buffer, output.shape));
    }
    if (!ops.empty()) {
        issue_together(ops, *graph.signature);
    }
    return outputs;
}

}  // namespace headway::runtime
