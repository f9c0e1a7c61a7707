// Layers, as Gluon and PyTorch have them: modules that own parameters and turn a batch into a batch.
//
// Threads: the frontend only. A module is issued on the runtime of the batch that it is given.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "engine/nn/ops.h"
#include "engine/nn/tape.h"

namespace headway::nn {

// How a parameter's first values are drawn. They come from the run's seed.
struct Init {
    enum class Kind : std::uint8_t { constant, normal, uniform, xavier };
    Kind kind = Kind::constant;
    float scale = 0.0f;  // the constant, the standard deviation or the half width; xavier needs none

    static Init constant(float value) { return {Kind::constant, value}; }
    static Init normal(float deviation) { return {Kind::normal, deviation}; }
    static Init uniform(float half_width) { return {Kind::uniform, half_width}; }
    static Init xavier() { return {Kind::xavier, 0.0f}; }  // uniform, sqrt(6 / (inputs + outputs))
};

// A leaf with a name. It has no tensor until its shape is known, which may be at the first batch.
struct Parameter {
    std::string name;
    Init init;
    GradientMode mode = GradientMode::overwrite;
    Variable variable;

    [[nodiscard]] bool defined() const { return variable.defined(); }
    // Draws the first values and asks for a gradient. `inputs` and `outputs` are xavier's.
    void create(Runtime& runtime, const Shape& shape, std::int64_t inputs, std::int64_t outputs);
};

class Module {
public:
    Module() = default;
    virtual ~Module() = default;
    Module(const Module&) = delete;
    Module& operator=(const Module&) = delete;

    virtual Variable forward(const Variable& batch, Where where = Where::current()) = 0;
    // Its parameters, those of its children included; those not yet created are there, too.
    virtual void collect(std::vector<Parameter*>& /*parameters*/) {}

    Variable operator()(const Variable& batch, Where where = Where::current()) { return forward(batch, where); }
    [[nodiscard]] std::vector<Parameter*> parameters() {
        std::vector<Parameter*> all;
        collect(all);
        return all;
    }
};

enum class Activation : std::uint8_t { none, relu };

struct DenseOptions {
    Activation activation = Activation::none;
    bool bias = true;
    bool flatten = true;  // a batch of rank above 2 becomes (batch, the rest); else the last axis counts
    Init weight_init = Init::xavier();
    Init bias_init = Init::constant(0.0f);
};

// batch · weightᵀ + bias. The weight is (units, inputs); the number of inputs is the first batch's.
class Dense final : public Module {
public:
    explicit Dense(std::int64_t units, DenseOptions options = {});
    Dense(std::int64_t units, Activation activation) : Dense(units, DenseOptions{.activation = activation}) {}

    // Creates the parameters ahead of the first batch.
    void create(Runtime& runtime, std::int64_t inputs);
    Variable forward(const Variable& batch, Where where = Where::current()) override;
    void collect(std::vector<Parameter*>& parameters) override;

    [[nodiscard]] Parameter& weight() { return weight_; }
    [[nodiscard]] Parameter& bias() { return bias_; }
    [[nodiscard]] std::int64_t units() const { return units_; }

private:
    std::int64_t units_;
    DenseOptions options_;
    Parameter weight_, bias_;
};

class Relu final : public Module {
public:
    Variable forward(const Variable& batch, Where where = Where::current()) override { return relu(batch, where); }
};

// One module after the other. A result is let go as soon as the next module has been issued.
class Sequential final : public Module {
public:
    template <class Layer, class... Arguments>
    Layer& add(Arguments&&... arguments) {
        auto layer = std::make_unique<Layer>(std::forward<Arguments>(arguments)...);
        Layer& added = *layer;
        layers_.push_back(std::move(layer));
        return added;
    }
    void add(std::unique_ptr<Module> layer) { layers_.push_back(std::move(layer)); }

    Variable forward(const Variable& batch, Where where = Where::current()) override;
    void collect(std::vector<Parameter*>& parameters) override;

    [[nodiscard]] std::size_t size() const { return layers_.size(); }
    [[nodiscard]] Module& operator[](std::size_t i) { return *layers_[i]; }

private:
    std::vector<std::unique_ptr<Module>> layers_;
};

// Half the squared difference, averaged over all axes but the batch's: a vector with one loss per sample, as Gluon's
// L2Loss gives it. The label takes the prediction's shape.
Variable l2_loss(const Variable& prediction, const Variable& label, Where where = Where::current());

// The squared difference averaged over everything: one number, as PyTorch's mse_loss gives it.
Variable mse_loss(const Variable& prediction, const Variable& label, Where where = Where::current());

}  // namespace headway::nn
