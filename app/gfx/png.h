// Writes pixels to a PNG file. The file appears complete or not at all.
//
// Threads: any.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "engine/core/result.h"

namespace headway::gfx {

// RGBA, 8 bits per channel, the top row first.
core::Result<void> write_png(const std::string& path, std::span<const std::uint8_t> rgba, int width, int height);

}  // namespace headway::gfx
