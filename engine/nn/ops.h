// The runtime's ops on variables: each issues the same op as Runtime and is recorded if gradients flow (tape.h).
//
// The last argument of every function is the program's source line; ops that it issues, also within library code, get
// that line.
//
// Threads: the frontend only. Shape errors throw ProgramError at the call.
#pragma once

#include <cstdint>

#include "engine/nn/variable.h"
#include "engine/runtime/runtime.h"

namespace headway::nn {

using runtime::Side;
using Where = core::SourceLocation;

// With NumPy's broadcasting; a gradient is summed back to its operand's shape.
Variable add(const Variable& a, const Variable& b, Where where = Where::current());
Variable sub(const Variable& a, const Variable& b, Where where = Where::current());
Variable mul(const Variable& a, const Variable& b, Where where = Where::current());
Variable div(const Variable& a, const Variable& b, Where where = Where::current());
Variable add(const Variable& a, float b, Where where = Where::current());
Variable sub(const Variable& a, float b, Where where = Where::current());
Variable sub(float a, const Variable& b, Where where = Where::current());
Variable mul(const Variable& a, float b, Where where = Where::current());
Variable div(const Variable& a, float b, Where where = Where::current());
Variable div(float a, const Variable& b, Where where = Where::current());
Variable add_scaled(const Variable& a, const Variable& b, float scale, Where where = Where::current());

// 0 or 1; without gradient.
Variable greater(const Variable& a, const Variable& b, Where where = Where::current());
Variable equal(const Variable& a, const Variable& b, Where where = Where::current());
Variable greater(const Variable& a, float b, Where where = Where::current());
Variable equal(const Variable& a, float b, Where where = Where::current());

// An op of Arity::one. Those that programs in C++ use also have a function of their own.
Variable unary(devices::OpKind kind, const Variable& a, Where where = Where::current());
inline Variable neg(const Variable& a, Where where = Where::current()) {
    return unary(devices::OpKind::neg, a, where);
}
inline Variable relu(const Variable& a, Where where = Where::current()) {
    return unary(devices::OpKind::relu, a, where);
}
inline Variable exp(const Variable& a, Where where = Where::current()) {
    return unary(devices::OpKind::exp, a, where);
}
inline Variable sqrt(const Variable& a, Where where = Where::current()) {
    return unary(devices::OpKind::sqrt, a, where);
}
inline Variable copy(const Variable& a, Where where = Where::current()) {
    return unary(devices::OpKind::copy, a, where);
}
Variable square(const Variable& a, Where where = Where::current());  // one mul
// The same values on another of the run's devices, or `a` itself if it is on that device; the gradient is copied back.
Variable to_device(const Variable& a, core::DeviceId device, Where where = Where::current());

Variable matmul(const Variable& a, const Variable& b, Side side_a = Side::normal, Side side_b = Side::normal,
                Where where = Where::current());

// Over all elements, or over one axis (negative counts from the end). If several elements are the maximum, max gives
// each an equal share of the gradient.
Variable sum(const Variable& a, Where where = Where::current());
Variable mean(const Variable& a, Where where = Where::current());
Variable max(const Variable& a, Where where = Where::current());
Variable sum(const Variable& a, int axis, bool keep_dimension = false, Where where = Where::current());
Variable mean(const Variable& a, int axis, bool keep_dimension = false, Where where = Where::current());
Variable max(const Variable& a, int axis, bool keep_dimension = false, Where where = Where::current());

Variable transpose(const Variable& a, int axis0 = 0, int axis1 = 1, Where where = Where::current());
Variable reshape(const Variable& a, const Shape& shape, Where where = Where::current());  // a view, no op
Variable slice(const Variable& a, std::int64_t start, std::int64_t rows, Where where = Where::current());

// In place. A leaf must not be changed while ops are recorded.
void add_in_place(Variable& a, const Variable& b, Where where = Where::current());
void sub_in_place(Variable& a, const Variable& b, Where where = Where::current());
void mul_in_place(Variable& a, const Variable& b, Where where = Where::current());
void add_in_place(Variable& a, float b, Where where = Where::current());
void sub_in_place(Variable& a, float b, Where where = Where::current());
void mul_in_place(Variable& a, float b, Where where = Where::current());
void add_scaled_in_place(Variable& a, const Variable& b, float scale, Where where = Where::current());
void assign_slice(Variable& a, std::int64_t start, const Variable& rows, Where where = Where::current());

// An operator's left operand, with its source line.
struct VariableOperand {
    Variable variable;
    Where where;
    VariableOperand(Variable v, Where w = Where::current()) : variable(std::move(v)), where(w) {}
    VariableOperand(Tensor t, Where w = Where::current()) : variable(std::move(t)), where(w) {}
};
inline Variable operator+(const VariableOperand& a, const Variable& b) {
    return add(a.variable, b, a.where);
}
inline Variable operator-(const VariableOperand& a, const Variable& b) {
    return sub(a.variable, b, a.where);
}
inline Variable operator*(const VariableOperand& a, const Variable& b) {
    return mul(a.variable, b, a.where);
}
inline Variable operator/(const VariableOperand& a, const Variable& b) {
    return div(a.variable, b, a.where);
}
inline Variable operator+(const VariableOperand& a, float b) {
    return add(a.variable, b, a.where);
}
inline Variable operator-(const VariableOperand& a, float b) {
    return sub(a.variable, b, a.where);
}
inline Variable operator*(const VariableOperand& a, float b) {
    return mul(a.variable, b, a.where);
}
inline Variable operator/(const VariableOperand& a, float b) {
    return div(a.variable, b, a.where);
}
inline Variable operator-(const VariableOperand& a) {
    return neg(a.variable, a.where);
}

}  // namespace headway::nn
