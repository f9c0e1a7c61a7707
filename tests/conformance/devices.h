// The devices of the conformance suite, each with its own recording and runtime.
//
// To add a device, write one function that makes it and add one line to all_devices(). The tests of an unavailable
// device skip with its reason.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <memory>
#include <ostream>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "engine/devices/cpu/cpu_device.h"
#include "engine/devices/cuda_loader.h"
#include "engine/devices/simulated/simulated.h"
#include "engine/runtime/runtime.h"
#include "tests/conformance/reference.h"

namespace headway {

// A sanitizer makes each random case ten times as slow: there are fewer then.
#if defined(HEADWAY_SANITIZED)
inline constexpr bool kSanitized = true;
#else
inline constexpr bool kSanitized = false;
#endif

using DeviceResult = core::Result<std::unique_ptr<devices::Device>>;
using MakeDevice = DeviceResult (*)(std::uint32_t lanes, trace::Recording& recording);

inline DeviceResult make_cpu(std::uint32_t lanes, trace::Recording& recording) {
    return std::unique_ptr<devices::Device>(std::make_unique<devices::CpuDevice>(lanes, recording));
}

// Ops take different times, so that lanes overlap in many ways, and longer than their issue, so that they queue up.
inline DeviceResult make_simulated(std::uint32_t lanes, trace::Recording& recording) {
    devices::CostModel model = devices::constant_costs(100, 350, 70);
    model.name = "conformance";
    model.source = "invented";
    const auto set = [&](devices::Family family, double ns) {
        model.family[static_cast<std::size_t>(family)].base_ns = ns;
    };
    set(devices::Family::matmul, 4000);
    set(devices::Family::random, 1500);
    set(devices::Family::reduce, 900);
    set(devices::Family::other, 2500);
    return std::unique_ptr<devices::Device>(std::make_unique<devices::SimulatedDevice>(model, lanes, recording));
}

inline DeviceResult make_cuda(std::uint32_t lanes, trace::Recording& recording) {
    devices::CudaOptions options;
    options.streams = lanes;
    return devices::open_cuda(options, recording);
}

// Call before a skip. A test may skip because the machine has no GPU. If HEADWAY_CUDA_MODULE names the fake CUDA, it
// fails instead.
inline void expect_no_fake_cuda() {
    EXPECT_EQ(std::getenv("HEADWAY_CUDA_MODULE"), nullptr) << "the fake CUDA cannot be used";
}

struct DeviceCase {
    std::string name;
    MakeDevice make;
    std::uint32_t lanes;
    bool own_threads;  // ops run on threads other than the frontend's
};
inline void PrintTo(const DeviceCase& tested, std::ostream* out) {
    *out << tested.name;
}

inline std::vector<DeviceCase> all_devices() {
    return {
        {"cpu_1", make_cpu, 1, true},
        {"cpu_2", make_cpu, 2, true},
        {"cpu_4", make_cpu, 4, true},
        {"cuda_1", make_cuda, 1, true},
        {"cuda_2", make_cuda, 2, true},
        {"simulated_1", make_simulated, 1, false},
        {"simulated_2", make_simulated, 2, false},
    };
}

// The devices whose ops run on their own threads, or those in virtual time.
inline std::vector<DeviceCase> devices_with_threads(bool own_threads) {
    std::vector<DeviceCase> some = all_devices();
    std::erase_if(some, [=](const DeviceCase& tested) { return tested.own_threads != own_threads; });
    return some;
}

// A device with its recording and runtime. If the device is unavailable, available() is false and why() is the reason.
class Bench {
public:
    explicit Bench(const DeviceCase& tested, const runtime::Settings& settings = {})
        : recording_(std::move(*trace::Recording::create(std::size_t{1} << 30))) {
        auto device = tested.make(tested.lanes, *recording_);
        if (!device) {
            why_ = device.error().message;
            return;
        }
        device_ = std::move(*device);
        runtime_ = std::make_unique<runtime::Runtime>(*device_, *recording_, settings);
    }

    [[nodiscard]] bool available() const { return runtime_ != nullptr; }
    [[nodiscard]] const std::string& why() const { return why_; }
    [[nodiscard]] trace::Recording& recording() { return *recording_; }
    [[nodiscard]] devices::Device& device() { return *device_; }
    runtime::Runtime& operator*() { return *runtime_; }
    runtime::Runtime* operator->() { return runtime_.get(); }

private:
    std::string why_;
    std::unique_ptr<trace::Recording> recording_;
    std::unique_ptr<devices::Device> device_;
    std::unique_ptr<runtime::Runtime> runtime_;
};

// The suite. Instantiated once, in ops_test.cpp; its tests are in several files.
class DeviceConformance : public testing::TestWithParam<DeviceCase> {
protected:
    void SetUp() override {
        if (!bench.available()) {
            expect_no_fake_cuda();
            GTEST_SKIP() << bench.why();
        }
    }
    Bench bench{GetParam()};
};

inline runtime::Tensor to_tensor(runtime::Runtime& rt, const reference::Array& array) {
    return rt.from_host(array.shape, std::vector<float>(array.values.begin(), array.values.end()));
}

// Equal up to a relative tolerance; 0 means exactly equal.
inline void expect_equal(const runtime::Tensor& actual, const reference::Array& expected, double tolerance) {
    ASSERT_EQ(to_string(actual.shape()), to_string(expected.shape));
    const std::vector<float> values = actual.to_host();
    for (std::size_t i = 0; i < values.size(); ++i) {
        const double wanted = expected.values[i];
        ASSERT_NEAR(static_cast<double>(values[i]), wanted, tolerance * (1.0 + std::abs(wanted)))
            << "element " << i << " of " << to_string(expected.shape);
    }
}

// Random shapes and values. The values are floats, so that device and reference start with identical inputs.
class Dice {
public:
    explicit Dice(std::uint64_t seed) : random_(seed) {}

    int number(int low, int high) { return std::uniform_int_distribution<int>(low, high)(random_); }
    bool chance(double probability) { return std::bernoulli_distribution(probability)(random_); }
    std::size_t index(std::size_t size) { return std::uniform_int_distribution<std::size_t>(0, size - 1)(random_); }

    // Mostly small sides; occasionally an odd one longer than one or two vectors.
    std::int64_t side() { return chance(0.15) ? number(15, 70) : number(1, 6); }
    devices::Shape shape(int rank) {
        devices::Shape shape;
        while (shape.rank < rank) {
            shape.dims[static_cast<std::size_t>(shape.rank++)] = rank > 3 ? number(1, 5) : side();
        }
        return shape;
    }
    devices::Shape shape() { return shape(number(0, 5)); }

    // A shape that broadcasts to `full`: some leading axes are missing, some axes are 1.
    devices::Shape broadcast_to(const devices::Shape& full) {
        devices::Shape shape;
        for (int axis = number(0, full.rank); axis < full.rank; ++axis) {
            shape.dims[static_cast<std::size_t>(shape.rank++)] = chance(0.35) ? 1 : full[axis];
        }
        return shape;
    }

    reference::Array array(const devices::Shape& shape, double low = -4.0, double high = 4.0) {
        std::uniform_real_distribution<float> values(static_cast<float>(low), static_cast<float>(high));
        reference::Array array(shape);
        for (double& value : array.values) {
            value = static_cast<double>(values(random_));
        }
        return array;
    }
    reference::Array integers(const devices::Shape& shape, int low, int high) {
        reference::Array array(shape);
        for (double& value : array.values) {
            value = number(low, high);
        }
        return array;
    }

private:
    std::mt19937_64 random_;
};

}  // namespace headway
