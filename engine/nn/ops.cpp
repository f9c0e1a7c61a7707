#include "engine/nn/ops.h"

#include <algorithm>
#include <array>

#include "engine/nn/tape.h"
#include "engine/runtime/runtime.h"

namespace headway::nn {

using devices::OpKind;
using runtime::LineScope;

namespace {

// A call of the program: the ops that it issues get the line `where`. `call->` is the runtime.
class Call {
public:
    Call(const Variable& a, Where where) : rt_(a.runtime()), line_(rt_.lines, where) {}
    Runtime* operator->() const { return &rt_; }

private:
    Runtime& rt_;
    const LineScope line_;
};

Side flipped(Side side) {
    return side == Side::normal ? Side::transposed : Side::normal;
}

// The tensor to save, or an undefined one if no gradient needs it: a saved tensor occupies memory.
Tensor saved_if(bool needed, const Tensor& tensor) {
    return needed ? tensor : Tensor();
}

// `scale` · `gradient`, repeated along the reduced axes. `gradient` has these axes with length 1.
Tensor spread(Runtime& rt, const Tensor& gradient, const Shape& shape, float scale) {
    const runtime::OnDevice there(rt, gradient.device());
    Tensor out = rt.full(shape, scale);
    rt.binary_in_place(OpKind::mul, out, gradient);
    return out;
}

// The shape of a reduction's result with each reduced axis kept as 1. `axis` < 0: all axes.
Shape with_ones(Shape shape, int axis) {
    for (int i = 0; i < shape.rank; ++i) {
        if (axis < 0 || i == axis) {
            shape[i] = 1;
        }
    }
    return shape;
}

constexpr int kAll = -1;

Variable reduced(OpKind kind, const char* name, const Variable& a, Tensor out, int axis) {
    if (kind != OpKind::max) {
        return record(name, std::move(out), {&a}, {}, [kind, axis](BackwardPass& pass) {
            const Shape& shape = pass.input_shape(0);
            const auto count = axis == kAll ? shape.elements() : shape[axis];
            Runtime& rt = pass.runtime();
            pass.give(0, spread(rt, rt.reshape(pass.gradient(), with_ones(shape, axis)), shape,
                                kind == OpKind::mean ? 1.0f / static_cast<float>(count) : 1.0f));
        });
    }
    return record(name, out, {&a}, {a.value(), out}, [axis](BackwardPass& pass) {
        Runtime& rt = pass.runtime();
        const Shape ones = with_ones(pass.input_shape(0), axis);
        Tensor share = rt.binary(OpKind::equal, pass.saved(0), rt.reshape(pass.saved(1), ones));
        const Tensor ties =
            axis == kAll ? rt.reshape(rt.reduce(OpKind::sum, share), ones) : rt.reduce(OpKind::sum, share, axis, true);
        rt.binary_in_place(OpKind::mul, share, rt.binary(OpKind::div, rt.reshape(pass.gradient(), ones), ties));
        pass.give(0, std::move(share));
    });
}

Variable reduced_all(OpKind kind, const char* name, const Variable& a, Where where) {
    const Call rt(a, where);
    return reduced(kind, name, a, rt->reduce(kind, a.value()), kAll);
}

Variable reduced_axis(OpKind kind, const char* name, const Variable& a, int axis, bool keep, Where where) {
    const Call rt(a, where);
    Tensor out = rt->reduce(kind, a.value(), axis, keep);
    return reduced(kind, name, a, std::move(out), axis < 0 ? axis + a.shape().rank : axis);
}

Variable scaled(const char* name, const Variable& a, OpKind kind, float b, float slope, Where where) {
    const Call rt(a, where);
    return record(name, rt->with_scalar(kind, a.value(), b), {&a}, {}, [slope](BackwardPass& pass) {
        if (slope == 1.0f) {
            pass.pass_on(0);
        } else {
            pass.give(0, pass.runtime().with_scalar(OpKind::mul_scalar, pass.gradient(), slope));
        }
    });
}

Variable untracked(OpKind kind, const Variable& a, const Variable& b, Where where) {
    const Call rt(a, where);
    return {rt->binary(kind, a.value(), b.value())};
}

Variable untracked(OpKind kind, const Variable& a, float b, Where where) {
    const Call rt(a, where);
    return {rt->with_scalar(kind, a.value(), b)};
}

// Gradients shared by the out-of-place and the in-place form of an op. BackwardPass (tape.h) says when a gradient is
// given and when it is passed on.

void backward_of_add(BackwardPass& pass) {
    pass.pass_on(1);
    pass.pass_on(0);
}

void backward_of_sub(BackwardPass& pass) {
    if (pass.needs(1)) {
        pass.give(1, pass.runtime().unary(OpKind::neg, pass.gradient()));
    }
    pass.pass_on(0);
}

BackwardFunction backward_of_add_scaled(float scale) {
    return [scale](BackwardPass& pass) {
        if (pass.needs(1)) {
            pass.give(1, pass.runtime().with_scalar(OpKind::mul_scalar, pass.gradient(), scale));
        }
        pass.pass_on(0);
    };
}

// saved: the two factors, each only if the other one needs a gradient.
void backward_of_mul(BackwardPass& pass) {
    for (std::size_t i : {std::size_t{0}, std::size_t{1}}) {
        if (pass.needs(i)) {
            pass.give(i, pass.runtime().binary(OpKind::mul, pass.gradient(), pass.saved(1 - i)));
        }
    }
}

BackwardFunction backward_of_scale(float factor) {
    return [factor](BackwardPass& pass) {
        pass.give(0, pass.runtime().with_scalar(OpKind::mul_scalar, pass.gradient(), factor));
    };
}

// Gradients of the ops of one tensor. `saved` is what pass.saved(0) is in `backward`: the one that makes the gradient
// cheaper. A gradient may issue any ops.

enum class Saved { nothing, input, result };

struct UnaryGradient {
    Saved saved = Saved::nothing;
    void (*backward)(BackwardPass& pass) = nullptr;
};

constexpr auto kUnaryGradients = [] {
    std::array<UnaryGradient, devices::kOpKinds> all{};
    const auto put = [&](OpKind kind, Saved saved, void (*backward)(BackwardPass&)) {
        all[static_cast<std::size_t>(kind)] = {saved, backward};
    };
    put(OpKind::neg, Saved::nothing,
        [](BackwardPass& pass) { pass.give(0, pass.runtime().unary(OpKind::neg, pass.gradient())); });
    // The result shows where the input was positive, so the input is not saved.
    put(OpKind::relu, Saved::result, [](BackwardPass& pass) {
        Runtime& rt = pass.runtime();
        Tensor part = rt.with_scalar(OpKind::greater_scalar, pass.saved(0), 0.0f);
        rt.binary_in_place(OpKind::mul, part, pass.gradient());
        pass.give(0, std::move(part));
    });
    put(OpKind::exp, Saved::result,
        [](BackwardPass& pass) { pass.give(0, pass.runtime().binary(OpKind::mul, pass.gradient(), pass.saved(0))); });
    put(OpKind::log, Saved::input,
        [](BackwardPass& pass) { pass.give(0, pass.runtime().binary(OpKind::div, pass.gradient(), pass.saved(0))); });
    put(OpKind::sqrt, Saved::result, [](BackwardPass& pass) {
        Runtime& rt = pass.runtime();
        Tensor part = rt.binary(OpKind::div, pass.gradient(), pass.saved(0));
        rt.with_scalar_in_place(OpKind::mul_scalar, part, 0.5f);
        pass.give(0, std::move(part));
    });
    put(OpKind::copy, Saved::nothing, [](BackwardPass& pass) { pass.pass_on(0); });
    return all;
}();
static_assert(std::all_of(devices::kOps.begin(), devices::kOps.end(),
                          [](const devices::OpRow& row) {
                              return row.arity != devices::Arity::one ||
                                     kUnaryGradients[static_cast<std::size_t>(row.kind)].backward != nullptr;
                          }),
              "every op of one tensor has a gradient");

}  // namespace

// --- two tensors ---

Variable add(const Variable& a, const Variable& b, Where where) {
    const Call rt(a, where);
    return record("add", rt->binary(OpKind::add, a.value(), b.value()), {&a, &b}, {}, backward_of_add);
}

Variable sub(const Variable& a, const Variable& b, Where where) {
    const Call rt(a, where);
    return record("sub", rt->binary(OpKind::sub, a.value(), b.value()), {&a, &b}, {}, backward_of_sub);
}

Variable mul(const Variable& a, const Variable& b, Where where) {
    const Call rt(a, where);
    return record("mul", rt->binary(OpKind::mul, a.value(), b.value()), {&a, &b},
                  {saved_if(b.tracked(), a.value()), saved_if(a.tracked(), b.value())}, backward_of_mul);
}

Variable div(const Variable& a, const Variable& b, Where where) {
    const Call rt(a, where);
    Tensor out = rt->binary(OpKind::div, a.value(), b.value());
    return record("div", out, {&a, &b}, {b.value(), saved_if(b.tracked(), out)}, [](BackwardPass& pass) {
        // d(a/b) = da/b - (a/b)/b db
        Runtime& rt = pass.runtime();
        Tensor quotient = rt.binary(OpKind::div, pass.gradient(), pass.saved(0));
        if (pass.needs(1)) {
            Tensor part = rt.binary(OpKind::mul, quotient, pass.saved(1));
            rt.with_scalar_in_place(OpKind::mul_scalar, part, -1.0f);
            pass.give(1, std::move(part));
        }
        pass.give(0, std::move(quotient));
    });
}

Variable add_scaled(const Variable& a, const Variable& b, float scale, Where where) {
    const Call rt(a, where);
    return record("add_scaled", rt->add_scaled(a.value(), b.value(), scale), {&a, &b}, {},
                  backward_of_add_scaled(scale));
}

Variable greater(const Variable& a, const Variable& b, Where where) {
    return untracked(OpKind::greater, a, b, where);
}
Variable equal(const Variable& a, const Variable& b, Where where) {
    return untracked(OpKind::equal, a, b, where);
}

// --- a tensor and a number ---

Variable add(const Variable& a, float b, Where where) {
    return scaled("add", a, OpKind::add_scalar, b, 1.0f, where);
}
Variable sub(const Variable& a, float b, Where where) {
    return scaled("sub", a, OpKind::sub_scalar, b, 1.0f, where);
}
Variable sub(float a, const Variable& b, Where where) {
    return scaled("sub", b, OpKind::rsub_scalar, a, -1.0f, where);
}
Variable mul(const Variable& a, float b, Where where) {
    return scaled("mul", a, OpKind::mul_scalar, b, b, where);
}
Variable div(const Variable& a, float b, Where where) {
    return scaled("div", a, OpKind::div_scalar, b, 1.0f / b, where);
}

Variable div(float a, const Variable& b, Where where) {
    const Call rt(b, where);
    Tensor out = rt->with_scalar(OpKind::rdiv_scalar, b.value(), a);
    return record("div", out, {&b}, {b.value(), out}, [](BackwardPass& pass) {
        // d(s/b) = -(s/b)/b db
        Runtime& rt = pass.runtime();
        Tensor part = rt.binary(OpKind::div, pass.saved(1), pass.saved(0));
        rt.binary_in_place(OpKind::mul, part, pass.gradient());
        rt.with_scalar_in_place(OpKind::mul_scalar, part, -1.0f);
        pass.give(0, std::move(part));
    });
}

Variable greater(const Variable& a, float b, Where where) {
    return untracked(OpKind::greater_scalar, a, b, where);
}
Variable equal(const Variable& a, float b, Where where) {
    return untracked(OpKind::equal_scalar, a, b, where);
}

// --- one tensor ---

Variable unary(OpKind kind, const Variable& a, Where where) {
    const Call rt(a, where);
    const UnaryGradient& gradient = kUnaryGradients[static_cast<std::size_t>(kind)];
    const char* name = devices::name_of(kind);
    Tensor out = rt->unary(kind, a.value());
    if (gradient.saved == Saved::nothing) {
        return record(name, std::move(out), {&a}, {}, gradient.backward);
    }
    return record(name, out, {&a}, {gradient.saved == Saved::input ? a.value() : out}, gradient.backward);
}

Variable square(const Variable& a, Where where) {
    const Call rt(a, where);
    return record("square", rt->binary(OpKind::mul, a.value(), a.value()), {&a}, {a.value()}, [](BackwardPass& pass) {
        Runtime& rt = pass.runtime();
        Tensor part = rt.binary(OpKind::mul, pass.gradient(), pass.saved(0));
        rt.with_scalar_in_place(OpKind::mul_scalar, part, 2.0f);
        pass.give(0, std::move(part));
    });
}

Variable to_device(const Variable& a, core::DeviceId device, Where where) {
    const Call rt(a, where);
    const core::DeviceId from = a.value().device();
    if (from == device) {
        return a;
    }
    return record("to_device", rt->to_device(a.value(), device), {&a}, {},
                  [from](BackwardPass& pass) { pass.give(0, pass.runtime().to_device(pass.gradient(), from)); });
}

Variable matmul(const Variable& a, const Variable& b, Side side_a, Side side_b, Where where) {
    const Call rt(a, where);
    return record(
        "matmul", rt->matmul(a.value(), b.value(), side_a, side_b), {&a, &b},
        {saved_if(b.tracked(), a.value()), saved_if(a.tracked(), b.value())}, [side_a, side_b](BackwardPass& pass) {
            Runtime& rt = pass.runtime();
            const Tensor& g = pass.gradient();
            if (pass.needs(0)) {
                pass.give(0, side_a == Side::normal ? rt.matmul(g, pass.saved(1), Side::normal, flipped(side_b))
                                                    : rt.matmul(pass.saved(1), g, side_b, Side::transposed));
            }
            if (pass.needs(1)) {
                pass.give(1, side_b == Side::normal ? rt.matmul(pass.saved(0), g, flipped(side_a), Side::normal)
                                                    : rt.matmul(g, pass.saved(0), Side::transposed, side_a));
            }
        });
}

Variable sum(const Variable& a, Where where) {
    return reduced_all(OpKind::sum, "sum", a, where);
}
Variable mean(const Variable& a, Where where) {
    return reduced_all(OpKind::mean, "mean", a, where);
}
Variable max(const Variable& a, Where where) {
    return reduced_all(OpKind::max, "max", a, where);
}
Variable sum(const Variable& a, int axis, bool keep, Where where) {
    return reduced_axis(OpKind::sum, "sum", a, axis, keep, where);
}
Variable mean(const Variable& a, int axis, bool keep, Where where) {
    return reduced_axis(OpKind::mean, "mean", a, axis, keep, where);
}
Variable max(const Variable& a, int axis, bool keep, Where where) {
    return reduced_axis(OpKind::max, "max", a, axis, keep, where);
}

Variable transpose(const Variable& a, int axis0, int axis1, Where where) {
    const Call rt(a, where);
    return record("transpose", rt->transpose(a.value(), axis0, axis1), {&a}, {}, [axis0, axis1](BackwardPass& pass) {
        pass.give(0, pass.runtime().transpose(pass.gradient(), axis0, axis1));
    });
}

Variable reshape(const Variable& a, const Shape& shape, Where where) {
    const Call rt(a, where);
    return record("reshape", rt->reshape(a.value(), shape), {&a}, {}, [](BackwardPass& pass) { pass.reshape_on(0); });
}

Variable slice(const Variable& a, std::int64_t start, std::int64_t rows, Where where) {
    const Call rt(a, where);
    return record("slice", rt->slice(a.value(), start, rows), {&a}, {}, [start](BackwardPass& pass) {
        const runtime::OnDevice there(pass.runtime(), pass.gradient().device());
        Tensor part = pass.runtime().full(pass.input_shape(0), 0.0f);
        pass.runtime().assign_slice(part, start, pass.gradient());
        pass.give(0, std::move(part));
    });
}

// --- in place ---

void add_in_place(Variable& a, const Variable& b, Where where) {
    const Call rt(a, where);
    before_in_place("add", a, {&b});
    rt->binary_in_place(OpKind::add, a.value(), b.value());
    record_in_place("add", a, {&b}, {}, backward_of_add);
}

void sub_in_place(Variable& a, const Variable& b, Where where) {
    const Call rt(a, where);
    before_in_place("sub", a, {&b});
    rt->binary_in_place(OpKind::sub, a.value(), b.value());
    record_in_place("sub", a, {&b}, {}, backward_of_sub);
}

void mul_in_place(Variable& a, const Variable& b, Where where) {
    const Call rt(a, where);
    before_in_place("mul", a, {&b});
    if (is_recording() && b.tracked()) {
        fail(a.runtime(), core::ErrorKind::failed,
             "mul in place would overwrite what the gradient of its second factor needs; make a new tensor");
    }
    rt->binary_in_place(OpKind::mul, a.value(), b.value());
    record_in_place("mul", a, {&b}, {Tensor(), saved_if(a.tracked(), b.value())}, backward_of_mul);
}

void add_in_place(Variable& a, float b, Where where) {
    const Call rt(a, where);
    before_in_place("add", a, {});
    rt->with_scalar_in_place(OpKind::add_scalar, a.value(), b);
    record_in_place("add", a, {}, {}, [](BackwardPass& pass) { pass.pass_on(0); });
}

void sub_in_place(Variable& a, float b, Where where) {
    add_in_place(a, -b, where);
}

void mul_in_place(Variable& a, float b, Where where) {
    const Call rt(a, where);
    before_in_place("mul", a, {});
    rt->with_scalar_in_place(OpKind::mul_scalar, a.value(), b);
    record_in_place("mul", a, {}, {}, backward_of_scale(b));
}

void add_scaled_in_place(Variable& a, const Variable& b, float scale, Where where) {
    const Call rt(a, where);
    before_in_place("add_scaled", a, {&b});
    rt->add_scaled_in_place(a.value(), b.value(), scale);
    record_in_place("add_scaled", a, {&b}, {}, backward_of_add_scaled(scale));
}

void assign_slice(Variable& a, std::int64_t start, const Variable& rows, Where where) {
    const Call rt(a, where);
    before_in_place("assign_slice", a, {&rows});
    rt->assign_slice(a.value(), start, rows.value());
    const Shape shape = rows.shape();
    record_in_place("assign_slice", a, {&rows}, {}, [start, shape](BackwardPass& pass) {
        Runtime& rt = pass.runtime();
        if (pass.needs(1)) {
            pass.give(1, rt.reshape(rt.slice(pass.gradient(), start, shape[0]), shape));
        }
        if (pass.needs(0)) {
            const runtime::OnDevice there(rt, pass.gradient().device());
            Tensor rest = rt.unary(OpKind::copy, pass.gradient());
            rt.assign_slice(rest, start, rt.full(shape, 0.0f));
            pass.give(0, std::move(rest));
        }
    });
}

}  // namespace headway::nn
