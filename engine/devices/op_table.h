// The vocabulary of ops: one row for each kind. Names, families, signatures, Python methods and the tests' loops come
// from it.
//
// Threads: any; constants.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace headway::devices {

enum class OpKind : std::uint16_t {
    none = 0,
    fill,
    normal,
    uniform,
    copy_to_device,
    add,
    sub,
    mul,
    div,
    greater,
    equal,
    add_scalar,
    sub_scalar,
    rsub_scalar,
    mul_scalar,
    div_scalar,
    rdiv_scalar,
    greater_scalar,
    equal_scalar,
    add_scaled,
    neg,
    relu,
    exp,
    log,
    sqrt,
    copy,
    matmul,
    sum,
    mean,
    max,
    transpose,
    slice,
    assign_slice,
    copy_to_host,
    noop,
    host_call,
    graph,
    opaque,
    count_
};
inline constexpr std::size_t kOpKinds = static_cast<std::size_t>(OpKind::count_);

// Determines the colour of an op.
enum class Family : std::uint8_t { create, elementwise, matmul, reduce, update, copy, random, other };

// What the runtime calls an op with: one is Runtime::unary, one_and_scalar with_scalar, two binary. `own`: arguments of
// its own, such as axes, rows or host memory.
enum class Arity : std::uint8_t { none, one, one_and_scalar, two, two_and_scalar, own };

// The shape of the output.
enum class ShapeRule : std::uint8_t {
    none,       // cannot be issued by itself
    empty,      // no output
    given,      // the call's
    same,       // the first input's
    equal,      // that of both inputs
    broadcast,  // NumPy's rule for the two inputs
    product,    // that of a product of two matrices
    reduced,    // the first input's without one axis, or without all
    exchanged,  // the first input's with two axes exchanged
    rows,       // some rows of the first input
    into_rows,  // the first input's, of which some rows become the second input
};

struct OpRow {
    OpKind kind = OpKind::none;
    const char* name = "";
    Family family = Family::other;
    Arity arity = Arity::own;
    ShapeRule shape = ShapeRule::none;
    std::uint8_t flops = 0;  // per element of the output; product, reduced: per term of its sum
    const char* text = "";   // what it does; of Arity::one, the Python method's documentation
};

inline constexpr std::array<OpRow, kOpKinds> kOps = [] {
    using enum OpKind;
    using F = Family;
    using A = Arity;
    using S = ShapeRule;
    return std::array<OpRow, kOpKinds>{{
        {none, "none", F::other, A::own, S::none, 0, "No op."},
        {fill, "fill", F::create, A::own, S::given, 0, "out = a."},
        {normal, "normal", F::random, A::own, S::given, 16, "Mean a, standard deviation b."},
        {uniform, "uniform", F::random, A::own, S::given, 16, "Uniform in [a, b)."},
        {copy_to_device, "copy_to_device", F::copy, A::own, S::given, 0,
         "Copies values from the host, or from another GPU."},
        {add, "add", F::elementwise, A::two, S::broadcast, 1, "in0 + in1."},
        {sub, "sub", F::elementwise, A::two, S::broadcast, 1, "in0 - in1."},
        {mul, "mul", F::elementwise, A::two, S::broadcast, 1, "in0 * in1."},
        {div, "div", F::elementwise, A::two, S::broadcast, 1, "in0 / in1."},
        {greater, "greater", F::elementwise, A::two, S::broadcast, 1, "1 where in0 > in1, else 0."},
        {equal, "equal", F::elementwise, A::two, S::broadcast, 1, "1 where in0 == in1, else 0."},
        {add_scalar, "add_scalar", F::elementwise, A::one_and_scalar, S::same, 1, "in0 + a."},
        {sub_scalar, "sub_scalar", F::elementwise, A::one_and_scalar, S::same, 1, "in0 - a."},
        {rsub_scalar, "rsub_scalar", F::elementwise, A::one_and_scalar, S::same, 1, "a - in0."},
        {mul_scalar, "mul_scalar", F::elementwise, A::one_and_scalar, S::same, 1, "in0 * a."},
        {div_scalar, "div_scalar", F::elementwise, A::one_and_scalar, S::same, 1, "in0 / a."},
        {rdiv_scalar, "rdiv_scalar", F::elementwise, A::one_and_scalar, S::same, 1, "a / in0."},
        {greater_scalar, "greater_scalar", F::elementwise, A::one_and_scalar, S::same, 1, "1 where in0 > a, else 0."},
        {equal_scalar, "equal_scalar", F::elementwise, A::one_and_scalar, S::same, 1, "1 where in0 == a, else 0."},
        {add_scaled, "add_scaled", F::elementwise, A::two_and_scalar, S::equal, 2, "in0 + a * in1; in place: update."},
        {neg, "neg", F::elementwise, A::one, S::same, 1, "Minus each element."},
        {relu, "relu", F::elementwise, A::one, S::same, 1, "Each element, or 0 where it is negative."},
        {exp, "exp", F::elementwise, A::one, S::same, 1, "e to the power of each element."},
        {log, "log", F::elementwise, A::one, S::same, 1, "Natural logarithm of each element."},
        {sqrt, "sqrt", F::elementwise, A::one, S::same, 1, "Square root of each element."},
        {copy, "copy", F::copy, A::one, S::same, 0, "The same values."},
        {matmul, "matmul", F::matmul, A::own, S::product, 2, "Flags say which side is transposed."},
        {sum, "sum", F::reduce, A::own, S::reduced, 1, "Over one axis or all, in a fixed order."},
        {mean, "mean", F::reduce, A::own, S::reduced, 1, "Over one axis or all, in a fixed order."},
        {max, "max", F::reduce, A::own, S::reduced, 1, "Over one axis or all."},
        {transpose, "transpose", F::copy, A::own, S::exchanged, 0, "Exchanges two axes."},
        {slice, "slice", F::copy, A::own, S::rows, 0, "Rows [start, start + n) of axis 0."},
        {assign_slice, "assign_slice", F::copy, A::own, S::into_rows, 0, "Overwrites such rows."},
        {copy_to_host, "copy_to_host", F::copy, A::own, S::same, 0, "A GPU lane copies values to host memory."},
        {noop, "noop", F::other, A::none, S::empty, 0, "Does nothing."},
        {host_call, "host_call", F::other, A::own, S::given, 0, "Runs a function on the lane, for tests and lessons."},
        {graph, "graph", F::other, A::own, S::none, 0, "A body of ops issued as one, see Composite."},
        {opaque, "opaque", F::other, A::own, S::none, 0, "Work of another library, see OpaqueWork."},
    }};
}();
static_assert(
    [] {
        for (std::size_t i = 0; i < kOpKinds; ++i) {
            if (kOps[i].kind != static_cast<OpKind>(i)) {
                return false;
            }
        }
        return true;
    }(),
    "each row is at its kind's number");

constexpr const OpRow& row_of(OpKind kind) {
    return kOps[static_cast<std::size_t>(kind)];
}

// "matmul"; "unknown" for a number that is not a kind.
constexpr const char* name_of(OpKind kind) {
    return kind < OpKind::count_ ? row_of(kind).name : "unknown";
}
const char* name_of(Family family);
// The kind of this name; OpKind::none if there is none.
constexpr OpKind kind_called(std::string_view name) {
    for (std::size_t i = 1; i < kOpKinds; ++i) {
        if (name == kOps[i].name) {
            return kOps[i].kind;
        }
    }
    return OpKind::none;
}

// Differs where the names or their order differ (FNV-1a).
constexpr std::uint32_t hash_of(std::span<const OpRow> rows) {
    std::uint32_t hash = 2166136261u;
    for (const OpRow& row : rows) {
        for (const char c : std::string_view(row.name)) {
            hash = (hash ^ static_cast<unsigned char>(c)) * 16777619u;
        }
        hash = (hash ^ 0xffu) * 16777619u;
    }
    return hash;
}

}  // namespace headway::devices
