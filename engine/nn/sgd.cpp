#include "engine/nn/sgd.h"

#include "engine/runtime/runtime.h"

namespace headway::nn {

void Sgd::step(std::int64_t batch_size, Where where) {
    const Recording off(false);
    for (Parameter* parameter : parameters_) {
        if (!parameter->defined()) {
            continue;
        }
        Variable& variable = parameter->variable;
        Runtime& rt = variable.runtime();
        const runtime::LineScope line(rt.lines, where);
        if (batch_size <= 0) {
            fail(rt, core::ErrorKind::failed,
                 "sgd: a batch has at least one sample, not " + std::to_string(batch_size));
        }
        const Tensor& gradient = variable.gradient();
        if (!gradient.defined()) {
            continue;
        }
        rt.add_scaled_in_place(variable.value(), gradient, -learning_rate_ / static_cast<float>(batch_size));
        variable.drop_gradient();
    }
}

}  // namespace headway::nn
