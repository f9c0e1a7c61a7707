// Values and gradients of every op against a plain implementation in double and its central differences.
#include "engine/nn/ops.h"

#include <gtest/gtest.h>

#include "tests/unit/nn/engine.h"

namespace headway::nn {
namespace {

using devices::OpKind;
namespace plain = reference;

using Arrays = std::vector<Array>;
using Variables = std::vector<Variable>;

Array random(const Shape& shape, double low = -2.0, double high = 2.0) {
    static std::mt19937 generator(20240521);
    return random_array(generator, shape, low, high);
}

// Away from kinks and poles by more than the step of the central differences.
Array random_away_from_zero(const Shape& shape) {
    Array array = random(shape, 0.3, 2.0);
    for (std::size_t i = 0; i < array.size(); i += 2) {
        array.values[i] = -array.values[i];
    }
    return array;
}

struct ShapePair {
    Shape a, b;
};

const std::vector<ShapePair> kBroadcasts = {
    {{3, 4}, {3, 4}},
    {{3, 4}, {4}},
    {{4}, {3, 4}},
    {{3, 4}, {3, 1}},
    {{3, 1}, {1, 4}},
    {{}, {3, 4}},
    {{3, 4}, {}},
    {{}, {}},
    {{2, 3, 4}, {3, 1}},
    {{2, 3, 4}, {1, 3, 1}},
    {{1, 3, 1}, {2, 1, 4}},
    {{5}, {1}},
    {{2, 1, 3, 1, 2}, {4, 1, 5, 1}},
    {{1, 1}, {3}},
    {{2, 3, 4}, {2, 1, 1}},
};

class Broadcasting : public testing::TestWithParam<OpKind> {};

TEST_P(Broadcasting, GradientsAreSummedBackToTheOperandsShapes) {
    const OpKind kind = GetParam();
    for (const auto& [a, b] : kBroadcasts) {
        SCOPED_TRACE(to_string(a) + " and " + to_string(b));
        check_gradients(
            {random(a), kind == OpKind::div ? random_away_from_zero(b) : random(b)},
            [kind](const Variables& v) {
                switch (kind) {
                    case OpKind::add:
                        return v[0] + v[1];
                    case OpKind::sub:
                        return v[0] - v[1];
                    case OpKind::mul:
                        return v[0] * v[1];
                    default:
                        return v[0] / v[1];
                }
            },
            [kind](const Arrays& v) { return plain::binary(kind, v[0], v[1]); });
    }
}

INSTANTIATE_TEST_SUITE_P(Ops, Broadcasting, testing::Values(OpKind::add, OpKind::sub, OpKind::mul, OpKind::div),
                         [](const auto& tested) { return std::string(devices::name_of(tested.param)); });

TEST(Ops, BothOperandsMayBeTheSame) {
    for (const OpKind kind : {OpKind::add, OpKind::sub, OpKind::mul, OpKind::div}) {
        SCOPED_TRACE(devices::name_of(kind));
        check_gradients(
            {random_away_from_zero({3, 2})},
            [kind](const Variables& v) {
                return kind == OpKind::add   ? v[0] + v[0]
                       : kind == OpKind::sub ? v[0] - v[0]
                       : kind == OpKind::mul ? v[0] * v[0]
                                             : v[0] / v[0];
            },
            [kind](const Arrays& v) { return plain::binary(kind, v[0], v[0]); });
    }
}

TEST(Ops, WithANumber) {
    const Array x = random_away_from_zero({3, 5});
    const auto check = [&](OpKind kind, const OnVariables& function, double number) {
        SCOPED_TRACE(devices::name_of(kind));
        check_gradients({x}, function, [&](const Arrays& v) { return plain::unary(kind, v[0], number); });
    };
    check(
        OpKind::add_scalar, [](const Variables& v) { return v[0] + 1.5f; }, 1.5);
    check(
        OpKind::sub_scalar, [](const Variables& v) { return v[0] - 1.5f; }, 1.5);
    check(
        OpKind::mul_scalar, [](const Variables& v) { return v[0] * -2.5f; }, -2.5);
    check(
        OpKind::div_scalar, [](const Variables& v) { return v[0] / 4.0f; }, 4.0);
    check(
        OpKind::rsub_scalar, [](const Variables& v) { return sub(1.5f, v[0]); }, 1.5);
    check(
        OpKind::rdiv_scalar, [](const Variables& v) { return div(1.5f, v[0]); }, 1.5);
}

TEST(Ops, OfOneTensor) {
    for (const OpKind kind : plain::kinds_of(devices::Arity::one)) {
        SCOPED_TRACE(devices::name_of(kind));
        check_gradients(
            {plain::wants_positive(kind) ? random({4, 3}, 0.2, 3.0) : random_away_from_zero({4, 3})},
            [kind](const Variables& v) { return unary(kind, v[0]); },
            [kind](const Arrays& v) { return plain::unary(kind, v[0]); });
    }
    check_gradients(
        {random({4, 3})}, [](const Variables& v) { return square(v[0]); },
        [](const Arrays& v) { return plain::binary(OpKind::mul, v[0], v[0]); });
}

TEST(Ops, AddScaled) {
    check_gradients(
        {random({3, 4}), random({3, 4})}, [](const Variables& v) { return add_scaled(v[0], v[1], -0.3f); },
        [](const Arrays& v) { return plain::add_scaled(v[0], v[1], static_cast<double>(-0.3f)); });
}

TEST(Ops, MatmulWithEitherSideTransposed) {
    for (const bool ta : {false, true}) {
        for (const bool tb : {false, true}) {
            SCOPED_TRACE(std::to_string(ta) + std::to_string(tb));
            check_gradients(
                {random(ta ? Shape{4, 3} : Shape{3, 4}), random(tb ? Shape{5, 4} : Shape{4, 5})},
                [=](const Variables& v) {
                    return matmul(v[0], v[1], ta ? Side::transposed : Side::normal,
                                  tb ? Side::transposed : Side::normal);
                },
                [=](const Arrays& v) { return plain::matmul(v[0], v[1], ta, tb); });
        }
    }
}

TEST(Ops, Reductions) {
    for (const OpKind kind : {OpKind::sum, OpKind::mean, OpKind::max}) {
        const auto over_all = [kind](const Variables& v) {
            return kind == OpKind::sum ? sum(v[0]) : kind == OpKind::mean ? mean(v[0]) : max(v[0]);
        };
        for (const Shape& shape : {Shape{}, Shape{4}, Shape{3, 4}, Shape{2, 3, 4}}) {
            SCOPED_TRACE(std::string(devices::name_of(kind)) + " of all of " + to_string(shape));
            check_gradients({random(shape)}, over_all, [kind](const Arrays& v) { return plain::reduce(kind, v[0]); });
            for (int axis = -shape.rank; axis < shape.rank; ++axis) {
                for (const bool keep : {false, true}) {
                    SCOPED_TRACE("axis " + std::to_string(axis) + (keep ? ", kept" : ""));
                    check_gradients(
                        {random(shape)},
                        [=](const Variables& v) {
                            return kind == OpKind::sum    ? sum(v[0], axis, keep)
                                   : kind == OpKind::mean ? mean(v[0], axis, keep)
                                                          : max(v[0], axis, keep);
                        },
                        [=, &shape](const Arrays& v) {
                            return plain::reduce(kind, v[0], axis < 0 ? axis + shape.rank : axis, keep);
                        });
                }
            }
        }
    }
}

TEST(Ops, MaxSharesItsGradientAmongTies) {
    Engine engine;
    Variable x = leaf(*engine, Array({2, 4}, {1, 3, 3, 0, 5, 2, 5, 5}));
    Variable y;
    {
        const Recording recording;
        y = max(x, 1);
    }
    backward(y);
    const double third = 1.0 / 3.0;
    expect_near(x.gradient(), {{2, 4}, {0, 0.5, 0.5, 0, third, 0, third, third}}, 1e-6, "gradient");
}

TEST(Ops, MovingElements) {
    check_gradients(
        {random({3, 4})}, [](const Variables& v) { return transpose(v[0]); },
        [](const Arrays& v) { return plain::transpose(v[0], 0, 1); });
    check_gradients(
        {random({2, 3, 4})}, [](const Variables& v) { return transpose(v[0], 0, -1); },
        [](const Arrays& v) { return plain::transpose(v[0], 0, 2); });
    check_gradients(
        {random({3, 4})},
        [](const Variables& v) {
            return reshape(v[0], {2, -1});
        },
        [](const Arrays& v) {
            return Array({2, 6}, v[0].values);
        });
    check_gradients(
        {random({5, 3})}, [](const Variables& v) { return slice(v[0], 1, 3); },
        [](const Arrays& v) { return plain::slice(v[0], 1, 3); });
}

TEST(Ops, InPlace) {
    const auto started = [](const Variable& x) { return x * 2.0f; };  // a leaf must not be changed
    const auto plain_started = [](const Array& x) { return plain::unary(OpKind::mul_scalar, x, 2.0); };
    for (const Shape& b : {Shape{3, 4}, Shape{4}, Shape{}}) {
        SCOPED_TRACE(to_string(b));
        check_gradients(
            {random({3, 4}), random(b)},
            [&](const Variables& v) {
                Variable x = started(v[0]);
                add_in_place(x, v[1]);
                return x;
            },
            [&](const Arrays& v) { return plain::binary(OpKind::add, plain_started(v[0]), v[1]); });
        check_gradients(
            {random({3, 4}), random(b)},
            [&](const Variables& v) {
                Variable x = started(v[0]);
                sub_in_place(x, v[1]);
                return x;
            },
            [&](const Arrays& v) { return plain::binary(OpKind::sub, plain_started(v[0]), v[1]); });
    }
    check_gradients(
        {random({3, 4})},
        [&](const Variables& v) {
            Variable x = started(v[0]);
            mul_in_place(x, Variable(x.runtime().full({4}, 3.0f)));
            mul_in_place(x, 0.5f);
            add_in_place(x, 1.0f);
            sub_in_place(x, 4.0f);
            return x;
        },
        [&](const Arrays& v) {
            return plain::unary(OpKind::add_scalar, plain::unary(OpKind::mul_scalar, v[0], 3.0), -3.0);
        });
    check_gradients(
        {random({3, 4}), random({3, 4})},
        [&](const Variables& v) {
            Variable x = started(v[0]);
            add_scaled_in_place(x, v[1], 0.25f);
            return x;
        },
        [&](const Arrays& v) { return plain::add_scaled(plain_started(v[0]), v[1], 0.25); });
    check_gradients(
        {random({5, 2}), random({2, 2})},
        [&](const Variables& v) {
            Variable x = started(v[0]);
            assign_slice(x, 3, v[1]);
            return x;
        },
        [&](const Arrays& v) { return plain::assign_slice(plain_started(v[0]), 3, v[1]); });
}

TEST(Ops, InPlaceChangeOfUntrackedDataIsDifferentiated) {
    // The target is tracked only because tracked values were written into it.
    check_gradients(
        {random({2, 2})},
        [](const Variables& v) {
            Variable x(v[0].runtime().ones({4, 2}));
            assign_slice(x, 1, v[0]);
            add_in_place(x, 1.0f);
            return x * x;
        },
        [](const Arrays& v) {
            const Array x =
                plain::unary(OpKind::add_scalar, plain::assign_slice(Array::full({4, 2}, 1.0), 1, v[0]), 1.0);
            return plain::binary(OpKind::mul, x, x);
        });
}

TEST(Ops, ComparisonsHaveNoGradient) {
    Engine engine;
    const Variable x = leaf(*engine, Array({3}, {1, 2, 3}));
    const Recording recording;
    EXPECT_FALSE(greater(x, 2.0f).tracked());
    EXPECT_FALSE(equal(x, x).tracked());
    EXPECT_EQ(greater(x, 2.0f).value().to_host(), (std::vector<float>{0, 0, 1}));
    EXPECT_EQ(equal(x, 2.0f).value().to_host(), (std::vector<float>{0, 1, 0}));
}

TEST(Ops, HaveTheirSourceLine) {
    Engine engine;
    const Variable x = leaf(*engine, Array({2}, {1, 2}));
    const Variable y = x + 1.0f;
    const auto here = core::SourceLocation::current();
    EXPECT_EQ(core::number_of(engine->lines.current()), here.line() - 1);
    const Variable z = exp(y);
    EXPECT_EQ(core::number_of(engine->lines.current()), here.line() + 2);
}

}  // namespace
}  // namespace headway::nn
