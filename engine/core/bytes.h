// Sizes in bytes as people write them: the one place that reads them, for the command line and the window.
//
// Threads: any.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace headway::core {

inline constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 62;

// "64K", "512M", "1.5G", "2T", and "2 GiB": in powers of 1024. "5MB", "1.5 GB": in powers of 1000. "4096", "7B": bytes.
// Small letters mean the same; blanks may stand around the number and the unit. Rounded to a whole byte, at most
// kMostBytes; nothing for all other text.
std::optional<std::uint64_t> bytes_from(std::string_view text);

}  // namespace headway::core
