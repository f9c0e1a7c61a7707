// A tensor that knows how it was computed, if that was recorded: what gradients are taken of, and with respect to.
//
// A Variable is a Tensor and, where gradients may flow, a share of a vertex of the graph. The graph hangs on the
// variables that came out of it and on nothing else: drop them, and it is gone, with every value it had saved.
// So an evaluation that is recorded by mistake costs no memory once its result is dropped.
//
// A leaf is a variable that require_gradient() was called on; it gets a gradient from backward() (tape.h). The copies
// of a variable share its vertex, so they see the same gradient.
//
// Threads: the frontend only.
#pragma once

#include <cstdint>
#include <utility>

#include "engine/runtime/tensor.h"

namespace headway::nn {

using devices::Shape;
using runtime::Runtime;
using runtime::Tensor;

// What backward() does where a leaf has a gradient already: MXNet's grad_req "write", PyTorch's accumulation.
enum class GradientMode : std::uint8_t { overwrite, accumulate };

class Vertex;

// A share of a vertex.
class VertexRef {
public:
    VertexRef() = default;
    explicit VertexRef(Vertex* fresh) : vertex_(fresh) {}  // takes over one reference
    VertexRef(const VertexRef& other) noexcept;
    VertexRef(VertexRef&& other) noexcept : vertex_(std::exchange(other.vertex_, nullptr)) {}
    VertexRef& operator=(VertexRef other) noexcept {
        std::swap(vertex_, other.vertex_);
        return *this;
    }
    ~VertexRef() {
        if (vertex_ != nullptr) {
            release(vertex_);
        }
    }
    explicit operator bool() const { return vertex_ != nullptr; }
    Vertex* operator->() const { return vertex_; }
    Vertex& operator*() const { return *vertex_; }
    [[nodiscard]] Vertex* get() const { return vertex_; }

private:
    static void release(Vertex* vertex) noexcept;
    Vertex* vertex_ = nullptr;
};

class Variable {
public:
    Variable() = default;
    Variable(Tensor value) : value_(std::move(value)) {}
    Variable(Tensor value, VertexRef vertex) : value_(std::move(value)), vertex_(std::move(vertex)) {}

    [[nodiscard]] bool defined() const { return value_.defined(); }
    [[nodiscard]] const Tensor& value() const { return value_; }
    [[nodiscard]] const Shape& shape() const { return value_.shape(); }
    [[nodiscard]] Runtime& runtime() const { return value_.runtime(); }

    // Makes this a leaf; what it was computed from is forgotten. PyTorch's requires_grad, MXNet's attach_grad.
    void require_gradient(GradientMode mode = GradientMode::overwrite);
    // The same values without a history. In-place changes are seen through both.
    [[nodiscard]] Variable detached() const { return {value_}; }

    [[nodiscard]] bool tracked() const { return static_cast<bool>(vertex_); }  // gradients flow into it
    [[nodiscard]] bool is_leaf() const;
    // Lets backward() leave a gradient here also when this is no leaf. PyTorch's retain_grad.
    void keep_gradient();

    // What backward() left; undefined when there is none. ProgramError when nothing is tracked.
    [[nodiscard]] const Tensor& gradient() const;
    void set_gradient(Tensor gradient);
    void drop_gradient();  // its memory is free once what reads it has run

    // Blockers, as on Tensor.
    void wait_to_read() const { value_.wait_to_read(); }
    [[nodiscard]] float item() const { return value_.item(); }

    [[nodiscard]] const VertexRef& vertex() const { return vertex_; }
    void set_vertex(VertexRef vertex) { vertex_ = std::move(vertex); }  // in-place ops

private:
    Tensor value_;
    VertexRef vertex_;
};

}  // namespace headway::nn
