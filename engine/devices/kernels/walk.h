// Iteration of strided kernels over their operands: the axes of the output, with adjacent axes merged if both operands
// allow it, so that the innermost loop is as long as possible.
//
// Threads: any; a Walk is a value.
#pragma once

#include <array>
#include <cstdint>

#include "engine/devices/op.h"

namespace headway::devices::kernels {

struct Axis {
    std::int64_t size = 1;
    std::int64_t step0 = 0, step1 = 0;
};

struct Walk {
    std::array<Axis, kMaxRank> axes;  // outermost first
    int rank = 0;                     // at least 1
    bool empty = false;
};

inline Walk walk_of(const Signature& s) {
    Walk walk;
    for (int i = 0; i < s.out.rank; ++i) {
        const auto at = static_cast<std::size_t>(i);
        const Axis axis{s.out.dims[at], s.stride0.step[at], s.stride1.step[at]};
        walk.empty |= axis.size == 0;
        if (axis.size == 1) {
            continue;
        }
        if (walk.rank > 0) {
            Axis& outer = walk.axes[static_cast<std::size_t>(walk.rank - 1)];
            if (outer.step0 == axis.size * axis.step0 && outer.step1 == axis.size * axis.step1) {
                outer = {outer.size * axis.size, axis.step0, axis.step1};
                continue;
            }
        }
        walk.axes[static_cast<std::size_t>(walk.rank++)] = axis;
    }
    if (walk.rank == 0) {
        walk.rank = 1;  // one element
    }
    return walk;
}

// Calls row(offset0, offset1) once for each combination of the outer axes, in the output's order. The last `inner` axes
// are handled by `row`.
template <class Row>
inline void each_row(const Walk& walk, int inner, Row row) {
    if (walk.empty) {
        return;
    }
    std::array<std::int64_t, kMaxRank> at{};
    std::int64_t offset0 = 0;
    std::int64_t offset1 = 0;
    for (;;) {
        row(offset0, offset1);
        int i = walk.rank - inner - 1;
        for (; i >= 0; --i) {
            const Axis& axis = walk.axes[static_cast<std::size_t>(i)];
            auto& position = at[static_cast<std::size_t>(i)];
            offset0 += axis.step0;
            offset1 += axis.step1;
            if (++position < axis.size) {
                break;
            }
            offset0 -= axis.size * axis.step0;
            offset1 -= axis.size * axis.step1;
            position = 0;
        }
        if (i < 0) {
            return;
        }
    }
}

}  // namespace headway::devices::kernels
