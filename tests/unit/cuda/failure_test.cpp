// Failures: no driver, no GPU, a call that fails, a GPU that is lost, times that do not arrive.
#include <cuda_runtime_api.h>

#include "engine/devices/cuda_loader.h"
#include "tests/unit/cuda/fixture.h"

namespace headway {
namespace {

using devices::CudaOptions;
using devices::OpKind;
using runtime::Tensor;

class CudaOpening : public CudaTest {
protected:
    std::string why(const CudaOptions& options = {}) {
        auto own = std::move(*trace::Recording::create(std::size_t{1} << 24));
        auto opened = open_fake(options, *own);
        return opened ? "" : opened.error().message;
    }
};

TEST_F(CudaOpening, SaysThatTheDriverIsTooOld) {
    fake::set_driver_status(cudaErrorInsufficientDriver);
    const auto reason = why();
    EXPECT_TRUE(has(reason, "driver is too old")) << reason;
    EXPECT_TRUE(has(reason, "11.4")) << reason;
}

TEST_F(CudaOpening, SaysThatThereIsNoGpu) {
    fake::set_device_count(0);
    EXPECT_TRUE(has(why(), "finds no GPU")) << why();
}

TEST_F(CudaOpening, RejectsADeviceNumberThatIsTooHigh) {
    CudaOptions options;
    options.device = 3;
    EXPECT_TRUE(has(why(options), "no GPU 3: the driver finds 1 GPU, and counts from 0")) << why(options);
}

TEST_F(CudaOpening, SaysThatTheGpuIsTooOld) {
    fake::set_capability(6, 1);
    const auto reason = why();
    EXPECT_TRUE(has(reason, "Emulated GPU (CPU threads) has compute capability 6.1")) << reason;
}

TEST_F(CudaOpening, SaysWhatFailedWhileOpening) {
    fake::fail_call("launch", 1, cudaErrorNoKernelImageForDevice);
    EXPECT_TRUE(has(why(), "Emulated GPU (CPU threads) cannot be used")) << why();
    fake::reset();
    fake::fail_call("cublasCreate", 1, cudaErrorUnknown);
    EXPECT_TRUE(has(why(), "cublasCreate"));
    EXPECT_EQ(fake::counts().streams, 0);
    EXPECT_EQ(fake::counts().device_bytes, 0u);
}

TEST_F(CudaOpening, RefusesAnotherInterface) {
    std::array<char, 256> text{};
    devices::Device* made = nullptr;
    const CudaOptions options;
    EXPECT_FALSE(headway_cuda_open(devices::kCudaModuleAbi + 1, &options, nullptr, &made, text.data(), text.size()));
    EXPECT_TRUE(has(text.data(), "another build")) << text.data();
    EXPECT_EQ(made, nullptr);
}

TEST_F(CudaOpening, RefusesAnInvalidNumberOfStreams) {
    CudaOptions options;
    options.streams = 17;
    EXPECT_TRUE(has(why(options), "not 17"));
}

class CudaLoader : public testing::Test {
protected:
    void SetUp() override {
#if defined(__SANITIZE_THREAD__)
        GTEST_SKIP()
            << "the thread sanitizer ends the process when a library is loaded after its suppressions match one";
#endif
    }
};

TEST_F(CudaLoader, SaysThatThereIsNoDriver) {
    auto recording = std::move(*trace::Recording::create(std::size_t{1} << 24));
    CudaOptions options;
    options.driver_library = "libheadway-no-such-driver.so.1";
    const auto opened = devices::open_cuda(options, *recording);
    ASSERT_FALSE(opened);
    EXPECT_EQ(opened.error().kind, core::ErrorKind::unavailable);
    EXPECT_TRUE(has(opened.error().message, "NVIDIA driver is not installed")) << opened.error().message;
    EXPECT_TRUE(has(opened.error().message, "libheadway-no-such-driver.so.1")) << opened.error().message;
    EXPECT_FALSE(devices::probe_cuda(options));
}

TEST_F(CudaLoader, NamesTheLibraryThatIsMissing) {
    CudaOptions options;
    options.driver_library = "libc.so.6";
    options.module = "libheadway_no_such_module.so";
    const auto name = devices::probe_cuda(options);
    ASSERT_FALSE(name);
    EXPECT_TRUE(has(name.error().message, "libheadway_no_such_module.so")) << name.error().message;
    options.module = "libm.so.6";  // a library, but not the module
    const auto other = devices::probe_cuda(options);
    ASSERT_FALSE(other);
    EXPECT_TRUE(has(other.error().message, "headway_cuda_open")) << other.error().message;
}

// Loads the real module, which is linked with the fake CUDA.
TEST_F(CudaLoader, RunsAProgramOnTheLoadedModule) {
    auto recording = std::move(*trace::Recording::create(std::size_t{1} << 26));
    CudaOptions options;
    options.driver_library = "libc.so.6";
    options.module = HEADWAY_FAKE_MODULE;
    const auto name = devices::probe_cuda(options);
    ASSERT_TRUE(name) << name.error().message;
    EXPECT_EQ(*name, "Emulated GPU (CPU threads)");
    auto device = devices::open_cuda(options, *recording);
    ASSERT_TRUE(device) << device.error().message;
    EXPECT_EQ((*device)->info().name, "Emulated GPU (CPU threads), 2 streams");
    EXPECT_EQ((*device)->info().kind, "cuda");
    runtime::Runtime rt(**device, *recording, {});
    EXPECT_EQ((rt.ones({3}) + 1.0f).to_host(), std::vector<float>(3, 2.0f));
}

// --- calls that fail ---

TEST_F(CudaTest, OutOfMemoryFailsTheOpNotTheDevice) {
    start();
    const Tensor x = rt->ones({1 << 10});
    rt->waitall();
    fake::set_memory(fake::counts().device_bytes + 1000);
    const auto failure = failure_of([&] { static_cast<void>(rt->ones({1 << 20})); });
    EXPECT_TRUE(has(failure, "out of memory")) << failure;
    EXPECT_EQ((x + 1.0f).to_host()[0], 2.0f);
}

TEST_F(CudaTest, FailedLaunchSpoilsOnlyDependentValues) {
    start();
    const Tensor good = rt->ones({4});
    rt->waitall();
    device->hold(true);
    fake::fail_call("launch", 1, cudaErrorInvalidConfiguration);
    const Tensor bad = rt->ones({4});
    const Tensor worse = bad + good;
    const Tensor sound = good + 1.0f;
    device->hold(false);
    EXPECT_EQ(sound.to_host()[0], 2.0f);
    const auto failure = failure_of([&] { worse.wait_to_read(); });
    EXPECT_TRUE(has(failure, "caused by op 2")) << failure;
    EXPECT_TRUE(has(failure, "fill")) << failure;
    EXPECT_EQ(failure_of([&] { rt->waitall(); }), "");  // delivered once
    EXPECT_EQ((good + good).to_host()[0], 2.0f);
    device->settle();
    int failed = 0;
    for (std::uint8_t lane = 0; lane < 2; ++lane) {
        for (const auto& record : lane_records(lane)) {
            failed += (record.op & trace::kFailedOp) != 0 ? 1 : 0;
        }
    }
    EXPECT_EQ(failed, 2);
}

TEST_F(CudaTest, FailedProductFailsTheOpNotTheDevice) {
    start();
    const Tensor a = rt->ones({2, 2});
    fake::fail_call("cublasSgemm", 1, cudaErrorInvalidValue);
    const Tensor bad = rt->matmul(a, a);
    const auto failure = failure_of([&] { rt->waitall(); });
    EXPECT_TRUE(has(failure, "matmul: cublasSgemm")) << failure;
    EXPECT_EQ(rt->matmul(a, a).to_host()[0], 2.0f);
}

// --- the GPU is lost ---

class CudaLoss : public CudaTest, public testing::WithParamInterface<std::pair<devices::CudaLaunch, bool>> {
protected:
    void start_one(std::uint32_t streams) {
        CudaOptions options;
        options.streams = streams;
        options.launch = GetParam().first;
        options.cupti = GetParam().second;
        start(options);
    }
};

TEST_P(CudaLoss, IsReportedWithTheOpAndSpoilsEverything) {
    start_one(1);
    int calls = 0;
    {
        const Tensor early = rt->ones({4});
        rt->waitall();
        fake::fault_at_kernel(2);
        const Tensor x = rt->ones({4});
        const Tensor y = x + 1.0f;  // faults, op 3
        const Tensor z = y + 1.0f;
        const auto failure = failure_of([&] { rt->waitall(); });
        EXPECT_TRUE(has(failure, "lost")) << failure;
        EXPECT_TRUE(has(failure, "illegal memory access")) << failure;
        EXPECT_TRUE(has(failure, "caused by op ")) << failure;
        EXPECT_EQ(rt->lanes.unfinished_commands(), 0u);

        calls = fake::counts().calls;  // no CUDA calls from now on
        EXPECT_TRUE(has(failure_of([&] { static_cast<void>(early.to_host()); }), "lost"));
        EXPECT_TRUE(has(failure_of([&] { z.wait_to_read(); }), "lost"));
        const Tensor later = rt->ones({1 << 20});
        EXPECT_TRUE(has(failure_of([&] { static_cast<void>(later.to_host()); }), "lost"));
    }
    stop();
    EXPECT_EQ(fake::counts().calls, calls);
}

TEST_P(CudaLoss, IsDetectedWhileOtherStreamsWait) {
    start_one(2);
    fake::hold_stream(0, true);
    fake::fault_at_kernel(1);
    std::vector<Tensor> kept{rt->ones({4}), rt->ones({4})};
    for (int i = 0; i < 50; ++i) {
        kept.push_back(kept[kept.size() - 1] + kept[kept.size() - 2]);
    }
    fake::hold_stream(0, false);
    EXPECT_TRUE(has(failure_of([&] { rt->waitall(); }), "lost"));
    EXPECT_EQ(rt->lanes.unfinished_commands(), 0u);
}

TEST_P(CudaLoss, IsReportedAfterAllocating) {
    start_one(1);
    fake::fail_call("cudaMalloc", 1, cudaErrorIllegalAddress);
    const Tensor x = rt->ones({1 << 20});
    EXPECT_TRUE(has(failure_of([&] { rt->waitall(); }), "cudaMalloc"));
}

TEST_P(CudaLoss, IsReportedWhenValuesAreRead) {
    start_one(1);
    const Tensor x = rt->ones({4});
    rt->waitall();
    fake::fail_call("cudaStreamSynchronize", 1, cudaErrorECCUncorrectable);
    EXPECT_TRUE(has(failure_of([&] { static_cast<void>(x.to_host()); }), "cudaStreamSynchronize"));
}

INSTANTIATE_TEST_SUITE_P(All, CudaLoss,
                         testing::Values(std::pair(devices::CudaLaunch::engine, true),
                                         std::pair(devices::CudaLaunch::frontend, true),
                                         std::pair(devices::CudaLaunch::engine, false)));

// --- times ---

TEST_F(CudaTest, ReportsTheSourceOfItsTimes) {
    start();
    EXPECT_EQ(device->info().timing, "cupti");
    EXPECT_EQ(device->info().timing_note, "");
    EXPECT_GT(device->info().timing_uncertainty_ns, 0u);
    fake::set_cupti(false);
    CudaOptions options;
    options.cupti = false;
    start(options);
    EXPECT_EQ(device->info().timing, "events");
    EXPECT_GT(device->info().timing_uncertainty_ns, 500u);
}

TEST_F(CudaTest, RecordsDriverEvents) {
    start();
    const auto before = core::ticks();
    EXPECT_EQ(rt->ones({1 << 20}).to_host()[0], 1.0f);
    stop();
    const auto driver = records_of<trace::DriverRecord>({trace::StreamKind::driver, 0});
    bool taken = false;
    bool waited = false;
    for (const auto& record : driver) {
        taken |= record.kind == trace::DriverKind::device_taken && record.bytes >= 4u << 20;
        waited |= record.kind == trace::DriverKind::stream_wait && record.begin >= before;
    }
    EXPECT_TRUE(taken);
    EXPECT_TRUE(waited);
}

TEST_F(CudaTest, FallsBackToEventsIfCuptiGivesNoRecords) {
    fake::set_cupti_silent(true);
    start();
    EXPECT_EQ(device->info().timing, "events");
    EXPECT_NE(device->info().timing_note, "");
    EXPECT_EQ((rt->ones({2}) + 1.0f).to_host()[0], 2.0f);
    device->settle();
    EXPECT_EQ(lane_records(0).size() + lane_records(1).size(), 2u);
}

TEST_F(CudaTest, OpsWithoutCuptiRecordsLastFromLaunchToCompletion) {
    start();
    fake::set_cupti_silent(true);
    const auto before = core::ticks();
    rt->ones({2}).wait_to_read();
    const auto after = core::ticks();
    stop();  // the last flush stops waiting for its record
    const auto records = lane_records(0);
    ASSERT_EQ(records.size(), 1u);
    EXPECT_GE(records[0].begin, before);
    EXPECT_LE(records[0].begin + trace::unpack_duration(records[0].duration), after);
}

TEST_F(CudaTest, TimesAreOnTheHostsClock) {
    for (const bool cupti : {true, false}) {
        CudaOptions options;
        options.cupti = cupti;
        options.streams = 1;
        start(options);
        const auto before = core::ticks();
        Tensor x = rt->ones({100'000});
        for (int i = 0; i < 20; ++i) {
            x = x + 1.0f;
        }
        rt->waitall();
        const auto after = core::ticks();
        device->settle();
        const auto records = lane_records(0);
        ASSERT_EQ(records.size(), 21u);
        const auto& last = records.back();
        const core::TickScale scale(core::Anchor{recording->header().first_ticks, recording->header().first_ns},
                                    core::read_anchor());
        const double slack_ns = static_cast<double>(device->info().timing_uncertainty_ns) + 1000.0;
        const auto slack = static_cast<std::uint64_t>(slack_ns / scale.ns_per_tick());
        EXPECT_GE(records.front().begin, before);
        EXPECT_LE(last.begin + trace::unpack_duration(last.duration), after + slack);
    }
}

}  // namespace
}  // namespace headway
