// Reverse-mode differentiation: what is recorded while a Recording is open, and backward(), which walks it.
//
// A recorded op becomes a vertex: who its inputs are, the values that its gradient needs, and a function that issues
// the gradient's ops. Nothing here waits: backward() only issues. A saved value is let go as soon as the one vertex
// that needs it has been walked, so memory falls along the backward pass as it rose along the forward one.
//
// A saved value that was overwritten in place before backward() reached it is an error, never a wrong gradient.
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

// While this lives, ops on tracked variables are recorded; Recording(false) pauses an outer one.
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
bool set_recording(bool on);  // for languages whose scopes are no C++ scopes; returns what it was

// One vertex's turn in backward(): what a backward function sees.
class BackwardPass {
public:
    [[nodiscard]] Runtime& runtime() const { return runtime_; }
    [[nodiscard]] const Tensor& gradient() const { return gradient_; }  // with respect to the op's result
    [[nodiscard]] const Tensor& saved(std::size_t i) const;             // ProgramError when overwritten since
    [[nodiscard]] bool needs(std::size_t input) const;
    [[nodiscard]] const Shape& input_shape(std::size_t input) const;

    // Hands an input its gradient, summed to the input's shape where the op had broadcast it. give() is for a tensor
    // that nobody else holds; pass_on() hands on gradient() itself, which must not be used afterwards.
    void give(std::size_t input, Tensor gradient) { add(input, std::move(gradient), true); }
    void pass_on(std::size_t input);
    void reshape_on(std::size_t input);  // the same in the input's shape, for an op that only renames dimensions

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

// The result of an op whose gradient is known, as a variable: tracked when a recording is open and one of `inputs` is
// tracked, else just the value. Only then are `saved` kept and is `backward` called, once, with everything it needs.
// `name` is a literal that error messages use.
Variable record(const char* name, Tensor value, std::initializer_list<const Variable*> inputs,
                std::initializer_list<Tensor> saved, BackwardFunction backward);

// The same for an op that has changed `target` in place. Call before_in_place() ahead of the op.
void before_in_place(const char* name, const Variable& target, std::initializer_list<const Variable*> others);
void record_in_place(const char* name, Variable& target, std::initializer_list<const Variable*> others,
                     std::initializer_list<Tensor> saved, BackwardFunction backward);

struct BackwardOptions {
    Tensor head = {};         // the gradient to start from; undefined: ones, so that a vector of losses is summed
    bool keep_graph = false;  // for a second backward() over the same graph
};

// Issues the gradients of `loss` with respect to every leaf it was computed from.
void backward(const Variable& loss, BackwardOptions options = {},
              core::SourceLocation where = core::SourceLocation::current());
// Of several losses at once; `heads` is empty or has one (possibly undefined) tensor for each.
void backward(std::span<const Variable> losses, std::span<const Tensor> heads, bool keep_graph = false,
              core::SourceLocation where = core::SourceLocation::current());

// A vertex of the graph: a leaf, or a recorded op. Internal to nn and to those who inspect the graph.
class Vertex {
public:
    struct Saved {
        Tensor value;
        core::OpId version = 0;  // the op that had last written it
    };

    Shape shape;  // of the value
    const char* name = "";
    core::Line line = 0;      // that recorded it
    core::OpId version = 0;   // of the value, when this vertex became its history
    std::uint64_t order = 0;  // inputs have lower ones
    GradientMode mode = GradientMode::overwrite;
    bool leaf = false;
    bool keeps_gradient = false;
    bool used = false;  // walked; what it had saved is gone
    BackwardFunction backward;
    std::vector<VertexRef> inputs;  // null: not tracked
    std::vector<Saved> saved;
    Tensor gradient;  // what the program sees

    static VertexRef make(const char* name, const Tensor& value);

private:
    friend class VertexRef;
    friend class BackwardPass;
    friend class Walk;
    Vertex() = default;
    ~Vertex() = default;

    void accumulate(Runtime& runtime, Tensor part, bool part_owned);
    void store(Runtime& runtime);

    // While a backward pass is under way: the sum so far, and whether nobody else holds it.
    Tensor pending_;
    bool pending_owned_ = false;
    bool queued_ = false;
    std::uint32_t references_ = 1;
};

// `gradient` summed over the axes along which something of `shape` was broadcast to it, as a tensor of `shape`.
// Sets `owned` when the result is a fresh tensor.
Tensor sum_to(Runtime& runtime, Tensor gradient, const Shape& shape, bool& owned);

// A program's mistake in the words of an error message, at the line that the runtime is at.
[[noreturn]] void fail(Runtime& runtime, core::ErrorKind kind, const std::string& message);

}  // namespace headway::nn
