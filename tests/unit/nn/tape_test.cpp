// The tape: what is recorded, how gradients are summed, what is refused, and when memory is freed.
#include "engine/nn/tape.h"

#include <gtest/gtest.h>

#include "tests/unit/nn/engine.h"

namespace headway::nn {
namespace {

using devices::OpKind;
using runtime::ProgramError;
namespace plain = reference;

TEST(Tape, RecordsOnlyWhatIsAskedFor) {
    Engine engine;
    const Variable x = leaf(*engine, Array({2}, {1, 2}));
    const Variable data(engine->ones({2}));
    EXPECT_FALSE((x + data).tracked());
    {
        const Recording recording;
        EXPECT_TRUE((x + data).tracked());
        EXPECT_FALSE((data + data).tracked());
        EXPECT_FALSE((x.detached() + data).tracked());
        {
            const Recording paused(false);
            EXPECT_FALSE((x + data).tracked());
        }
        EXPECT_TRUE(is_recording());
    }
    EXPECT_FALSE(is_recording());
}

TEST(Tape, SumsTheGradientsOfAllConsumers) {
    // x is used three times, y twice, along paths of different lengths.
    check_gradients(
        {Array({2, 2}, {1.5, -0.5, 0.25, 2.0})},
        [](const std::vector<Variable>& v) {
            const Variable& x = v[0];
            const Variable y = x * x;
            const Variable z = exp(y) + x;
            return z * y + x;
        },
        [](const std::vector<Array>& v) {
            const Array& x = v[0];
            const Array y = plain::binary(OpKind::mul, x, x);
            const Array z = plain::binary(OpKind::add, plain::unary(OpKind::exp, y), x);
            return plain::binary(OpKind::add, plain::binary(OpKind::mul, z, y), x);
        });
}

TEST(Tape, StartsFromOnesSoThatAVectorOfLossesIsSummed) {
    Engine engine;
    const Variable x = leaf(*engine, Array({3}, {1, 2, 3}));
    Variable y;
    {
        const Recording recording;
        y = square(x);
    }
    backward(y);
    EXPECT_EQ(x.gradient().to_host(), (std::vector<float>{2, 4, 6}));
}

TEST(Tape, OverwritesOrAccumulates) {
    Engine engine;
    const Variable writes = leaf(*engine, Array({2}, {1, 2}));
    const Variable adds = leaf(*engine, Array({2}, {1, 2}), GradientMode::accumulate);
    Tensor first;
    for (int round = 1; round <= 3; ++round) {
        const Recording recording;
        backward(writes * 3.0f + adds * 5.0f);
        const auto total = static_cast<float>(5 * round);
        EXPECT_EQ(writes.gradient().to_host(), (std::vector<float>{3, 3}));
        EXPECT_EQ(adds.gradient().to_host(), (std::vector<float>{total, total}));
        if (round == 1) {
            first = adds.gradient();
        }
    }
    // Accumulation is in place, as in PyTorch, so it is visible through every copy of the gradient.
    EXPECT_EQ(first.buffer_id(), adds.gradient().buffer_id());
}

TEST(Tape, GivesEachLeafAGradientOfItsOwn) {
    Engine engine;
    const Variable a = leaf(*engine, Array({2}, {1, 2}));
    const Variable b = leaf(*engine, Array({2}, {3, 4}));
    const Tensor head = engine->full({2}, 7.0f);
    Variable y;
    {
        const Recording recording;
        y = a + b;
    }
    backward(y, {.head = head});
    EXPECT_NE(a.gradient().buffer_id(), b.gradient().buffer_id());
    EXPECT_NE(a.gradient().buffer_id(), head.buffer_id());
    engine->with_scalar_in_place(OpKind::mul_scalar, a.gradient(), 0.0f);
    EXPECT_EQ(b.gradient().to_host(), (std::vector<float>{7, 7}));
    EXPECT_EQ(head.to_host(), (std::vector<float>{7, 7}));
}

TEST(Tape, KeepsUnusedBranches) {
    Engine engine;
    const Variable x = leaf(*engine, Array({2}, {1, 2}));
    const Variable unused = leaf(*engine, Array({2}, {1, 2}));
    Variable y, unused_branch;
    {
        const Recording recording;
        unused_branch = exp(x) * unused;
        y = x * 2.0f;
    }
    backward(y);
    EXPECT_EQ(x.gradient().to_host(), (std::vector<float>{2, 2}));
    EXPECT_FALSE(unused.gradient().defined());
    backward(unused_branch);  // still there
    EXPECT_NEAR(unused.gradient().to_host()[0], std::exp(1.0f), 1e-5);
}

TEST(Tape, SeveralLossesAtOnceOrOneAfterTheOther) {
    Engine engine;
    const Variable x = leaf(*engine, Array({1}, {3}), GradientMode::accumulate);
    Variable a, b;
    {
        const Recording recording;
        a = x * x;
        b = x * 10.0f;
    }
    const std::vector<Variable> both{a, b};
    const std::vector<Tensor> heads{Tensor(), engine->full({1}, 2.0f)};
    backward(both, heads, true);
    EXPECT_EQ(x.gradient().item(), 6.0f + 20.0f);
    backward(a);
    backward(b);
    EXPECT_EQ(x.gradient().item(), 26.0f + 6.0f + 10.0f);
}

TEST(Tape, KeepsTheGraphWhenAsked) {
    Engine engine;
    const Variable x = leaf(*engine, Array({2}, {1, 2}), GradientMode::accumulate);
    Variable y;
    {
        const Recording recording;
        y = square(x);
    }
    backward(y, {.keep_graph = true});
    backward(y);
    EXPECT_EQ(x.gradient().to_host(), (std::vector<float>{4, 8}));
    const std::string message = message_of([&] { backward(y); });
    EXPECT_NE(message.find("used up by an earlier backward"), std::string::npos) << message;
    EXPECT_NE(message.find("square"), std::string::npos) << message;
}

TEST(Tape, KeepsGradientsOfResultsWhenAsked) {
    Engine engine;
    const Variable x = leaf(*engine, Array({2}, {1, 2}));
    Variable y;
    {
        const Recording recording;
        y = x * 3.0f;
        y.keep_gradient();
        backward(square(y));
    }
    EXPECT_EQ(y.gradient().to_host(), (std::vector<float>{6, 12}));
    EXPECT_EQ(x.gradient().to_host(), (std::vector<float>{18, 36}));
}

TEST(Tape, RefusesATensorWithoutHistory) {
    Engine engine;
    const Variable data(engine->ones({2}));
    EXPECT_NE(message_of([&] { backward(data); }).find("nothing was recorded"), std::string::npos);
    EXPECT_NE(message_of([&] { (void)data.gradient(); }).find("no gradient"), std::string::npos);
    const Variable x = leaf(*engine, Array({2}, {1, 2}));
    const std::string message = message_of([&] { backward(x, {.head = engine->ones({3})}); });
    EXPECT_NE(message.find("(3,)"), std::string::npos) << message;
    EXPECT_NE(message.find("(2,)"), std::string::npos) << message;
}

TEST(Tape, DetectsOverwrittenSavedValues) {
    Engine engine;
    const Variable x = leaf(*engine, Array({2}, {1, 2}));
    Variable y, z;
    {
        const Recording recording;
        y = exp(x);  // needs its result
        z = y * 2.0f;
    }
    engine->with_scalar_in_place(OpKind::add_scalar, y.value(), 1.0f);
    const std::string message = message_of([&] { backward(z); });
    EXPECT_NE(message.find("gradient of exp"), std::string::npos) << message;
    EXPECT_NE(message.find("tape_test.cpp"), std::string::npos) << message;
    EXPECT_NE(message.find("changed in place"), std::string::npos) << message;

    // A failed pass leaves no partial gradients.
    Variable w;
    {
        const Recording recording;
        w = x * 2.0f;
    }
    backward(w);
    EXPECT_EQ(x.gradient().to_host(), (std::vector<float>{2, 2}));
}

TEST(Tape, DetectsDataOverwrittenThroughAView) {
    Engine engine;
    const Variable weight = leaf(*engine, Array({2, 2}, {1, 2, 3, 4}));
    const Tensor data = engine->ones({2, 2});
    Variable y;
    {
        const Recording recording;
        y = matmul(data, weight);
    }
    engine->with_scalar_in_place(OpKind::add_scalar, data.reshape({4}), 1.0f);
    EXPECT_NE(message_of([&] { backward(y); }).find("gradient of matmul"), std::string::npos);
}

TEST(Tape, ValuesNotSavedMayBeOverwritten) {
    Engine engine;
    const Variable x = leaf(*engine, Array({2}, {1, 2}));
    Variable y;
    {
        const Recording recording;
        Variable sum = x + 1.0f;  // saves nothing
        y = sum * 3.0f;           // saves no tensor either
        add_in_place(sum, 5.0f);
    }
    backward(y);
    EXPECT_EQ(x.gradient().to_host(), (std::vector<float>{3, 3}));
}

TEST(Tape, RefusesToChangeALeafWhileRecording) {
    Engine engine;
    Variable x = leaf(*engine, Array({2}, {1, 2}));
    {
        const Recording recording;
        EXPECT_NE(message_of([&] { add_in_place(x, 1.0f); }).find("gradient was asked for"), std::string::npos);
    }
    EXPECT_EQ(x.value().to_host(), (std::vector<float>{1, 2}));  // refused before it was issued
    add_in_place(x, 1.0f);
    EXPECT_EQ(x.value().to_host(), (std::vector<float>{2, 3}));
    EXPECT_TRUE(x.is_leaf());
}

TEST(Tape, RefusesAViewWhoseHistoryIsStale) {
    Engine engine;
    const Variable x = leaf(*engine, Array({2, 2}, {1, 2, 3, 4}));
    const Recording recording;
    Variable y = x * 2.0f;
    const Variable view = reshape(y, {4});
    add_in_place(y, x);
    EXPECT_NE(message_of([&] { exp(view); }).find("changed in place through another name"), std::string::npos);
    backward(reshape(y, {4}));  // a new view is accepted
    EXPECT_EQ(x.gradient().to_host(), (std::vector<float>{3, 3, 3, 3}));
}

TEST(Tape, RequiringAGradientForgetsTheHistory) {
    Engine engine;
    const Variable x = leaf(*engine, Array({2}, {1, 2}));
    const Recording recording;
    Variable y = x * 2.0f;
    y.require_gradient();
    backward(y * 3.0f);
    EXPECT_EQ(y.gradient().to_host(), (std::vector<float>{3, 3}));
    EXPECT_FALSE(x.gradient().defined());
}

TEST(Tape, HandlesAChainOfAHundredThousandOps) {
    Engine engine(1);
    const Variable x = leaf(*engine, Array({1}, {1}));
    constexpr int kOps = 100'000;
    {
        const Recording recording;
        Variable kept = x;
        Variable dropped = x;
        for (int i = 0; i < kOps; ++i) {
            kept = kept + 1.0f;
            dropped = dropped + 1.0f;
        }
        dropped = Variable();
        backward(kept);
    }
    EXPECT_EQ(x.gradient().item(), 1.0f);
}

TEST(Tape, BackwardOnlyIssues) {
    Engine engine(1);
    std::atomic<bool> open{false};
    const auto wait_for_gate = [](const devices::Command&, void* context) {
        while (!static_cast<std::atomic<bool>*>(context)->load()) {
            std::this_thread::yield();
        }
    };
    const Variable x = leaf(*engine, Array({2}, {1, 2}));
    engine->host_call(wait_for_gate, &open, x.value(), {1});
    {
        const Recording recording;
        backward(square(exp(x)));
    }
    EXPECT_GE(engine->lanes.unfinished_commands(), 5u);  // it returned although nothing could run
    open = true;
    EXPECT_NEAR(x.gradient().to_host()[0], 2 * std::exp(2.0f), 1e-4);
}

// --- memory: exact under the stream policy, where a drop counts at once ---

std::uint64_t live(Engine& engine) {
    return engine->memory.live_bytes();
}

TEST(TapeMemory, DroppingTheResultFreesTheGraph) {
    Engine engine(1, settings(memory::FreePolicy::stream));
    const Variable x = leaf(*engine, Array::full({1000}, 1.0));
    const auto before = live(engine);
    for (int i = 0; i < 3; ++i) {
        const Recording recording;
        Variable y = exp(relu(square(x)));
        EXPECT_GT(live(engine), before);
        y = Variable();
        EXPECT_EQ(live(engine), before);
    }
}

TEST(TapeMemory, SavesOnlyWhatGradientsNeed) {
    Engine engine(1, settings(memory::FreePolicy::stream));
    constexpr std::uint64_t kBytes = 1000 * sizeof(float);
    const Variable x = leaf(*engine, Array::full({1000}, 1.0));
    const Variable data(engine->ones({1000}));
    const auto before = live(engine);
    const Recording recording;
    {
        const Variable y = (x + data) * 2.0f - data;  // no intermediate value is needed
        EXPECT_EQ(live(engine), before + kBytes);
    }
    {
        const Variable y = relu(x * data);  // needs relu's result, not the product
        EXPECT_EQ(live(engine), before + kBytes);
    }
    {
        const Variable y = exp(x) * 2.0f;
        EXPECT_EQ(live(engine), before + 2 * kBytes);
    }
}

TEST(TapeMemory, FallsDuringTheBackwardPass) {
    // A chain of exponentials saves every result. When the walk reaches the first one, the others must have been freed.
    Engine engine(1, settings(memory::FreePolicy::stream));
    constexpr std::uint64_t kBytes = 1000 * sizeof(float);
    const Variable x = leaf(*engine, Array::full({1000}, 0.0));
    std::uint64_t at_the_first_op = 0;
    Variable y;
    const auto before = live(engine);
    {
        const Recording recording;
        y = record("probe", engine->unary(OpKind::copy, x.value()), {&x}, {}, [&](BackwardPass& pass) {
            at_the_first_op = pass.runtime().memory.live_bytes();
            pass.pass_on(0);
        });
        for (int i = 0; i < 8; ++i) {
            y = exp(y * 0.1f);
        }
    }
    EXPECT_EQ(live(engine), before + 8 * kBytes);
    backward(y);
    // y itself, and the current gradient.
    EXPECT_EQ(at_the_first_op, before + 2 * kBytes);
    y = Variable();
    EXPECT_EQ(live(engine), before + kBytes);  // x's gradient
}

TEST(TapeMemory, NothingIsLeftUnderAnyPolicy) {
    for (const auto policy : {memory::FreePolicy::finish, memory::FreePolicy::stream, memory::FreePolicy::lazy}) {
        SCOPED_TRACE(memory::name_of(policy));
        Engine engine(2, settings(policy));
        Variable x = leaf(*engine, Array::full({50, 20}, 0.5));
        engine->waitall();
        const auto before = live(engine);
        for (int i = 0; i < 10; ++i) {
            const Recording recording;
            Variable y = matmul(x, x, Side::normal, Side::transposed);
            backward(mean(square(relu(y) + 1.0f), 1));
            x.drop_gradient();
        }
        engine->waitall();
        EXPECT_EQ(live(engine), before);
    }
}

TEST(TapeMemory, AFailedPassReleasesItsMemory) {
    Engine engine(1, settings(memory::FreePolicy::stream));
    const Variable x = leaf(*engine, Array::full({1000}, 1.0));
    const auto before = live(engine);
    {
        const Recording recording;
        const Variable y = exp(x);
        const Variable z = exp(x * 0.5f) * exp(x) + y * y;
        engine->with_scalar_in_place(OpKind::add_scalar, y.value(), 1.0f);
        EXPECT_THROW(backward(z), ProgramError);
    }
    EXPECT_EQ(live(engine), before);
}

}  // namespace
}  // namespace headway::nn
