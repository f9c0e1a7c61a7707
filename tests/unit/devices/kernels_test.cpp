// Every kernel against a plain reference, on every instruction set: odd sizes, broadcasting and in place.
#include "engine/devices/kernels/kernels.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <functional>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "tests/conformance/reference.h"
#include "tests/unit/devices/instruction_sets.h"

namespace headway::devices::kernels {
namespace {

using Values = std::vector<float>;

// A signature and a command on vectors.
struct Call {
    Signature s;
    Command c;
    Values out;

    Call(OpKind kind, const Shape& out_shape, float a = 0, float b = 0) {
        s.kind = kind;
        s.out = out_shape;
        s.elements = out_shape.elements();
        c.signature = &s;
        c.scalar[0] = a;
        c.scalar[1] = b;
        out.assign(static_cast<std::size_t>(s.elements), -99.0f);
    }
    Call(const Call&) = delete;
    Values run(const Values& in0 = {}, const Values& in1 = {}) {
        c.out = out.data();
        c.in0 = in0.data();
        if (!in1.empty()) {  // random ops store their stream in in1's place
            c.in1 = in1.data();
        }
        kernels::run(c);
        return out;
    }
};

Values random_values(std::size_t n, std::uint32_t seed, float low = -3, float high = 3) {
    std::mt19937 generator(seed);
    std::uniform_real_distribution<float> distribution(low, high);
    Values values(n);
    for (float& value : values) {
        value = distribution(generator);
    }
    return values;
}

bool same_bits(const Values& a, const Values& b) {
    return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(float)) == 0);
}

class Kernels : public WithInstructions {
protected:
    void SetUp() override {
        use_one_blas_thread();  // as devices do
        WithInstructions::SetUp();
    }
};

INSTANTIATE_TEST_SUITE_P(Instructions, Kernels, kEveryInstructionSet, name_of_set);

const std::array<std::size_t, 13> kSizes{0, 1, 2, 3, 4, 7, 8, 15, 16, 17, 33, 100, 1031};

// The reference's function of two elements.
auto function_of(OpKind kind) {
    return [kind](float a, float b) { return reference::apply(kind, a, b); };
}

TEST_P(Kernels, BinaryOpsOnEqualShapes) {
    for (const OpKind kind : reference::kinds_of(Arity::two)) {
        for (const std::size_t n : kSizes) {
            const Values a = random_values(n, 1);
            Values b = random_values(n, 2);
            for (std::size_t i = 0; i < n; i += 3) {
                b[i] = a[i];
            }
            Values expected(n);
            std::transform(a.begin(), a.end(), b.begin(), expected.begin(), function_of(kind));
            Call call(kind, Shape{static_cast<std::int64_t>(n)});
            EXPECT_TRUE(same_bits(call.run(a, b), expected)) << name_of(kind) << " on " << n;
        }
    }
}

TEST_P(Kernels, ScalarOps) {
    for (const OpKind kind : reference::kinds_of(Arity::one_and_scalar)) {
        for (const std::size_t n : kSizes) {
            Values x = random_values(n, 3);
            for (std::size_t i = 0; i < n; i += 2) {
                x[i] = 0.7f;
            }
            Values expected(n);
            std::transform(x.begin(), x.end(), expected.begin(),
                           [&](float v) { return reference::apply(kind, v, 0.7f); });
            Call call(kind, Shape{static_cast<std::int64_t>(n)}, 0.7f);
            EXPECT_TRUE(same_bits(call.run(x), expected)) << name_of(kind) << " on " << n;
        }
    }
}

TEST_P(Kernels, UnaryOps) {
    for (const OpKind kind : reference::kinds_of(Arity::one)) {
        for (const std::size_t n : kSizes) {
            const Values x = random_values(n, 4, reference::wants_positive(kind) ? 0.01f : -3.0f);
            Values expected(n);
            std::transform(x.begin(), x.end(), expected.begin(),
                           [&](float v) { return reference::apply(kind, v, 0.0f); });
            Call call(kind, Shape{static_cast<std::int64_t>(n)});
            EXPECT_TRUE(same_bits(call.run(x), expected)) << name_of(kind) << " on " << n;
        }
    }
}

TEST_P(Kernels, CopiesAndFill) {
    for (const std::size_t n : kSizes) {
        const Values x = random_values(n, 4);
        for (const OpKind kind : {OpKind::copy_to_device, OpKind::copy_to_host}) {
            Call copy(kind, Shape{static_cast<std::int64_t>(n)});
            EXPECT_TRUE(same_bits(copy.run(x), x)) << name_of(kind) << " on " << n;
        }
        Call fill(OpKind::fill, Shape{static_cast<std::int64_t>(n)}, 4.25f);
        EXPECT_TRUE(same_bits(fill.run(), Values(n, 4.25f))) << n;
    }
}

TEST_P(Kernels, NanAndInfinityPropagate) {
    constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
    constexpr float kInfinity = std::numeric_limits<float>::infinity();
    Values x(40, -1.0f);
    x[0] = x[33] = kNan;
    x[1] = x[34] = kInfinity;
    Call relu(OpKind::relu, Shape{40});
    const Values y = relu.run(x);
    EXPECT_TRUE(std::isnan(y[0]) && std::isnan(y[33]));
    EXPECT_EQ(y[1], kInfinity);
    EXPECT_EQ(y[2], 0.0f);
    for (const std::size_t at : {0u, 17u, 39u}) {
        Values one(40, 1.0f);
        one[at] = kNan;
        Call max(OpKind::max, Shape{});
        max.s.reduced = 40;
        EXPECT_TRUE(std::isnan(max.run(one)[0])) << at;
        Call columns(OpKind::max, Shape{8});
        columns.s.reduced = 5;
        columns.s.inner = 8;
        EXPECT_TRUE(std::isnan(columns.run(one)[at % 8])) << at;
    }
}

TEST_P(Kernels, InPlace) {
    for (const std::size_t n : kSizes) {
        const Values before = random_values(n, 5);
        const Values b = random_values(n, 6);
        for (const OpKind kind : reference::kinds_of(Arity::two)) {
            Values a = before;
            Values expected(n);
            std::transform(before.begin(), before.end(), b.begin(), expected.begin(), function_of(kind));
            Call call(kind, Shape{static_cast<std::int64_t>(n)});
            call.s.in_place = true;
            call.c.out = a.data();
            call.c.in0 = a.data();
            call.c.in1 = b.data();
            run(call.c);
            EXPECT_TRUE(same_bits(a, expected)) << name_of(kind) << " on " << n;
        }
        // The SGD update, and a tensor added to itself.
        Values a = before;
        Values expected(n);
        for (std::size_t i = 0; i < n; ++i) {
            const float scaled = -0.1f * b[i];
            expected[i] = before[i] + scaled;
        }
        Call update(OpKind::add_scaled, Shape{static_cast<std::int64_t>(n)}, -0.1f);
        update.c.out = a.data();
        update.c.in0 = a.data();
        update.c.in1 = b.data();
        run(update.c);
        EXPECT_TRUE(same_bits(a, expected)) << n;
        Call twice(OpKind::add, Shape{static_cast<std::int64_t>(n)});
        for (float& x : expected) {
            x += x;
        }
        twice.c.out = a.data();
        twice.c.in0 = a.data();
        twice.c.in1 = a.data();
        run(twice.c);
        EXPECT_TRUE(same_bits(a, expected)) << n;
    }
}

// Steps as the frontend computes them: right-aligned, 0 along axes of length 1.
Strides steps_over(const Shape& operand, const Shape& out) {
    Strides strides;
    std::int64_t step = 1;
    for (int i = 1; i <= operand.rank; ++i) {
        const auto n = operand[operand.rank - i];
        strides.step[static_cast<std::size_t>(out.rank - i)] = n == 1 ? 0 : step;
        step *= n;
    }
    return strides;
}

Values reference_walk(const Shape& out, const Strides& s0, const Strides& s1, const Values& a, const Values& b,
                      const std::function<float(float, float)>& of) {
    Values result;
    std::array<std::int64_t, kMaxRank> at{};
    for (std::int64_t i = 0; i < out.elements(); ++i) {
        std::int64_t rest = i;
        std::size_t o0 = 0;
        std::size_t o1 = 0;
        for (int axis = out.rank - 1; axis >= 0; --axis) {
            const auto k = static_cast<std::size_t>(axis);
            at[k] = rest % out[axis];
            rest /= out[axis];
            o0 += static_cast<std::size_t>(at[k] * s0.step[k]);
            o1 += static_cast<std::size_t>(at[k] * s1.step[k]);
        }
        result.push_back(of(a[o0], b.empty() ? 0.0f : b[o1]));
    }
    return result;
}

TEST_P(Kernels, BroadcastsLikeNumPy) {
    std::mt19937 generator(7);
    for (int round = 0; round < 400; ++round) {
        Shape out;
        out.rank = static_cast<int>(generator() % 5);
        for (int i = 0; i < out.rank; ++i) {
            out[i] = std::array<std::int64_t, 6>{1, 2, 3, 5, 17, 20}[generator() % 6];
        }
        if (round % 40 == 0 && out.rank > 0) {
            out[out.rank - 1] = 0;
        }
        const auto operand = [&] {
            Shape shape;
            const int drop = out.rank == 0 ? 0 : static_cast<int>(generator() % static_cast<unsigned>(out.rank + 1));
            shape.rank = out.rank - drop;
            for (int i = 0; i < shape.rank; ++i) {
                shape[i] = generator() % 3 == 0 ? 1 : out[i + drop];
            }
            return shape;
        };
        const Shape in0 = operand();
        const Shape in1 = operand();
        const Values a =
            random_values(static_cast<std::size_t>(std::max<std::int64_t>(1, in0.elements())), generator());
        const Values b =
            random_values(static_cast<std::size_t>(std::max<std::int64_t>(1, in1.elements())), generator());
        const auto kinds = reference::kinds_of(Arity::two);
        const OpKind kind = kinds[generator() % kinds.size()];
        Call call(kind, out);
        call.s.contiguous = false;
        call.s.in0 = in0;
        call.s.in1 = in1;
        call.s.stride0 = steps_over(in0, out);
        call.s.stride1 = steps_over(in1, out);
        const Values expected = reference_walk(out, call.s.stride0, call.s.stride1, a, b, function_of(kind));
        EXPECT_TRUE(same_bits(call.run(a, b), expected))
            << name_of(kind) << " " << to_string(in0) << " " << to_string(in1) << " to " << to_string(out);
    }
}

TEST_P(Kernels, TransposeSwapsAnyTwoAxes) {
    std::mt19937 generator(8);
    for (int round = 0; round < 200; ++round) {
        Shape in;
        in.rank = 2 + static_cast<int>(generator() % 3);
        for (int i = 0; i < in.rank; ++i) {
            in[i] = std::array<std::int64_t, 7>{1, 2, 3, 8, 16, 17, 33}[generator() % (in.rank == 4 ? 4 : 7)];
        }
        const int axis0 = static_cast<int>(generator() % static_cast<unsigned>(in.rank));
        const int axis1 = static_cast<int>(generator() % static_cast<unsigned>(in.rank));
        Shape out = in;
        std::swap(out[axis0], out[axis1]);
        Call call(OpKind::transpose, out);
        call.s.contiguous = false;
        call.s.stride0 = steps_over(in, in);
        std::swap(call.s.stride0.step[static_cast<std::size_t>(axis0)],
                  call.s.stride0.step[static_cast<std::size_t>(axis1)]);
        const Values a = random_values(static_cast<std::size_t>(in.elements()), generator());
        const Values expected = reference_walk(out, call.s.stride0, Strides{}, a, {}, [](float x, float) { return x; });
        EXPECT_TRUE(same_bits(call.run(a), expected)) << to_string(in) << " " << axis0 << " " << axis1;
    }
}

TEST_P(Kernels, ReductionsOverAnyAxis) {
    std::mt19937 generator(9);
    for (int round = 0; round < 300; ++round) {
        const std::int64_t outer = 1 + generator() % 4;
        const std::int64_t reduced = 1 + generator() % (round % 10 == 0 ? 5000 : 70);
        const std::int64_t inner = round % 3 == 0 ? 1 : 1 + generator() % 300;
        const Values in = random_values(static_cast<std::size_t>(outer * reduced * inner), generator());
        for (const OpKind kind : {OpKind::sum, OpKind::mean, OpKind::max}) {
            Call call(kind, Shape{outer, inner});
            call.s.outer = outer;
            call.s.reduced = reduced;
            call.s.inner = inner;
            const Values got = call.run(in);
            for (std::int64_t o = 0; o < outer; ++o) {
                for (std::int64_t i = 0; i < inner; ++i) {
                    double sum = 0;
                    float max = -std::numeric_limits<float>::infinity();
                    for (std::int64_t r = 0; r < reduced; ++r) {
                        const float x = in[static_cast<std::size_t>((o * reduced + r) * inner + i)];
                        sum += static_cast<double>(x);
                        max = std::max(max, x);
                    }
                    const double expected = kind == OpKind::sum    ? sum
                                            : kind == OpKind::mean ? sum / static_cast<double>(reduced)
                                                                   : static_cast<double>(max);
                    const float value = got[static_cast<std::size_t>(o * inner + i)];
                    ASSERT_NEAR(value, expected, 1e-6 * (1 + std::fabs(expected)))
                        << name_of(kind) << " " << outer << " " << reduced << " " << inner;
                }
            }
        }
    }
}

TEST_P(Kernels, SumsAreMorePreciseThanFloatPartialSums) {
    const std::int64_t n = 3'000'000;
    Call call(OpKind::sum, Shape{});
    call.s.reduced = n;
    EXPECT_EQ(call.run(Values(static_cast<std::size_t>(n), 0.1f))[0],
              static_cast<float>(static_cast<double>(0.1f) * static_cast<double>(n)));
}

TEST_P(Kernels, EmptyReductions) {
    Call sum(OpKind::sum, Shape{3});
    sum.s.outer = 3;
    sum.s.reduced = 0;
    EXPECT_EQ(sum.run(), Values(3, 0.0f));
}

TEST_P(Kernels, MatrixProductsInAllFourForms) {
    std::mt19937 generator(10);
    for (const auto& [m, n, k] : {std::array<std::int64_t, 3>{1, 1, 1},
                                  {2, 3, 4},
                                  {17, 1, 33},
                                  {1, 19, 5},
                                  {64, 48, 100},
                                  {5, 7, 0},
                                  {0, 3, 2}}) {
        for (const bool transpose_a : {false, true}) {
            for (const bool transpose_b : {false, true}) {
                const Values a = random_values(static_cast<std::size_t>(m * k), generator());
                const Values b = random_values(static_cast<std::size_t>(k * n), generator());
                Call call(OpKind::matmul, Shape{m, n});
                call.s.m = m;
                call.s.n = n;
                call.s.k = k;
                call.s.transpose_a = transpose_a;
                call.s.transpose_b = transpose_b;
                const Values got = call.run(a, b);
                for (std::int64_t i = 0; i < m; ++i) {
                    for (std::int64_t j = 0; j < n; ++j) {
                        double sum = 0;
                        for (std::int64_t l = 0; l < k; ++l) {
                            sum +=
                                static_cast<double>(a[static_cast<std::size_t>(transpose_a ? l * m + i : i * k + l)]) *
                                static_cast<double>(b[static_cast<std::size_t>(transpose_b ? j * k + l : l * n + j)]);
                        }
                        ASSERT_NEAR(got[static_cast<std::size_t>(i * n + j)], sum, 1e-4)
                            << m << " " << n << " " << k << " " << transpose_a << transpose_b;
                    }
                }
            }
        }
    }
}

TEST_P(Kernels, SlicesOutOfAndIntoALargerTensor) {
    const Values large = random_values(20, 11);
    Call slice(OpKind::slice, Shape{2, 4});
    slice.c.offset = 8;
    EXPECT_EQ(slice.run(large), Values(large.begin() + 8, large.begin() + 16));

    const Values rows = random_values(8, 12);
    Call assign(OpKind::assign_slice, Shape{5, 4});
    assign.s.in1 = Shape{2, 4};
    assign.c.offset = 12;
    assign.out = large;
    Values expected = large;
    std::copy(rows.begin(), rows.end(), expected.begin() + 12);
    EXPECT_EQ(assign.run(large, rows), expected);
}

TEST_P(Kernels, RandomOpsFollowTheSignatureAndTheCommand) {
    Call normal(OpKind::normal, Shape{1000}, 2.0f, 0.5f);
    normal.s.seed = 77;
    normal.c.random_stream = 5;
    Values expected(1000);
    fill_normal(expected.data(), 1000, 77, 5, 2.0f, 0.5f);
    EXPECT_TRUE(same_bits(normal.run(), expected));
    Call uniform(OpKind::uniform, Shape{1000}, -1.0f, 4.0f);
    uniform.s.seed = 77;
    uniform.c.random_stream = 6;
    fill_uniform(expected.data(), 1000, 77, 6, -1.0f, 4.0f);
    EXPECT_TRUE(same_bits(uniform.run(), expected));
}

TEST_P(Kernels, HostCallsGetTheirCommandAndContext) {
    struct Seen {
        const Command* command = nullptr;
        int calls = 0;
    } seen;
    Call call(OpKind::host_call, Shape{1});
    call.c.in0 = reinterpret_cast<const float*>(&seen);
    call.c.function = [](const Command& command, void* context) {
        auto* s = static_cast<Seen*>(context);
        s->command = &command;
        ++s->calls;
    };
    run(call.c);
    EXPECT_EQ(seen.calls, 1);
    EXPECT_EQ(seen.command, &call.c);
    Call nothing(OpKind::noop, Shape{0});
    run(nothing.c);
}

TEST(KernelTable, HasAKernelForEveryKindThatCanBeIssued) {
    for (const auto instructions : {Instructions::baseline, Instructions::avx2, Instructions::avx512}) {
        if (!has_instructions(instructions)) {
            continue;
        }
        use_instructions(instructions);
        for (std::size_t i = 1; i < kOpKinds; ++i) {
            const auto kind = static_cast<OpKind>(i);
            // A graph runs the kernels of its steps, and an opaque op its own function.
            EXPECT_EQ(kernel_for(kind) != nullptr, kind != OpKind::graph && kind != OpKind::opaque) << name_of(kind);
        }
    }
}

// As kernels.h guarantees: the same order of additions on every instruction set.
TEST(KernelTable, ReductionsAreTheSameBitsOnEveryInstructionSet) {
    const Values in = random_values(100'003, 13, -1e3f, 1e3f);
    const auto all = [&] {
        Values got;
        for (const OpKind kind : {OpKind::sum, OpKind::mean, OpKind::max}) {
            Call row(kind, Shape{});
            row.s.reduced = 100'003;
            got.push_back(row.run(in)[0]);
            Call columns(kind, Shape{333});
            columns.s.reduced = 300;
            columns.s.inner = 333;
            const Values more = columns.run(in);
            got.insert(got.end(), more.begin(), more.end());
        }
        return got;
    };
    use_instructions(Instructions::baseline);
    const Values expected = all();
    for (const auto instructions : {Instructions::avx2, Instructions::avx512}) {
        if (has_instructions(instructions)) {
            use_instructions(instructions);
            EXPECT_TRUE(same_bits(all(), expected)) << static_cast<int>(instructions);
        }
    }
}

}  // namespace
}  // namespace headway::devices::kernels
