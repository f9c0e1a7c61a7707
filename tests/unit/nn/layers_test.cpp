// Layers, losses and gradient descent as a program uses them.
#include "engine/nn/layers.h"

#include <gtest/gtest.h>

#include <numeric>

#include "engine/nn/sgd.h"
#include "tests/unit/nn/engine.h"

namespace headway::nn {
namespace {

using devices::OpKind;
using runtime::ProgramError;
namespace plain = reference;

Array array_of(const Variable& variable) {
    const std::vector<float> values = variable.value().to_host();
    return {variable.shape(), {values.begin(), values.end()}};
}

struct Network {
    Sequential net;
    Network() {
        net.add<Dense>(7, Activation::relu);
        net.add<Dense>(5, Activation::relu);
        net.add<Dense>(2);
    }
};

TEST(Dense, TakesItsInputsFromTheFirstBatch) {
    Engine engine;
    Dense dense(3);
    EXPECT_FALSE(dense.weight().defined());
    EXPECT_EQ(dense.parameters().size(), 2u);
    const Variable y = dense(engine->ones({4, 6}));
    EXPECT_EQ(y.shape(), (Shape{4, 3}));
    EXPECT_EQ(dense.weight().variable.shape(), (Shape{3, 6}));
    EXPECT_EQ(dense.bias().variable.shape(), (Shape{3}));
    EXPECT_TRUE(dense.weight().variable.is_leaf());

    const std::string message = message_of([&] { dense(engine->ones({4, 5})); });
    EXPECT_NE(message.find("made for 6 features"), std::string::npos) << message;
    EXPECT_NE(message.find("(4, 5)"), std::string::npos) << message;
    EXPECT_NE(message_of([&] { dense(engine->ones({})); }).find("needs a batch"), std::string::npos);
}

TEST(Dense, FlattensOrKeepsTheLeadingAxes) {
    Engine engine;
    Dense flat(3);
    EXPECT_EQ(flat(engine->ones({4, 2, 5})).shape(), (Shape{4, 3}));
    EXPECT_EQ(flat.weight().variable.shape(), (Shape{3, 10}));
    Dense last(3, DenseOptions{.flatten = false});
    EXPECT_EQ(last(engine->ones({4, 2, 5})).shape(), (Shape{4, 2, 3}));
    EXPECT_EQ(last.weight().variable.shape(), (Shape{3, 5}));
    Dense vector(3);
    EXPECT_EQ(vector(engine->ones({5})).shape(), (Shape{3}));
}

TEST(Dense, DrawsTheSameValuesFromTheSameSeed) {
    const auto weights = [](std::uint64_t seed, std::uint32_t workers, Init init) {
        Engine engine(workers, settings(memory::FreePolicy::finish, seed));
        Dense dense(3, DenseOptions{.weight_init = init});
        dense(engine->ones({1, 50}));
        return dense.weight().variable.value().to_host();
    };
    EXPECT_EQ(weights(1, 1, Init::xavier()), weights(1, 3, Init::xavier()));
    EXPECT_NE(weights(1, 1, Init::xavier()), weights(2, 1, Init::xavier()));
    const float half_width = std::sqrt(6.0f / 53.0f);
    float largest = 0.0f;
    for (const float w : weights(1, 1, Init::xavier())) {
        largest = std::max(largest, std::abs(w));
    }
    EXPECT_LE(largest, half_width);
    EXPECT_GT(largest, 0.9f * half_width);
    for (const float w : weights(1, 1, Init::normal(0.01f))) {
        EXPECT_LT(std::abs(w), 0.06f);
    }
}

TEST(Network, GradientsOfAllParametersEqualFiniteDifferences) {
    Engine engine;
    Network network;
    std::mt19937 random(3);
    const Array x = random_array(random, {6, 4});
    const Array label = random_array(random, {6, 2});
    Variable loss;
    {
        const Recording recording;
        loss = l2_loss(network.net(to_tensor(*engine, x)), to_tensor(*engine, label));
    }
    ASSERT_EQ(loss.shape(), (Shape{6}));
    backward(loss);

    const std::vector<Parameter*> parameters = network.net.parameters();
    ASSERT_EQ(parameters.size(), 6u);
    std::vector<Array> values;
    for (const Parameter* parameter : parameters) {
        values.push_back(array_of(parameter->variable));
    }
    const auto plain_loss = [&](const std::vector<Array>& p) {
        Array h = x;
        for (std::size_t layer = 0; layer < 3; ++layer) {
            h = plain::binary(OpKind::add, plain::matmul(h, p[2 * layer], false, true), p[2 * layer + 1]);
            if (layer < 2) {
                h = plain::unary(OpKind::relu, h);
            }
        }
        double total = 0.0;
        for (std::size_t i = 0; i < h.size(); ++i) {
            const double difference = h.values[i] - label.values[i];
            total += 0.5 * difference * difference / 2.0;  // averaged over the two outputs
        }
        return total;
    };
    double sum = 0.0;
    for (const float sample : loss.value().to_host()) {
        sum += static_cast<double>(sample);
    }
    EXPECT_NEAR(sum, plain_loss(values), 1e-5);

    for (std::size_t n = 0; n < values.size(); ++n) {
        Array expected(values[n].shape);
        for (std::size_t i = 0; i < expected.size(); ++i) {
            constexpr double kStep = 1e-6;
            std::vector<Array> moved = values;
            moved[n].values[i] += kStep;
            const double above = plain_loss(moved);
            moved[n].values[i] -= 2 * kStep;
            expected.values[i] = (above - plain_loss(moved)) / (2 * kStep);
        }
        expect_near(parameters[n]->variable.gradient(), expected, 2e-5, "parameter " + std::to_string(n));
    }
}

TEST(Network, OpsBelongToTheProgramsLine) {
    Engine engine;
    Network network;
    const auto here = core::SourceLocation::current();
    network.net(engine->ones({2, 3}));
    EXPECT_EQ(core::number_of(engine->lines.current()), here.line() + 1);
}

TEST(Loss, AveragesOverAllAxesButTheBatch) {
    Engine engine;
    const Variable prediction(engine->full({2, 3, 4}, 3.0f));
    const Variable label(engine->full({2, 12}, 1.0f));
    EXPECT_EQ(l2_loss(prediction, label).value().to_host(), (std::vector<float>{2, 2}));
    EXPECT_EQ(mse_loss(prediction, label).item(), 4.0f);
    EXPECT_EQ(l2_loss(engine->full({2}, 3.0f), engine->full({2}, 1.0f)).shape(), (Shape{2}));
    const std::string message = message_of([&] { l2_loss(prediction, engine->ones({2, 3})); });
    EXPECT_NE(message.find("(2, 3, 4)"), std::string::npos) << message;
    EXPECT_NE(message.find("(2, 3)"), std::string::npos) << message;
}

TEST(Sgd, MovesAgainstTheGradientOnce) {
    Engine engine;
    Parameter parameter;
    parameter.init = Init::constant(10.0f);
    parameter.create(*engine, {2}, 1, 1);
    Parameter unused;
    Sgd sgd({&parameter, &unused}, 0.5f);
    const auto descend = [&] {
        {
            const Recording recording;
            backward(square(parameter.variable));
        }
        sgd.step(4);
    };
    descend();
    EXPECT_EQ(parameter.variable.value().to_host(), (std::vector<float>{7.5f, 7.5f}));  // 10 - 0.5/4 * 20
    EXPECT_FALSE(parameter.variable.gradient().defined());
    sgd.step(4);  // no gradient left: no op
    EXPECT_EQ(parameter.variable.value().to_host(), (std::vector<float>{7.5f, 7.5f}));
    EXPECT_THROW(sgd.step(0), ProgramError);
}

// The chapter's loop on a small network: y is a fixed linear map of x.
class Training : public testing::TestWithParam<memory::FreePolicy> {};

TEST_P(Training, LowersTheLossAndLeaksNoMemory) {
    Engine engine(2, settings(GetParam(), 5));
    Network network;
    Sgd sgd(network.net.parameters(), 0.3f);
    const Tensor truth = engine->normal({4, 2});
    std::vector<float> losses;
    std::uint64_t after_first = 0;
    for (int batch = 0; batch < 150; ++batch) {
        {
            const Tensor x = engine->normal({16, 4});
            const Tensor y = engine->matmul(x, truth);
            Variable loss;
            {
                const Recording recording;
                loss = l2_loss(network.net(x), y);
            }
            backward(loss);
            sgd.step(16);
            losses.push_back(mean(loss).item());
        }
        engine->waitall();
        if (batch == 0) {
            after_first = engine->memory.live_bytes();
            std::uint64_t parameters = static_cast<std::uint64_t>(truth.elements()) * sizeof(float);
            for (const Parameter* parameter : network.net.parameters()) {
                parameters += static_cast<std::uint64_t>(parameter->variable.value().elements()) * sizeof(float);
            }
            EXPECT_EQ(after_first, parameters);
        }
    }
    EXPECT_EQ(engine->memory.live_bytes(), after_first);
    const auto average = [&](std::size_t first) {
        return std::accumulate(losses.begin() + static_cast<std::ptrdiff_t>(first),
                               losses.begin() + static_cast<std::ptrdiff_t>(first + 10), 0.0f);
    };
    EXPECT_LT(average(140), 0.2f * average(0));
}

INSTANTIATE_TEST_SUITE_P(Policies, Training,
                         testing::Values(memory::FreePolicy::finish, memory::FreePolicy::stream,
                                         memory::FreePolicy::lazy),
                         [](const auto& tested) { return std::string(memory::name_of(tested.param)); });

}  // namespace
}  // namespace headway::nn
