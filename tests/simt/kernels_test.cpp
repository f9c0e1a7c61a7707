// Every kernel of engine/devices/cuda/kernels.cu, run on the CPU (gpu.h), against the CPU's own: each kind of op with
// sizes around those of threads, blocks, tiles and chunks, and with fewer blocks than asked for, so that the loops over
// the grid go round. Each operand has memory of exactly its size.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <limits>
#include <random>
#include <set>

#include "engine/devices/cuda/launch.h"
#include "engine/devices/kernels/kernels.h"
#include "engine/runtime/signatures.h"
#include "tests/conformance/reference.h"
#include "tests/simt/gpu.h"
#include "tests/simt/memory_check.h"

namespace headway::simt {
namespace {

using devices::Arity;
using devices::Command;
using devices::OpKind;
using devices::Shape;
using devices::Signature;
using Values = std::vector<float>;

// Device memory of exactly this size: the sanitizers and the memory check see what lies outside.
class Memory {
public:
    explicit Memory(std::size_t bytes) {
        if (posix_memalign(&data_, 64, bytes != 0 ? bytes : 1) != 0) {
            std::abort();
        }
        add_device_memory(data_, bytes);
    }
    explicit Memory(const Values& values) : Memory(values.size() * sizeof(float)) {
        std::copy(values.begin(), values.end(), floats());
    }
    ~Memory() {
        remove_device_memory(data_);
        std::free(data_);
    }
    Memory(const Memory&) = delete;
    Memory& operator=(const Memory&) = delete;
    [[nodiscard]] float* floats() { return static_cast<float*>(data_); }
    [[nodiscard]] double* doubles() { return static_cast<double*>(data_); }

private:
    void* data_ = nullptr;
};

class NoSource : public memory::Source {
public:
    void* allocate(std::size_t) override { return nullptr; }
    void deallocate(void*, std::size_t) override {}
};

Values random_values(std::int64_t n, std::uint32_t seed, float low = -3.0f) {
    std::mt19937 generator(seed);
    std::uniform_real_distribution<float> distribution(low, 3.0f);
    Values values(static_cast<std::size_t>(n));
    for (float& value : values) {
        value = distribution(generator);
    }
    return values;
}

// The number of floats between two of them; the values may differ in their last bits where the processor's own
// functions are called.
std::int64_t units_between(float a, float b) {
    const auto ordered = [](float x) {
        const auto bits = std::bit_cast<std::int32_t>(x);
        return bits < 0 ? std::int64_t{std::numeric_limits<std::int32_t>::min()} - bits : std::int64_t{bits};
    };
    return std::abs(ordered(a) - ordered(b));
}
// On a GPU these are its own functions: compared within a few units in the last place, not bit by bit.
bool calls_the_library(OpKind kind) {
    return kind == OpKind::exp || kind == OpKind::log;
}

constexpr std::int64_t kSizes[] = {1, 2, 3, 4, 5, 31, 255, 256, 257, 1023, 1024, 1025, 4099};
constexpr unsigned kFewBlocks[] = {0, 2};  // 0: as many as the op asks for

// The parameter: the most blocks that a launch gets.
class SimtKernels : public testing::TestWithParam<unsigned> {
protected:
    void SetUp() override {
        limit_blocks(GetParam());
        launches_before_ = counts().launches;
    }
    void TearDown() override {
        limit_blocks(0);
        RecordProperty("launches", std::to_string(counts().launches - launches_before_));
    }

    Signature signature_of(OpKind kind, const Shape& in0, const Shape& in1 = {}, bool two = false,
                           std::uint16_t flags = 0, const Shape* created = nullptr) {
        runtime::SignatureKey key;
        key.kind = kind;
        key.flags = flags;
        if (created != nullptr) {
            key.extra = signatures_.intern(*created);
        } else {
            key.in0 = signatures_.intern(in0);
            key.in1 = two ? signatures_.intern(in1) : 0;
        }
        const auto found = signatures_.find(key);
        EXPECT_TRUE(found) << found.error().message;
        return (*found)->signature;
    }

    // Runs the op on both; `prepare` sets the command's parameters.
    template <class Prepare>
    std::pair<Values, Values> both(const Signature& s, const Values& in0, const Values& in1, Prepare prepare,
                                   std::size_t scratch_elements = 4096) {
        tested().insert(s.kind);
        const auto elements = static_cast<std::size_t>(s.elements);
        Values expected(elements, -99.0f);
        if (s.in_place) {
            expected = in0;
        }
        Memory out(expected);
        Memory a(s.in_place ? Values() : in0);
        Memory b(in1);
        Memory scratch(scratch_elements * sizeof(double));
        const auto command = [&](float* to, const float* from0, const float* from1) {
            Command c;
            c.signature = &s;
            c.op = 1;
            c.out = to;
            c.in0 = s.in_place ? to : from0;
            if (!in1.empty()) {
                c.in1 = from1;
            }
            prepare(c);
            return c;
        };
        const Command on_cpu = command(expected.data(), in0.data(), in1.data());
        const Command on_gpu = command(out.floats(), a.floats(), b.floats());
        devices::kernels::kernel_for(s.kind)(s, on_cpu);
        EXPECT_EQ(devices::cuda::launch_op(s, on_gpu, {scratch.doubles(), scratch_elements}, nullptr), cudaSuccess);
        return {Values(out.floats(), out.floats() + elements), expected};
    }

    template <class Prepare>
    void expect_same(const Signature& s, const Values& in0, const Values& in1, Prepare prepare) {
        const auto [actual, expected] = both(s, in0, in1, prepare);
        for (std::size_t i = 0; i < expected.size(); ++i) {
            const bool equal = calls_the_library(s.kind) ? units_between(actual[i], expected[i]) <= 4
                                                         : std::memcmp(&actual[i], &expected[i], sizeof(float)) == 0;
            ASSERT_TRUE(equal) << devices::name_of(s.kind) << " of " << to_string(s.in0) << " and " << to_string(s.in1)
                               << ": element " << i << " is " << actual[i] << ", on the CPU " << expected[i];
        }
    }

    // Sums add in double in another order: the result may be off by the error of that, and by one rounding.
    void expect_near_sum(OpKind kind, const Shape& shape, int axis, std::size_t scratch_elements,
                         float not_finite = 0) {
        const std::uint16_t flags = axis < 0 ? std::uint16_t{runtime::kAllAxes} : runtime::axis_flags(axis);
        const Signature s = signature_of(kind, shape, {}, false, flags);
        Values in = random_values(shape.elements(), static_cast<std::uint32_t>(shape.elements()) + 5);
        if (not_finite != 0 && !in.empty()) {
            in[in.size() / 2] = not_finite;
        }
        const auto [actual, expected] = both(
            s, in, {}, [](Command&) {}, scratch_elements);
        double size = 0;
        for (const float value : in) {
            size += std::isfinite(value) ? std::fabs(static_cast<double>(value)) : 0;
        }
        for (std::size_t i = 0; i < expected.size(); ++i) {
            const auto wanted = static_cast<double>(expected[i]);
            const double slack =
                kind == OpKind::max ? 0 : std::fabs(wanted) * 0x1p-23 + size * static_cast<double>(s.reduced) * 0x1p-52;
            const bool equal = std::isfinite(wanted) ? std::fabs(static_cast<double>(actual[i]) - wanted) <= slack
                               : std::isnan(wanted)  ? std::isnan(actual[i])
                                                     : actual[i] == expected[i];
            ASSERT_TRUE(equal) << devices::name_of(kind) << " of " << to_string(shape) << " along " << axis << " with "
                               << scratch_elements << " doubles: element " << i << " is " << actual[i]
                               << ", on the CPU " << expected[i];
        }
    }

    static std::set<OpKind>& tested() {
        static std::set<OpKind> kinds;
        return kinds;
    }

    std::unique_ptr<trace::Recording> recording_ = std::move(*trace::Recording::create(std::size_t{1} << 24));
    NoSource source_;
    memory::Pool pool_{source_};
    runtime::SourceLines lines_{*recording_};
    runtime::Signatures signatures_{*recording_, lines_, pool_, 42};
    std::uint64_t launches_before_ = 0;
};

TEST_P(SimtKernels, ElementwiseOfTwo) {
    for (const OpKind kind : reference::kinds_of(Arity::two)) {
        for (const auto n : kSizes) {
            Values a = random_values(n, 1), b = random_values(n, 2);
            for (std::size_t i = 0; i < b.size(); i += 3) {
                b[i] = a[i];
            }
            for (const std::uint16_t flags : {0, int{runtime::kInPlace}}) {
                expect_same(signature_of(kind, Shape{n}, Shape{n}, true, flags), a, b, [](Command&) {});
            }
        }
    }
}

TEST_P(SimtKernels, ElementwiseWithBroadcasting) {
    const std::pair<Shape, Shape> cases[] = {{{33, 17}, {17}},       {{33, 1}, {17}},
                                             {{17}, {33, 17}},       {{2, 3, 4, 5}, {3, 1, 5}},
                                             {{1}, {300}},           {{2, 1, 2, 1, 2, 1, 2}, {3, 1, 3, 1, 3, 1}},
                                             {{5, 1, 7}, {1, 6, 1}}, {{40, 30}, {}}};
    for (const OpKind kind : reference::kinds_of(Arity::two)) {
        for (const auto& [in0, in1] : cases) {
            for (const bool wide : {false, true}) {
                Signature s = signature_of(kind, in0, in1, true);
                if (s.contiguous) {
                    continue;
                }
                const Values a = random_values(in0.elements(), 3), b = random_values(in1.elements(), 4);
                if (wide) {
                    s.in1 = Shape{std::int64_t{1} << 32};  // indices of 64 bits; sizes come from the strides
                }
                expect_same(s, a, b, [](Command&) {});
            }
        }
    }
}

TEST_P(SimtKernels, ElementwiseOfOneAndWithANumber) {
    for (const auto n : kSizes) {
        for (const OpKind kind : reference::kinds_of(Arity::one)) {
            if (kind == OpKind::copy) {
                continue;  // the device copies without a kernel
            }
            const Values x = random_values(n, 5, reference::wants_positive(kind) ? 0.01f : -3.0f);
            expect_same(signature_of(kind, Shape{n}), x, {}, [](Command&) {});
        }
        for (const OpKind kind : reference::kinds_of(Arity::one_and_scalar)) {
            Values x = random_values(n, 6);
            x[0] = 0.7f;
            for (const std::uint16_t flags : {0, int{runtime::kInPlace}}) {
                expect_same(signature_of(kind, Shape{n}, {}, false, flags), x, {},
                            [](Command& c) { c.scalar[0] = 0.7f; });
            }
        }
        for (const std::uint16_t flags : {0, int{runtime::kInPlace}}) {
            expect_same(signature_of(OpKind::add_scaled, Shape{n}, Shape{n}, true, flags), random_values(n, 7),
                        random_values(n, 8), [](Command& c) { c.scalar[0] = -0.3f; });
        }
    }
}

TEST_P(SimtKernels, ValuesThatAreNotFinite) {
    const float infinity = std::numeric_limits<float>::infinity();
    const Values odd{std::numeric_limits<float>::quiet_NaN(), infinity, -infinity, -0.0f, 0.0f, 1e-42f, 3e38f};
    const auto n = static_cast<std::int64_t>(odd.size());
    for (const OpKind kind : {OpKind::relu, OpKind::sqrt}) {
        const auto [actual, expected] = both(signature_of(kind, Shape{n}), odd, {}, [](Command&) {});
        for (std::size_t i = 0; i < odd.size(); ++i) {
            EXPECT_TRUE(actual[i] == expected[i] || (std::isnan(actual[i]) && std::isnan(expected[i])))
                << devices::name_of(kind) << " of " << odd[i];
        }
    }
    for (const float value : odd) {
        for (const std::int64_t length : {1, 300, 9000}) {
            expect_near_sum(OpKind::max, Shape{length}, -1, 4096, value);
            expect_near_sum(OpKind::sum, Shape{length}, -1, 4096, value);
        }
    }
}

TEST_P(SimtKernels, Created) {
    for (const auto n : kSizes) {
        const Shape shape{n};
        expect_same(signature_of(OpKind::fill, {}, {}, false, 0, &shape), {}, {},
                    [](Command& c) { c.scalar[0] = 2.5f; });
        for (const OpKind kind : {OpKind::normal, OpKind::uniform}) {
            for (const std::uint64_t stream : {std::uint64_t{1}, (std::uint64_t{7} << 32) + 3}) {
                expect_same(signature_of(kind, {}, {}, false, 0, &shape), {}, {}, [&](Command& c) {
                    c.random_stream = stream;
                    c.scalar[0] = -1.0f;
                    c.scalar[1] = 2.0f;
                });
            }
        }
        // Rounds up to its upper bound, which is excluded.
        expect_same(signature_of(OpKind::uniform, {}, {}, false, 0, &shape), {}, {}, [&](Command& c) {
            c.random_stream = 9;
            c.scalar[0] = 1.0f;
            c.scalar[1] = 1.0f + 0x1p-22f;
        });
    }
}

TEST_P(SimtKernels, SumsOfRows) {
    for (const OpKind kind : {OpKind::sum, OpKind::mean, OpKind::max}) {
        for (const std::size_t scratch : {std::size_t{4096}, std::size_t{3}}) {
            for (const std::int64_t length : {1, 2, 255, 256, 257, 4096, 8191, 8192, 20000}) {
                expect_near_sum(kind, Shape{length}, -1, scratch);
            }
            expect_near_sum(kind, Shape{3, 300}, 1, scratch);
            expect_near_sum(kind, Shape{7, 1}, 1, scratch);
            expect_near_sum(kind, Shape{2, 9001}, 1, scratch);
        }
    }
    expect_near_sum(OpKind::sum, Shape{3, 0}, 1, 4096);
}

TEST_P(SimtKernels, SumsOfColumns) {
    for (const OpKind kind : {OpKind::sum, OpKind::mean, OpKind::max}) {
        for (const std::size_t scratch : {std::size_t{4096}, std::size_t{20}}) {
            for (const Shape& shape :
                 {Shape{300, 3}, Shape{63, 5}, Shape{64, 5}, Shape{257, 33}, Shape{5000, 2}, Shape{1, 1025}}) {
                expect_near_sum(kind, shape, 0, scratch);
            }
            expect_near_sum(kind, Shape{2, 300, 5}, 1, scratch);
            expect_near_sum(kind, Shape{3, 1, 4}, 1, scratch);
        }
    }
    expect_near_sum(OpKind::sum, Shape{0, 3}, 0, 4096);
}

TEST_P(SimtKernels, Transposes) {
    const std::pair<Shape, std::pair<int, int>> cases[] = {
        {{1, 1}, {0, 1}},     {{5, 7}, {0, 1}},     {{32, 32}, {0, 1}},     {{33, 31}, {0, 1}},
        {{64, 100}, {0, 1}},  {{100, 65}, {0, 1}},  {{1, 200}, {0, 1}},     {{2, 3, 4}, {0, 2}},
        {{17, 6, 5}, {0, 1}}, {{3, 9, 40}, {1, 2}}, {{2, 3, 4, 5}, {0, 3}}, {{2, 3, 2, 3, 2}, {1, 3}},
    };
    for (const auto& [shape, axes] : cases) {
        const Values in = random_values(shape.elements(), 9);
        for (const bool wide : {false, true}) {
            Signature s =
                signature_of(OpKind::transpose, shape, {}, false, runtime::axis_flags(axes.first, axes.second));
            if (wide) {
                s.in1 = Shape{std::int64_t{1} << 32};
            }
            expect_same(s, in, {}, [](Command&) {});
        }
    }
}

TEST_P(SimtKernels, OpsWithoutElementsLaunchAnEmptyKernel) {
    const auto before = counts().launches;
    expect_same(signature_of(OpKind::noop, {}), {}, {}, [](Command&) {});
    expect_same(signature_of(OpKind::add, Shape{0}, Shape{0}, true), {}, {}, [](Command&) {});
    EXPECT_EQ(devices::cuda::launch_nothing(nullptr), cudaSuccess);
    EXPECT_EQ(counts().launches, before + 3);
}

// After the tests above, in this process.
TEST_P(SimtKernels, ZEveryKindWithAKernelHasBeenTested) {
    if (tested().size() < 3) {
        GTEST_SKIP() << "the other tests have not run in this process";
    }
    Memory memory(64);
    for (std::size_t i = 0; i < devices::kOpKinds; ++i) {
        Signature s;
        s.kind = static_cast<OpKind>(i);
        s.elements = 1;
        s.out = s.in0 = s.in1 = Shape{1};
        Command c;
        c.signature = &s;
        c.out = memory.floats();
        c.in0 = c.in1 = memory.floats() + 4;
        const auto status = devices::cuda::launch_op(s, c, {memory.doubles() + 4, 1}, nullptr);
        EXPECT_EQ(status == cudaSuccess, tested().contains(s.kind)) << devices::name_of(s.kind);
    }
    const Counts all = counts();
    std::cout << tested().size() << " kinds of ops, " << all.launches << " launches, " << all.blocks << " blocks, "
              << all.threads << " threads, " << all.barriers << " barriers\n";
}

INSTANTIATE_TEST_SUITE_P(Blocks, SimtKernels, testing::ValuesIn(kFewBlocks), [](const auto& blocks) {
    return blocks.param == 0 ? std::string("AsAsked") : "AtMost" + std::to_string(blocks.param);
});

}  // namespace
}  // namespace headway::simt
