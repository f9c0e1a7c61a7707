// Sums of times, for whatever times a recording contains.
#pragma once

#include <algorithm>
#include <cstdint>

#include "app/model/run/run.h"

namespace headway::model {

// Sums wrap around instead of overflowing: a damaged recording may contain any times.
inline void add_to(std::int64_t& sum, std::int64_t value) {
    sum = static_cast<std::int64_t>(static_cast<std::uint64_t>(sum) + static_cast<std::uint64_t>(value));
}

// How much of [begin, end) lies in the measured part.
inline std::int64_t clipped(std::int64_t begin, std::int64_t end, const Run::Measured& measured) {
    return std::max<std::int64_t>(std::min(end, measured.end_ns) - std::max(begin, measured.begin_ns), 0);
}

}  // namespace headway::model
