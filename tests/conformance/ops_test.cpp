// Every op on every device: values for random shapes against the plain reference, and shapes that are refused.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "tests/conformance/devices.h"

namespace headway {
namespace {

using devices::Arity;
using devices::OpKind;
using devices::Shape;
using reference::Array;
using runtime::ProgramError;
using runtime::Runtime;
using runtime::Side;
using runtime::Tensor;

constexpr int kRounds = kSanitized ? 20 : 60;

// Single operations round once; a sum of n products in any order has an error of a few n·2⁻²⁴ of its terms' sizes.
constexpr double kExact = 0.0;
constexpr double kOneRounding = 1e-6;
double tolerance_of_sum(std::int64_t terms) {
    return 1e-6 * (4.0 + static_cast<double>(terms));
}

TEST_P(DeviceConformance, CreatesTensors) {
    Dice dice(20240521);
    for (int rank = 0; rank <= 5; ++rank) {
        const Shape shape = dice.shape(rank);
        expect_equal(bench->full(shape, 2.5f), Array::full(shape, 2.5), kExact);
        expect_equal(bench->full(shape, 0.0f), Array::full(shape, 0.0), kExact);
        expect_equal(bench->ones(shape), Array::full(shape, 1.0), kExact);
        const Array values = dice.array(shape);
        expect_equal(to_tensor(*bench, values), values, kExact);
    }
}

TEST_P(DeviceConformance, CopiesHostValuesWhenItIsCalled) {
    std::vector<Tensor> tensors;
    std::vector<float> values(1000);
    for (int i = 0; i < 50; ++i) {
        std::fill(values.begin(), values.end(), static_cast<float>(i));
        tensors.push_back(bench->from_host({1000}, values));
    }
    std::fill(values.begin(), values.end(), -1.0f);
    for (int i = 0; i < 50; ++i) {
        expect_equal(tensors[static_cast<std::size_t>(i)], Array::full({1000}, i), kExact);
    }
}

TEST_P(DeviceConformance, ElementwiseWithBroadcasting) {
    Dice dice(20240521);
    for (const OpKind kind : reference::kinds_of(Arity::two)) {
        SCOPED_TRACE(devices::name_of(kind));
        for (int round = 0; round < kRounds; ++round) {
            const Shape full = dice.shape();
            Shape a = full, b = dice.broadcast_to(full);
            if (dice.chance(0.2)) {
                a = dice.broadcast_to(full);  // both are broadcast
            }
            if (dice.chance(0.5)) {
                std::swap(a, b);
            }
            const bool small = kind == OpKind::equal || kind == OpKind::greater;
            const Array x = small ? dice.integers(a, -2, 2) : dice.array(a);
            const Array y = small ? dice.integers(b, -2, 2) : dice.array(b, 0.5, 4.0);
            SCOPED_TRACE(to_string(a) + " and " + to_string(b));
            expect_equal(bench->binary(kind, to_tensor(*bench, x), to_tensor(*bench, y)), reference::binary(kind, x, y),
                         kOneRounding);
        }
    }
}

TEST_P(DeviceConformance, ElementwiseWithANumber) {
    Dice dice(20240521);
    for (const OpKind kind : reference::kinds_of(Arity::one_and_scalar)) {
        SCOPED_TRACE(devices::name_of(kind));
        for (int round = 0; round < kRounds / 4; ++round) {
            const Array x =
                kind == OpKind::equal_scalar ? dice.integers(dice.shape(), 0, 3) : dice.array(dice.shape(), 0.5, 4.0);
            expect_equal(bench->with_scalar(kind, to_tensor(*bench, x), 2.0f), reference::unary(kind, x, 2.0),
                         kOneRounding);
        }
    }
}

TEST_P(DeviceConformance, ElementwiseOfOneTensor) {
    Dice dice(20240521);
    for (const OpKind kind : reference::kinds_of(Arity::one)) {
        SCOPED_TRACE(devices::name_of(kind));
        for (int round = 0; round < kRounds / 4; ++round) {
            const Array x = dice.array(dice.shape(), reference::wants_positive(kind) ? 0.1 : -4.0, 4.0);
            expect_equal(bench->unary(kind, to_tensor(*bench, x)), reference::unary(kind, x), kOneRounding);
        }
    }
}

TEST_P(DeviceConformance, LongTensorsWithEveryRemainder) {
    Dice dice(20240521);
    // Vector loops leave remainders of every length; large tensors may be split.
    for (std::int64_t n = 1; n <= 70; ++n) {
        const Array x = dice.array({n}), y = dice.array({n});
        const Tensor a = to_tensor(*bench, x), b = to_tensor(*bench, y);
        expect_equal(bench->binary(OpKind::mul, a, b), reference::binary(OpKind::mul, x, y), kOneRounding);
        expect_equal(bench->reduce(OpKind::sum, a), reference::reduce(OpKind::sum, x), tolerance_of_sum(n));
        expect_equal(bench->reduce(OpKind::max, a), reference::reduce(OpKind::max, x), kExact);
    }
    const Array x = dice.array({257, 1031}), row = dice.array({1031}), column = dice.array({257, 1});
    const Tensor a = to_tensor(*bench, x);
    expect_equal(bench->binary(OpKind::add, a, to_tensor(*bench, row)), reference::binary(OpKind::add, x, row),
                 kOneRounding);
    expect_equal(bench->binary(OpKind::sub, to_tensor(*bench, column), a), reference::binary(OpKind::sub, column, x),
                 kOneRounding);
    expect_equal(bench->reduce(OpKind::sum, a, 0), reference::reduce(OpKind::sum, x, 0, false), tolerance_of_sum(257));
    expect_equal(bench->reduce(OpKind::mean, a, 1), reference::reduce(OpKind::mean, x, 1, false), kOneRounding);
    expect_equal(bench->transpose(a), reference::transpose(x, 0, 1), kExact);
}

TEST_P(DeviceConformance, InPlace) {
    Dice dice(20240521);
    for (int round = 0; round < kRounds; ++round) {
        const Shape shape = dice.shape();
        Array x = dice.array(shape);
        const Tensor a = to_tensor(*bench, x);
        for (const OpKind kind : {OpKind::add, OpKind::sub, OpKind::mul}) {
            const Array y = dice.array(dice.broadcast_to(shape));
            SCOPED_TRACE(std::string(devices::name_of(kind)) + " of " + to_string(y.shape) + " to " + to_string(shape));
            bench->binary_in_place(kind, a, to_tensor(*bench, y));
            x = reference::binary(kind, x, y);
            expect_equal(a, x, 3 * kOneRounding);
        }
        bench->with_scalar_in_place(OpKind::add_scalar, a, 1.5f);
        bench->with_scalar_in_place(OpKind::mul_scalar, a, -0.5f);
        x = reference::unary(OpKind::mul_scalar, reference::unary(OpKind::add_scalar, x, 1.5), -0.5);
        const Array y = dice.array(shape);
        bench->add_scaled_in_place(a, to_tensor(*bench, y), 0.25f);
        x = reference::add_scaled(x, y, 0.25);
        expect_equal(a, x, 8 * kOneRounding);
        bench->binary_in_place(OpKind::add, a, a);
        expect_equal(a, reference::binary(OpKind::add, x, x), 16 * kOneRounding);
    }
}

TEST_P(DeviceConformance, AddScaled) {
    Dice dice(20240521);
    for (int round = 0; round < kRounds / 4; ++round) {
        const Shape shape = dice.shape();
        const Array x = dice.array(shape), y = dice.array(shape);
        expect_equal(bench->add_scaled(to_tensor(*bench, x), to_tensor(*bench, y), -1.5f),
                     reference::add_scaled(x, y, -1.5), 8 * kOneRounding);
    }
}

TEST_P(DeviceConformance, Matmul) {
    Dice dice(20240521);
    for (int round = 0; round < kRounds; ++round) {
        const bool ta = dice.chance(0.5), tb = dice.chance(0.5);
        const auto m = dice.side(), k = dice.side(), n = dice.side();
        const Array x = dice.array(ta ? Shape{k, m} : Shape{m, k}), y = dice.array(tb ? Shape{n, k} : Shape{k, n});
        SCOPED_TRACE(to_string(x.shape) + (ta ? "ᵀ" : "") + " · " + to_string(y.shape) + (tb ? "ᵀ" : ""));
        expect_equal(bench->matmul(to_tensor(*bench, x), to_tensor(*bench, y), ta ? Side::transposed : Side::normal,
                                   tb ? Side::transposed : Side::normal),
                     reference::matmul(x, y, ta, tb), tolerance_of_sum(k));
    }
}

TEST_P(DeviceConformance, Reductions) {
    Dice dice(20240521);
    for (const OpKind kind : {OpKind::sum, OpKind::mean, OpKind::max}) {
        SCOPED_TRACE(devices::name_of(kind));
        for (int round = 0; round < kRounds / 2; ++round) {
            const Array x = dice.array(dice.shape());
            const Tensor a = to_tensor(*bench, x);
            SCOPED_TRACE(to_string(x.shape));
            expect_equal(bench->reduce(kind, a), reference::reduce(kind, x), tolerance_of_sum(x.shape.elements()));
            for (int axis = 0; axis < x.shape.rank; ++axis) {
                const bool keep = dice.chance(0.5);
                expect_equal(bench->reduce(kind, a, dice.chance(0.5) ? axis : axis - x.shape.rank, keep),
                             reference::reduce(kind, x, axis, keep), tolerance_of_sum(x.shape[axis]));
            }
        }
    }
}

TEST_P(DeviceConformance, Transpose) {
    Dice dice(20240521);
    for (int round = 0; round < kRounds; ++round) {
        const Array x = dice.array(dice.shape(dice.number(1, 5)));
        const int i = dice.number(0, x.shape.rank - 1), j = dice.number(0, x.shape.rank - 1);
        SCOPED_TRACE(to_string(x.shape) + ", axes " + std::to_string(i) + " and " + std::to_string(j));
        expect_equal(bench->transpose(to_tensor(*bench, x), i, j - x.shape.rank), reference::transpose(x, i, j),
                     kExact);
    }
}

TEST_P(DeviceConformance, Slices) {
    Dice dice(20240521);
    for (int round = 0; round < kRounds; ++round) {
        Array x = dice.array(dice.shape(dice.number(1, 4)));
        const Tensor a = to_tensor(*bench, x);
        const int all = static_cast<int>(x.shape[0]);
        const int rows = dice.number(1, all), start = dice.number(0, all - rows);
        expect_equal(bench->slice(a, start, rows), reference::slice(x, start, rows), kExact);
        Shape part = x.shape;
        part[0] = rows;
        const Array y = dice.array(part);
        bench->assign_slice(a, start, to_tensor(*bench, y));
        expect_equal(a, reference::assign_slice(x, start, y), kExact);
    }
}

TEST_P(DeviceConformance, ViewsShareTheirValues) {
    Dice dice(20240521);
    const Array x = dice.array({4, 6});
    const Tensor a = to_tensor(*bench, x);
    const Tensor flat = a.reshape({-1}), cube = flat.reshape({2, 3, 4});
    const core::OpId before = bench->recorder.issued();
    EXPECT_EQ(bench->reshape(a, {3, -1}).shape(), (Shape{3, 8}));
    EXPECT_EQ(bench->recorder.issued(), before);  // a view is no op
    bench->with_scalar_in_place(OpKind::mul_scalar, cube, 2.0f);
    bench->assign_slice(flat, 0, bench->ones({6}));
    const Array doubled = reference::unary(OpKind::mul_scalar, x, 2.0);
    const Array expected = reference::assign_slice(Array({24}, doubled.values), 0, Array::full({6}, 1.0));
    expect_equal(a, Array({4, 6}, expected.values), kExact);
    expect_equal(cube, Array({2, 3, 4}, expected.values), kExact);
}

TEST_P(DeviceConformance, ItemIsTheOneElement) {
    EXPECT_EQ(bench->full({}, 3.5f).item(), 3.5f);
    EXPECT_EQ(bench->full({1, 1}, 3.5f).item(), 3.5f);
    EXPECT_THROW((void)bench->ones({2}).item(), ProgramError);
}

TEST_P(DeviceConformance, RefusesMismatchedShapesAndNamesThem) {
    const Tensor a = bench->ones({2, 3}), b = bench->ones({4, 5}), v = bench->ones({3}), s = bench->ones({});
    struct Refused {
        std::function<void()> call;
        std::vector<std::string> says;
    };
    const std::vector<Refused> all = {
        {[&] { bench->binary(OpKind::add, a, b); }, {"add", "(2, 3)", "(4, 5)"}},
        {[&] { bench->binary(OpKind::div, a, bench->ones({2})); }, {"div", "(2, 3)", "(2,)"}},
        {[&] { bench->matmul(a, b); }, {"matmul", "(2, 3)", "(4, 5)"}},
        {[&] { bench->matmul(a, a); }, {"matmul", "(2, 3)"}},
        {[&] { bench->matmul(a, a, Side::transposed, Side::transposed); }, {"matmul", "(2, 3)", "transposed"}},
        {[&] { bench->matmul(a, v); }, {"matmul", "(2, 3)", "(3,)"}},
        {[&] { bench->add_scaled(a, v, 1.0f); }, {"add_scaled", "(2, 3)", "(3,)"}},
        {[&] { bench->binary_in_place(OpKind::add, v, a); }, {"add", "(3,)", "(2, 3)"}},
        {[&] { bench->binary_in_place(OpKind::mul, a, b); }, {"mul", "(2, 3)", "(4, 5)"}},
        {[&] { bench->add_scaled_in_place(a, b, 1.0f); }, {"add_scaled", "(2, 3)", "(4, 5)"}},
        {[&] { bench->reduce(OpKind::sum, a, 2); }, {"sum", "(2, 3)", "2"}},
        {[&] { bench->reduce(OpKind::max, a, -3); }, {"max", "(2, 3)", "-3"}},
        {[&] { bench->reduce(OpKind::mean, s, 0); }, {"mean", "()", "0"}},
        {[&] { bench->transpose(v); }, {"transpose", "(3,)", "1"}},
        {[&] {
             bench->reshape(a, {4, 2});
         },
         {"reshape", "(2, 3)", "(4, 2)"}},
        {[&] {
             bench->reshape(a, {-1, 4});
         },
         {"reshape", "(2, 3)"}},
        {[&] {
             bench->reshape(a, {-1, -1});
         },
         {"reshape", "(2, 3)"}},
        {[&] { bench->slice(a, 1, 2); }, {"slice", "(2, 3)"}},
        {[&] { bench->slice(a, -1, 1); }, {"slice", "(2, 3)"}},
        {[&] { bench->slice(s, 0, 1); }, {"slice", "()"}},
        {[&] {
             bench->assign_slice(a, 0, bench->ones({1, 4}));
         },
         {"assign_slice", "(1, 4)", "(2, 3)"}},
        {[&] {
             bench->assign_slice(a, 2, bench->ones({1, 3}));
         },
         {"assign_slice", "(2, 3)"}},
        {[&] {
             bench->from_host({2, 2}, std::vector<float>(3));
         },
         {"from_host", "3", "(2, 2)"}},
        {[&] {
             bench->full({2, 0}, 0.0f);
         },
         {"(2, 0)"}},
        {[&] { bench->randn({-1}); }, {"(-1,)"}},
        {[&] { (void)a.item(); }, {"item", "(2, 3)"}},
        {[&] { bench->binary(OpKind::add, a, Tensor()); }, {"add"}},
    };
    for (std::size_t i = 0; i < all.size(); ++i) {
        SCOPED_TRACE("case " + std::to_string(i));
        try {
            all[i].call();
            ADD_FAILURE() << "no error was raised";
        } catch (const ProgramError& error) {
            EXPECT_EQ(error.error().kind, core::ErrorKind::shape);
            for (const std::string& part : all[i].says) {
                EXPECT_NE(std::string(error.what()).find(part), std::string::npos)
                    << '"' << error.what() << "\" does not contain " << part;
            }
        }
    }
    // Nothing reached the device, and the operands are unchanged.
    expect_equal(a, Array::full({2, 3}, 1.0), kExact);
    bench->waitall();
}

TEST_P(DeviceConformance, RefusesTensorsOfAnotherDevice) {
    Bench other(GetParam());
    const Tensor here = bench->ones({2}), there = other->ones({2});
    EXPECT_THROW(bench->binary(OpKind::add, here, there), ProgramError);
    EXPECT_THROW(bench->binary_in_place(OpKind::add, there, here), ProgramError);
}

// Random values depend only on the seed and the order of the calls: not on the device, its lanes or concurrent work.
TEST_P(DeviceConformance, RandomValuesAreTheSameEverywhere) {
    const auto draw = [&](Bench& on, bool disturbed) {
        std::vector<std::vector<float>> values;
        std::vector<Tensor> tensors;
        for (int i = 0; i < 20; ++i) {
            if (disturbed) {
                on->matmul(on->ones({20, 20}), on->ones({20, 20}));
            }
            tensors.push_back(i % 2 == 0 ? on->normal({7, 11 + i}, 1.0f, 2.0f) : on->uniform({3, 5 + i}, -2.0f, 3.0f));
        }
        for (std::size_t i = tensors.size(); i-- > 0;) {
            values.push_back(tensors[i].to_host());
        }
        return values;
    };
    runtime::Settings settings;
    settings.seed = 42;
    Bench mine(GetParam(), settings), disturbed(GetParam(), settings);
    Bench one({"cpu", make_cpu, 1, true}, settings);
    const auto expected = draw(one, false);
    EXPECT_EQ(draw(mine, false), expected);
    EXPECT_EQ(draw(disturbed, true), expected);
    settings.seed = 43;
    Bench another(GetParam(), settings);
    const auto different = draw(another, false);
    for (std::size_t i = 0; i < expected.size(); ++i) {
        EXPECT_NE(different[i], expected[i]);
    }
}

TEST_P(DeviceConformance, RandomValuesHaveTheirDistribution) {
    constexpr std::int64_t kCount = 200'000;
    const auto moments = [](const std::vector<float>& values) {
        double sum = 0.0, squares = 0.0;
        for (const float value : values) {
            sum += static_cast<double>(value);
            squares += static_cast<double>(value) * static_cast<double>(value);
        }
        const double mean = sum / static_cast<double>(values.size());
        return std::pair(mean, std::sqrt(squares / static_cast<double>(values.size()) - mean * mean));
    };
    const auto [mean, deviation] = moments(bench->normal({kCount}, 3.0f, 2.0f).to_host());
    EXPECT_NEAR(mean, 3.0, 0.03);  // six standard errors
    EXPECT_NEAR(deviation, 2.0, 0.02);
    const std::vector<float> uniform = bench->uniform({kCount}, -1.0f, 5.0f).to_host();
    const auto [middle, spread] = moments(uniform);
    EXPECT_NEAR(middle, 2.0, 0.03);
    EXPECT_NEAR(spread, 6.0 / std::sqrt(12.0), 0.02);
    EXPECT_GE(*std::min_element(uniform.begin(), uniform.end()), -1.0f);
    EXPECT_LT(*std::max_element(uniform.begin(), uniform.end()), 5.0f);
}

INSTANTIATE_TEST_SUITE_P(Devices, DeviceConformance, testing::ValuesIn(all_devices()),
                         [](const auto& tested) { return tested.param.name; });

}  // namespace
}  // namespace headway
