// Parses and formats sizes in bytes, for messages, the command line and the window.
//
// Threads: any.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace headway::core {

inline constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 62;

// Parses a size. "64K", "512M", "1.5G", "2T" and "2 GiB" use powers of 1024; "5MB" and "1.5 GB" use powers of 1000;
// "4096" and "7B" are bytes. Case does not matter, and blanks around the number and the unit are ignored. The result is
// rounded to whole bytes; nullopt for other text and for sizes above kMostBytes.
std::optional<std::uint64_t> bytes_from(std::string_view text);

// Decimal units: "353 MB", "2.6 MB", "812 B".
std::string bytes_text(std::uint64_t bytes);

// A size that a user chose. Whole multiples of 1 KiB, 1 MiB or 1 GiB print in that unit ("8 MiB", "64 KiB") unless that
// takes more than four digits or they are also round in decimal units; all other sizes print as bytes_text() does.
std::string budget_text(std::uint64_t bytes);
// The same, followed by the size in decimal units where the two differ: "8 MiB (8.4 MB)".
std::string budget_in_both_units(std::uint64_t bytes);

}  // namespace headway::core
