#include "engine/devices/op.h"

#include <iterator>

namespace headway::devices {

namespace {

std::string joined(const Shape& shape, const char* separator) {
    std::string text;
    for (int i = 0; i < shape.rank; ++i) {
        if (i > 0) {
            text += separator;
        }
        text += std::to_string(shape[i]);
    }
    return text;
}

}  // namespace

std::string to_string(const Shape& shape) {
    return "(" + joined(shape, ", ") + (shape.rank == 1 ? ",)" : ")");
}

std::string to_label(const Shape& shape) {
    return shape.rank == 0 ? "scalar" : joined(shape, "×");
}

const char* name_of(OpKind kind) {
    static constexpr const char* kNames[] = {
        "none",       "fill",       "normal",      "uniform",        "copy_to_device", "add",          "sub",
        "mul",        "div",        "greater",     "equal",          "add_scalar",     "sub_scalar",   "rsub_scalar",
        "mul_scalar", "div_scalar", "rdiv_scalar", "greater_scalar", "equal_scalar",   "add_scaled",   "neg",
        "relu",       "exp",        "log",         "sqrt",           "copy",           "matmul",       "sum",
        "mean",       "max",        "transpose",   "slice",          "assign_slice",   "copy_to_host", "noop",
        "host_call",  "graph",
    };
    static_assert(std::size(kNames) == kOpKinds, "every kind of op has a name");
    const auto index = static_cast<std::size_t>(kind);
    return index < kOpKinds ? kNames[index] : "unknown";
}

const char* name_of(Family family) {
    static constexpr const char* kNames[] = {"create", "elementwise", "matmul", "reduce",
                                             "update", "copy",        "random", "other"};
    static_assert(std::size(kNames) == static_cast<std::size_t>(Family::other) + 1, "every family has a name");
    const auto index = static_cast<std::size_t>(family);
    return index < std::size(kNames) ? kNames[index] : "unknown";
}

}  // namespace headway::devices
