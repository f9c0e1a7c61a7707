// Composite ops: traced functions and gathered programs. The conformance suite checks their values on every device;
// these tests check everything else that they guarantee.
#include <gtest/gtest.h>

#include "engine/devices/cpu/cpu_device.h"
#include "engine/devices/simulated/simulated.h"
#include "engine/runtime/runtime.h"
#include "tests/unit/runtime/failure_of.h"
#include "tests/unit/runtime/records_of.h"

namespace headway::runtime {
namespace {

using devices::OpKind;

class Composites : public testing::Test {
protected:
    void start(const Settings& settings = {}, std::uint32_t workers = 1) {
        rt.reset();
        device.reset();
        recording = std::move(*trace::Recording::create(std::size_t{1} << 26));
        device = std::make_unique<devices::CpuDevice>(workers, *recording);
        rt = std::make_unique<Runtime>(*device, *recording, settings);
    }
    void SetUp() override { start(); }

    // f(x) = relu(x · 2 + c): three traced ops, and a constant that is issued while tracing.
    Graph traced(const Tensor& like) {
        const std::vector<Tensor> inputs{like};
        const auto in = rt->graphs.trace_begin(inputs);
        const Tensor c = rt->from_host({2}, std::vector<float>{-5.0f, 1.0f});
        const std::vector<Tensor> outputs{rt->unary(OpKind::relu, in[0] * 2.0f + c)};
        return rt->graphs.trace_end("f", outputs);
    }
    Tensor run(const Graph& graph, const Tensor& x) {
        const std::vector<Tensor> inputs{x};
        return rt->graphs.run(graph, inputs)[0];
    }
    [[nodiscard]] std::vector<trace::FrontendRecord> frontend() const {
        return records_of<trace::FrontendRecord>(*recording, trace::kFrontendStream);
    }

    std::unique_ptr<trace::Recording> recording;
    std::unique_ptr<devices::CpuDevice> device;
    std::unique_ptr<Runtime> rt;
};

TEST_F(Composites, ATracedFunctionIsOneIssueEachTime) {
    const Tensor x = rt->full({2}, 3.0f);
    const Graph f = traced(x);
    EXPECT_EQ(rt->recorder.issued(), 2u);  // x, and the constant
    EXPECT_EQ(f.steps.size(), 3u);
    EXPECT_EQ(run(f, x).to_host(), (std::vector<float>{1.0f, 7.0f}));
    EXPECT_EQ(rt->recorder.issued(), 3u);
    EXPECT_EQ(run(f, rt->full({2}, 10.0f)).to_host(), (std::vector<float>{15.0f, 21.0f}));
    EXPECT_EQ(rt->recorder.issued(), 5u);
    const Graph again = traced(x);
    EXPECT_EQ(again.signature, f.signature);  // the same ops in the same order
}

TEST_F(Composites, PartsFollowEachOtherWithinTheirComposite) {
    const Tensor x = rt->full({2}, 3.0f);
    const Graph f = traced(x);
    static_cast<void>(run(f, x));
    rt->waitall();
    const auto lane = records_of<trace::ExecRecord>(*recording, {trace::StreamKind::lane, 0});
    ASSERT_EQ(lane.size(), 6u) << "the input and the constant, three parts, and their composite";
    const auto end = [](const trace::ExecRecord& record) {
        return record.begin + trace::unpack_duration(record.duration);
    };
    std::uint64_t before = lane[5].begin;
    for (std::size_t i = 2; i <= 4; ++i) {
        EXPECT_EQ(lane[i].op & trace::kPart, trace::kPart);
        EXPECT_GE(lane[i].begin, before);
        before = end(lane[i]);
    }
    EXPECT_LE(before, end(lane[5]));
}

TEST_F(Composites, TheSameTensorMayBeInputAndCaptured) {
    const Tensor x = rt->full({2}, 3.0f);
    const std::vector<Tensor> inputs{x};
    const auto in = rt->graphs.trace_begin(inputs);
    const std::vector<Tensor> outputs{in[0] - x};
    const Graph f = rt->graphs.trace_end("difference", outputs);
    EXPECT_EQ(run(f, x).to_host()[0], 0.0f);
    EXPECT_EQ(run(f, rt->full({2}, 5.0f)).to_host()[0], 2.0f);
}

TEST_F(Composites, InPlaceWritesHappenInEachRun) {
    const Tensor w = rt->full({2}, 1.0f);
    const std::vector<Tensor> inputs{w};
    const auto in = rt->graphs.trace_begin(inputs);
    rt->with_scalar_in_place(OpKind::add_scalar, in[0], 1.0f);
    rt->with_scalar_in_place(OpKind::mul_scalar, w, 2.0f);
    const Graph f = rt->graphs.trace_end("update", {});
    EXPECT_EQ(w.to_host()[0], 1.0f);
    const Tensor v = rt->full({2}, 10.0f);
    const std::vector<Tensor> given{v};
    rt->graphs.run(f, given);
    rt->graphs.run(f, given);
    EXPECT_EQ(v.to_host()[0], 12.0f);
    EXPECT_EQ(w.to_host()[0], 4.0f);
}

TEST_F(Composites, RandomOpsDrawAnewInEachRun) {
    std::vector<float> first;
    {
        rt->graphs.trace_begin({});
        const std::vector<Tensor> outputs{rt->randn({64})};
        const Graph f = rt->graphs.trace_end("noise", outputs);
        first = rt->graphs.run(f, {})[0].to_host();
        EXPECT_NE(first, rt->graphs.run(f, {})[0].to_host());
    }
    start();
    EXPECT_EQ(first, rt->randn({64}).to_host());  // both are the run's first draw
}

TEST_F(Composites, NestedFunctionsAreInlined) {
    const Tensor x = rt->full({2}, 3.0f);
    const Graph f = traced(x);
    const std::vector<Tensor> inputs{x};
    const auto in = rt->graphs.trace_begin(inputs);
    const std::vector<Tensor> outputs{run(f, in[0]) + 100.0f};
    const Graph g = rt->graphs.trace_end("g", outputs);
    EXPECT_EQ(g.steps.size(), 4u);
    EXPECT_EQ(run(g, x).to_host(), (std::vector<float>{101.0f, 107.0f}));
}

TEST_F(Composites, ReadingValuesWhileTracingIsAnError) {
    const Tensor x = rt->full({2}, 3.0f);
    const std::vector<Tensor> inputs{x};
    const auto in = rt->graphs.trace_begin(inputs);
    const Tensor y = in[0] + 1.0f;
    EXPECT_TRUE(has(failure_of([&] { static_cast<void>(y.to_host()); }), "while a function is traced"));
    EXPECT_TRUE(has(failure_of([&] { rt->waitall(); }), "while a function is traced"));
    rt->graphs.trace_abandon();
    EXPECT_TRUE(has(failure_of([&] { static_cast<void>(y.to_host()); }), "has no values"));
    EXPECT_TRUE(has(failure_of([&] { static_cast<void>(y + 1.0f); }), "has no values"));
    EXPECT_TRUE(has(failure_of([&] { static_cast<void>(in[0].to_host()); }), "has no values"));
    EXPECT_EQ((x + 1.0f).to_host()[0], 4.0f);
}

TEST_F(Composites, OneFunctionIsTracedAtATime) {
    const std::vector<Tensor> inputs{rt->full({2}, 3.0f)};
    rt->graphs.trace_begin(inputs);
    EXPECT_TRUE(has(failure_of([&] { rt->graphs.trace_begin(inputs); }), "a function is being traced already"));
    rt->graphs.trace_abandon();
}

TEST_F(Composites, ATracedFunctionIssuesNoOpaqueOpAndUsesNoStreams) {
    Settings settings;
    settings.free_policy = memory::FreePolicy::stream;
    start(settings, 2);
    const std::vector<Tensor> inputs{rt->full({2}, 3.0f)};
    rt->graphs.trace_begin(inputs);
    EXPECT_TRUE(
        has(failure_of([&] { rt->opaque.issue({}); }), "a traced function cannot issue ops of other libraries"));
    EXPECT_TRUE(has(failure_of([&] { rt->streams.set_current(1); }), "a traced function cannot use streams"));
    rt->graphs.trace_abandon();
    rt->streams.set_current(1);
}

TEST_F(Composites, OtherShapesAreRefused) {
    const Graph f = traced(rt->full({2}, 3.0f));
    const auto failure = failure_of([&] { run(f, rt->full({1}, 3.0f)); });
    EXPECT_TRUE(has(failure, "f: it was traced with a tensor of shape (2,)")) << failure;
    EXPECT_TRUE(has(failure, "(1,)")) << failure;
    EXPECT_TRUE(has(failure_of([&] { rt->graphs.run(f, {}); }), "is called with 0"));
}

TEST_F(Composites, GatheredOpsAreIssuedAtTheNextWaitOrMinibatch) {
    rt->graphs.set_gathering(true);
    Tensor x = rt->full({4}, 1.0f);
    for (int i = 0; i < 9; ++i) {
        x = x + 1.0f;
    }
    EXPECT_EQ(rt->recorder.issued(), 0u);
    EXPECT_EQ(x.to_host()[0], 10.0f);
    EXPECT_EQ(rt->recorder.issued(), 1u);
    rt->events.minibatch_begin();
    x = x * 2.0f;
    EXPECT_EQ(rt->recorder.issued(), 1u);
    rt->events.minibatch_end();
    EXPECT_EQ(rt->recorder.issued(), 2u);
    x = x + 1.0f;
    rt->graphs.set_gathering(false);
    EXPECT_EQ(rt->recorder.issued(), 3u);
    EXPECT_EQ((x + 1.0f).to_host()[0], 22.0f);
}

TEST_F(Composites, OneIssueRecordsAllBuffers) {
    const Tensor w = rt->full({4}, 1.0f);
    rt->graphs.set_gathering(true);
    const Tensor a = rt->full({4}, 2.0f);
    const Tensor b = a + w;
    rt->add_scaled_in_place(w, b, 0.5f);
    Tensor last = b * 2.0f;
    rt->waitall();
    std::vector<trace::FrontendRecord> of_op;
    for (const auto& record : frontend()) {
        const auto kind = static_cast<trace::FrontendKind>(record.kind & trace::kKindMask);
        if (kind == trace::FrontendKind::issue) {
            of_op.clear();
        }
        if (kind != trace::FrontendKind::wait) {
            of_op.push_back(record);
        }
    }
    ASSERT_EQ(of_op.size(), 4u);
    EXPECT_EQ(of_op[0].out, last.buffer_id());
    EXPECT_EQ(of_op[0].in0, w.buffer_id());
    EXPECT_EQ(of_op[0].in1, 0u);
    EXPECT_EQ(of_op[1].out, a.buffer_id());
    EXPECT_NE(of_op[1].kind & trace::kFreshOutput, 0);
    EXPECT_EQ(of_op[2].out, b.buffer_id());
    EXPECT_EQ(of_op[3].out, w.buffer_id());
    EXPECT_EQ(of_op[3].kind & trace::kFreshOutput, 0);
    EXPECT_NE(of_op[3].kind & trace::kReadsOutput, 0);
}

TEST_F(Composites, IntermediateResultsAreFreedWithTheComposite) {
    for (const auto policy : {memory::FreePolicy::finish, memory::FreePolicy::stream, memory::FreePolicy::lazy}) {
        Settings settings;
        settings.free_policy = policy;
        settings.gather = true;
        start(settings, 2);
        Tensor x = rt->full({1024}, 1.0f);
        for (int i = 0; i < 20; ++i) {
            x = x + 1.0f;
        }
        EXPECT_EQ(x.to_host()[0], 21.0f);
        rt->waitall();
        EXPECT_EQ(rt->memory.live_bytes(), 4096u) << memory::name_of(policy);
    }
}

TEST_F(Composites, OutOfMemoryRefusesTheCompositeAndFreesEverything) {
    Settings settings;
    settings.budget_bytes = 10'000;
    start(settings);
    const Tensor x = rt->full({1000}, 1.0f);
    rt->graphs.set_gathering(true);
    const Tensor y = x + 1.0f;
    const Tensor z = y + 1.0f;
    const auto failure = failure_of([&] { rt->waitall(); });
    EXPECT_TRUE(has(failure, "out of memory at op 2")) << failure;
    EXPECT_TRUE(has(failure_of([&] { static_cast<void>(z.to_host()); }), "has no values"));
    EXPECT_TRUE(has(failure_of([&] { static_cast<void>(z + 1.0f); }), "has no values"));
    rt->waitall();
    EXPECT_EQ(rt->memory.live_bytes(), 4000u);
    EXPECT_EQ((x + 1.0f).to_host()[0], 2.0f);
}

TEST_F(Composites, GatheredOpsAreDroppedAtTheEndOfTheProgram) {
    rt->graphs.set_gathering(true);
    Tensor x = rt->full({4}, 1.0f);
    x = x + 1.0f;
}

// In virtual time the steps take their own times, one after another, and the composite their sum.
TEST(SimulatedComposite, TakesTheTimeOfItsSteps) {
    constexpr std::uint64_t kStepNs = 1000;
    const auto recording = std::move(*trace::Recording::create(std::size_t{1} << 26));
    devices::SimulatedDevice device(devices::constant_costs(100, kStepNs, 0), 1, *recording);
    Runtime rt(device, *recording, {});
    const std::vector<Tensor> inputs{rt.full({2}, 3.0f)};
    const auto in = rt.graphs.trace_begin(inputs);
    const std::vector<Tensor> outputs{rt.unary(OpKind::relu, in[0] * 2.0f + in[0])};
    const Graph graph = rt.graphs.trace_end("f", outputs);
    ASSERT_EQ(graph.steps.size(), 3u);
    static_cast<void>(rt.graphs.run(graph, inputs));
    rt.waitall();
    const auto lane = records_of<trace::ExecRecord>(*recording, {trace::StreamKind::lane, 0});
    ASSERT_EQ(lane.size(), 5u) << "the input, three parts, and their composite";
    for (std::size_t i = 1; i <= 3; ++i) {
        EXPECT_EQ(lane[i].op & trace::kPart, trace::kPart);
        EXPECT_EQ(lane[i].begin, lane[4].begin + (i - 1) * kStepNs);
        EXPECT_EQ(trace::unpack_duration(lane[i].duration), kStepNs);
    }
    EXPECT_EQ(trace::unpack_duration(lane[4].duration), 3 * kStepNs);
    EXPECT_EQ(lane[4].id(), 2u);
}

}  // namespace
}  // namespace headway::runtime
