// A run as a trace file in memory.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "app/exchange/chrome/chrome_writer.h"

namespace headway::exchange {

inline std::string exported(const model::Run& run) {
    std::string text;
    EXPECT_TRUE(write_chrome_trace(run, [&](std::string_view bytes) {
        text += bytes;
        return true;
    }));
    return text;
}

}  // namespace headway::exchange
