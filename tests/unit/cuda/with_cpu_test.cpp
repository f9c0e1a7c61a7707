// The CUDA device on the fake CUDA, in a run with the real CPU device.
#include <chrono>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "engine/devices/cpu/cpu_device.h"
#include "engine/devices/device_set.h"
#include "tests/unit/cuda/fixture.h"

namespace headway {
namespace {

using core::DeviceId;
using devices::OpKind;
using runtime::OnDevice;
using runtime::Tensor;

class WithCpu : public CudaTest {
protected:
    void TearDown() override {
        stop_both();
        CudaTest::TearDown();
    }
    void start_both(const devices::CudaOptions& options = {}, const runtime::Settings& settings = {}) {
        stop_both();
        recording = std::move(*trace::Recording::create(std::size_t{1} << 28));
        auto opened = open_fake(options, *recording);
        ASSERT_TRUE(opened) << opened.error().message;
        machine = std::make_unique<devices::DeviceSet>(
            std::move(*opened),
            [this](const devices::DeviceSlot& place) -> core::Result<std::unique_ptr<devices::Device>> {
                devices::CpuOptions options;
                options.place = place;
                return std::unique_ptr<devices::Device>(std::make_unique<devices::CpuDevice>(2, *recording, options));
            });
        rt = std::make_unique<runtime::Runtime>(*machine, *recording, settings);
        cpu = rt->cpu();
    }
    void stop_both() {
        rt.reset();
        machine.reset();
    }
    Tensor on_cpu(float value) {
        const OnDevice there(*rt, cpu);
        return rt->full({4}, value);
    }
    Tensor gated(Gate& gate) {
        const OnDevice there(*rt, cpu);
        return rt->host_call(Gate::run, &gate, Tensor(), {4});
    }

    std::unique_ptr<devices::DeviceSet> machine;
    DeviceId cpu = 0;
};

std::vector<devices::CudaOptions> launches_and_copies() {
    std::vector<devices::CudaOptions> all(4);
    all[1].launch = devices::CudaLaunch::frontend;
    all[2].pinned = false;
    all[3].streams = 1;
    return all;
}

TEST_F(WithCpu, AWaitForTheCpuEndsWhenTheHeldGpuIsReleased) {
    for (const auto& way : launches_and_copies()) {
        start_both(way);
        recording->control().hold_backend.store(1);
        const Tensor copied = rt->to_device(rt->full({4}, 3.0f), cpu);
        const std::jthread releases([this] {
            std::this_thread::sleep_for(std::chrono::milliseconds(20));
            recording->control().hold_backend.store(0);
        });
        const OnDevice there(*rt, cpu);
        EXPECT_EQ((copied + 1.0f).to_host()[0], 4.0f);
    }
}

TEST_F(WithCpu, CopiesValuesBothWaysInEveryLaunchAndCopyMode) {
    for (const auto& way : launches_and_copies()) {
        start_both(way);
        Tensor x = on_cpu(1.0f);
        for (int i = 0; i < 50; ++i) {
            const Tensor gpu = rt->to_device(x, 0) + 1.0f;
            x = rt->to_device(rt->to_device(rt->to_device(gpu, cpu), 0), cpu) * 1.0f;
        }
        EXPECT_EQ(x.to_host(), (std::vector<float>(4, 51.0f)));
    }
}

TEST_F(WithCpu, OnlyOpsThatNeedTheCpuAreDeferred) {
    for (const auto& way : launches_and_copies()) {
        if (way.streams < 2 || !way.pinned) {
            continue;
        }
        start_both(way);
        const Tensor warm = rt->ones({4});
        rt->waitall();
        Gate gate;
        const Tensor held = gated(gate);
        const Tensor after = rt->to_device(held, 0) + 1.0f;
        const Tensor more = after * 2.0f + warm;  // in the same stream, after it
        EXPECT_EQ((warm + 1.0f).to_host()[0], 2.0f);
        EXPECT_FALSE(rt->lanes.unfinished_commands() == 0);
        gate.open();
        EXPECT_EQ(more.to_host()[0], 17.0f);
    }
}

TEST_F(WithCpu, DeferredOpsAreLaunchedWithoutTheFrontend) {
    devices::CudaOptions options;
    options.launch = devices::CudaLaunch::frontend;
    start_both(options);
    Gate gate;
    const Tensor gpu = rt->to_device(gated(gate), 0);
    gate.open();
    wait_until([this] { return rt->lanes.unfinished_commands() == 0; });  // unfinished_commands() launches nothing
    EXPECT_EQ(gpu.to_host()[1], 7.0f);
}

TEST_F(WithCpu, CpuLaneWaitsForAStream) {
    start_both();
    Gate gate;
    const Tensor held = rt->host_call(Gate::run, &gate, Tensor(), {4});  // on a stream
    Tensor there = rt->to_device(held, cpu);
    const Tensor sum = there + 1.0f;
    const Tensor free = on_cpu(2.0f) + 3.0f;
    EXPECT_EQ(free.to_host()[0], 5.0f);
    gate.open();
    EXPECT_EQ(sum.to_host()[2], 8.0f);
}

TEST_F(WithCpu, OverwritingWaitsForReadersOnTheOtherDevice) {
    start_both();
    for (int i = 0; i < 200; ++i) {
        const Tensor x = on_cpu(1.0f);
        const Tensor copy = rt->to_device(x, 0);
        rt->with_scalar_in_place(OpKind::mul_scalar, x, 5.0f);
        const Tensor y = rt->ones({4});
        const Tensor back = rt->to_device(y, cpu);
        rt->with_scalar_in_place(OpKind::mul_scalar, y, 5.0f);
        rt->copy_into(x, y);
        EXPECT_EQ(copy.to_host()[3], 1.0f);
        EXPECT_EQ(back.to_host()[3], 1.0f);
        EXPECT_EQ(x.to_host()[3], 5.0f);
    }
}

TEST_F(WithCpu, AStoppedRunEnds) {
    for (const auto launch : {devices::CudaLaunch::engine, devices::CudaLaunch::frontend}) {
        devices::CudaOptions options;
        options.launch = launch;
        start_both(options);
        Gate gate;
        Tensor x = gated(gate);
        for (int i = 0; i < 20; ++i) {
            x = rt->to_device(rt->to_device(x, 0) + 1.0f, cpu);
        }
        machine->abandon();
        gate.open();
        EXPECT_EQ(failure_of([&] { rt->waitall(); }), "stopped");
        EXPECT_EQ(failure_of([&] { static_cast<void>(x.to_host()); }), "stopped") << "it has no values";
        EXPECT_EQ(rt->lanes.unfinished_commands(), 0u);
    }
}

TEST_F(WithCpu, ALostGpuIsReportedOnTheCpuToo) {
    start_both();
    fake::fault_at_kernel(1);
    const Tensor x = rt->to_device(rt->ones({4}) + 1.0f, cpu);
    const Tensor y = x + 1.0f;
    EXPECT_NE(failure_of([&] { y.wait_to_read(); }).find("the GPU is lost"), std::string::npos);
}

}  // namespace
}  // namespace headway
