// Tests of kernels run once for each instruction set.
#pragma once

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <string>

#include "engine/devices/kernels/kernels.h"

namespace headway::devices::kernels {

inline const auto kEveryInstructionSet = ::testing::Values(Instructions::baseline, Instructions::avx2, Instructions::avx512);

inline std::string name_of_set(const ::testing::TestParamInfo<Instructions>& info) {
    constexpr std::array kNames{"baseline", "avx2", "avx512"};
    return kNames[static_cast<std::size_t>(info.param)];
}

}  // namespace headway::devices::kernels
