// Values as they are written on the command line. Each function gives the value or one sentence.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/core/result.h"
#include "engine/memory/pool.h"
#include "engine/trace/format.h"

namespace headway::runner {

// "512M", "1.5G", "5MB" (engine/core/bytes.h); at least one byte.
core::Result<std::uint64_t> parse_bytes(std::string_view text, const std::string& option);

// A whole number within limits, digits only.
core::Result<std::uint64_t> parse_count(std::string_view text, const std::string& option, std::uint64_t least,
                                        std::uint64_t most);

// A number within limits, with a point where it has one.
core::Result<double> parse_number(std::string_view text, const std::string& option, double least, double most);

// "12ms", "800us", "1.5s", "300ns" in nanoseconds; a minus is before measuring began.
core::Result<double> parse_time(std::string_view text, const std::string& option);

// What a simulated machine's steps cost in place of its cost models' constants, in nanoseconds: of the device the issue
// (t1), the execution of any op (t2) and the return (t3); of the frontend a line of Python and a print.
struct CostChoice {
    std::optional<double> t1_ns, t2_ns, t3_ns, line_ns, print_ns;
    friend bool operator==(const CostChoice&, const CostChoice&) = default;
};
// "t1=1us,t2=0.95us,t3=1us,line=0ns,print=5us": any of them, each once.
core::Result<CostChoice> parse_costs(std::string_view text, const std::string& option);

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
