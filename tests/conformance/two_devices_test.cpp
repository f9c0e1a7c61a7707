// Programs on one or several GPUs and the CPU: the results equal those of one device, dependencies are respected, and
// each device's memory is counted separately.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "engine/devices/device_set.h"
#include "tests/conformance/devices.h"
#include "tests/conformance/trace_check.h"
#include "tests/unit/runtime/failure_of.h"

namespace headway {
namespace {

using core::DeviceId;
using devices::OpKind;
using runtime::failure_of;
using runtime::has;
using runtime::OnDevice;
using runtime::Tensor;

struct Pair {
    std::string name;
    MakeDevice make;
    std::uint32_t streams, workers;
    memory::FreePolicy policy = memory::FreePolicy::finish;
    bool frontend_launches = false;
    std::uint32_t gpus = 1;
};
void PrintTo(const Pair& pair, std::ostream* out) {
    *out << pair.name;
}

core::Result<std::unique_ptr<devices::Device>> open_frontend_cuda(std::uint32_t lanes, trace::Recording& recording) {
    devices::CudaOptions options;
    options.streams = lanes;
    options.launch = devices::CudaLaunch::frontend;
    return devices::open_cuda(options, recording);
}

// The GPU that is next in the run is the driver's of the same number.
DeviceResult open_cuda_at(const devices::DeviceSlot& place, const Pair& pair, trace::Recording& recording) {
    devices::CudaOptions options;
    options.streams = pair.streams;
    options.launch = pair.frontend_launches ? devices::CudaLaunch::frontend : devices::CudaLaunch::engine;
    options.device = static_cast<int>(place.number);
    options.place = place;
    return devices::open_cuda(options, recording);
}

std::vector<Pair> pairs() {
    std::vector<Pair> all;
    for (const auto policy : {memory::FreePolicy::finish, memory::FreePolicy::stream, memory::FreePolicy::lazy}) {
        const std::string tail = "_" + std::string(memory::name_of(policy));
        all.push_back({"simulated_1_1" + tail, make_simulated, 1, 1, policy});
        all.push_back({"simulated_2_3" + tail, make_simulated, 2, 3, policy});
        all.push_back({"simulated_4_gpus_2_1" + tail, make_simulated, 2, 1, policy, false, 4});
        all.push_back({"cuda_1_1" + tail, make_cuda, 1, 1, policy});
        all.push_back({"cuda_2_2" + tail, make_cuda, 2, 2, policy});
        all.push_back({"cuda_frontend_2_2" + tail, open_frontend_cuda, 2, 2, policy});
        all.push_back({"cuda_3_gpus_2_1" + tail, make_cuda, 2, 1, policy, false, 3});
        all.push_back({"cuda_frontend_2_gpus_1_1" + tail, open_frontend_cuda, 1, 1, policy, true, 2});
    }
    return all;
}

class DevicesRig {
public:
    explicit DevicesRig(const Pair& pair, runtime::Settings settings = {})
        : recording_(std::move(*trace::Recording::create(std::size_t{1} << 29))) {
        auto first = pair.make(pair.streams, *recording_);
        if (!first) {
            why_ = first.error().message;
            return;
        }
        settings.free_policy = pair.policy;
        settings.seed = 5;
        const bool simulated = (*first)->virtual_time();
        auto open = [this, pair, simulated](const devices::DeviceSlot& place) -> DeviceResult {
            if (simulated) {
                return std::unique_ptr<devices::Device>(std::make_unique<devices::SimulatedDevice>(
                    devices::constant_costs(80, 900, 40), pair.workers, *recording_, place, "cpu"));
            }
            devices::CpuOptions options;
            options.place = place;
            return std::unique_ptr<devices::Device>(
                std::make_unique<devices::CpuDevice>(pair.workers, *recording_, options));
        };
        machine_ = std::make_unique<devices::DeviceSet>(std::move(*first), open);
        while (simulated && machine_->gpus() < pair.gpus) {
            machine_->add_gpu(std::make_unique<devices::SimulatedDevice>(
                devices::constant_costs(100, 1000, 50), pair.streams, *recording_, machine_->next_slot(), "simulated"));
        }
        while (!simulated && machine_->gpus() < pair.gpus) {
            auto gpu = open_cuda_at(machine_->next_slot(), pair, *recording_);
            if (!gpu) {
                why_ = gpu.error().message;
                return;
            }
            machine_->add_gpu(std::move(*gpu));
        }
        if (simulated && pair.gpus > 1) {
            static_cast<devices::SimulatedDevice&>((*machine_)[0])
                .connect(
                    {devices::Topology::ring, pair.gpus, {"links", "chosen", {700, 0, 1, 0, 0}, {300, 0, 0.5, 0, 0}}});
        }
        runtime_ = std::make_unique<runtime::Runtime>(*machine_, *recording_, settings);
    }
    [[nodiscard]] bool available() const { return runtime_ != nullptr; }
    [[nodiscard]] const std::string& why() const { return why_; }
    [[nodiscard]] trace::Recording& recording() { return *recording_; }
    [[nodiscard]] devices::DeviceSet& machine() { return *machine_; }
    runtime::Runtime& operator*() { return *runtime_; }
    runtime::Runtime* operator->() { return runtime_.get(); }

private:
    std::string why_;
    std::unique_ptr<trace::Recording> recording_;
    std::unique_ptr<devices::DeviceSet> machine_;
    std::unique_ptr<runtime::Runtime> runtime_;
};

class TwoDevices : public testing::TestWithParam<Pair> {
protected:
    void SetUp() override {
        if (!rig.available()) {
            expect_no_fake_cuda();
            GTEST_SKIP() << rig.why();
        }
    }
    DevicesRig rig{GetParam()};
};

// Runs the same program twice: with its tensors spread over two devices, and on one device.
class Twice {
public:
    Twice(runtime::Runtime& two, runtime::Runtime& one, std::uint64_t seed) : two_(two), one_(one), dice_(seed) {}

    std::string run(int steps) {
        for (int i = 0; i < steps && difference_.empty(); ++i) {
            step();
        }
        for (const Both& both : all_) {
            compare(both);
        }
        return difference_;
    }

private:
    struct Both {
        Tensor two, one;
    };

    DeviceId some_device() { return dice_.chance(0.5) ? two_.cpu() : static_cast<DeviceId>(dice_.index(two_.gpus())); }
    Both& pick() { return all_[dice_.index(all_.size())]; }

    void step() {
        if (all_.empty() || dice_.chance(0.15)) {
            const DeviceId device = some_device();
            const OnDevice there(two_, device);
            if (dice_.chance(0.5)) {
                all_.push_back({two_.uniform({4, 8}, -1.0f, 1.0f), one_.uniform({4, 8}, -1.0f, 1.0f)});
            } else {
                const std::vector<float> values(32, static_cast<float>(dice_.number(-5, 5)));
                all_.push_back({two_.from_host({4, 8}, values), one_.from_host({4, 8}, values)});
            }
            return;
        }
        const int what = dice_.number(0, 9);
        if (what < 4) {  // an op with two inputs, copied to one device if necessary
            const Both a = pick();
            Both b = pick();
            if (a.two.device() != b.two.device()) {
                const auto why = failure_of([&] { static_cast<void>(two_.binary(OpKind::add, a.two, b.two)); });
                const auto names = [this](const Tensor& of) -> std::string {
                    return two_.lanes.device(of.device()).info().kind == "cpu" ? "on the CPU"
                           : two_.gpus() == 1                                  ? "on the GPU"
                                              : "on GPU " + std::to_string(of.device());
                };
                if (!has(why, names(a.two)) || !has(why, names(b.two)) || !has(why, "(4, 8)")) {
                    difference_ = "apart, and no error: " + why;
                    return;
                }
                b.two = two_.to_device(b.two, a.two.device());
            }
            constexpr OpKind kKinds[] = {OpKind::add, OpKind::sub, OpKind::greater};
            const OpKind kind = kKinds[dice_.index(3)];
            all_.push_back({two_.binary(kind, a.two, b.two), one_.binary(kind, a.one, b.one)});
        } else if (what < 6) {  // in place: must run after earlier readers on the other device, and before later ones
            Both& a = pick();
            two_.with_scalar_in_place(OpKind::mul_scalar, a.two, 0.5f);
            one_.with_scalar_in_place(OpKind::mul_scalar, a.one, 0.5f);
        } else if (what == 6) {
            Both& a = pick();
            a.two = two_.to_device(a.two, some_device());
            a.one = one_.unary(OpKind::copy, a.one);
        } else if (what == 7) {
            const Both& a = pick();
            const Both& b = pick();
            two_.copy_into(b.two, a.two);
            one_.copy_into(b.one, a.one);
        } else if (what == 8) {
            all_.erase(all_.begin() + static_cast<std::ptrdiff_t>(dice_.index(all_.size())));
        } else if (dice_.chance(0.3)) {
            compare(pick());
        } else if (dice_.chance(0.2)) {
            two_.waits.device(some_device(), trace::WaitKind::synchronize, "synchronize");
        }
        if (all_.size() > 12) {
            all_.erase(all_.begin());
        }
    }

    void compare(const Both& both) {
        const std::vector<float> two = both.two.to_host(), one = both.one.to_host();
        const auto at = std::mismatch(two.begin(), two.end(), one.begin());
        if (at.first != two.end() && difference_.empty()) {
            difference_ = "buffer " + std::to_string(both.two.buffer_id()) + ", last written by op " +
                          std::to_string(both.two.last_write()) + " on device " + std::to_string(both.two.device()) +
                          ", differs at " + std::to_string(at.first - two.begin()) + ": " + std::to_string(*at.first) +
                          " and not " + std::to_string(*at.second) + ", later " +
                          std::to_string(both.two.to_host()[static_cast<std::size_t>(at.first - two.begin())]);
        }
    }

    runtime::Runtime& two_;
    runtime::Runtime& one_;
    Dice dice_;
    std::vector<Both> all_;
    std::string difference_;
};

TEST_P(TwoDevices, ComputeWhatOneDoes) {
    Bench one({"cpu_1", make_cpu, 1, true}, [] {
        runtime::Settings settings;
        settings.seed = 5;
        return settings;
    }());
    rig->cpu();
    for (std::uint64_t seed = 1; seed <= (kSanitized ? 10 : 30); ++seed) {
        ASSERT_EQ(Twice(*rig, *one, seed).run(120), "") << "seed " << seed;
    }
    rig->waitall();
    rig.machine().settle();
    EXPECT_EQ(rig->memory.live_bytes(), 0u);
    const Pair& pair = GetParam();
    std::vector<std::uint32_t> later_devices;
    for (DeviceId device = 0; device < rig->lanes.devices(); ++device) {
        EXPECT_EQ(rig->memory.live_bytes(device), 0u);
        if (device > 0) {
            later_devices.push_back(rig->lanes.begin(device));
        }
    }
    EXPECT_EQ(rig->lanes.devices(), pair.gpus + 1);
    const TraceSummary summary = check_trace(rig.recording(), pair.gpus * pair.streams + pair.workers, later_devices);
    EXPECT_EQ(summary.problem, "");
    EXPECT_EQ(summary.ops, rig->recorder.issued());
    EXPECT_GT(summary.across_lanes, 100u);
}

TEST_P(TwoDevices, CountTheirMemorySeparately) {
    if (GetParam().policy == memory::FreePolicy::lazy) {
        GTEST_SKIP() << "the bytes of ops that have not started are not counted";
    }
    const DeviceId cpu = rig->cpu();
    const Tensor gpu = rig->ones({1000});
    Tensor there = rig->to_device(gpu, cpu);
    EXPECT_EQ(there.device(), cpu);
    EXPECT_EQ(rig->memory.live_bytes(0), 4000u);
    EXPECT_EQ(rig->memory.live_bytes(cpu), 4000u);
    {
        const OnDevice on(*rig, cpu);
        const Tensor more = rig->full({500}, 0.0f);
        EXPECT_EQ(rig->memory.live_bytes(cpu), 6000u);
        EXPECT_EQ(rig->memory.live_bytes(0), 4000u);
    }
    rig->waitall();
    EXPECT_EQ(rig->memory.live_bytes(cpu), 4000u);
    there = Tensor();
    EXPECT_EQ(rig->memory.live_bytes(cpu), 0u);
    EXPECT_EQ(rig->memory.live_bytes(0), 4000u);
}

TEST_P(TwoDevices, HaveABudgetEach) {
    if (GetParam().policy == memory::FreePolicy::lazy) {
        GTEST_SKIP() << "the budget is checked when the op starts";
    }
    runtime::Settings settings;
    settings.budget_bytes = 10'000;
    DevicesRig limited(GetParam(), settings);
    const DeviceId cpu = limited->cpu();
    const Tensor a = limited->ones({2000});
    const OnDevice on(*limited, cpu);
    const Tensor b = limited->ones({2000});  // the same size again, on the other device
    const std::string why = failure_of([&] { static_cast<void>(limited->ones({2000})); });
    EXPECT_TRUE(has(why, "out of memory on the CPU at op 3")) << why;
    EXPECT_EQ(limited->waits.to_host(b)[0], 1.0f);
}

TEST_P(TwoDevices, PropagateFailuresThroughCopies) {
    const DeviceId cpu = rig->cpu();
    struct Failing {
        devices::Device* device;
        static void run(const devices::Command& command, void* self) {
            static_cast<Failing*>(self)->device->poison().fail(command, core::ErrorKind::failed, "the moon is down");
        }
    } failing{&rig->lanes.device(cpu)};
    Tensor spoiled;
    {
        const OnDevice on(*rig, cpu);
        spoiled = rig->host_call(Failing::run, &failing, Tensor(), {4});
    }
    const Tensor copied = rig->to_device(spoiled, 0);
    const Tensor after = copied + 1.0f;
    EXPECT_TRUE(has(failure_of([&] { after.wait_to_read(); }), "the moon is down"));
    EXPECT_EQ(rig->waits.to_host(rig->ones({2}))[1], 1.0f);
}

// A blocked CPU lane delays only the ops that depend on it, on the GPU as well.
TEST_P(TwoDevices, WaitOnlyForTheirDependencies) {
    if (rig->lanes.device(0).virtual_time() || GetParam().streams < 2) {
        GTEST_SKIP() << "needs threads and a free stream";
    }
    struct Gate {
        std::atomic<bool> open{false};
        static void run(const devices::Command& command, void* self) {
            while (!static_cast<Gate*>(self)->open.load()) {
                std::this_thread::yield();
            }
            for (std::int64_t i = 0; i < command.signature->elements; ++i) {
                command.out[i] = 3.0f;
            }
        }
    } gate;
    const DeviceId cpu = rig->cpu();
    const Tensor warm = rig->ones({4});
    rig->waitall();
    Tensor held;
    {
        const OnDevice on(*rig, cpu);
        held = rig->host_call(Gate::run, &gate, Tensor(), {4});
    }
    const Tensor there = rig->to_device(held, 0);
    const Tensor next = there + 1.0f;               // depends on it
    const Tensor free = warm * 2.0f;                // does not depend on it
    const Tensor back = rig->to_device(next, cpu);  // and back again
    EXPECT_EQ(free.to_host()[0], 2.0f);             // while the gate is shut
    EXPECT_FALSE(gate.open.load());
    gate.open = true;
    EXPECT_EQ(back.to_host()[3], 4.0f);
}

TEST_P(TwoDevices, CanBeWaitedForSeparately) {
    if (rig->lanes.device(0).virtual_time()) {
        GTEST_SKIP() << "needs threads";
    }
    struct Gate {
        std::atomic<bool> open{false};
        static void run(const devices::Command&, void* self) {
            while (!static_cast<Gate*>(self)->open.load()) {
                std::this_thread::yield();
            }
        }
    } gate;
    const DeviceId cpu = rig->cpu();
    const OnDevice on(*rig, cpu);
    const Tensor held = rig->host_call(Gate::run, &gate, Tensor(), {4});
    {
        const OnDevice gpu(*rig, 0);
        const Tensor x = rig->ones({4}) + 1.0f;
        rig->waits.device(0, trace::WaitKind::synchronize, "synchronize");  // returns with the gate shut
    }
    EXPECT_FALSE(gate.open.load());
    gate.open = true;
    rig->waitall();
}

TEST_P(TwoDevices, AreCreatedOnFirstUse) {
    DevicesRig fresh(GetParam());
    const Tensor x = fresh->ones({4});
    fresh->waitall();
    const std::uint32_t gpus = GetParam().gpus;
    EXPECT_EQ(fresh->lanes.devices(), gpus);
    EXPECT_EQ(fresh.machine().count(), gpus);
    EXPECT_EQ(fresh->cpu(), gpus);
    EXPECT_EQ(fresh->cpu(), gpus);
    EXPECT_EQ(fresh->gpu(), 0u);
    EXPECT_EQ(fresh.machine().count(), gpus + 1);
    EXPECT_EQ(fresh->to_device(x, static_cast<DeviceId>(gpus)).to_host()[2], 1.0f);
    EXPECT_TRUE(
        has(failure_of([&] { static_cast<void>(fresh->gpu(gpus)); }), "there is no GPU " + std::to_string(gpus)));
}

INSTANTIATE_TEST_SUITE_P(Pairs, TwoDevices, testing::ValuesIn(pairs()),
                         [](const auto& tested) { return tested.param.name; });

TEST(OneDevice, HasNoGpuIfItIsACpu) {
    Bench bench({"cpu_1", make_cpu, 1, true});
    EXPECT_EQ(bench->cpu(), 0u);
    EXPECT_TRUE(has(failure_of([&] { static_cast<void>(bench->gpu()); }), "has no GPU"));
}

// Both devices share one clock: the CPU works while the GPU computes.
TEST(SimulatedPair, OverlapsOnOneClock) {
    DevicesRig rig({"simulated", make_simulated, 1, 1});
    runtime::Runtime& rt = *rig;
    const DeviceId cpu = rt.cpu();
    rt.waitall();
    const std::uint64_t begin = rt.recorder.now();
    const Tensor gpu = rt.randn({8});  // 1500 ns on the GPU's lane
    Tensor host;
    {
        const OnDevice on(rt, cpu);
        host = rt.full({8}, 0.0f);
        host = host + 1.0f;  // 900 ns each on the CPU's lane
    }
    rt.waitall();
    // Issues of 100, 80 and 80: the CPU's second op begins behind its first, at 180 + 900.
    EXPECT_EQ(rt.recorder.now() - begin, std::max<std::uint64_t>(100 + 1500, 180 + 900 + 900) + 70);
}

}  // namespace
}  // namespace headway
