// Tests of kernels run once for each instruction set.
#pragma once

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <string>

#include "engine/devices/kernels/kernels.h"

namespace headway::devices::kernels {

inline const auto kEveryInstructionSet =
    ::testing::Values(Instructions::baseline, Instructions::avx2, Instructions::avx512);

inline std::string name_of_set(const ::testing::TestParamInfo<Instructions>& info) {
    constexpr std::array kNames{"baseline", "avx2", "avx512"};
    return kNames[static_cast<std::size_t>(info.param)];
}

// Uses the instruction set of its parameter, and afterwards the widest again.
class WithInstructions : public ::testing::TestWithParam<Instructions> {
protected:
    void SetUp() override {
        if (!has_instructions(GetParam())) {
            GTEST_SKIP() << "this processor does not have these instructions";
        }
        use_instructions(GetParam());
    }
    void TearDown() override {
        for (const auto widest : {Instructions::baseline, Instructions::avx2, Instructions::avx512}) {
            if (has_instructions(widest)) {
                use_instructions(widest);
            }
        }
    }
};

}  // namespace headway::devices::kernels
