// Signatures in a recording: each kind of op has a text of its own.
#include "engine/runtime/signatures.h"

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "engine/devices/cpu/cpu_device.h"
#include "engine/runtime/runtime.h"
#include "engine/trace/reader.h"
#include "tests/unit/runtime/failure_of.h"

namespace headway::runtime {
namespace {

class SignaturesTest : public testing::Test {
protected:
    // The shapes of each signature as recorded.
    [[nodiscard]] std::map<std::uint16_t, std::string> recorded_shapes() const {
        std::map<std::uint16_t, std::string> shapes;
        const auto reader = std::move(*recording->reader());
        reader->poll();
        reader->each_meta([&](trace::MetaType type, std::uint16_t id, std::string_view text) {
            if (type == trace::MetaType::signature) {
                text.remove_prefix(sizeof(trace::SignatureInfo));
                shapes[id] = text.substr(0, text.find('\0'));  // the name follows
            }
        });
        return shapes;
    }

    std::unique_ptr<trace::Recording> recording = std::move(*trace::Recording::create(std::size_t{1} << 26));
    devices::CpuDevice device{1, *recording};
    Runtime rt{device, *recording, {}};
};

TEST_F(SignaturesTest, OpaqueOpsOfOneNameAndDifferentCostsAreNumbered) {
    const auto id = [this](std::uint64_t flops) {
        return rt.signatures.opaque({devices::OpKind::opaque, devices::Family::matmul, "lib::op", "(2)", 8, flops, 48})
            .id;
    };
    const auto first = id(1), second = id(2), third = id(3);
    EXPECT_EQ(id(2), second);
    const auto shapes = recorded_shapes();
    EXPECT_EQ(shapes.at(first), "(2)");
    EXPECT_EQ(shapes.at(second), "(2) #2");
    EXPECT_EQ(shapes.at(third), "(2) #3");
}

// A copy reads as many bytes as it writes, whether they are the program's memory or a tensor on the CPU.
TEST_F(SignaturesTest, CopiesToAGpuHaveOneCostWhereverTheyComeFrom) {
    const ShapeId shape = rt.signatures.intern({4, 8});
    const auto copy = [&](ShapeId from) {
        return (*rt.signatures.find({devices::OpKind::copy_to_device, 0, from, 0, shape}))->signature;
    };
    const auto from_program = copy(0), from_cpu = copy(shape);
    EXPECT_EQ(from_program.moved_bytes, 2 * 4 * 8 * sizeof(float));
    EXPECT_EQ(from_cpu.moved_bytes, from_program.moved_bytes);
    EXPECT_EQ(from_cpu.id, from_program.id);
}

// Its record would name another op.
TEST_F(SignaturesTest, AnOpBeyondTheLastIdIsAnError) {
    constexpr std::uint64_t kMost = 65'535;
    for (std::uint64_t bytes = 1; bytes < kMost; ++bytes) {
        rt.signatures.allocation(bytes);
    }
    const Tensor a = rt.full({2}, 1.0f);  // the last one
    for (int i = 0; i < 2; ++i) {
        const std::string failure = failure_of([&] { static_cast<void>(a * 2.0f); });
        EXPECT_TRUE(has(failure, "at most 65,535 ops of different names or shapes, and mul_scalar (2) is one more"))
            << failure;
        EXPECT_THROW(rt.signatures.allocation(kMost), ProgramError);
        EXPECT_THROW(rt.signatures.opaque({.name = "lib::op", .shapes = ""}), ProgramError);
        EXPECT_THROW(rt.signatures.composite("f", {&rt.signatures.allocation(1)}), ProgramError);
    }
    static_cast<void>(rt.full({2}, 2.0f));
    EXPECT_EQ(rt.recorder.issued(), 2u);
}

TEST_F(SignaturesTest, ShapesThatAnOpCannotHaveAreRefused) {
    const Tensor row = rt.full({1, 3}, 1.0f);
    const auto refused = [](const auto& call, const std::string& why) {
        const std::string failure = failure_of(call);
        EXPECT_TRUE(has(failure, why)) << failure;
    };
    refused([&] { rt.copy_into(row, rt.full({3}, 1.0f)); }, "copy: (3,) does not fit into (1, 3)");
    refused([&] { rt.binary_in_place(devices::OpKind::add, row, rt.reshape(row, {3})); },
            "in place: the operands share memory but not their shape");
    refused([&] { rt.full({0}, 1.0f); }, "full: the shape (0,) has a side that is not positive");
}

}  // namespace
}  // namespace headway::runtime
