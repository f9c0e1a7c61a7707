// Layers as in Gluon and PyTorch: modules that own parameters and turn a batch into a batch.
//
// Threads: the frontend only. A module uses the runtime of the batch that it is given.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "engine/nn/ops.h"
#include "engine/nn/tape.h"

namespace headway::nn {

// How the initial values of a parameter are drawn. They depend on the run's seed.
struct Init {
    enum class Kind : std::uint8_t { constant, normal, uniform, xavier };
    Kind kind = Kind::constant;
    float scale = 0.0f;  // the constant, the standard deviation or the half width; xavier needs none

    static Init constant(float value) { return {Kind::constant, value}; }
    static Init normal(float deviation) { return {Kind::normal, deviation}; }
    static Init uniform(float half_width) { return {Kind::uniform, half_width}; }
    static Init xavier() { return {Kind::xavier, 0.0f}; }  // uniform, sqrt(6 / (inputs + outputs))
};

// A named leaf. It has no tensor until its shape is known, which may be at the first batch.
struct Parameter {
    std::string name;
    Init init;
    GradientMode mode = GradientMode::overwrite;
    Variable variable;

    [[nodiscard]] bool defined() const { return variable.defined(); }
    // Draws the initial values and requires a gradient. `inputs` and `outputs` are used by xavier.
    void create(Runtime& runtime, const Shape& shape, std::int64_t inputs, std::int64_t outputs);
};

class Module {
public:
    Module() = default;
    virtual ~Module() = default;
    Module(const Module&) = delete;
    Module& operator=(const Module&) = delete;

    virtual Variable forward(const Variable& batch, Where where = Where::current()) = 0;
    // Appends its parameters and those of its children, including parameters not created yet.
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
    bool flatten = true;  // view a batch of rank above 2 as (batch, rest); if false, use the last axis only
    Init weight_init = Init::xavier();
    Init bias_init = Init::constant(0.0f);
};

// batch · weightᵀ + bias. The weight is (units, inputs); the first batch determines the number of inputs.
class Dense final : public Module {
public:
    explicit Dense(std::int64_t units, DenseOptions options = {});
    Dense(std::int64_t units, Activation activation) : Dense(units, DenseOptions{.activation = activation}) {}

    // Creates the parameters before the first batch.
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

// Modules in sequence. An intermediate result is dropped as soon as the next module has been issued.
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

// Half the squared difference, averaged over all axes except the batch axis: a vector with one loss per sample, like
// Gluon's L2Loss. The label is reshaped to the prediction's shape.
Variable l2_loss(const Variable& prediction, const Variable& label, Where where = Where::current());

// The squared difference averaged over all elements: one number, like PyTorch's mse_loss.
Variable mse_loss(const Variable& prediction, const Variable& label, Where where = Where::current());

}  // namespace headway::nn
