// Values as they are written on the command line. Each function gives the value or one sentence.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "engine/core/result.h"
#include "engine/memory/pool.h"
#include "engine/trace/format.h"

namespace headway::runner {

// "64K", "512M", "2G" in powers of 1024 (KiB, MiB … mean the same), "5MB" in powers of 1000, or a plain number.
core::Result<std::uint64_t> parse_bytes(std::string_view text, const std::string& option);

// A whole number within limits, digits only.
core::Result<std::uint64_t> parse_count(std::string_view text, const std::string& option, std::uint64_t least,
                                        std::uint64_t most);

// A number within limits, with a point where it has one.
core::Result<double> parse_number(std::string_view text, const std::string& option, double least, double most);

// "12ms", "800us", "1.5s", "300ns" in nanoseconds; a minus is before measuring began.
core::Result<double> parse_time(std::string_view text, const std::string& option);

// none, op, minibatch or behind:K; as-written for the program's own.
core::Result<trace::BarrierPolicy> parse_barrier(std::string_view text);
std::string to_text(trace::BarrierPolicy policy);

core::Result<memory::FreePolicy> parse_free_policy(std::string_view text);

// A string of options as a shell would split it: at blanks, with quotes and backslashes.
core::Result<std::vector<std::string>> split_options(std::string_view text);

// With blanks before it, as wide as `width` characters of a terminal.
std::string right_aligned(std::string_view text, std::size_t width);

// "increment, matmul and train"
std::string list_of(const std::vector<std::string>& names);

}  // namespace headway::runner
