// The CUDA device on the fake CUDA: values, order, counters, launching, memory, byte counts.
#include <cuda_runtime_api.h>

#include <cmath>
#include <cstring>

#include "engine/devices/cpu/cpu_device.h"
#include "tests/conformance/reference.h"
#include "tests/unit/cuda/fixture.h"

namespace headway {
namespace {

using devices::Arity;
using devices::CudaLaunch;
using devices::CudaOptions;
using devices::OpKind;
using devices::Shape;
using runtime::Runtime;
using runtime::Side;
using runtime::Tensor;

// Every kind of op once, and dependencies across lanes. Returns all values.
std::vector<float> program(Runtime& rt) {
    std::vector<Tensor> results;
    const auto keep = [&](const Tensor& t) {
        results.push_back(t);
        return t;
    };
    const Tensor x = keep(rt.randn({17, 5}));
    const Tensor y = keep(rt.uniform({5, 9}, -2.0f, 3.0f));
    const Tensor z = keep(rt.matmul(x, y));
    keep(rt.matmul(y, x, Side::transposed, Side::transposed));
    const Tensor host = keep(rt.from_host({3}, std::vector<float>{1.5f, -2.0f, 0.25f}));
    keep(rt.full({2, 2}, 4.0f));
    for (const auto kind : reference::kinds_of(Arity::two)) {
        keep(rt.binary(kind, x, x));
        keep(rt.binary(kind, x, rt.full({1, 5}, 0.5f)));
    }
    for (const auto kind : reference::kinds_of(Arity::one_and_scalar)) {
        keep(rt.with_scalar(kind, x, 1.25f));
    }
    for (const auto kind : reference::kinds_of(Arity::one)) {
        keep(rt.unary(kind, reference::wants_positive(kind) ? rt.unary(OpKind::exp, x) : x));
    }
    keep(rt.reduce(OpKind::sum, z));
    keep(rt.reduce(OpKind::mean, z, 0));
    keep(rt.reduce(OpKind::max, z, 1));
    keep(rt.transpose(z));
    keep(rt.slice(z, 3, 4));
    keep(rt.add_scaled(x, x, -0.5f));
    const Tensor w = keep(rt.full({17, 5}, 0.0f));
    rt.add_scaled_in_place(w, x, 2.0f);
    rt.assign_slice(w, 1, rt.full({2, 5}, 9.0f));
    rt.with_scalar_in_place(OpKind::mul_scalar, w, 3.0f);
    rt.noop();
    std::vector<float> values;
    for (const Tensor& t : results) {
        const auto some = t.to_host();
        values.insert(values.end(), some.begin(), some.end());
    }
    return values;
}

struct Case {
    CudaLaunch launch;
    std::uint32_t streams;
    bool cupti, pinned;
    memory::FreePolicy policy;
};

class CudaCases : public CudaTest, public testing::WithParamInterface<Case> {
protected:
    [[nodiscard]] CudaOptions options() const {
        CudaOptions options;
        options.launch = GetParam().launch;
        options.streams = GetParam().streams;
        options.cupti = GetParam().cupti;
        options.pinned = GetParam().pinned;
        return options;
    }
    [[nodiscard]] runtime::Settings settings() const {
        runtime::Settings settings;
        settings.free_policy = GetParam().policy;
        settings.seed = 3;
        return settings;
    }
};

TEST_P(CudaCases, EqualTheCpusValues) {
    std::vector<float> expected;
    {
        auto other = std::move(*trace::Recording::create(std::size_t{1} << 26));
        devices::CpuDevice cpu(1, *other);
        Runtime runtime(cpu, *other, settings());
        expected = program(runtime);
    }
    start(options(), settings());
    for (int round = 0; round < 3; ++round) {
        if (round != 0) {
            start(options(), settings());
        }
        const auto values = program(*rt);
        ASSERT_EQ(values.size(), expected.size());
        for (std::size_t i = 0; i < values.size(); ++i) {
            if (std::memcmp(&values[i], &expected[i], sizeof(float)) != 0) {
                ASSERT_NEAR(values[i], expected[i], 1e-4f * (1.0f + std::abs(expected[i]))) << i;
            }
        }
    }
}

TEST_P(CudaCases, RecordEachOpOnceInTheLanesOrder) {
    start(options(), settings());
    program(*rt);
    rt->waitall();
    device->settle();
    std::vector<int> seen(rt->recorder.issued() + 1);
    for (std::uint8_t lane = 0; lane < GetParam().streams; ++lane) {
        std::uint64_t until = 0;
        core::OpId last = 0;
        for (const auto& record : lane_records(lane)) {
            EXPECT_GT(record.op, last);
            EXPECT_GE(record.begin, until);
            last = record.op;
            until = record.begin + trace::unpack_duration(record.duration);
            ++seen[record.op];
        }
    }
    for (core::OpId op = 1; op <= rt->recorder.issued(); ++op) {
        EXPECT_EQ(seen[op], 1) << "op " << op;
    }
    const auto launches = records({trace::StreamKind::launch, 0});
    ASSERT_EQ(launches.size(), rt->recorder.issued());
    for (std::size_t i = 0; i < launches.size(); ++i) {
        EXPECT_EQ(launches[i].op, i + 1);
    }
}

TEST_P(CudaCases, FreeEverything) {
    start(options(), settings());
    program(*rt);
    EXPECT_GT(device->reserved_bytes(), 0u);
    stop();
    const auto counts = fake::counts();
    EXPECT_EQ(counts.device_bytes, 0u);
    EXPECT_EQ(counts.pinned_bytes, 0u);
    EXPECT_EQ(counts.streams, 0);
    EXPECT_EQ(counts.events, 0);
    EXPECT_EQ(counts.handles, 0);
}

TEST_P(CudaCases, CountFinishedCommands) {
    start(options(), settings());
    fake::hold_stream(0, true);
    std::vector<Tensor> chain{rt->ones({4})};
    for (int i = 0; i < 500; ++i) {
        chain.push_back(chain.back() + 1.0f);
    }
    EXPECT_EQ(device->completed(0).load(), 0u);
    EXPECT_GE(rt->lanes.unfinished_commands(), 501u);
    fake::hold_stream(0, false);
    EXPECT_EQ(chain.back().to_host()[0], 501.0f);
    EXPECT_EQ(device->completed(0).load(), 501u);
    EXPECT_EQ(rt->lanes.unfinished_commands(), 0u);
}

INSTANTIATE_TEST_SUITE_P(All, CudaCases,
                         testing::Values(Case{CudaLaunch::engine, 1, true, true, memory::FreePolicy::finish},
                                         Case{CudaLaunch::engine, 2, true, true, memory::FreePolicy::stream},
                                         Case{CudaLaunch::engine, 2, false, true, memory::FreePolicy::finish},
                                         Case{CudaLaunch::frontend, 2, true, false, memory::FreePolicy::stream},
                                         Case{CudaLaunch::frontend, 1, false, true, memory::FreePolicy::lazy},
                                         Case{CudaLaunch::engine, 4, true, true, memory::FreePolicy::lazy}),
                         [](const auto& tested) {
                             const Case& c = tested.param;
                             return std::string(c.launch == CudaLaunch::engine ? "engine" : "frontend") + "_" +
                                    std::to_string(c.streams) + (c.cupti ? "_cupti_" : "_events_") +
                                    std::string(memory::name_of(c.policy));
                         });

// --- order across streams ---

struct Crossing {
    Tensor a, b, c;
};
// a in one lane, b in the other; c needs both: it follows b and waits for a.
Crossing cross(Runtime& rt) {
    Crossing made;
    made.a = rt.full({4}, 5.0f);
    made.b = rt.full({4}, 2.0f);
    made.c = made.a + made.b;
    return made;
}

TEST_F(CudaTest, WaitsForAnotherStreamWithEventsOnly) {
    start();
    rt->waitall();
    const int waits_on_host = fake::counts().waits_on_host;
    fake::hold_stream(0, true);
    const Crossing made = cross(*rt);
    made.b.wait_to_read();  // the other stream is not blocked
    EXPECT_EQ(device->completed(0).load(), 0u);
    EXPECT_EQ(device->completed(1).load(), 1u);
    fake::hold_stream(0, false);
    EXPECT_EQ(made.c.to_host(), std::vector<float>(4, 7.0f));
    EXPECT_GE(fake::counts().stream_waits, 1);
    EXPECT_EQ(fake::counts().waits_on_host, waits_on_host + 1);  // the reading of c
}

TEST_F(CudaTest, WithoutEventWaitsTheResultIsWrong) {
#if defined(__SANITIZE_THREAD__)
    GTEST_SKIP() << "it is a data race, as it should be";
#endif
    start();
    fake::ignore_waits(true);
    fake::hold_stream(0, true);
    const Crossing made = cross(*rt);
    made.c.wait_to_read();  // too early: a is not computed yet
    EXPECT_TRUE(std::isnan(made.c.to_host()[0]));
    fake::hold_stream(0, false);
    const auto problems = fake::take_order_problems();
    ASSERT_EQ(problems.size(), 1u);
    EXPECT_TRUE(problems[0].find("map2 of op 3 (command 2 of stream 1) reads memory that fill of op 1") !=
                std::string::npos)
        << problems[0];
}

TEST_F(CudaTest, OverwritingWaitsForTheReaders) {
    start();
    const Tensor a = rt->full({4}, 1.0f);
    rt->waitall();
    const Tensor slow = rt->full({4}, 3.0f);  // goes to one lane, and so does the sum that reads a
    const Tensor sum = slow + a;
    rt->with_scalar_in_place(OpKind::add_scalar, a, 10.0f);
    EXPECT_EQ(sum.to_host(), std::vector<float>(4, 4.0f));
    EXPECT_EQ(a.to_host(), std::vector<float>(4, 11.0f));
}

// --- launching ---

CudaOptions one_stream(CudaLaunch launch = CudaLaunch::engine) {
    CudaOptions options;
    options.launch = launch;
    options.streams = 1;
    return options;
}

TEST_F(CudaTest, EngineThreadLaunchesWhileTheFrontendContinues) {
    start(one_stream());
    device->hold(true);
    const int before = fake::counts().kernels;
    Tensor x = rt->ones({4});
    for (int i = 0; i < 100; ++i) {
        x = x + 1.0f;
    }
    EXPECT_EQ(fake::counts().kernels, before);
    device->hold(false);
    EXPECT_EQ(x.to_host()[0], 101.0f);
    EXPECT_EQ(fake::counts().kernels, before + 102);  // and the reading
}

TEST_F(CudaTest, TheFrontendLaunchesBeforeIssueReturns) {
    CudaOptions options;
    options.launch = CudaLaunch::frontend;
    start(options);
    fake::hold_stream(0, true);
    fake::hold_stream(1, true);
    const int before = fake::counts().kernels;
    const Tensor x = rt->ones({4});
    EXPECT_EQ(fake::counts().kernels, before + 1);
    device->hold(true);
    const Tensor y = x + 1.0f;
    EXPECT_EQ(fake::counts().kernels, before + 1);
    device->hold(false);
    while (fake::counts().kernels != before + 2) {  // though the frontend neither issues nor waits
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    fake::hold_stream(0, false);
    fake::hold_stream(1, false);
    EXPECT_EQ(y.to_host()[0], 2.0f);
}

TEST_F(CudaTest, AnyThreadMayHoldTheLanesWhileTheFrontendLaunches) {
    CudaOptions options;
    options.launch = CudaLaunch::frontend;
    start(options);
    std::jthread holds([this](const std::stop_token& stop) {
        while (!stop.stop_requested()) {
            device->hold(true);
            device->hold(false);
        }
    });
    Tensor x = rt->ones({4});
    for (int i = 0; i < 3'000; ++i) {
        x = x + 1.0f;
    }
    holds.request_stop();
    holds.join();
    EXPECT_EQ(x.to_host()[0], 3'001.0f);
}

TEST_F(CudaTest, TheLearnerHoldsTheLanesAndStepsThem) {
    for (const auto launch : {CudaLaunch::engine, CudaLaunch::frontend}) {
        start(one_stream(launch));
        auto& control = recording->control();
        control.hold_backend.store(1);
        const Tensor a = rt->ones({4});
        const Tensor b = a + 1.0f;
        const Tensor c = b + 1.0f;
        EXPECT_EQ(device->completed(0).load(), 0u);
        control.backend_steps.store(2);
        device->wait(0, 2);
        EXPECT_EQ(device->completed(0).load(), 2u);
        EXPECT_EQ(control.backend_steps.load(), 0u);
        control.hold_backend.store(0);
        EXPECT_EQ(c.to_host()[0], 3.0f);
    }
}

TEST_F(CudaTest, HeldLanesStartNothingAfterAPauseOfSlowMotion) {
    for (const auto launch : {CudaLaunch::engine, CudaLaunch::frontend}) {
        start(one_stream(launch));
        device->slow_down(1'000);
        const Tensor a = rt->ones({4});
        device->wait(0, 1);
        recording->control().hold_backend.store(1);
        const Tensor b = a + 1.0f;
        std::this_thread::sleep_for(std::chrono::milliseconds(300));
        EXPECT_EQ(device->completed(0).load(), 1u);
        device->slow_down(0);
        recording->control().backend_steps.store(1);
        device->wait(0, 2);
        EXPECT_EQ(recording->control().backend_steps.load(), 0u);
        recording->control().hold_backend.store(0);
        EXPECT_EQ((b + 1.0f).to_host()[0], 3.0f);
    }
}

TEST_F(CudaTest, SlowMotionPausesAfterEachOp) {
    constexpr float kFactor = 20;
    constexpr std::size_t kOps = 10;
    for (const auto launch : {CudaLaunch::engine, CudaLaunch::frontend}) {
        start(one_stream(launch));
        device->slow_down(kFactor);
        Tensor x = rt->full({4}, 0.0f);
        for (std::size_t i = 1; i < kOps; ++i) {
            x = x + 1.0f;
        }
        rt->waitall();
        device->settle();
        const auto ops = lane_records(0);
        struct Hold {
            std::uint64_t begin, end;
        };
        std::vector<Hold> holds;
        for (const auto& record : records({trace::StreamKind::holds, 0})) {
            if (holds.empty() || holds.back().end != record.begin) {
                holds.push_back({record.begin, record.begin});
            }
            holds.back().end += record.duration;  // a long hold is several records, one after the other
        }
        ASSERT_EQ(ops.size(), kOps);
        ASSERT_EQ(holds.size(), kOps - 1);
        for (std::size_t i = 0; i + 1 < kOps; ++i) {
            EXPECT_GE(holds[i].begin, ops[i].begin);
            EXPECT_GE(static_cast<float>(holds[i].end - holds[i].begin), kFactor * static_cast<float>(ops[i].duration));
            EXPECT_LE(holds[i].end, ops[i + 1].begin) << i;
        }
        device->slow_down(0);
        EXPECT_EQ((x + 1.0f).to_host()[0], static_cast<float>(kOps));
    }
}

TEST_F(CudaTest, AbandonedOpsAreCountedAndNotRun) {
    start();
    const Tensor done = rt->ones({4});
    rt->waitall();
    device->hold(true);
    const int before = fake::counts().kernels;
    Tensor x = rt->ones({4});
    x = x + 1.0f;
    device->abandon();
    device->hold(false);
    EXPECT_EQ(failure_of([&] { rt->waitall(); }), "stopped");
    EXPECT_EQ(failure_of([&] { static_cast<void>(x.to_host()); }), "stopped") << "it has no values";
    EXPECT_EQ(rt->lanes.unfinished_commands(), 0u);
    EXPECT_EQ(fake::counts().kernels, before);
    EXPECT_EQ(done.to_host()[0], 1.0f);
}

TEST_F(CudaTest, HostCallsRunInStreamOrderAndFillTheirOutput) {
    start(one_stream());
    Gate gate;
    const Tensor before = rt->ones({3});
    const Tensor made = rt->host_call(Gate::run, &gate, before, {3});
    const Tensor after = made + before;
    wait_until([&] { return gate.entered() && device->completed(0).load() == 1; });
    gate.open();
    EXPECT_EQ(after.to_host(), std::vector<float>(3, 8.0f));
}

TEST_F(CudaTest, HostCallsReadAndWriteTheHostsMemory) {
    struct Sum {
        bool on_device = false;
        static void run(const devices::Command& command, void* sum) {
            static_cast<Sum*>(sum)->on_device =
                fake::is_device_memory(command.in1) || fake::is_device_memory(command.out);
            for (std::int64_t i = 0; i < command.signature->in1.elements(); ++i) {
                command.out[i % 2] += command.in1[i];
            }
        }
    };
    start();
    Sum sum;
    const Tensor read = rt->from_host({5}, std::vector<float>{1, 2, 3, 4, 5}) + 1.0f;
    EXPECT_EQ(rt->host_call(Sum::run, &sum, read, {2}).to_host(), (std::vector<float>{12, 8}));
    EXPECT_FALSE(sum.on_device);
}

TEST_F(CudaTest, CopiesUsePinnedMemoryByDefault) {
    const std::vector<float> values(2'000'000, 1.25f);  // read in more than one piece
    for (const bool pinned : {true, false}) {
        CudaOptions options;
        options.pinned = pinned;
        start(options);
        const int before = fake::counts().pinned_blocks;
        EXPECT_EQ(rt->from_host({2'000'000}, values).to_host(), values);
        EXPECT_EQ(fake::counts().pinned_blocks > before, pinned);
    }
}

TEST_F(CudaTest, Tf32IsOffByDefault) {
    start();
    EXPECT_FALSE(fake::counts().tf32);
    CudaOptions options;
    options.tf32 = true;
    start(options);
    EXPECT_TRUE(fake::counts().tf32);
}

// --- memory ---

TEST_F(CudaTest, LazyMemoryIsTakenInLaunchOrderAndReused) {
    runtime::Settings settings;
    settings.free_policy = memory::FreePolicy::lazy;
    CudaOptions options;
    options.streams = 1;
    start(options, settings);
    const auto before = fake::counts().device_bytes;
    Tensor x = rt->ones({1024});
    for (int i = 0; i < 200; ++i) {
        x = x + 1.0f;
    }
    EXPECT_EQ(x.to_host()[0], 201.0f);
    rt->waitall();
    EXPECT_EQ(device->lazy_bytes(), 4096u);
    EXPECT_EQ(fake::counts().device_bytes, before + 2 * 4096u);
}

TEST_F(CudaTest, TheLazyBudgetFailsTheOpThatExceedsIt) {
    runtime::Settings settings;
    settings.free_policy = memory::FreePolicy::lazy;
    settings.budget_bytes = 10'000;
    start({}, settings);
    const Tensor x = rt->ones({1024});
    const Tensor y = rt->ones({1024});
    const Tensor z = x + y;
    const auto failure = failure_of([&] { rt->waitall(); });
    EXPECT_NE(failure.find("out of memory"), std::string::npos) << failure;
    EXPECT_NE(failure.find("op 3"), std::string::npos) << failure;
    EXPECT_EQ(x.to_host()[0], 1.0f);
}

}  // namespace
}  // namespace headway
