// PyTorch's CPU kernels as the lanes call them.
#include <cstring>

#include "app/runner/torch/device.h"

namespace headway::torch_module {

namespace {

constexpr const char* kNoHalf = "not implemented for 'Half'";

bool has(const Stack& values, c10::ScalarType type) {
    bool found = false;
    for (const IValue& v : values) {
        each_tensor(v, [&](const at::Tensor& t) { found |= t.scalar_type() == type; });
    }
    return found;
}

IValue converted(const IValue& v, c10::ScalarType from, c10::ScalarType to) {
    return mapped(v, [&](const at::Tensor& t) { return t.scalar_type() == from ? t.to(to) : t; });
}

// Whether the op is a softmax of float16 whose result is float32.
bool half_to_float(const c10::OperatorHandle& op, const Stack& args) {
    const auto& schema = op.schema().arguments();
    for (std::size_t i = 0; i < args.size(); ++i) {
        if (schema[i].name() == "half_to_float" && args[i].toBool()) {
            return true;
        }
    }
    return false;
}

// Whether to compute the op in float32. The CPU kernels of means and norms round a float16 sum before they divide it or
// take its root, whereas CUDA's sum in float32. The CPU's softmax misreads float16 input if other arguments are
// float32.
bool sums_in_float(const std::string& name) {
    for (const char* part : {"softmax", "mean", "norm", "var", "std", "avg_pool"}) {
        if (name.find(part) != std::string::npos) {
            return true;
        }
    }
    return false;
}

// Replaces the arguments `args` by what the op returns.
void call_in_float(const c10::OperatorHandle& op, const Stack& args, Stack& stack, bool round) {
    const auto& schema = op.schema().arguments();
    stack.clear();
    for (std::size_t i = 0; i < args.size(); ++i) {
        const bool half_type = args[i].isInt() && schema[i].name().find("dtype") != std::string::npos &&
                               args[i].toInt() == static_cast<std::int64_t>(at::kHalf);
        stack.push_back(half_type                             ? IValue(static_cast<std::int64_t>(at::kFloat))
                        : schema[i].name() == "half_to_float" ? IValue(false)
                                                              : converted(args[i], at::kHalf, at::kFloat));
    }
    const Stack computed = stack;
    op.callBoxed(&stack);
    for (std::size_t i = 0; i < schema.size(); ++i) {
        if (schema[i].alias_info() == nullptr || !args[i].isTensor() || !args[i].toTensor().defined() ||
            args[i].toTensor().scalar_type() != at::kHalf) {
            continue;
        }
        at::Tensor written = args[i].toTensor();
        const at::Tensor values = computed[i].toTensor();
        if (!written.sizes().equals(values.sizes())) {
            written.resize_(values.sizes());
        }
        written.copy_(values);
    }
    if (round && !has(args, at::kFloat)) {
        for (IValue& v : stack) {
            v = converted(v, at::kFloat, at::kHalf);
        }
    }
}

}  // namespace

void call_cpu_kernel(const c10::OperatorHandle& op, Stack& stack, bool round) {
    const bool half = has(stack, at::kHalf);
    // With several outputs, kernels of 1.13 return references to arguments that are already popped: hold these.
    const Stack held = half || op.schema().returns().size() > 1 ? stack : Stack();
    if (half && sums_in_float(op.schema().name())) {
        call_in_float(op, held, stack, round && !half_to_float(op, held));
        return;
    }
    try {
        op.callBoxed(&stack);
    } catch (const c10::Error& error) {
        if (!half || std::strstr(error.what_without_backtrace(), kNoHalf) == nullptr) {
            throw;
        }
        call_in_float(op, held, stack, round);
    }
}

}  // namespace headway::torch_module
