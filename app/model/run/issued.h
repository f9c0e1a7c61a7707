// The ops issued up to a given time.
#pragma once

#include <cstdint>

#include "app/model/run/run.h"

namespace headway::model {

// The last op whose issue had begun at `ns`; 0: none. Issues are ordered in time, so this is a binary search.
inline OpId last_issued_at(const Run& run, std::int64_t ns) {
    OpId low = 0;
    auto high = static_cast<OpId>(run.op_count());
    while (low < high) {
        const OpId middle = low + (high - low + 1) / 2;
        if (run.op(middle).issue_begin_ns <= ns) {
            low = middle;
        } else {
            high = middle - 1;
        }
    }
    return low;
}

}  // namespace headway::model
