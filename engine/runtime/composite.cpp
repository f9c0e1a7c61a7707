// Composite ops: several ops issued as one, either gathered between two waits, or traced as a function and run again.
//
// Gathered ops have buffers, but no memory and no lane until the composite is issued. A buffer that only gathered ops
// refer to at that time is an intermediate result and is dropped as soon as the composite has been submitted.
#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "engine/runtime/buffer.h"
#include "engine/runtime/fill_command.h"
#include "engine/runtime/runtime.h"

namespace headway::runtime {

using core::ErrorKind;
using devices::Command;
using devices::Signature;
using memory::FreePolicy;
using trace::FrontendKind;

namespace {

constexpr std::size_t kMostGathered = 1024;

}  // namespace

// --- gathering ---

void Runtime::set_gathering(bool on) {
    if (!on) {
        issue_gathered();
    }
    gathering_ = on;
    slow_ = on ? slow_ | kGathers : slow_ & ~std::uint32_t{kGathers};
}

// Ops that read host memory or call a host function are never gathered.
bool Runtime::gathers(const Operation& operation) {
    if (operation.crosses()) {
        if (tracing_) {
            raise(ErrorKind::failed, "a traced function runs on one device, and cannot copy to another one");
        }
        issue_gathered();
        return false;
    }
    if (!gathered_.empty() && operation.device != gathered_.front().operation.device) {
        if (tracing_) {
            raise(ErrorKind::failed, "a traced function runs on one device, and this op's is another one");
        }
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
            if (tracing_) {
                raise(ErrorKind::failed, "a traced function cannot hand values to the host");
            }
            issue_gathered();
        }
    }
    return false;
}

Buffer* Runtime::gather(const Operation& operation) {
    attend_if_asked();
    Gathered next{operation, false};
    const Signature& signature = *operation.signature;
    if (operation.out == nullptr && signature.out_bytes != 0) {
        Buffer* out = new_buffer();
        out->bytes = signature.out_bytes;
        out->size_class = signature.size_class;
        out->device = operation.memory;
        next.operation.out = out;
        next.fresh = true;
    }
    if (next.operation.out != nullptr) {
        next.operation.out->gathered = true;  // also if it is changed in place: its values are not ready yet
    }
    hold(next);
    gathered_.push_back(next);
    Buffer* made = next.fresh ? next.operation.out : nullptr;
    if (gathered_.size() >= kMostGathered && !tracing_) {
        issue_gathered();
    }
    return made;
}

void Runtime::hold(const Gathered& gathered) {
    for (Buffer* buffer : {gathered.operation.in0, gathered.operation.in1, gathered.operation.out}) {
        if (buffer != nullptr) {
            ++buffer->references;
        }
    }
}

// In reverse order, so that memory is freed in the reverse order of its allocation: a composite that is run again is
// then more likely to get the same addresses.
void Runtime::release_buffers(const std::vector<Gathered>& all) {
    for (auto it = all.rbegin(); it != all.rend(); ++it) {
        const Gathered& gathered = *it;
        for (Buffer* buffer : {gathered.operation.in0, gathered.operation.in1, gathered.operation.out}) {
            if (buffer != nullptr) {
                buffer->gathered = false;
                if (--buffer->references == 0) {
                    drop(buffer);
                }
            }
        }
    }
}

void Runtime::issue_gathered() {
    if (gathered_.empty() || tracing_) {
        return;
    }
    const std::vector<Gathered> all = std::exchange(gathered_, {});
    issue_together(all, signatures_.composite("graph", signatures_of(all)));
}

std::vector<const Signature*> Runtime::signatures_of(const std::vector<Gathered>& all) {
    std::vector<const Signature*> signatures;
    signatures.reserve(all.size());
    for (const Gathered& gathered : all) {
        signatures.push_back(gathered.operation.signature);
    }
    return signatures;
}

// --- issuing together ---

// Each gathered op holds references to its buffers; they are released here, also after an error.
void Runtime::issue_together(const std::vector<Gathered>& all, const Signature& signature) {
    struct ReleaseBuffers {
        Runtime& runtime;
        const std::vector<Gathered>& all;
        ~ReleaseBuffers() { runtime.release_buffers(all); }
    } const release_at_end{*this, all};

    if (((slow_ & ~std::uint32_t{kGathers}) | control_.attention.load(std::memory_order_relaxed)) != 0) {
        before_issue();
    }
    const std::uint64_t begin = record_ ? stamp() : 0;
    if (issued_ >= kMaxOps) {
        raise(ErrorKind::failed, "a run can hold at most " + std::to_string(kMaxOps) + " ops");
    }
    Placement placement;
    if (lanes_ > 1) {
        place_together(all, placement);
    }
    const std::uint32_t lane = placement.lane;
    if (free_policy_ != FreePolicy::lazy) {
        take_memory_together(all, lane, signature);
    }
    if (placement.waits > 1) {
        submit_waits(placement, 1);
    }

    auto composite = std::make_unique<devices::Composite>();
    composite->steps.reserve(all.size());
    const core::OpId op = ++issued_;
    const std::uint32_t seq = ++seq_[lane];
    const std::uint8_t flags = free_policy_ == FreePolicy::lazy ? devices::kLazyOperands : std::uint8_t{0};
    last_op_[lane] = seq;
    for (const Gathered& gathered : all) {
        const Operation& operation = gathered.operation;
        Command& step = composite->steps.emplace_back();
        fill_command(step, operation, operation.out, op, lane, seq, gathered.fresh);
        step.flags = flags;
    }
    Command command;
    command.signature = &signature;
    command.composite = composite.get();
    command.op = op;
    command.line = short_line();
    command.flags = static_cast<std::uint8_t>(flags | devices::kComposite);
    if (placement.waits > 0) {
        command.wait_lane = static_cast<std::uint8_t>(placement.wait_lane[0]);
        command.wait_seq = placement.wait_seq[0];
    }
    composites_.push_back({lane, seq, std::move(composite)});
    device_of_lane(lane).submit(lane, command);
    if (record_) {
        record_together(all, signature, begin, lane);
    }
    if (slow_ != 0) {
        after_issue(lane, seq);
    }
    if (composites_.size() > 8) {
        std::erase_if(composites_, [this](const Held& held) { return finished(held.lane, held.seq); });
    }
}

void Runtime::place_together(const std::vector<Gathered>& all, Placement& placement) {
    Needs needs;
    std::fill_n(needs.seq.begin(), lanes_, 0u);
    for (const Gathered& gathered : all) {
        for (const Buffer* input : {gathered.operation.in0, gathered.operation.in1}) {
            if (input != nullptr) {
                follow_writer(*input, needs);
            }
        }
        if (gathered.operation.out != nullptr && !gathered.fresh) {
            follow_writer(*gathered.operation.out, needs);
            follow_readers(*gathered.operation.out, needs);
        }
    }
    choose_lane(needs, all.front().operation.device, placement);
}

void Runtime::take_memory_together(const std::vector<Gathered>& all, std::uint32_t lane, const Signature& signature) {
    std::uint64_t bytes = 0;
    for (const Gathered& gathered : all) {
        bytes += gathered.fresh ? gathered.operation.signature->out_bytes : 0;
    }
    const core::DeviceId device = all.front().operation.device;
    if (live_[device] + bytes > budget_) {
        make_room(signature, device, bytes);
    }
    reclaim();  // blocks are reused last in, first out: a GPU graph that gets its old addresses needs no update
    try {
        for (const Gathered& gathered : all) {
            if (gathered.fresh) {
                gathered.operation.out->data = take_memory(*gathered.operation.signature, device, lane);
                live_[device] += gathered.operation.signature->out_bytes;
            }
        }
    } catch (const ProgramError&) {
        for (const Gathered& gathered : all) {
            Buffer* out = gathered.fresh ? gathered.operation.out : nullptr;
            if (out != nullptr && out->data != nullptr) {
                free_block({0, static_cast<std::uint16_t>(out->size_class), device, out->data, out->bytes});
                out->data = nullptr;
            }
        }
        throw;
    }
}

// Records one issue for the composite. The last op's output is its output, and the buffers that it reads from outside
// are its inputs. All other buffers that it writes follow, including intermediate results, because they take memory.
void Runtime::record_together(const std::vector<Gathered>& all, const Signature& signature, std::uint64_t begin,
                              std::uint32_t lane) {
    const Gathered& last = all.back();
    const Buffer* main = last.operation.out;
    std::vector<const Buffer*> inputs;
    std::unordered_set<const Buffer*> made, read, written;
    for (const Gathered& gathered : all) {
        const Operation& operation = gathered.operation;
        for (const Buffer* input : {operation.in0, operation.in1}) {
            if (input != nullptr && !made.contains(input) && input != main && read.insert(input).second) {
                inputs.push_back(input);
            }
        }
        if (gathered.fresh) {
            made.insert(operation.out);
        }
    }
    const auto id_of = [](const Buffer* buffer) { return buffer != nullptr ? buffer->id : 0; };
    const auto input = [&](std::size_t i) { return i < inputs.size() ? inputs[i]->id : 0; };
    const std::uint8_t flags = main == nullptr       ? std::uint8_t{0}
                               : made.contains(main) ? trace::kFreshOutput
                                                     : trace::kReadsOutput;
    if (virtual_time_) {
        settle_work(begin);
    }
    last_event_ = stamp();
    record({begin, trace::pack_duration(last_event_ - begin), signature.id,
            static_cast<std::uint8_t>(static_cast<std::uint8_t>(FrontendKind::issue) | flags),
            static_cast<std::uint8_t>(lane), line_, id_of(main), input(0), input(1)},
           last_event_);
    for (std::size_t i = 2; i < inputs.size(); i += 2) {
        events_.add(
            {begin, 0, 0, static_cast<std::uint8_t>(FrontendKind::more_inputs), 0, line_, 0, input(i), input(i + 1)});
    }
    for (const Gathered& gathered : all) {
        const Buffer* out = gathered.operation.out;
        if (out != nullptr && out != main && (gathered.fresh || !made.contains(out)) && written.insert(out).second) {
            const std::uint8_t more = gathered.fresh ? trace::kFreshOutput : trace::kReadsOutput;
            events_.add({begin, 0, gathered.operation.signature->id,
                         static_cast<std::uint8_t>(static_cast<std::uint8_t>(FrontendKind::more_output) | more), 0,
                         line_, out->id, 0, 0});
        }
    }
}

// --- traced functions ---

// While tracing, stand-ins replace the inputs. This distinguishes an argument of the function from a captured tensor,
// even if both are the same tensor.
std::vector<Tensor> Runtime::trace_begin(std::span<const Tensor> inputs) {
    if (tracing_) {
        raise(ErrorKind::failed, "a function is being traced already");
    }
    for (const Tensor& input : inputs) {
        buffer_of(input, "tracing");
    }
    issue_gathered();
    for (const Tensor& input : inputs) {
        Buffer* buffer = new_buffer();
        buffer->bytes = input.buffer_->bytes;
        buffer->size_class = input.buffer_->size_class;
        buffer->device = input.buffer_->device;
        buffer->gathered = true;
        stand_ins_.push_back(Tensor(buffer, input.shape_));
    }
    tracing_ = true;
    streams_before_trace_ = random_streams_;
    slow_ |= kGathers;
    return stand_ins_;
}

// Restores the state before tracing and returns the gathered ops.
std::vector<Runtime::Gathered> Runtime::stop_tracing() {
    tracing_ = false;
    random_streams_ = streams_before_trace_;  // tracing consumes no random numbers
    for (const Tensor& stand_in : stand_ins_) {
        stand_in.buffer_->gathered = false;
    }
    std::vector<Gathered> all = std::exchange(gathered_, {});
    set_gathering(gathering_);
    return all;
}

void Runtime::trace_abandon() {
    release_buffers(stop_tracing());
    stand_ins_.clear();
}

Graph Runtime::trace_end(std::string_view name, std::span<const Tensor> outputs) {
    const std::vector<Gathered> all = stop_tracing();
    const std::vector<Tensor> inputs = std::exchange(stand_ins_, {});
    Graph graph;
    graph.name = name;
    graph.device = all.empty() ? core::DeviceId{0} : all.front().operation.device;
    std::unordered_map<const Buffer*, std::uint32_t> value_of;
    for (const Tensor& input : inputs) {
        value_of.try_emplace(input.buffer_, graph.values);
        ++graph.values;
        graph.inputs.push_back(input.shape_);
    }
    // Captured values are numbered before values that the ops make.
    std::unordered_set<const Buffer*> made;
    for (const Gathered& gathered : all) {
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
    for (const Gathered& gathered : all) {
        note_outside(gathered.operation.in0);
        note_outside(gathered.operation.in1);
        note_outside(gathered.operation.out);
    }
    for (const Tensor& output : outputs) {
        note_outside(output.buffer_);
    }
    const auto value = [&](const Buffer* buffer) { return buffer != nullptr ? value_of.at(buffer) : Graph::kNone; };
    for (const Gathered& gathered : all) {
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
        graph.outputs.push_back({value(output.buffer_), output.shape_});
    }
    if (!all.empty()) {
        graph.signature = &signatures_.composite(name, signatures_of(all));
    }
    release_buffers(all);
    return graph;
}

std::vector<Tensor> Runtime::run(const Graph& graph, std::span<const Tensor> inputs) {
    const auto refuse = [&](const std::string& why) { raise(ErrorKind::shape, graph.name + ": " + why); };
    if (inputs.size() != graph.inputs.size()) {
        refuse("it was traced with " + std::to_string(graph.inputs.size()) + " tensors and is called with " +
               std::to_string(inputs.size()));
    }
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        const Buffer* input = buffer_of(inputs[i], graph.name.c_str());
        if (input->device != graph.device && !graph.steps.empty()) {
            refuse("it was traced on the " + device_name(graph.device) + " and is called with a tensor on the " +
                   device_name(input->device));
        }
        if (inputs[i].shape_ != graph.inputs[i]) {
            refuse("it was traced with a tensor of shape " + to_string(shape(graph.inputs[i])) +
                   " and is called with " + to_string(inputs[i].shape()));
        }
    }
    issue_gathered();
    std::vector<Buffer*> values;
    values.reserve(graph.values);
    for (const Tensor& input : inputs) {
        values.push_back(input.buffer_);
    }
    for (const Tensor& captured : graph.captured) {
        values.push_back(captured.buffer_);
    }
    const auto at = [&](std::uint32_t value) { return value != Graph::kNone ? values[value] : nullptr; };
    std::vector<Gathered> all;
    std::vector<Tensor> kept;  // holds results until issued, while another trace is open
    all.reserve(graph.steps.size());
    for (const Graph::Step& step : graph.steps) {
        Operation operation;
        operation.signature = step.signature;
        operation.in0 = at(step.in0);
        operation.in1 = at(step.in1);
        operation.payload = step.payload;
        operation.random_stream = step.random ? ++random_streams_ : 0;
        operation.device = operation.memory = graph.device;
        operation.out = step.fresh ? nullptr : at(step.out);
        if (tracing_) {
            if (Buffer* made = issue(operation)) {
                values.push_back(made);
                kept.push_back(Tensor(made, 0));
            }
            continue;
        }
        Gathered gathered{operation, step.fresh};
        if (step.fresh) {
            Buffer* out = new_buffer();
            out->references = 0;
            out->bytes = step.signature->out_bytes;
            out->size_class = step.signature->size_class;
            out->device = graph.device;
            out->gathered = true;
            gathered.operation.out = out;
            values.push_back(out);
        }
        hold(gathered);
        all.push_back(gathered);
    }
    std::vector<Tensor> outputs;
    for (const Graph::Output& output : graph.outputs) {
        Buffer* buffer = values[output.value];
        ++buffer->references;
        outputs.push_back(Tensor(buffer, output.shape));
    }
    if (!all.empty()) {
        issue_together(all, *graph.signature);
    }
    return outputs;
}

}  // namespace headway::runtime
