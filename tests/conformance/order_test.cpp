// Waiting, overlapping and failing on every device: what a wait covers, what it does not wait for, and how errors
// propagate.
#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <future>
#include <thread>

#include "tests/conformance/devices.h"
#include "tests/unit/runtime/failure_of.h"

namespace headway {
namespace {

using devices::Command;
using devices::OpKind;
using devices::Shape;
using memory::FreePolicy;
using reference::Array;
using runtime::ProgramError;
using runtime::Runtime;
using runtime::Tensor;

// An op that runs until open() is called; no sleeping.
class Gate {
public:
    ~Gate() { open(); }
    void open() { open_.store(true); }
    static void run(const Command& command, void* gate) {
        while (!static_cast<Gate*>(gate)->open_.load()) {
            std::this_thread::yield();
        }
        std::fill_n(command.out, command.signature->elements, 1.0f);
    }

private:
    std::atomic<bool> open_{false};
};

// A gate can only block ops that run on their own threads.
class GatedConformance : public DeviceConformance {};

bool is_ready(std::future<void>& future) {
    return future.wait_for(std::chrono::milliseconds(20)) == std::future_status::ready;
}

TEST_P(GatedConformance, IssueReturnsWhileNothingCanRun) {
    Gate gate;
    Tensor x = bench->host_call(Gate::run, &gate, Tensor(), {4});
    const core::OpId first = bench->recorder.issued();
    for (int i = 0; i < 1000; ++i) {
        x = bench->with_scalar(OpKind::add_scalar, x, 1.0f);
    }
    EXPECT_EQ(bench->recorder.issued(), first + 1000);
    EXPECT_GE(bench->lanes.unfinished_commands(), 1001u);
    gate.open();
    expect_equal(x, Array::full({4}, 1001.0), 0.0);
    bench->waitall();
    EXPECT_EQ(bench->lanes.unfinished_commands(), 0u);
}

TEST_P(GatedConformance, WaitCoversOpsIssuedBeforeIt) {
    Gate gate;  // opened by hand, so no sleeps
    const Tensor x = bench->host_call(Gate::run, &gate, Tensor(), {4});
    auto waited = std::async(std::launch::async, [&] { bench->waitall(); });
    EXPECT_FALSE(is_ready(waited));
    gate.open();
    waited.get();
    EXPECT_EQ(bench->lanes.unfinished_commands(), 0u);
}

TEST_P(GatedConformance, WaitToReadWaitsForDependencies) {
    Gate gate;
    const Tensor x = bench->host_call(Gate::run, &gate, Tensor(), {4});
    const Tensor y = bench->with_scalar(OpKind::mul_scalar, x, 3.0f);
    auto waited = std::async(std::launch::async, [&] { y.wait_to_read(); });
    EXPECT_FALSE(is_ready(waited));
    gate.open();
    waited.get();
    expect_equal(y, Array::full({4}, 3.0), 0.0);
}

TEST_P(GatedConformance, WaitToReadDoesNotWaitForOthers) {
    Gate gate;
    const Tensor before = bench->with_scalar(OpKind::add_scalar, bench->ones({4}), 1.0f);
    const Tensor gated = bench->host_call(Gate::run, &gate, Tensor(), {4});
    const Tensor behind = bench->with_scalar(OpKind::add_scalar, gated, 1.0f);
    before.wait_to_read();  // with one lane, too: it was issued first
    expect_equal(before, Array::full({4}, 2.0), 0.0);
    EXPECT_GE(bench->lanes.unfinished_commands(), 2u);
    gate.open();
    expect_equal(behind, Array::full({4}, 2.0), 0.0);
}

TEST_P(GatedConformance, IndependentOpsOverlapIfThereAreLanes) {
    Gate gate;
    const Tensor gated = bench->host_call(Gate::run, &gate, Tensor(), {4});
    // Ops go to the lane with the fewest queued commands, so with several lanes some of these are not behind the gate.
    std::vector<Tensor> others;
    for (std::uint32_t i = 0; i < GetParam().lanes; ++i) {
        others.push_back(bench->full({4}, static_cast<float>(i)));
    }
    const std::uint32_t queued = GetParam().lanes + 1;
    if (GetParam().lanes == 1) {
        EXPECT_EQ(bench->lanes.unfinished_commands(), queued);
    } else {
        while (bench->lanes.unfinished_commands() >= queued) {
            std::this_thread::yield();
        }
        EXPECT_GE(bench->lanes.unfinished_commands(), 1u);
    }
    gate.open();
    expect_equal(gated, Array::full({4}, 1.0), 0.0);
}

TEST_P(GatedConformance, WritersWaitForEarlierReaders) {
    struct Reader {
        Gate gate;
        std::vector<float> saw;
        static void run(const Command& command, void* reader) {
            Gate::run(command, &static_cast<Reader*>(reader)->gate);
            static_cast<Reader*>(reader)->saw.assign(command.in1, command.in1 + 4);
        }
    };
    Reader reader;
    const Tensor x = bench->full({4}, 1.0f);
    x.wait_to_read();
    bench->host_call(Reader::run, &reader, x, {1});
    bench->with_scalar_in_place(OpKind::add_scalar, x, 1.0f);  // in another lane, if there is one
    const Tensor after = bench->unary(OpKind::copy, x);
    bench->full({4}, 0.0f);
    EXPECT_GE(bench->lanes.unfinished_commands(), 2u);
    reader.gate.open();
    expect_equal(after, Array::full({4}, 2.0), 0.0);
    bench->waitall();
    EXPECT_EQ(reader.saw, (std::vector<float>{1, 1, 1, 1}));
}

TEST_P(GatedConformance, DroppedTensorKeepsItsMemoryUntilItsReadersHaveRun) {
    for (const auto policy : {FreePolicy::finish, FreePolicy::stream, FreePolicy::lazy}) {
        SCOPED_TRACE(memory::name_of(policy));
        runtime::Settings settings;
        settings.free_policy = policy;
        Bench on(GetParam(), settings);
        Gate gate;
        const Tensor gated = on->host_call(Gate::run, &gate, Tensor(), {64});
        Tensor sum;
        {
            const Tensor doomed = on->full({64}, 5.0f);
            sum = on->binary(OpKind::add, doomed, gated);
        }
        std::vector<Tensor> takers;  // these would overwrite it
        for (int i = 0; i < 50; ++i) {
            takers.push_back(on->full({64}, -1.0f));
        }
        gate.open();
        expect_equal(sum, Array::full({64}, 6.0), 0.0);
    }
}

TEST_P(GatedConformance, HeldLanesStartNothingNew) {
    bench->full({4}, 0.0f).wait_to_read();
    bench->lanes.device(0).hold(true);
    const Tensor x = bench->full({4}, 2.0f);
    const Tensor y = bench->with_scalar(OpKind::add_scalar, x, 1.0f);
    EXPECT_EQ(bench->lanes.unfinished_commands(), 2u);
    std::this_thread::yield();
    EXPECT_EQ(bench->lanes.unfinished_commands(), 2u);
    bench->lanes.device(0).hold(false);
    expect_equal(y, Array::full({4}, 3.0), 0.0);
}

TEST_P(GatedConformance, AStopLeavesOutWhatIsQueuedAndCountsIt) {
    const Tensor done = bench->full({4}, 2.0f);
    done.wait_to_read();
    bench->lanes.device(0).hold(true);
    std::atomic<int> ran{0};
    const auto count = [](const Command& command, void* ran) {
        ++*static_cast<std::atomic<int>*>(ran);
        std::fill_n(command.out, command.signature->elements, 1.0f);
    };
    for (int i = 0; i < 100; ++i) {
        bench->host_call(count, &ran, Tensor(), {4});
    }
    bench->lanes.device(0).abandon();
    bench->lanes.device(0).hold(false);
    EXPECT_EQ(runtime::failure_of([&] { bench->waitall(); }), "stopped");
    EXPECT_EQ(ran, 0);
    EXPECT_EQ(bench->lanes.unfinished_commands(), 0u);
    expect_equal(done, Array::full({4}, 2.0), 0.0);
}

INSTANTIATE_TEST_SUITE_P(Devices, GatedConformance, testing::ValuesIn(devices_with_threads(true)),
                         [](const auto& tested) { return tested.param.name; });

// --- the same in virtual time, where the order is exact ---

class VirtualConformance : public DeviceConformance {};

TEST_P(VirtualConformance, WaitToReadDoesNotWaitForOthers) {
    const Tensor first = bench->full({4}, 1.0f);
    const Tensor slow = bench->matmul(bench->ones({8, 8}), bench->ones({8, 8}));
    const Tensor behind = bench->with_scalar(OpKind::add_scalar, slow, 1.0f);
    first.wait_to_read();
    EXPECT_GE(bench->lanes.unfinished_commands(), 2u);
    expect_equal(behind, Array::full({8, 8}, 9.0), 0.0);
    bench->waitall();
    EXPECT_EQ(bench->lanes.unfinished_commands(), 0u);
}

INSTANTIATE_TEST_SUITE_P(Devices, VirtualConformance, testing::ValuesIn(devices_with_threads(false)),
                         [](const auto& tested) { return tested.param.name; });

// --- failures ---

// An op that fails when it executes.
struct Failing {
    devices::Device& device;
    std::string message;
    static void run(const Command& command, void* context) {
        auto& self = *static_cast<Failing*>(context);
        self.device.poison().fail(command, core::ErrorKind::failed, self.message);
    }
};

// A GPU gets dependent ops before the op that they depend on has run, and does not check its outcome. So wait for the
// failure: it then spoils the ops that are launched after it.
void let_it_fail(Bench& bench) {
    while (bench.device().info().kind == "cuda" && !bench.device().poison().any()) {
        std::this_thread::yield();
    }
}

template <class Call>
core::Error error_of(Call call) {
    try {
        call();
    } catch (const ProgramError& error) {
        return error.error();
    }
    ADD_FAILURE() << "no error was delivered";
    return {};
}

TEST_P(DeviceConformance, FailureIsDeliveredByTheWaitThatNeedsIt) {
    Failing failing{bench.device(), "the moon is down"};
    const auto here = core::SourceLocation::current();
    bench->lines.set(bench->lines.at(here));
    const Tensor bad = bench->host_call(Failing::run, &failing, Tensor(), {3});
    const core::OpId origin = bench->recorder.issued();
    let_it_fail(bench);
    bench->lines.set(core::make_line(core::file_of(bench->lines.current()), here.line() + 100));
    const Tensor worse = bench->with_scalar(OpKind::add_scalar, bad, 1.0f);
    const Tensor worst = bench->binary(OpKind::mul, bench->ones({3}), worse);
    const Tensor fine = bench->full({3}, 7.0f);
    const Tensor finer = bench->binary(OpKind::add, fine, fine);

    expect_equal(finer, Array::full({3}, 14.0), 0.0);  // independent values are unaffected
    for (const Tensor& spoiled : {worst, worse, bad}) {
        for (const auto& error :
             {error_of([&] { spoiled.wait_to_read(); }), error_of([&] { (void)spoiled.to_host(); })}) {
            EXPECT_EQ(error.op, origin);
            EXPECT_NE(error.message.find("the moon is down"), std::string::npos) << error.message;
            EXPECT_EQ(error.line, here.line());
            EXPECT_EQ(error.file, "order_test.cpp");
        }
    }
    bench->waitall();  // delivered already
    expect_equal(bench->with_scalar(OpKind::add_scalar, fine, 1.0f), Array::full({3}, 8.0), 0.0);
}

TEST_P(DeviceConformance, FailureSpoilsAnInPlaceTarget) {
    Failing failing{bench.device(), "spilt"};
    const Tensor x = bench->ones({3});
    const Tensor view = x.reshape({3, 1});
    const Tensor copy = bench->unary(OpKind::copy, x);
    const Tensor bad = bench->host_call(Failing::run, &failing, Tensor(), {3});
    let_it_fail(bench);
    bench->binary_in_place(OpKind::add, x, bad);
    EXPECT_NE(error_of([&] { view.wait_to_read(); }).message.find("spilt"), std::string::npos);
    expect_equal(copy, Array::full({3}, 1.0), 0.0);  // copied before the failure
}

TEST_P(DeviceConformance, OverwritingAFailedTensorMakesItValid) {
    Failing failing{bench.device(), "spilt"};
    const Tensor bad = bench->host_call(Failing::run, &failing, Tensor(), {4});
    let_it_fail(bench);
    const Tensor sound = bench->full({4}, 2.0f);
    const Tensor part = bench->full({2}, 3.0f);
    bench->assign_slice(bad, 0, part);  // the other half was never computed
    EXPECT_NE(error_of([&] { bad.wait_to_read(); }).message.find("spilt"), std::string::npos);
    bench->assign_slice(bad, 0, sound);
    expect_equal(bad, Array::full({4}, 2.0), 0.0);
    expect_equal(bench->with_scalar(OpKind::add_scalar, bad, 1.0f), Array::full({4}, 3.0), 0.0);
    bench->waitall();  // the failure has been delivered

    const Tensor again = bench->host_call(Failing::run, &failing, Tensor(), {4});
    EXPECT_NE(error_of([&] { again.wait_to_read(); }).message.find("spilt"), std::string::npos);
    bench->copy_into(again, sound);
    expect_equal(again, Array::full({4}, 2.0), 0.0);
}

TEST_P(DeviceConformance, ShapesWhoseSizeOverflowsAreRefused) {
    constexpr std::int64_t kHuge = std::int64_t{1} << 40;
    const core::OpId before = bench->recorder.issued();
    const Tensor small = bench->ones({6});
    for (const auto& call :
         std::vector<std::function<void()>>{[&] {
                                                bench->normal({kHuge, kHuge}, 0, 1);
                                            },
                                            [&] {
                                                bench->uniform({kHuge, kHuge, kHuge}, 0, 1);
                                            },
                                            [&] {
                                                bench->full({kHuge, kHuge}, 0);
                                            },
                                            [&] {
                                                bench->host_call(nullptr, nullptr, Tensor(), {kHuge, kHuge});
                                            }}) {
        const core::Error error = error_of(call);
        EXPECT_EQ(error.kind, core::ErrorKind::shape);
        EXPECT_NE(error.message.find("is too large to address"), std::string::npos) << error.message;
    }
    EXPECT_EQ(error_of([&] { bench->reshape(small, {kHuge, kHuge, 6}); }).kind, core::ErrorKind::shape);
    EXPECT_EQ(error_of([&] { bench->reshape(small, {kHuge, kHuge, -1}); }).kind, core::ErrorKind::shape);
    EXPECT_EQ(bench->recorder.issued(), before + 1);
}

TEST_P(DeviceConformance, WaitallDeliversTheFirstFailureOnce) {
    Failing first{bench.device(), "first"}, second{bench.device(), "second"};
    bench->host_call(Failing::run, &first, Tensor(), {1});
    const Tensor late = bench->host_call(Failing::run, &second, Tensor(), {1});
    EXPECT_NE(error_of([&] { bench->waitall(); }).message.find("first"), std::string::npos);
    bench->waitall();
    EXPECT_NE(error_of([&] { late.wait_to_read(); }).message.find("second"), std::string::npos);
}

TEST_P(DeviceConformance, OutOfMemoryIsReportedAtTheOp) {
    for (const auto policy : {FreePolicy::finish, FreePolicy::stream}) {
        SCOPED_TRACE(memory::name_of(policy));
        runtime::Settings settings;
        settings.free_policy = policy;
        settings.budget_bytes = 10'000;
        Bench on(GetParam(), settings);
        const Tensor a = on->ones({1000}), b = on->ones({1000});
        const core::OpId before = on->recorder.issued();
        const core::Error error = error_of([&] { on->binary(OpKind::add, a, b); });
        EXPECT_EQ(error.kind, core::ErrorKind::out_of_memory);
        EXPECT_EQ(error.op, before + 1);
        EXPECT_NE(error.message.find("add"), std::string::npos) << error.message;
        EXPECT_NE(error.message.find("(1000,)"), std::string::npos) << error.message;
        on->binary_in_place(OpKind::add, a, b);  // fits, because it needs no new memory
        expect_equal(a, Array::full({1000}, 2.0), 0.0);
        on->waitall();
    }
}

TEST_P(DeviceConformance, LazyOutOfMemoryFailsTheOpWhenItStarts) {
    runtime::Settings settings;
    settings.free_policy = FreePolicy::lazy;
    settings.budget_bytes = 10'000;
    Bench on(GetParam(), settings);
    const Tensor a = on->ones({1000}), b = on->ones({1000});
    b.wait_to_read();
    a.wait_to_read();
    const Tensor c = on->binary(OpKind::add, a, b);  // issued anyway
    const core::OpId op = on->recorder.issued();
    const Tensor d = on->with_scalar(OpKind::add_scalar, c, 1.0f);
    const core::Error error = error_of([&] { d.wait_to_read(); });
    EXPECT_EQ(error.kind, core::ErrorKind::out_of_memory);
    EXPECT_EQ(error.op, op);
    expect_equal(a, Array::full({1000}, 1.0), 0.0);
    on->waitall();
}

TEST_P(DeviceConformance, EveryPolicyFreesAllBytes) {
    for (const auto policy : {FreePolicy::finish, FreePolicy::stream, FreePolicy::lazy}) {
        SCOPED_TRACE(memory::name_of(policy));
        runtime::Settings settings;
        settings.free_policy = policy;
        Bench on(GetParam(), settings);
        const Tensor kept = on->ones({100});
        {
            Tensor x = kept;
            for (int i = 0; i < 300; ++i) {
                x = on->binary(OpKind::add, x, kept);
            }
        }
        on->waitall();
        EXPECT_EQ(on->memory.live_bytes(), 400u);
    }
}

TEST_P(DeviceConformance, TheQueueLimitBoundsHeadway) {
    runtime::Settings settings;
    settings.queue_limit = 8;
    Bench on(GetParam(), settings);
    Tensor x = on->ones({16, 16});
    std::uint32_t most = 0;
    for (int i = 0; i < 200; ++i) {
        x = on->matmul(x, on->full({16, 16}, 1.0f / 16.0f));
        most = std::max(most, on->lanes.unfinished_commands());
    }
    // Waits between lanes are commands too, and count until their lane has passed them.
    EXPECT_LE(most, GetParam().lanes == 1 ? 8u : 16u);
    expect_equal(x, Array::full({16, 16}, 1.0), 1e-5);
}

}  // namespace
}  // namespace headway
