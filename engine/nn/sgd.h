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
    // gradient is dropped afterwards unless keep_gradients(true) was called.
    void step(std::int64_t batch_size = 1, Where where = Where::current());
    void drop_gradients();  // PyTorch's zero_grad
    void keep_gradients(bool keep) { keep_gradients_ = keep; }

    [[nodiscard]] float learning_rate() const { return learning_rate_; }
    void set_learning_rate(float rate) { learning_rate_ = rate; }

private:
    std::vector<Parameter*> parameters_;
    float learning_rate_;
    bool keep_gradients_ = false;
};

}  // namespace headway::nn
