// Trains three dense layers on random minibatches: shows how memory grows when the frontend does not wait.
#include <algorithm>
#include <nlohmann/json.hpp>

#include "app/runner/programs/program.h"
#include "engine/nn/layers.h"
#include "engine/nn/sgd.h"
#include "engine/nn/tape.h"

namespace headway::runner {
namespace {

constexpr std::int64_t kPrintEvery = 50;
constexpr std::size_t kMostLosses = 2000;  // limit in the result; longer curves are thinned out

std::string result_of(const std::vector<float>& losses) {
    const std::size_t every = (losses.size() + kMostLosses - 1) / kMostLosses;
    nlohmann::json kept = nlohmann::json::array();
    for (std::size_t i = 0; i < losses.size(); i += every) {
        kept.push_back(losses[i]);
    }
    nlohmann::json result{{"losses", std::move(kept)}};
    if (every > 1) {
        result["every"] = every;
    }
    return result.dump();
}

class Train final : public Program {
public:
    std::string name() const override { return "train"; }
    std::string title() const override { return "A training loop"; }
    std::vector<lesson::Parameter> parameters() const override {
        return {
            {"batches", "Minibatches", "How many minibatches the loop trains on", "40", 1, 100'000, true, {}},
            {"batch_size", "Batch size", "Examples in a minibatch", "128", 1, 8192, true, {}},
            {"features", "Features", "Inputs of the network", "512", 1, 8192, true, {}},
            {"hidden", "Hidden units", "Width of the first layer; the second has a quarter", "256", 1, 8192, true, {}},
            {"lr", "Learning rate", "Step of the gradient descent", "0.01", 0, 10, false, {}},
        };
    }
    trace::BarrierPolicy written_barrier() const override { return {trace::BarrierKind::minibatch, 0}; }

    void run(ProgramContext& context) const override {
        auto& rt = context.runtime();
        const auto batches = context.whole("batches");
        const auto batch_size = context.whole("batch_size");
        const auto features = context.whole("features");
        const auto hidden = context.whole("hidden");

        nn::Sequential net;
        net.add<nn::Dense>(hidden, nn::Activation::relu);
        net.add<nn::Dense>(std::max<std::int64_t>(hidden / 4, 1), nn::Activation::relu);
        net.add<nn::Dense>(1);
        nn::Sgd optimizer(net.parameters(), static_cast<float>(context.number("lr")));

        // Warm-up: the first batch sets the layers' input sizes and creates their parameters.
        (void)net(at_line(rt).normal({batch_size, features}));
        at_line(rt).waitall();

        std::vector<runtime::Tensor> losses;
        losses.reserve(static_cast<std::size_t>(batches));
        const auto memory_before = context.memory_bytes();
        rt.events.measure_begin();
        const auto begin_ns = context.now_ns();
        const auto elapsed = [&] { return time_text(context.now_ns() - begin_ns); };
        rt.events.scope_begin("training");
        for (std::int64_t b = 1; b <= batches; ++b) {
            rt.events.minibatch_begin();
            const nn::Variable inputs = at_line(rt).normal({batch_size, features});
            const nn::Variable labels = at_line(rt).ones({batch_size, 1});
            nn::Variable loss;
            {
                const nn::Recording recording;
                loss = nn::l2_loss(net(inputs), labels);
            }
            nn::backward(loss);
            optimizer.step(batch_size);
            losses.push_back(at_line(rt).reduce(devices::OpKind::mean, loss.value()));  // kept as tensors, not read
            loss = {};
            at_line(rt).events.minibatch_end();  // the barrier acts here, if there is one
            if (b % kPrintEvery == 0) {
                context.printf("batch %lld, time %s", static_cast<long long>(b), elapsed().c_str());
            }
        }
        const auto memory_issued = context.memory_bytes();
        at_line(rt).waitall();
        rt.events.scope_end("training");
        const std::string total = elapsed();
        const auto memory_after = std::max(memory_issued, context.memory_bytes());
        rt.events.measure_end();
        context.printf("%lld batches, time %s", static_cast<long long>(batches), total.c_str());
        context.printf("increased memory: %.1f MB %s",
                       static_cast<double>(memory_after - std::min(memory_before, memory_after)) * 1e-6,
                       context.memory_words());

        // Join the losses into one tensor, so that reading them takes a single wait.
        const runtime::Tensor curve = at_line(rt).full({batches, 1}, 0.0f);
        for (std::int64_t b = 0; b < batches; ++b) {
            at_line(rt).assign_slice(curve, b, losses[static_cast<std::size_t>(b)].reshape({1, 1}));
        }
        const auto values = at_line(rt).waits.to_host(curve);
        context.printf("loss of the first batch %.4f, of the last %.4f", static_cast<double>(values.front()),
                       static_cast<double>(values.back()));
        context.set_result(result_of(values));
    }
};

}  // namespace

std::unique_ptr<Program> make_train() {
    return std::make_unique<Train>();
}

}  // namespace headway::runner
