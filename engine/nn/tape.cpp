#include "engine/nn/tape.h"

#include <algorithm>
#include <string>
#include <utility>

#include "engine/runtime/runtime.h"

namespace headway::nn {

using core::ErrorKind;
using devices::OpKind;

namespace {

thread_local bool recording_on = false;
thread_local std::uint64_t last_order = 0;

std::string at_line(Runtime& runtime, core::Line line) {
    const auto file = runtime.lines.file_name(line);
    return line == 0 || file.empty() ? std::string()
                                     : " at " + std::string(file) + ":" + std::to_string(core::number_of(line));
}

bool any_tracked(std::initializer_list<const Variable*> inputs) {
    return std::any_of(inputs.begin(), inputs.end(), [](const Variable* v) { return v->tracked(); });
}

// The vertex that a recorded op reads from. Fails if the value was changed in place without its vertex being updated.
VertexRef source_of(const char* name, const Variable& input) {
    if (input.tracked() && !input.vertex()->leaf && input.value().last_write() != input.vertex()->version) {
        fail(input.runtime(), ErrorKind::failed,
             std::string(name) + " reads a result of " + input.vertex()->name +
                 " that was changed in place through another name for it, so its gradient is unknown");
    }
    return input.vertex();
}

VertexRef make_vertex(const char* name, const Tensor& value, std::initializer_list<const Variable*> inputs,
                      std::initializer_list<Tensor> saved, BackwardFunction backward) {
    VertexRef vertex = Vertex::make(name, value);
    vertex->inputs.reserve(inputs.size());
    for (const Variable* input : inputs) {
        vertex->inputs.push_back(input->vertex());
    }
    vertex->saved.reserve(saved.size());
    for (const Tensor& tensor : saved) {
        vertex->saved.push_back({tensor, tensor.defined() ? tensor.last_write() : 0});
    }
    vertex->backward = std::move(backward);
    return vertex;
}

}  // namespace

void fail(Runtime& runtime, core::ErrorKind kind, const std::string& message) {
    throw runtime::ProgramError(runtime.lines.error(kind, message, runtime.lines.current()));
}

// --- vertices ---

VertexRef::VertexRef(const VertexRef& other) noexcept : vertex_(other.vertex_) {
    if (vertex_ != nullptr) {
        ++vertex_->references_;
    }
}

void VertexRef::release(Vertex* vertex) noexcept {
    // Iterative, because releasing a chain of a million ops recursively would overflow the stack.
    thread_local std::vector<Vertex*> doomed;
    thread_local bool busy = false;
    if (--vertex->references_ != 0) {
        return;
    }
    doomed.push_back(vertex);
    if (busy) {
        return;
    }
    busy = true;
    while (!doomed.empty()) {
        Vertex* next = doomed.back();
        doomed.pop_back();
        delete next;  // calls release() for its inputs, which appends them to `doomed`
    }
    busy = false;
}

VertexRef Vertex::make(const char* name, const Tensor& value) {
    VertexRef vertex(new Vertex());
    vertex->name = name;
    vertex->shape = value.shape();
    vertex->line = value.runtime().lines.current();
    vertex->version = value.last_write();
    vertex->order = ++last_order;
    return vertex;
}

void Vertex::accumulate(Runtime& runtime, Tensor part, bool part_owned) {
    if (!pending_.defined()) {
        pending_ = std::move(part);
        pending_owned_ = part_owned;
    } else if (pending_owned_) {
        runtime.binary_in_place(OpKind::add, pending_, part);
    } else if (part_owned) {
        runtime.binary_in_place(OpKind::add, part, pending_);
        pending_ = std::move(part);
        pending_owned_ = true;
    } else {
        pending_ = runtime.binary(OpKind::add, pending_, part);
        pending_owned_ = true;
    }
}

// Makes the sum visible to the program. A leaf's gradient may be changed in place, so it must own its memory.
void Vertex::store(Runtime& runtime) {
    Tensor sum = leaf ? std::move(pending_) : pending_;
    if (mode == GradientMode::accumulate && gradient.defined()) {
        runtime.binary_in_place(OpKind::add, gradient, sum);
        return;
    }
    if (!leaf || !pending_owned_) {
        sum = runtime.unary(OpKind::copy, sum);
    }
    gradient = std::move(sum);
}

// --- variables ---

void Variable::require_gradient(GradientMode mode) {
    vertex_ = Vertex::make("a leaf", value_);
    vertex_->leaf = true;
    vertex_->mode = mode;
}

bool Variable::is_leaf() const {
    return vertex_ && vertex_->leaf;
}

namespace {
[[noreturn]] void fail_untracked(const Variable& variable) {
    fail(variable.runtime(), ErrorKind::failed,
         "this tensor has no gradient: nothing was recorded for it, and it was not asked to have one");
}
}  // namespace

void Variable::keep_gradient() {
    if (!vertex_) {
        fail_untracked(*this);
    }
    vertex_->keeps_gradient = true;
}

const Tensor& Variable::gradient() const {
    if (!vertex_) {
        fail_untracked(*this);
    }
    return vertex_->gradient;
}

void Variable::set_gradient(Tensor gradient) {
    if (!vertex_) {
        fail_untracked(*this);
    }
    if (gradient.defined() && gradient.shape() != shape()) {
        fail(runtime(), ErrorKind::shape,
             "a gradient of shape " + to_string(gradient.shape()) + " does not fit a tensor of shape " +
                 to_string(shape()));
    }
    vertex_->gradient = std::move(gradient);
}

void Variable::drop_gradient() {
    if (vertex_) {
        vertex_->gradient = Tensor();
    }
}

// --- recording ---

Recording::Recording(bool on) : before_(set_recording(on)) {}
Recording::~Recording() {
    recording_on = before_;
}
bool is_recording() {
    return recording_on;
}
bool set_recording(bool on) {
    return std::exchange(recording_on, on);
}

Variable record(const char* name, Tensor value, std::initializer_list<const Variable*> inputs,
                std::initializer_list<Tensor> saved, BackwardFunction backward) {
    if (!recording_on || !any_tracked(inputs)) {
        return {std::move(value)};
    }
    for (const Variable* input : inputs) {
        source_of(name, *input);
    }
    VertexRef vertex = make_vertex(name, value, inputs, saved, std::move(backward));
    return {std::move(value), std::move(vertex)};
}

void before_in_place(const char* name, const Variable& target, std::initializer_list<const Variable*> others) {
    if (!recording_on || (!target.tracked() && !any_tracked(others))) {
        return;
    }
    if (target.is_leaf()) {
        fail(target.runtime(), ErrorKind::failed,
             std::string(name) + " in place would change a tensor whose gradient was asked for, while ops are " +
                 "recorded; do it outside of the recording, or make a new tensor");
    }
    source_of(name, target);
    for (const Variable* other : others) {
        source_of(name, *other);
    }
}

void record_in_place(const char* name, Variable& target, std::initializer_list<const Variable*> others,
                     std::initializer_list<Tensor> saved, BackwardFunction backward) {
    if (!recording_on || (!target.tracked() && !any_tracked(others))) {
        if (target.tracked()) {
            target.vertex()->version = target.value().last_write();  // accept the unrecorded change
        }
        return;
    }
    VertexRef vertex = make_vertex(name, target.value(), {&target}, saved, std::move(backward));
    for (const Variable* other : others) {
        vertex->inputs.push_back(other->vertex());
    }
    target.set_vertex(std::move(vertex));
}

// --- backward ---

const Tensor& BackwardPass::saved(std::size_t i) const {
    const Vertex::Saved& saved = vertex_.saved[i];
    if (saved.value.last_write() != saved.version) {
        fail(runtime_, ErrorKind::failed,
             std::string("the gradient of ") + vertex_.name + at_line(runtime_, vertex_.line) +
                 " needs a value that has been changed in place since");
    }
    return saved.value;
}

bool BackwardPass::needs(std::size_t input) const {
    return static_cast<bool>(vertex_.inputs[input]);
}

const Shape& BackwardPass::input_shape(std::size_t input) const {
    return vertex_.inputs[input]->shape;
}

void BackwardPass::add(std::size_t input, Tensor gradient, bool owned) {
    if (!needs(input)) {
        return;
    }
    Vertex& target = *vertex_.inputs[input];
    gradient = sum_to(runtime_, std::move(gradient), target.shape, owned);
    target.accumulate(runtime_, std::move(gradient), owned);
}

void BackwardPass::pass_on(std::size_t input) {
    // With a single taker, ownership of the gradient moves to it; with several, nobody owns it.
    const auto takers = std::count_if(vertex_.inputs.begin(), vertex_.inputs.end(),
                                      [](const VertexRef& v) { return static_cast<bool>(v); });
    add(input, gradient_, owned_ && takers == 1);
}

void BackwardPass::reshape_on(std::size_t input) {
    if (needs(input)) {
        gradient_ = runtime_.reshape(gradient_, input_shape(input));
        pass_on(input);
    }
}

Tensor sum_to(Runtime& runtime, Tensor gradient, const Shape& shape, bool& owned) {
    const Shape& from = gradient.shape();
    if (from == shape) {
        return gradient;
    }
    // Adjacent axes that are all summed, or all kept, are merged: the bias gradient of a batch of images is one sum.
    struct Group {
        std::int64_t size;
        bool summed;
    };
    std::vector<Group> groups;
    for (int i = 0; i < from.rank; ++i) {
        const int axis = i - (from.rank - shape.rank);
        const std::int64_t target = axis >= 0 ? shape[axis] : 1;
        if (from[i] == 1) {
            continue;
        }
        const bool summed = target == 1;
        if (!groups.empty() && groups.back().summed == summed) {
            groups.back().size *= from[i];
        } else {
            groups.push_back({from[i], summed});
        }
    }
    HEADWAY_ASSERT(groups.size() <= static_cast<std::size_t>(devices::kMaxRank), "groups of axes are axes");
    Shape grouped;
    for (const Group& group : groups) {
        grouped[grouped.rank++] = group.size;
    }
    gradient = runtime.reshape(gradient, grouped);
    for (int i = grouped.rank - 1; i >= 0; --i) {
        if (groups[static_cast<std::size_t>(i)].summed) {
            gradient = runtime.reduce(OpKind::sum, gradient, i);
            owned = true;
        }
    }
    return runtime.reshape(gradient, shape);
}

// Walks the graph from the losses to the leaves, in decreasing order of recording. When a vertex is visited, all
// vertices computed from it have been visited, so its gradient is complete and its consumers are released.
class Walk {
public:
    Walk(Runtime& runtime, bool keep_graph) : runtime_(runtime), keep_graph_(keep_graph) {}

    ~Walk() {
        for (const VertexRef& vertex : heap_) {  // only after an error
            reset(*vertex);
        }
    }

    void start(const VertexRef& vertex, Tensor head, bool owned) {
        push(vertex);
        vertex->accumulate(runtime_, std::move(head), owned);
    }

    void run() {
        while (!heap_.empty()) {
            std::pop_heap(heap_.begin(), heap_.end(), earlier);
            const VertexRef vertex = std::move(heap_.back());
            heap_.pop_back();
            const ResetOnExit reset_on_exit{*vertex};
            visit(*vertex);
        }
    }

private:
    static bool earlier(const VertexRef& a, const VertexRef& b) { return a->order < b->order; }

    static void reset(Vertex& vertex) {
        vertex.pending_ = Tensor();
        vertex.pending_owned_ = false;
        vertex.queued_ = false;
    }
    struct ResetOnExit {
        Vertex& vertex;
        ~ResetOnExit() { reset(vertex); }
    };

    void push(const VertexRef& vertex) {
        if (!vertex->queued_) {
            vertex->queued_ = true;
            heap_.push_back(vertex);
            std::push_heap(heap_.begin(), heap_.end(), earlier);
        }
    }

    void visit(Vertex& vertex) {
        if (!vertex.pending_.defined()) {
            return;  // no gradient reached it
        }
        if (vertex.leaf) {
            vertex.store(runtime_);
            return;
        }
        if (vertex.used) {
            fail(runtime_, core::ErrorKind::failed,
                 std::string("the graph behind ") + vertex.name + at_line(runtime_, vertex.line) +
                     " was used up by an earlier backward; ask that one to keep it");
        }
        if (vertex.keeps_gradient) {
            vertex.store(runtime_);
        }
        // Queue the inputs first: if the backward function fails, their sums are cleared with the heap.
        for (const VertexRef& input : vertex.inputs) {
            if (input) {
                push(input);
            }
        }
        {
            BackwardPass pass(runtime_, vertex, std::move(vertex.pending_), vertex.pending_owned_);
            vertex.backward(pass);
        }
        if (!keep_graph_) {
            vertex.used = true;
            vertex.backward = nullptr;
            vertex.saved.clear();
            vertex.inputs.clear();
        }
    }

    Runtime& runtime_;
    const bool keep_graph_;
    std::vector<VertexRef> heap_;  // ordered by recording, latest first
};

void backward(std::span<const Variable> losses, std::span<const Tensor> heads, bool keep_graph,
              core::SourceLocation where) {
    if (losses.empty()) {
        return;
    }
    HEADWAY_ASSERT(heads.empty() || heads.size() == losses.size(), "one head for each loss, or none");
    for (const Variable& loss : losses) {
        HEADWAY_ASSERT(loss.defined(), "backward() of a variable that holds no tensor");
    }
    Runtime& runtime = losses[0].runtime();
    const runtime::LineScope line(runtime.lines, where);
    const Recording off(false);
    for (std::size_t i = 0; i < losses.size(); ++i) {
        if (!losses[i].tracked()) {
            fail(runtime, ErrorKind::failed,
                 "backward: nothing was recorded for this tensor; compute it from tensors with gradients, inside of "
                 "a recording");
        }
        if (!heads.empty() && heads[i].defined() && heads[i].shape() != losses[i].shape()) {
            fail(runtime, ErrorKind::shape,
                 "backward: a head of shape " + to_string(heads[i].shape()) + " does not fit a loss of shape " +
                     to_string(losses[i].shape()));
        }
    }
    Walk walk(runtime, keep_graph);
    for (std::size_t i = 0; i < losses.size(); ++i) {
        const bool given = !heads.empty() && heads[i].defined();
        const runtime::OnDevice there(runtime, losses[i].value().device());
        walk.start(losses[i].vertex(), given ? heads[i] : runtime.ones(losses[i].shape()), !given);
    }
    walk.run();
}

void backward(const Variable& loss, BackwardOptions options, core::SourceLocation where) {
    const Tensor head = std::move(options.head);
    backward(std::span(&loss, 1), std::span(&head, 1), options.keep_graph, where);
}

}  // namespace headway::nn
