// A recording, a device and a runtime for one test, and the comparison of gradients with finite differences.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "engine/devices/cpu/cpu_device.h"
#include "engine/nn/ops.h"
#include "engine/nn/tape.h"
#include "engine/runtime/runtime.h"
#include "tests/conformance/reference.h"

namespace headway::nn {

using reference::Array;

inline runtime::Settings settings(memory::FreePolicy policy, std::uint64_t seed = 0) {
    runtime::Settings settings;
    settings.free_policy = policy;
    settings.seed = seed;
    return settings;
}

// The message of the error that the call raises; "(no error)" if it raises none.
inline std::string message_of(const std::function<void()>& call) {
    try {
        call();
    } catch (const runtime::ProgramError& error) {
        return error.what();
    }
    return "(no error)";
}

class Engine {
public:
    explicit Engine(std::uint32_t workers = 2, runtime::Settings settings = {})
        : recording_(std::move(*trace::Recording::create(std::size_t{256} << 20))),
          device_(workers, *recording_),
          runtime_(device_, *recording_, settings) {}

    Runtime& operator*() { return runtime_; }
    Runtime* operator->() { return &runtime_; }

private:
    std::unique_ptr<trace::Recording> recording_;
    devices::CpuDevice device_;
    Runtime runtime_;
};

inline Tensor to_tensor(Runtime& rt, const Array& array) {
    return rt.from_host(array.shape, std::vector<float>(array.values.begin(), array.values.end()));
}

inline Variable leaf(Runtime& rt, const Array& array, GradientMode mode = GradientMode::overwrite) {
    Variable variable(to_tensor(rt, array));
    variable.require_gradient(mode);
    return variable;
}

// Values that float represents exactly, so that both sides start with identical inputs.
inline Array random_array(std::mt19937& random, const Shape& shape, double low = -2.0, double high = 2.0) {
    Array array(shape);
    std::uniform_real_distribution<float> values(static_cast<float>(low), static_cast<float>(high));
    for (double& value : array.values) {
        value = static_cast<double>(values(random));
    }
    return array;
}

inline void expect_near(const Tensor& actual, const Array& expected, double tolerance, const std::string& what) {
    ASSERT_TRUE(actual.defined()) << what;
    ASSERT_EQ(to_string(actual.shape()), to_string(expected.shape)) << what;
    const std::vector<float> values = actual.to_host();
    for (std::size_t i = 0; i < values.size(); ++i) {
        const double wanted = expected.values[i];
        ASSERT_NEAR(static_cast<double>(values[i]), wanted, tolerance * (1.0 + std::abs(wanted)))
            << what << ", element " << i << " of " << to_string(expected.shape);
    }
}

using OnVariables = std::function<Variable(const std::vector<Variable>&)>;
using OnArrays = std::function<Array(const std::vector<Array>&)>;

// Compares values with `plain`, and gradients of sum(weights * result) with central differences of `plain`, for every
// element of every input. The weights are random, so that no gradient is correct merely by symmetry.
inline void check_gradients(const std::vector<Array>& inputs, const OnVariables& function, const OnArrays& plain,
                            double tolerance = 2e-5) {
    Engine engine;
    std::mt19937 random(7);
    const Array result = plain(inputs);
    const Array weights = random_array(random, result.shape);

    std::vector<Variable> variables;
    for (const Array& input : inputs) {
        variables.push_back(leaf(*engine, input));
    }
    Variable out;
    {
        const Recording recording;
        out = function(variables);
    }
    expect_near(out.value(), result, tolerance, "values");
    backward(out, {.head = to_tensor(*engine, weights)});

    for (std::size_t n = 0; n < inputs.size(); ++n) {
        Array expected(inputs[n].shape);
        for (std::size_t i = 0; i < expected.size(); ++i) {
            constexpr double kStep = 1e-5;
            std::vector<Array> moved = inputs;
            const auto weighted = [&](double delta) {
                moved[n].values[i] = inputs[n].values[i] + delta;
                const Array values = plain(moved);
                double total = 0.0;
                for (std::size_t j = 0; j < values.size(); ++j) {
                    total += values.values[j] * weights.values[j];
                }
                return total;
            };
            expected.values[i] = (weighted(kStep) - weighted(-kStep)) / (2 * kStep);
        }
        expect_near(variables[n].gradient(), expected, tolerance, "gradient of input " + std::to_string(n));
    }
}

}  // namespace headway::nn
