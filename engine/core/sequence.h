// Comparison of lane sequence numbers: they wrap at 2^32, and two numbers compared are less than 2^31 apart.
#pragma once

#include <cstdint>

namespace headway::core {

// Whether `a` comes after `b`.
constexpr bool after(std::uint32_t a, std::uint32_t b) {
    return static_cast<std::int32_t>(a - b) > 0;
}

// Whether a lane that has completed `completed` commands has completed command `seq`.
constexpr bool reached(std::uint32_t completed, std::uint32_t seq) {
    return !after(seq, completed);
}

}  // namespace headway::core
