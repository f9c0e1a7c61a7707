// Parses values on the command line. Each function returns the value, or an error of one sentence.
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

// An error of kind `usage`. `message`: one sentence.
core::Error usage_error(std::string message);

// "512M", "1.5G", "5MB" (engine/core/bytes.h); at least one byte.
core::Result<std::uint64_t> parse_bytes(std::string_view text, const std::string& option);

// An integer within limits, digits only.
core::Result<std::uint64_t> parse_count(std::string_view text, const std::string& option, std::uint64_t least,
                                        std::uint64_t most);

// A number within limits; may have a decimal point.
core::Result<double> parse_number(std::string_view text, const std::string& option, double least, double most);

// "12ms", "800us", "1.5s", "300ns" in nanoseconds; negative: before measuring began.
core::Result<double> parse_time(std::string_view text, const std::string& option);

// Costs that replace constants of the simulated machine's cost models, in nanoseconds. Device: issue (t1), execution of
// any op (t2), return (t3). Frontend: one line of Python, one print.
struct CostChoice {
    std::optional<double> t1_ns, t2_ns, t3_ns, line_ns, print_ns;
    friend bool operator==(const CostChoice&, const CostChoice&) = default;
};
// "t1=1us,t2=0.95us,t3=1us,line=0ns,print=5us": any of these, each at most once.
core::Result<CostChoice> parse_costs(std::string_view text, const std::string& option);

// "1,0.25": speeds of GPUs.
core::Result<std::vector<double>> parse_speeds(std::string_view text, const std::string& option);

// "finish", "stream" or "lazy".
core::Result<memory::FreePolicy> parse_free_policy(std::string_view text);

// Splits a string of options as a shell would: at blanks, respecting quotes and backslashes.
core::Result<std::vector<std::string>> split_options(std::string_view text);

// Pad the text on the left, or on the right, to `width` terminal columns.
std::string right_aligned(std::string_view text, std::size_t width);
std::string left_aligned(std::string_view text, std::size_t width);

// The text with "…" for each duration in it: "12 ms", "1.5s", "1,200 µs". Not a regular expression of the standard
// library, whose stack grows with the text.
std::string without_durations(std::string_view text);

// "increment, matmul and train"
std::string list_of(const std::vector<std::string>& names);

// Parses a number; leaves `value` unchanged if the text is empty.
template <class Number>
core::Result<void> take_count(const std::string& text, const std::string& option, std::uint64_t least,
                              std::uint64_t most, Number& value) {
    if (!text.empty()) {
        auto count = parse_count(text, option, least, most);
        if (!count) {
            return count.error();
        }
        value = static_cast<Number>(*count);
    }
    return {};
}

// Parses one of two words; sets `second` to whether it is the second one. Leaves it unchanged if the text is empty.
core::Result<void> take_word(const std::string& text, const char* option, const char* first_word,
                             const char* second_word, bool& second);

// "a,b" as two names; "-" as none.
std::vector<std::string> names_in(const std::string& text);

}  // namespace headway::runner
