// Pixels to a PNG file, which appears whole or not at all.
//
// Threads: any.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "engine/core/result.h"

namespace headway::gfx {

// RGBA, 8 bits each, the top row first.
core::Result<void> write_png(const std::string& path, std::span<const std::uint8_t> rgba, int width, int height);

}  // namespace headway::gfx
