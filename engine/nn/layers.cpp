#include "engine/nn/layers.h"

#include <cmath>

#include "engine/runtime/runtime.h"

namespace headway::nn {

using core::ErrorKind;
using runtime::LineScope;

void Parameter::create(Runtime& runtime, const Shape& shape, std::int64_t inputs, std::int64_t outputs) {
    Tensor value;
    switch (init.kind) {
        case Init::Kind::constant:
            value = runtime.full(shape, init.scale);
            break;
        case Init::Kind::normal:
            value = runtime.normal(shape, 0.0f, init.scale);
            break;
        case Init::Kind::uniform:
            value = runtime.uniform(shape, -init.scale, init.scale);
            break;
        case Init::Kind::xavier: {
            const auto half_width = static_cast<float>(std::sqrt(6.0 / static_cast<double>(inputs + outputs)));
            value = runtime.uniform(shape, -half_width, half_width);
            break;
        }
    }
    variable = Variable(std::move(value));
    variable.require_gradient(mode);
}

Dense::Dense(std::int64_t units, DenseOptions options) : units_(units), options_(options) {
    weight_.name = "weight";
    weight_.init = options_.weight_init;
    bias_.name = "bias";
    bias_.init = options_.bias_init;
}

void Dense::create(Runtime& runtime, std::int64_t inputs) {
    weight_.create(runtime, {units_, inputs}, inputs, units_);
    if (options_.bias) {
        bias_.create(runtime, {units_}, inputs, units_);
    }
}

Variable Dense::forward(const Variable& batch, Where where) {
    Runtime& rt = batch.runtime();
    const LineScope line(rt.lines, where);
    const runtime::OnDevice there(rt, batch.value().device());  // parameters created now are on the batch's device
    const Shape shape = batch.shape();
    const std::string name = "Dense(" + std::to_string(units_) + ")";
    if (shape.rank == 0) {
        fail(rt, ErrorKind::shape, name + ": needs a batch of vectors, got one number");
    }
    // View the batch as (rows, inputs).
    const std::int64_t inputs = shape.rank == 1    ? shape[0]
                                : options_.flatten ? (shape[0] == 0 ? 0 : shape.elements() / shape[0])
                                                   : shape[shape.rank - 1];
    if (inputs == 0) {
        fail(rt, ErrorKind::shape, name + ": a batch of shape " + to_string(shape) + " has no features");
    }
    const std::int64_t rows = shape.elements() / inputs;
    if (!weight_.defined()) {
        create(rt, inputs);
    } else if (weight_.variable.shape()[1] != inputs) {
        fail(rt, ErrorKind::shape,
             name + ": made for " + std::to_string(weight_.variable.shape()[1]) + " features, got " +
                 std::to_string(inputs) + " in a batch of shape " + to_string(shape));
    }

    const Shape flat{rows, inputs};
    Variable out =
        matmul(shape == flat ? batch : reshape(batch, flat), weight_.variable, Side::normal, Side::transposed);
    if (options_.bias) {
        add_in_place(out, bias_.variable);  // in place: nothing else needs the product
    }
    if (options_.activation == Activation::relu) {
        out = relu(out);
    }
    if (shape.rank != 2 && (shape.rank == 1 || !options_.flatten)) {
        Shape unflat = shape;
        unflat[shape.rank - 1] = units_;
        out = reshape(out, unflat);
    }
    return out;
}

void Dense::collect(std::vector<Parameter*>& parameters) {
    parameters.push_back(&weight_);
    if (options_.bias) {
        parameters.push_back(&bias_);
    }
}

Variable Sequential::forward(const Variable& batch, Where where) {
    const LineScope line(batch.runtime().lines, where);
    Variable out = batch;
    for (const auto& layer : layers_) {
        out = layer->forward(out);
    }
    return out;
}

void Sequential::collect(std::vector<Parameter*>& parameters) {
    for (const auto& layer : layers_) {
        layer->collect(parameters);
    }
}

namespace {

Variable difference(const char* name, const Variable& prediction, const Variable& label) {
    if (prediction.shape() == label.shape()) {
        return sub(prediction, label);
    }
    if (prediction.value().elements() != label.value().elements()) {
        fail(prediction.runtime(), ErrorKind::shape,
             std::string(name) + ": a prediction of shape " + to_string(prediction.shape()) + " and a label of shape " +
                 to_string(label.shape()) + " do not fit together");
    }
    return sub(prediction, reshape(label, prediction.shape()));
}

}  // namespace

Variable l2_loss(const Variable& prediction, const Variable& label, Where where) {
    Runtime& rt = prediction.runtime();
    const LineScope line(rt.lines, where);
    const Shape& shape = prediction.shape();
    if (shape.rank == 0) {
        fail(rt, ErrorKind::shape, "l2_loss: needs a batch, got one number");
    }
    Variable loss = square(difference("l2_loss", prediction, label));
    if (shape.rank > 1) {
        const std::int64_t samples = shape[0];
        loss =
            mean(shape.rank == 2 ? loss : reshape(loss, {samples, samples == 0 ? 0 : shape.elements() / samples}), 1);
    }
    return mul(loss, 0.5f);
}

Variable mse_loss(const Variable& prediction, const Variable& label, Where where) {
    const LineScope line(prediction.runtime().lines, where);
    return mean(square(difference("mse_loss", prediction, label)));
}

}  // namespace headway::nn
