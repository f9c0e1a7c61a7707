// Stochastic gradient descent: one in-place op per parameter.
//
// Threads: the frontend only.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "engine/nn/layers.h"

namespace headway::nn {

class Sgd {
public:
    // The parameters must outlive this object; they may be created later.
    Sgd(std::vector<Parameter*> parameters, float learning_rate)
        : parameters_(std::move(parameters)), learning_rate_(learning_rate) {}

    // parameter -= learning rate / batch size · gradient, for each parameter that has a gradient from backward(). The
    // gradient is dropped afterwards.
    void step(std::int64_t batch_size = 1, Where where = Where::current());

    [[nodiscard]] float learning_rate() const { return learning_rate_; }

private:
    std::vector<Parameter*> parameters_;
    float learning_rate_;
};

}  // namespace headway::nn
