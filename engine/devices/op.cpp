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

const char* name_of(Family family) {
    static constexpr const char* kNames[] = {"create", "elementwise", "matmul", "reduce",
                                             "update", "copy",        "random", "other"};
    static_assert(std::size(kNames) == static_cast<std::size_t>(Family::other) + 1, "every family has a name");
    const auto index = static_cast<std::size_t>(family);
    return index < std::size(kNames) ? kNames[index] : "unknown";
}

}  // namespace headway::devices
