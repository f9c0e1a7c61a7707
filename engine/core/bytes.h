// Sizes in bytes as people write and read them: the one place for both, for messages, the command line and the window.
//
// Threads: any.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace headway::core {

inline constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 62;

// "64K", "512M", "1.5G", "2T", and "2 GiB": in powers of 1024. "5MB", "1.5 GB": in powers of 1000. "4096", "7B": bytes.
// Small letters mean the same; blanks may stand around the number and the unit. Rounded to a whole byte, at most
// kMostBytes; nothing for all other text.
std::optional<std::uint64_t> bytes_from(std::string_view text);

// Decimal units: "353 MB", "2.6 MB", "812 B".
std::string bytes_text(std::uint64_t bytes);

// A size as somebody gave it: "8 MiB", "2 GiB", "64 KiB", where it is a round number of those; else as above.
std::string budget_text(std::uint64_t bytes);
// The same, and the size beside it in the unit of all others: "8 MiB (8.4 MB)".
std::string budget_in_both_units(std::uint64_t bytes);

}  // namespace headway::core
