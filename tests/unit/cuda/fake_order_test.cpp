// The order checker: what it holds to be ordered, and that it finds each wait for an event that is left out.
#include "tests/unit/cuda/fake_order.h"

#include <iostream>
#include <set>

#include "tests/unit/cuda/fixture.h"

namespace headway {
namespace {

using devices::OpKind;
using fake::Access;
using fake::OrderCheck;
using runtime::Tensor;

class Order : public testing::Test {
protected:
    void SetUp() override { check.add_memory(memory.data(), sizeof memory); }
    [[nodiscard]] Access reads(std::size_t from, std::size_t bytes) const {
        return {memory.data() + from, bytes, false};
    }
    [[nodiscard]] Access writes(std::size_t from, std::size_t bytes) const {
        return {memory.data() + from, bytes, true};
    }
    std::size_t launch(int stream, const Access& access) { return check.launched(stream, "kernel", {access}).size(); }

    alignas(64) std::array<char, 256> memory{};
    OrderCheck check;
};

TEST_F(Order, NamesBothCommandsAndTheBytes) {
    EXPECT_TRUE(check.launched(0, "fill", {writes(0, 64)}).empty());
    EXPECT_EQ(
        check.launched(1, "add of op 3", {reads(32, 64)}),
        (std::vector<std::string>{"order: add of op 3 (command 1 of stream 1) reads memory that fill (command 1 of "
                                  "stream 0) writes, and neither waits for the other: bytes 32 to 63 of 256"}));
}

TEST_F(Order, OnlyConflictsMatter) {
    launch(0, reads(0, 64));
    EXPECT_EQ(launch(1, reads(0, 64)), 0u);
    EXPECT_EQ(launch(1, writes(64, 64)), 0u);
    EXPECT_EQ(launch(0, writes(0, 64)), 1u);  // stream 1 reads it
    EXPECT_EQ(launch(0, writes(128, 1)), 0u);
    EXPECT_EQ(launch(1, writes(128, 1)), 1u);
}

TEST_F(Order, AStreamIsOrdered) {
    for (int i = 0; i < 3; ++i) {
        EXPECT_EQ(launch(0, reads(0, 64)), 0u);
        EXPECT_EQ(launch(0, writes(0, 64)), 0u);
    }
}

TEST_F(Order, AnEventCoversWhatWasLaunchedBeforeItAndNoMore) {
    launch(0, writes(0, 4));
    const auto event = check.of_stream(0);
    launch(0, writes(4, 4));
    check.stream_waits(1, event);
    EXPECT_EQ(launch(1, reads(0, 4)), 0u);
    EXPECT_EQ(launch(1, reads(4, 4)), 1u);
}

TEST_F(Order, WaitsAreTransitive) {
    launch(0, writes(0, 4));
    check.stream_waits(1, check.of_stream(0));
    launch(1, writes(4, 4));
    check.stream_waits(2, check.of_stream(1));
    EXPECT_EQ(launch(2, writes(0, 8)), 0u);
    EXPECT_EQ(launch(3, reads(0, 8)), 1u);  // the covered writes are not named again
}

TEST_F(Order, AWaitInOneDirectionDoesNotOrderTheOther) {
    launch(0, reads(0, 4));
    check.stream_waits(1, check.of_stream(0));
    launch(1, writes(0, 4));
    EXPECT_EQ(launch(0, reads(0, 4)), 1u);
}

TEST_F(Order, WhatTheHostHasWaitedForIsBeforeLaterLaunches) {
    launch(0, writes(0, 4));
    const auto event = check.of_stream(0);
    launch(0, writes(4, 4));
    check.host_knows(event);
    EXPECT_EQ(launch(1, reads(0, 4)), 0u);
    EXPECT_EQ(launch(1, reads(4, 4)), 1u);
    check.host_knows_all();
    EXPECT_EQ(launch(2, writes(0, 8)), 0u);
}

TEST_F(Order, FreedMemoryIsForgotten) {
    launch(0, writes(0, 4));
    check.remove_memory(memory.data());
    check.add_memory(memory.data(), 128);
    EXPECT_EQ(launch(1, writes(0, 4)), 0u);
    EXPECT_EQ(launch(2, writes(128, 4)), 0u);  // of no allocation: the host's
    EXPECT_EQ(launch(3, writes(128, 4)), 0u);
}

// --- the device, with one wait left out at a time ---

class OrderOfStreams : public CudaTest, public testing::WithParamInterface<memory::FreePolicy> {
protected:
    struct Found {
        int waits = 0, repeated = 0;
        std::vector<std::string> problems;
    };
    // Products, sums, copies and graphs on two streams; values of one are read and overwritten by the other. The
    // streams are held until all is launched, so that the host learns nothing meanwhile.
    Found run(int left_out) {
        stop();
        fake::reset();
        devices::CudaOptions options;
        options.launch = devices::CudaLaunch::frontend;
        runtime::Settings settings;
        settings.free_policy = GetParam();
        start(options, settings);
        const fake::Counts before = fake::counts();
        fake::hold_stream(0, true);
        fake::hold_stream(1, true);
        if (left_out != 0) {
            fake::ignore_wait(left_out);
        }
        const Tensor a = rt->full({4, 4}, 1.0f);
        const Tensor b = rt->full({4, 4}, 2.0f);
        Tensor x = a + b;
        for (int i = 0; i < 3; ++i) {
            const Tensor y = rt->matmul(x, a);
            const Tensor z = x * 2.0f;
            rt->binary_in_place(OpKind::sub, x, b);
            rt->with_scalar_in_place(OpKind::mul_scalar, b, 0.5f);
            const Tensor given = rt->from_host({4}, std::vector<float>{1, 2, 3, 4});
            const Tensor sum = rt->reduce(OpKind::sum, given);
            x = y + z + sum;  // in one statement the compiler would choose the order
            rt->copy_into(a, x);
        }
        const fake::Counts after = fake::counts();
        fake::hold_stream(0, false);
        fake::hold_stream(1, false);
        rt->waitall();
        return {after.stream_waits - before.stream_waits, after.repeated_waits - before.repeated_waits,
                fake::take_order_problems()};
    }
};

TEST_P(OrderOfStreams, EachMissingWaitIsFoundEachTime) {
    const Found complete = run(0);
    EXPECT_EQ(complete.problems, std::vector<std::string>());
    ASSERT_GE(complete.waits, 6);
#if defined(__SANITIZE_THREAD__)
    GTEST_SKIP() << "a wait left out on purpose is a race that the thread sanitizer reports, too";
#endif
    int found = 0;
    for (int nth = 1; nth <= complete.waits; ++nth) {
        const Found once = run(nth);
        EXPECT_EQ(once.waits, complete.waits);
        EXPECT_EQ(once.problems, run(nth).problems) << "without wait " << nth;
        found += once.problems.empty() ? 0 : 1;
        for (const std::string& problem : once.problems) {
            EXPECT_TRUE(problem.starts_with("order: ")) << problem;
        }
    }
    std::cout << complete.waits << " waits for events, " << complete.repeated
              << " of them for what a stream had waited "
              << "for before; " << found << " found missing\n";
    // With lazy, one block that was freed after a wait is not taken again.
    const int without_effect = GetParam() == memory::FreePolicy::lazy ? 1 : 0;
    EXPECT_EQ(found, complete.waits - complete.repeated - without_effect);
}

INSTANTIATE_TEST_SUITE_P(Policies, OrderOfStreams,
                         testing::Values(memory::FreePolicy::finish, memory::FreePolicy::stream,
                                         memory::FreePolicy::lazy),
                         [](const auto& policy) { return std::string(memory::name_of(policy.param)); });

}  // namespace
}  // namespace headway
