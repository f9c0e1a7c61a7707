// The arithmetic of the elementwise ops, one element at a time: for the CPU, the simulated device and CUDA.
//
// The CPU's kernels are compiled for several instruction sets, and the linker keeps one copy of an inline function. So
// these are always inlined, and call nothing but functions of the C library.
//
// Threads: any; no state.
#pragma once

#include <cmath>

#include "engine/devices/op_table.h"

#if defined(__CUDACC__)
#define HEADWAY_ELEMENT __device__ static
#else
#define HEADWAY_ELEMENT [[gnu::always_inline]] static inline
#endif

namespace headway::devices::kernels {

struct Add {
    HEADWAY_ELEMENT float of(float a, float b) { return a + b; }
};
struct Sub {
    HEADWAY_ELEMENT float of(float a, float b) { return a - b; }
};
struct Mul {
    HEADWAY_ELEMENT float of(float a, float b) { return a * b; }
};
struct Div {
    HEADWAY_ELEMENT float of(float a, float b) { return a / b; }
};
struct Greater {
    HEADWAY_ELEMENT float of(float a, float b) { return a > b ? 1.0f : 0.0f; }
};
struct Equal {
    HEADWAY_ELEMENT float of(float a, float b) { return a == b ? 1.0f : 0.0f; }
};
template <class Op>
struct Reversed {
    HEADWAY_ELEMENT float of(float a, float b) { return Op::of(b, a); }
};
struct Neg {
    HEADWAY_ELEMENT float of(float a) { return -a; }
};
struct Relu {
    HEADWAY_ELEMENT float of(float a) { return a < 0.0f ? 0.0f : a; }  // NaN stays NaN
};
struct Exp {
    HEADWAY_ELEMENT float of(float a) { return expf(a); }
};
struct Log {
    HEADWAY_ELEMENT float of(float a) { return logf(a); }
};
struct Sqrt {
    HEADWAY_ELEMENT float of(float a) { return sqrtf(a); }
};

// Enters the kernels of all elementwise ops into a device's table, which has a member function for each arity.
template <class Table>
constexpr void put_elementwise(Table& table) {
    table.template put_two<Add>(OpKind::add);
    table.template put_two<Sub>(OpKind::sub);
    table.template put_two<Mul>(OpKind::mul);
    table.template put_two<Div>(OpKind::div);
    table.template put_two<Greater>(OpKind::greater);
    table.template put_two<Equal>(OpKind::equal);
    table.template put_scalar<Add>(OpKind::add_scalar);
    table.template put_scalar<Sub>(OpKind::sub_scalar);
    table.template put_scalar<Reversed<Sub>>(OpKind::rsub_scalar);
    table.template put_scalar<Mul>(OpKind::mul_scalar);
    table.template put_scalar<Div>(OpKind::div_scalar);
    table.template put_scalar<Reversed<Div>>(OpKind::rdiv_scalar);
    table.template put_scalar<Greater>(OpKind::greater_scalar);
    table.template put_scalar<Equal>(OpKind::equal_scalar);
    table.template put_one<Neg>(OpKind::neg);
    table.template put_one<Relu>(OpKind::relu);
    table.template put_one<Exp>(OpKind::exp);
    table.template put_one<Log>(OpKind::log);
    table.template put_one<Sqrt>(OpKind::sqrt);
}

}  // namespace headway::devices::kernels
