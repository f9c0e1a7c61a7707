// Reverse-mode differentiation: ops are recorded while a Recording is open, and backward() walks the recorded graph.
//
// A recorded op becomes a vertex: its inputs, the values that its gradient needs, and a function that issues the
// gradient's ops. Nothing here waits: backward() only issues. A saved value is dropped as soon as the one vertex that
// needs it has been visited, so memory falls during the backward pass as it rose during the forward pass.
//
// If a saved value was overwritten in place before backward() used it, that is an error, never a wrong gradient.
//
// Threads: the frontend only; whether ops are recorded is a property of the thread.
#pragma once

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <span>
#include <vector>

#include "engine/core/ids.h"
#include "engine/nn/variable.h"
#include "engine/runtime/runtime.h"

namespace headway::nn {

// During its lifetime, ops on tracked variables are recorded; Recording(false) pauses an outer one.
class Recording {
public:
    explicit Recording(bool on = true);
    ~Recording();
    Recording(const Recording&) = delete;
    Recording& operator=(const Recording&) = delete;

private:
    bool before_;
};
[[nodiscard]] bool is_recording();
bool set_recording(bool on);  // for language bindings without C++ scopes; returns the previous state

// The context of a backward function: one vertex during backward().
class BackwardPass {
public:
    [[nodiscard]] Runtime& runtime() const { return runtime_; }
    [[nodiscard]] const Tensor& gradient() const { return gradient_; }  // with respect to the op's result
    [[nodiscard]] const Tensor& saved(std::size_t i) const;             // ProgramError if overwritten since
    [[nodiscard]] bool needs(std::size_t input) const;
    [[nodiscard]] const Shape& input_shape(std::size_t input) const;

    // Add a gradient to an input, summed to the input's shape if the op broadcast it. give() takes a tensor that nobody
    // else holds; pass_on() forwards gradient() itself, which must not be used afterwards.
    void give(std::size_t input, Tensor gradient) { add(input, std::move(gradient), true); }
    void pass_on(std::size_t input);
    void reshape_on(std::size_t input);  // like pass_on(), reshaped to the input's shape

private:
    friend class Walk;
    BackwardPass(Runtime& runtime, Vertex& vertex, Tensor gradient, bool owned)
        : runtime_(runtime), vertex_(vertex), gradient_(std::move(gradient)), owned_(owned) {}
    void add(std::size_t input, Tensor gradient, bool owned);

    Runtime& runtime_;
    Vertex& vertex_;
    Tensor gradient_;
    bool owned_;
};

using BackwardFunction = std::function<void(BackwardPass&)>;

// Returns an op's result as a variable. It is tracked if a recording is open and one of `inputs` is tracked; only then
// are the `saved` tensors kept, and backward() calls `backward` once. `name` must be a literal; error messages use it.
Variable record(const char* name, Tensor value, std::initializer_list<const Variable*> inputs,
                std::initializer_list<Tensor> saved, BackwardFunction backward);

// The same for an op that changed `target` in place. Call before_in_place() before issuing the op.
void before_in_place(const char* name, const Variable& target, std::initializer_list<const Variable*> others);
void record_in_place(const char* name, Variable& target, std::initializer_list<const Variable*> others,
                     std::initializer_list<Tensor> saved, BackwardFunction backward);

struct BackwardOptions {
    Tensor head = {};         // the gradient to start from; undefined: ones, which sums a vector of losses
    bool keep_graph = false;  // for a second backward() over the same graph
};

// Issues the gradients of `loss` with respect to every leaf that it was computed from.
void backward(const Variable& loss, BackwardOptions options = {},
              core::SourceLocation where = core::SourceLocation::current());
// The same for several losses; `heads` is empty or has one (possibly undefined) tensor for each loss.
void backward(std::span<const Variable> losses, std::span<const Tensor> heads, bool keep_graph = false,
              core::SourceLocation where = core::SourceLocation::current());

// A vertex of the graph: a leaf, or a recorded op. Internal to nn and to code that inspects the graph.
class Vertex {
public:
    struct Saved {
        Tensor value;
        core::OpId version = 0;  // the op that had last written it when it was saved
    };

    Shape shape;  // the value's shape
    const char* name = "";
    core::Line line = 0;      // the source line of the op
    core::OpId version = 0;   // the op that last wrote the value when the vertex was recorded
    std::uint64_t order = 0;  // lower than that of every consumer
    GradientMode mode = GradientMode::overwrite;
    bool leaf = false;
    bool keeps_gradient = false;
    bool used = false;  // visited; its saved values have been dropped
    BackwardFunction backward;
    std::vector<VertexRef> inputs;  // null for inputs that are not tracked
    std::vector<Saved> saved;
    Tensor gradient;  // visible to the program

    static VertexRef make(const char* name, const Tensor& value);

private:
    friend class VertexRef;
    friend class BackwardPass;
    friend class Walk;
    Vertex() = default;
    ~Vertex() = default;

    void accumulate(Runtime& runtime, Tensor part, bool part_owned);
    void store(Runtime& runtime);

    // During a backward pass: the sum so far, and whether nobody else holds it.
    Tensor pending_;
    bool pending_owned_ = false;
    bool queued_ = false;
    std::uint32_t references_ = 1;
};

// `gradient` summed over the axes along which a tensor of shape `shape` was broadcast. Sets `owned` if the result is a
// new tensor.
Tensor sum_to(Runtime& runtime, Tensor gradient, const Shape& shape, bool& owned);

// Throws ProgramError for a mistake of the program, at the runtime's current line.
[[noreturn]] void fail(Runtime& runtime, core::ErrorKind kind, const std::string& message);

}  // namespace headway::nn
