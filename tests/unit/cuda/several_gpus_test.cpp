// Several CUDA devices on the fake CUDA, in one run.
#include <cuda_runtime_api.h>

#include <memory>
#include <set>
#include <string>
#include <vector>

#include "engine/devices/cpu/cpu_device.h"
#include "engine/devices/device_set.h"
#include "tests/unit/cuda/fixture.h"

namespace headway {
namespace {

using core::DeviceId;
using devices::CudaLaunch;
using devices::CudaOptions;
using devices::OpKind;
using runtime::OnDevice;
using runtime::Tensor;

class SeveralGpus : public CudaTest {
protected:
    void TearDown() override {
        stop_all();
        CudaTest::TearDown();
    }
    void start_all(int gpus, CudaOptions options = {}, const runtime::Settings& settings = {}) {
        const std::string failed = try_to_start(gpus, std::move(options), settings);
        ASSERT_EQ(failed, "");
    }
    // Returns why one of the devices could not be opened.
    std::string try_to_start(int gpus, CudaOptions options, const runtime::Settings& settings = {}) {
        stop_all();
        recording = std::move(*trace::Recording::create(std::size_t{1} << 28));
        for (int gpu = 0; gpu < gpus; ++gpu) {
            options.device = gpu;
            options.place = machine != nullptr ? machine->next_slot() : devices::DeviceSlot();
            auto opened = open_fake(options, *recording);
            if (!opened) {
                machine.reset();
                return opened.error().message;
            }
            if (machine != nullptr) {
                machine->add_gpu(std::move(*opened));
            } else {
                machine = std::make_unique<devices::DeviceSet>(std::move(*opened), cpu_opener());
            }
        }
        rt = std::make_unique<runtime::Runtime>(*machine, *recording, settings);
        return "";
    }
    void stop_all() {
        rt.reset();
        machine.reset();
    }
    devices::DeviceSet::OpenCpu cpu_opener() {
        return [this](const devices::DeviceSlot& place) -> core::Result<std::unique_ptr<devices::Device>> {
            devices::CpuOptions options;
            options.place = place;
            return std::unique_ptr<devices::Device>(std::make_unique<devices::CpuDevice>(1, *recording, options));
        };
    }
    void restart_fake(int gpus) {  // no tensor may be left
        stop_all();
        fake::reset();
        fake::set_device_count(gpus);
    }
    Tensor full_on(DeviceId device, float value, std::int64_t elements = 4) {
        const OnDevice there(*rt, device);
        return rt->full({elements}, value);
    }
    Tensor gated_on(DeviceId device, Gate& gate) {
        const OnDevice there(*rt, device);
        return rt->host_call(Gate::run, &gate, Tensor(), {4});
    }

    std::unique_ptr<devices::DeviceSet> machine;
};

std::vector<CudaOptions> launches_and_recording() {
    std::vector<CudaOptions> all(4);
    all[1].launch = CudaLaunch::frontend;
    all[2].streams = 1;
    all[2].cupti = false;
    all[3].record = false;
    return all;
}

TEST_F(SeveralGpus, EachHasItsOwnMemoryStreamsAndLanes) {
    fake::set_device_count(3);
    start_all(3);
    EXPECT_EQ(rt->gpus(), 3u);
    for (DeviceId gpu = 0; gpu < 3; ++gpu) {
        EXPECT_EQ(full_on(gpu, 2.0f).to_host(), std::vector<float>(4, 2.0f));
        EXPECT_EQ(rt->lanes.device(gpu).first_lane(), gpu * 2u);
        EXPECT_GT(rt->lanes.device(gpu).reserved_bytes(), 0u);
    }
    rt->waitall();
    machine->settle();
    for (std::uint8_t gpu = 0; gpu < 3; ++gpu) {
        EXPECT_EQ(lane_records(static_cast<std::uint8_t>(gpu * 2)).size() +
                      lane_records(static_cast<std::uint8_t>(gpu * 2 + 1)).size(),
                  1u)
            << "GPU " << int{gpu};
    }
    stop_all();
    EXPECT_EQ(fake::counts().device_bytes, 0u);
    EXPECT_EQ(fake::counts().streams, 0);
}

TEST_F(SeveralGpus, CopiesBetweenThemInEveryWay) {
    for (const CudaOptions& way : launches_and_recording()) {
        restart_fake(3);
        start_all(3, way);
        Tensor x = full_on(0, 1.0f);
        for (int i = 0; i < 30; ++i) {
            x = rt->to_device(x, static_cast<DeviceId>((i + 1) % 3)) + 1.0f;
        }
        EXPECT_EQ(x.to_host(), std::vector<float>(4, 31.0f));
        EXPECT_EQ(fake::counts().peer_copies, 30);
        EXPECT_EQ(fake::counts().staged_peer_copies, 0);
    }
}

TEST_F(SeveralGpus, WithoutPeerAccessCudaCopiesThroughTheHost) {
    fake::set_device_count(2);
    fake::set_peers(false);
    start_all(2);
    EXPECT_EQ((rt->to_device(full_on(0, 4.0f), 1) + 1.0f).to_host(), std::vector<float>(4, 5.0f));
    EXPECT_EQ(fake::counts().staged_peer_copies, 1);
}

// The order checker of the fake ends a test in which one of these waits is missing.
TEST_F(SeveralGpus, ACopyWaitsForWhatItReadsAndDelaysWhatOverwritesIt) {
    for (const CudaOptions& way : launches_and_recording()) {
        restart_fake(2);
        start_all(2, way);
        for (int i = 0; i < 50; ++i) {
            const Tensor x = full_on(0, 1.0f);
            const Tensor copy = rt->to_device(x, 1);
            {
                const OnDevice there(*rt, 0);
                rt->with_scalar_in_place(OpKind::mul_scalar, x, 5.0f);
            }
            const Tensor back = rt->to_device(copy + 1.0f, 0);
            rt->copy_into(copy, x);
            EXPECT_EQ(back.to_host()[3], 2.0f);
            EXPECT_EQ(copy.to_host()[3], 5.0f);
        }
    }
}

// A GPU's stream waits for the other's event. It does not keep the rest of its GPU from working, nor the frontend.
TEST_F(SeveralGpus, OnlyWhatNeedsTheOtherGpuWaitsForIt) {
    for (const CudaLaunch launch : {CudaLaunch::engine, CudaLaunch::frontend}) {
        restart_fake(2);
        CudaOptions options;
        options.launch = launch;
        start_all(2, options);
        Gate gate;
        const Tensor warm = full_on(1, 1.0f);
        rt->waitall();
        const Tensor copied = rt->to_device(gated_on(0, gate), 1);
        EXPECT_EQ((warm + 1.0f).to_host()[0], 2.0f);
        EXPECT_NE(rt->lanes.unfinished_commands(), 0u);
        gate.open();
        EXPECT_EQ(copied.to_host()[0], 7.0f);
    }
}

TEST_F(SeveralGpus, TheFrontendLaunchesOnAllWhenAHoldIsReleased) {
    fake::set_device_count(2);
    CudaOptions options;
    options.launch = CudaLaunch::frontend;
    start_all(2, options);
    recording->control().hold_backend.store(1);
    const Tensor copied = rt->to_device(full_on(0, 3.0f), 1);
    std::jthread releases([this] {
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
        recording->control().hold_backend.store(0);
    });
    EXPECT_EQ(copied.to_host()[0], 3.0f);
}

TEST_F(SeveralGpus, CopiesHaveTheTimesOfCuptiOnTheLaneOfTheirTarget) {
    fake::set_device_count(2);
    CudaOptions options;
    options.streams = 1;
    start_all(2, options);
    const Tensor copied = rt->to_device(full_on(0, 3.0f), 1);
    rt->waitall();
    machine->settle();
    ASSERT_EQ(lane_records(0).size(), 1u);
    ASSERT_EQ(lane_records(1).size(), 1u);
    EXPECT_EQ(lane_records(1)[0].id(), 2u);
    EXPECT_GE(lane_records(1)[0].begin, lane_records(0)[0].begin);
    for (const auto& record : records_of<trace::DriverRecord>({trace::StreamKind::driver, 0})) {
        EXPECT_NE(record.kind, trace::DriverKind::bounded_ops) << "each op has a time of its own";
    }
}

// CUPTI stays on for the others when one GPU is closed or cannot be opened.
TEST_F(SeveralGpus, TooFewOfThemIsOneSentence) {
    fake::set_device_count(2);
    EXPECT_EQ(try_to_start(3, {}), "there is no GPU 2: the driver finds 2 GPUs, and counts from 0");
    start_all(2);
    EXPECT_EQ(rt->lanes.device(1).info().timing, "cupti");
    EXPECT_EQ(full_on(1, 1.0f).to_host()[0], 1.0f);
}

TEST_F(SeveralGpus, ALostGpuIsSaidOnTheOthers) {
    fake::set_device_count(2);
    start_all(2);
    const Tensor x = full_on(0, 1.0f);
    rt->waitall();
    fake::fault_at_kernel(1);
    const Tensor copied = rt->to_device(x + 1.0f, 1);
    EXPECT_NE(failure_of([&] { copied.wait_to_read(); }).find("lost"), std::string::npos);
}

TEST_F(SeveralGpus, WorkWithACpu) {
    for (const CudaOptions& way : launches_and_recording()) {
        restart_fake(2);
        start_all(2, way);
        const DeviceId cpu = rt->cpu();
        Tensor x = full_on(cpu, 1.0f);
        for (int i = 0; i < 20; ++i) {
            x = rt->to_device(rt->to_device(rt->to_device(x, 0) + 1.0f, 1) + 1.0f, cpu);
        }
        EXPECT_EQ(x.to_host()[2], 41.0f);
    }
}

// Each call of this path fails once: a sentence, or right values.
TEST_F(SeveralGpus, EachCallThatFailsIsOneSentenceOrDoesNotMatter) {
    const auto values_of_run = [this](std::vector<std::string>& failures) {
        std::vector<float> values;
        if (const std::string failed = try_to_start(2, {}); !failed.empty()) {
            failures.push_back(failed);
            return values;
        }
        note_failure(failures, [&] {
            const Tensor x = full_on(0, 1.0f) + 1.0f;
            values = rt->to_device(rt->to_device(x, 1) * 2.0f, 0).to_host();
            rt->waitall();
        });
        note_failure(failures, [&] { rt->waitall(); });
        stop_all();
        return values;
    };
    fake::set_device_count(2);
    std::vector<std::string> none;
    ASSERT_EQ(values_of_run(none), std::vector<float>(4, 4.0f));
    ASSERT_TRUE(none.empty()) << none[0];
    const auto calls = fake::calls();
    int injected = 0;
    for (const char* name : {"cudaSetDevice", "cudaDeviceCanAccessPeer", "cudaDeviceEnablePeerAccess",
                             "cudaMemcpyPeerAsync", "cudaStreamWaitEvent", "cudaEventRecord", "cudaMalloc"}) {
        ASSERT_TRUE(calls.contains(name)) << name;
        for (int nth = 1; nth <= std::min(calls.at(name), 8); ++nth) {
            SCOPED_TRACE(std::string(name) + ", call " + std::to_string(nth));
            fake::reset();
            fake::set_device_count(2);
            fake::fail_call(name, nth, cudaErrorUnknown);
            std::vector<std::string> failures;
            const std::vector<float> values = values_of_run(failures);
            if (fake::failure_is_due()) {
                continue;
            }
            ++injected;
            for (const std::string& failure : failures) {
                EXPECT_EQ(failure.find('\n'), std::string::npos) << failure;
            }
            if (failures.empty()) {
                EXPECT_EQ(values, std::vector<float>(4, 4.0f));
            }
        }
    }
    EXPECT_GT(injected, 15);
}

}  // namespace
}  // namespace headway
