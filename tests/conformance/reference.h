// Reference implementation of the ops, as plain as possible: in double, element by element. Tests compare devices and
// gradients with it; it shares no arithmetic with them.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "engine/devices/op.h"

namespace headway::reference {

using devices::OpKind;
using devices::Shape;

struct Array {
    Shape shape;
    std::vector<double> values;

    Array() = default;
    explicit Array(const Shape& s) : shape(s), values(static_cast<std::size_t>(s.elements())) {}
    Array(const Shape& s, std::vector<double> v) : shape(s), values(std::move(v)) {}
    static Array full(const Shape& s, double value) {
        return {s, std::vector<double>(static_cast<std::size_t>(s.elements()), value)};
    }
    [[nodiscard]] std::size_t size() const { return values.size(); }
};

using Index = std::vector<std::int64_t>;

// Converts between the i-th element and its multi-index. If `at` has too many axes, the leading ones are dropped; along
// axes of length 1 every index is 0. That is all broadcasting needs.
inline Index index_of(const Shape& shape, std::size_t i) {
    Index at(static_cast<std::size_t>(shape.rank));
    auto rest = static_cast<std::int64_t>(i);
    for (int axis = shape.rank - 1; axis >= 0; --axis) {
        at[static_cast<std::size_t>(axis)] = rest % shape[axis];
        rest /= shape[axis];
    }
    return at;
}
inline std::size_t offset_of(const Shape& shape, const Index& at) {
    const std::size_t extra = at.size() - static_cast<std::size_t>(shape.rank);
    std::int64_t offset = 0;
    for (int axis = 0; axis < shape.rank; ++axis) {
        offset = offset * shape[axis] + (shape[axis] == 1 ? 0 : at[static_cast<std::size_t>(axis) + extra]);
    }
    return static_cast<std::size_t>(offset);
}

inline Shape broadcast(const Shape& a, const Shape& b) {
    Shape out = a.rank >= b.rank ? a : b;
    const Shape& low = a.rank >= b.rank ? b : a;
    for (int i = 1; i <= low.rank; ++i) {
        out[out.rank - i] = std::max(out[out.rank - i], low[low.rank - i]);
    }
    return out;
}

// In double, or in the devices' float where a test compares bits.
template <class Number>
Number apply(OpKind kind, Number a, Number b) {
    switch (kind) {
        case OpKind::add:
        case OpKind::add_scalar:
            return a + b;
        case OpKind::sub:
        case OpKind::sub_scalar:
            return a - b;
        case OpKind::rsub_scalar:
            return b - a;
        case OpKind::mul:
        case OpKind::mul_scalar:
            return a * b;
        case OpKind::div:
        case OpKind::div_scalar:
            return a / b;
        case OpKind::rdiv_scalar:
            return b / a;
        case OpKind::greater:
        case OpKind::greater_scalar:
            return static_cast<Number>(a > b);
        case OpKind::equal:
        case OpKind::equal_scalar:
            return static_cast<Number>(a == b);
        case OpKind::neg:
            return -a;
        case OpKind::relu:
            return a > 0 ? a : 0;
        case OpKind::exp:
            return std::exp(a);
        case OpKind::log:
            return std::log(a);
        case OpKind::sqrt:
            return std::sqrt(a);
        case OpKind::copy:
            return a;
        default:
            HEADWAY_ASSERT(false, "not an elementwise op");
            return 0;
    }
}

// Whether an op of one tensor is defined only for positive values.
inline bool wants_positive(OpKind kind) {
    return kind == OpKind::log || kind == OpKind::sqrt;
}

inline std::vector<OpKind> kinds_of(devices::Arity arity) {
    std::vector<OpKind> kinds;
    for (const devices::OpRow& op : devices::kOps) {
        if (op.arity == arity) {
            kinds.push_back(op.kind);
        }
    }
    return kinds;
}

inline Array binary(OpKind kind, const Array& a, const Array& b) {
    Array out(broadcast(a.shape, b.shape));
    for (std::size_t i = 0; i < out.size(); ++i) {
        const Index at = index_of(out.shape, i);
        out.values[i] = apply(kind, a.values[offset_of(a.shape, at)], b.values[offset_of(b.shape, at)]);
    }
    return out;
}
inline Array unary(OpKind kind, Array a, double scalar = 0.0) {  // including the scalar forms
    for (double& value : a.values) {
        value = apply(kind, value, scalar);
    }
    return a;
}
inline Array add_scaled(const Array& a, const Array& b, double scale) {
    return binary(OpKind::add, a, unary(OpKind::mul_scalar, b, scale));
}

inline Array transpose(const Array& a, int axis0, int axis1) {
    Array out(a.shape);
    std::swap(out.shape[axis0], out.shape[axis1]);
    for (std::size_t i = 0; i < out.size(); ++i) {
        Index at = index_of(out.shape, i);
        std::swap(at[static_cast<std::size_t>(axis0)], at[static_cast<std::size_t>(axis1)]);
        out.values[i] = a.values[offset_of(a.shape, at)];
    }
    return out;
}

inline Array matmul(const Array& a, const Array& b, bool transpose_a = false, bool transpose_b = false) {
    const Array left = transpose_a ? transpose(a, 0, 1) : a;
    const Array right = transpose_b ? transpose(b, 0, 1) : b;
    const auto m = left.shape[0], k = left.shape[1], n = right.shape[1];
    Array out(Shape{m, n});
    for (std::int64_t i = 0; i < m; ++i) {
        for (std::int64_t j = 0; j < n; ++j) {
            for (std::int64_t l = 0; l < k; ++l) {
                out.values[static_cast<std::size_t>(i * n + j)] += left.values[static_cast<std::size_t>(i * k + l)] *
                                                                   right.values[static_cast<std::size_t>(l * n + j)];
            }
        }
    }
    return out;
}

inline double reduce(OpKind kind, const std::vector<double>& values) {
    double result = kind == OpKind::max ? values.at(0) : 0.0;
    for (const double value : values) {
        result = kind == OpKind::max ? std::max(result, value) : result + value;
    }
    return kind == OpKind::mean ? result / static_cast<double>(values.size()) : result;
}
inline Array reduce(OpKind kind, const Array& a) {
    return {Shape{}, std::vector<double>{reduce(kind, a.values)}};
}
inline Array reduce(OpKind kind, const Array& a, int axis, bool keep) {
    Shape kept = a.shape;
    kept[axis] = 1;
    std::vector<std::vector<double>> groups(static_cast<std::size_t>(kept.elements()));
    for (std::size_t i = 0; i < a.size(); ++i) {
        groups[offset_of(kept, index_of(a.shape, i))].push_back(a.values[i]);
    }
    Array out(kept);
    for (std::size_t i = 0; i < out.size(); ++i) {
        out.values[i] = reduce(kind, groups[i]);
    }
    if (!keep) {
        Shape shape;
        for (int i = 0; i < kept.rank; ++i) {
            if (i != axis) {
                shape.dims[static_cast<std::size_t>(shape.rank++)] = kept[i];
            }
        }
        out.shape = shape;
    }
    return out;
}

inline Array slice(const Array& a, std::int64_t start, std::int64_t rows) {
    Shape shape = a.shape;
    shape[0] = rows;
    const auto row = static_cast<std::ptrdiff_t>(a.shape.elements() / a.shape[0]);
    return {shape, {a.values.begin() + start * row, a.values.begin() + (start + rows) * row}};
}
inline Array assign_slice(Array a, std::int64_t start, const Array& rows) {
    const auto row = static_cast<std::ptrdiff_t>(a.shape.elements() / a.shape[0]);
    std::copy(rows.values.begin(), rows.values.end(), a.values.begin() + start * row);
    return a;
}

}  // namespace headway::reference
