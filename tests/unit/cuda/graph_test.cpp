// Composite ops on the CUDA device: capture, instantiation, launch as one, recapture, and failures.
#include <cuda_runtime_api.h>

#include "tests/unit/cuda/fixture.h"

namespace headway {
namespace {

using devices::CudaOptions;
using devices::OpKind;
using runtime::Graph;
using runtime::Tensor;

class CudaGraphs : public CudaTest {
protected:
    void start_one(bool cupti = true) {
        CudaOptions options;
        options.streams = 1;
        options.cupti = cupti;
        start(options);
    }
    // sum(x · x + 1) · 2: four ops, five kernels.
    Graph traced(const Tensor& like) {
        const std::vector<Tensor> inputs{like};
        const auto x = rt->graphs.trace_begin(inputs);
        const Tensor y = rt->matmul(x[0], x[0]) + 1.0f;
        const std::vector<Tensor> outputs{y + y, rt->reduce(OpKind::sum, y)};
        return rt->graphs.trace_end("function f", outputs);
    }
    std::vector<Tensor> run(const Graph& graph, const Tensor& x) {
        const std::vector<Tensor> inputs{x};
        return rt->graphs.run(graph, inputs);
    }
};

TEST_F(CudaGraphs, AreLaunchedAsOneOpWithItsKernelsOneByOne) {
    start_one();
    const Tensor x = rt->full({2, 2}, 1.0f);
    const Graph f = traced(x);
    EXPECT_EQ(rt->recorder.issued(), 1u);  // tracing issues nothing
    const auto made = run(f, x);
    EXPECT_EQ(rt->recorder.issued(), 2u);
    EXPECT_EQ(made[0].to_host(), std::vector<float>(4, 6.0f));
    EXPECT_EQ(made[1].item(), 12.0f);
    device->settle();
    EXPECT_EQ(fake::counts().graph_launches, 1);
    const auto in_lane = lane_records(0);
    ASSERT_EQ(in_lane.size(), 1 + 5 + 1u);  // the fill, then two kernels of the product and three more, then the op
    std::uint64_t until = 0;
    for (std::size_t i = 1; i <= 5; ++i) {
        EXPECT_EQ(in_lane[i].op & trace::kPart, trace::kPart);
        EXPECT_GE(in_lane[i].begin, until);
        until = in_lane[i].begin + trace::unpack_duration(in_lane[i].duration);
    }
    EXPECT_EQ(in_lane[1].op, in_lane[2].op);  // both of the product
    EXPECT_NE(in_lane[2].op, in_lane[3].op);
    EXPECT_EQ(in_lane[6].op, 2u);
    EXPECT_LE(in_lane[6].begin, in_lane[1].begin);
    EXPECT_GE(in_lane[6].begin + trace::unpack_duration(in_lane[6].duration), until);
    EXPECT_EQ(records({trace::StreamKind::launch, 0}).size(), 2u);
}

// From 2^31 ticks on, a record rounds its duration down.
TEST_F(CudaGraphs, OfALongDurationContainTheirKernels) {
    start_one();
    const Tensor x = rt->full({2, 2}, 1.0f);
    const Graph f = traced(x);
    rt->waitall();
    const core::TickScale scale({recording->header().first_ticks, recording->header().first_ns}, core::read_anchor());
    fake::slow_kernel(2, static_cast<std::int64_t>(2'200'000'000.0 * scale.ns_per_tick()));
    run(f, x);
    rt->waitall();
    device->settle();
    const auto in_lane = lane_records(0);
    ASSERT_EQ(in_lane.size(), 1 + 5 + 1u);
    const auto end_of = [](const trace::ExecRecord& record) {
        return record.begin + trace::unpack_duration(record.duration);
    };
    EXPECT_GT(trace::unpack_duration(in_lane[6].duration), 0x8000'0000u);
    EXPECT_GE(in_lane[1].begin, in_lane[6].begin);
    EXPECT_LE(end_of(in_lane[5]), end_of(in_lane[6]));
}

TEST_F(CudaGraphs, AreRecapturedOnlyIfAddressesChange) {
    start_one();
    const Tensor x = rt->full({2, 2}, 1.0f);
    const Graph f = traced(x);
    run(f, x);
    rt->waitall();
    EXPECT_EQ(fake::counts().captures, 1);
    for (int i = 0; i < 20; ++i) {
        EXPECT_EQ(run(f, x)[0].to_host()[0], 6.0f);
        rt->waitall();
    }
    EXPECT_LT(fake::counts().captures, 10);  // the pool reuses the same blocks
    const auto before = fake::counts();
    std::vector<Tensor> others;  // keep their memory, so that no address is reused
    for (int i = 0; i < 10; ++i) {
        others.push_back(rt->full({2, 2}, 2.0f));
        others.push_back(run(f, others.back())[0]);
        EXPECT_EQ(others.back().to_host()[0], 18.0f);
    }
    EXPECT_EQ(fake::counts().captures, before.captures + 10);
    EXPECT_GT(fake::counts().graph_updates, before.graph_updates);
    EXPECT_LE(fake::counts().graph_execs, 6);
    EXPECT_EQ(fake::counts().graphs, 0);
}

TEST_F(CudaGraphs, ManyMayBeInFlightWithDifferentAddresses) {
    start_one();
    Tensor x = rt->full({2, 2}, 1.0f);
    const std::vector<Tensor> inputs{x};
    const auto inside = rt->graphs.trace_begin(inputs);
    const std::vector<Tensor> outputs{inside[0] + 1.0f};
    const Graph increment = rt->graphs.trace_end("increment", outputs);
    fake::hold_stream(0, true);
    std::vector<Tensor> all;
    for (int i = 0; i < 100; ++i) {
        x = run(increment, x)[0];
        all.push_back(x);
    }
    fake::hold_stream(0, false);
    for (int i = 0; i < 100; ++i) {
        EXPECT_EQ(all[static_cast<std::size_t>(i)].to_host()[0], static_cast<float>(i + 2));
    }
}

TEST_F(CudaGraphs, FreeEverything) {
    start_one();
    {
        const Tensor x = rt->full({2, 2}, 1.0f);
        const Graph f = traced(x);
        run(f, x);
    }
    stop();
    EXPECT_EQ(fake::counts().graph_execs, 0);
    EXPECT_EQ(fake::counts().graphs, 0);
    EXPECT_EQ(fake::counts().device_bytes, 0u);
    EXPECT_EQ(fake::counts().events, 0);
}

TEST_F(CudaGraphs, WithEventTimesOnlyTheOpIsRecorded) {
    start_one(false);
    const Tensor x = rt->full({2, 2}, 1.0f);
    const Graph f = traced(x);
    run(f, x);
    rt->waitall();
    device->settle();
    const auto records = lane_records(0);
    ASSERT_EQ(records.size(), 2u);
    EXPECT_EQ(records[1].op, 2u);
}

TEST_F(CudaGraphs, AGatheredProgramGivesTheSameValues) {
    start_one();
    const auto program = [this] {
        Tensor x = rt->full({8}, 1.0f);
        const Tensor w = rt->full({8}, 0.5f);
        for (int i = 0; i < 30; ++i) {
            x = x * 0.5f + w;
            rt->add_scaled_in_place(w, x, 0.125f);
        }
        return (x + w).to_host();
    };
    const auto expected = program();
    const auto issued = rt->recorder.issued();
    rt->graphs.set_gathering(true);
    EXPECT_EQ(program(), expected);
    EXPECT_EQ(rt->recorder.issued(), issued + 1);
    EXPECT_EQ(fake::counts().graph_launches, 1);
}

// Each CUDA call from capture to launch fails once: only the op's results are spoiled.
class CudaGraphFailures : public CudaGraphs, public testing::WithParamInterface<const char*> {};

TEST_P(CudaGraphFailures, FailTheOpNotTheDevice) {
    start_one();
    const Tensor x = rt->full({2, 2}, 1.0f);
    const Graph f = traced(x);
    rt->waitall();
    fake::fail_call(GetParam(), 1, cudaErrorInvalidValue);
    const auto bad = run(f, x);
    const Tensor worse = bad[0] + 1.0f;
    const auto failure = failure_of([&] { worse.wait_to_read(); });
    EXPECT_TRUE(has(failure, std::string("graph: "))) << failure;
    EXPECT_TRUE(has(failure, "caused by op 2")) << failure;
    EXPECT_TRUE(has(failure_of([&] { static_cast<void>(bad[1].to_host()); }), "caused by op 2"));
    EXPECT_EQ(x.to_host()[0], 1.0f);
    EXPECT_EQ(run(f, x)[0].to_host()[0], 6.0f);
    EXPECT_EQ(fake::counts().graphs, 0);
}

INSTANTIATE_TEST_SUITE_P(Calls, CudaGraphFailures,
                         testing::Values("cudaStreamBeginCapture", "launch", "cublasSgemm", "cudaGraphGetNodes",
                                         "cudaStreamEndCapture", "cudaGraphInstantiate", "cudaGraphLaunch"));

TEST_F(CudaGraphs, ARefusedUpdateCreatesTheGraphAgain) {
    start_one();
    const Tensor x = rt->full({2, 2}, 1.0f);
    const Graph f = traced(x);
    run(f, x);
    rt->waitall();
    std::vector<Tensor> others;
    const auto run_on_another = [&] {
        others.push_back(rt->full({2, 2}, 2.0f));
        others.push_back(run(f, others.back())[0]);
        return others.back().to_host()[0];
    };
    for (int i = 0; i < 8; ++i) {
        EXPECT_EQ(run_on_another(), 18.0f);
    }
    const auto before = fake::counts();
    EXPECT_EQ(before.graph_execs, 6);
    fake::fail_call("cudaGraphExecUpdate", 1, cudaErrorGraphExecUpdateFailure);
    EXPECT_EQ(run_on_another(), 18.0f);
    EXPECT_EQ(fake::counts().graph_updates, before.graph_updates);
    EXPECT_EQ(fake::counts().graph_execs, 6);
}

TEST_F(CudaGraphs, StepsWhoseInputIsSpoiledAreLeftOut) {
    start_one();
    const Tensor x = rt->full({2, 2}, 1.0f);
    const std::vector<Tensor> inputs{x, x};
    const auto in = rt->graphs.trace_begin(inputs);
    const std::vector<Tensor> outputs{in[0] + 1.0f, in[1] + 2.0f};
    const Graph f = rt->graphs.trace_end("both", outputs);
    rt->waitall();
    fake::fail_call("launch", 1, cudaErrorInvalidConfiguration);
    const std::vector<Tensor> given{rt->full({2, 2}, 5.0f), x};
    const auto made = rt->graphs.run(f, given);
    EXPECT_EQ(made[1].to_host()[0], 3.0f);
    EXPECT_TRUE(has(failure_of([&] { static_cast<void>(made[0].to_host()); }), "fill"));
}

TEST_F(CudaGraphs, ALostDeviceIsReported) {
    start_one();
    const Tensor x = rt->full({2, 2}, 1.0f);
    const Graph f = traced(x);
    rt->waitall();
    fake::fault_at_kernel(3);
    const auto made = run(f, x);
    EXPECT_TRUE(has(failure_of([&] { rt->waitall(); }), "lost"));
    EXPECT_TRUE(has(failure_of([&] { static_cast<void>(made[0].to_host()); }), "caused by op "));
}

}  // namespace
}  // namespace headway
