// A tensor with its recorded history: gradients are taken of it or with respect to it.
//
// A Variable is a Tensor and, if gradients may flow, a reference to a vertex of the graph. Only the variables that came
// out of the graph keep it alive: dropping them drops the graph and every value that it saved. So an evaluation that is
// recorded by mistake costs no memory once its result is dropped.
//
// A leaf is a variable on which require_gradient() was called; backward() (tape.h) gives it a gradient. Copies of a
// variable share its vertex and so its gradient.
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

// What backward() does if a leaf already has a gradient: MXNet's grad_req "write", or PyTorch's accumulation.
enum class GradientMode : std::uint8_t { overwrite, accumulate };

class Vertex;

// A counted reference to a vertex.
class VertexRef {
public:
    VertexRef() = default;
    explicit VertexRef(Vertex* fresh) : vertex_(fresh) {}  // takes ownership of one reference
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

    // Makes this a leaf and forgets how it was computed. PyTorch's requires_grad, MXNet's attach_grad.
    void require_gradient(GradientMode mode = GradientMode::overwrite);
    // The same values without a history. In-place changes are visible through both.
    [[nodiscard]] Variable detached() const { return {value_}; }

    [[nodiscard]] bool tracked() const { return static_cast<bool>(vertex_); }  // gradients flow into it
    [[nodiscard]] bool is_leaf() const;
    // Lets backward() store a gradient here even if this is not a leaf. PyTorch's retain_grad.
    void keep_gradient();

    // The gradient that backward() stored; undefined if there is none. ProgramError if the variable is not tracked.
    [[nodiscard]] const Tensor& gradient() const;
    void set_gradient(Tensor gradient);
    void drop_gradient();  // its memory is free once its readers have run

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
