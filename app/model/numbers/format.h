// Numbers formatted for people: three significant digits, suitable units, thousands separators.
//
// Threads: any.
#pragma once

#include <cstdint>
#include <string>

namespace headway::model {

// "412 ns", "3.10 µs", "2.91 ms", "12.3 s"; with a minus sign if negative.
std::string duration_text(double ns);

// A position on a time axis, with enough digits to resolve `resolution_ns`; at least three digits, at most whole
// nanoseconds: "31.4 ms", "31.412345 ms".
std::string place_text(double ns, double resolution_ns);

// Decimal units: "353 MB", "2.6 MB", "812 B".
std::string bytes_text(std::uint64_t bytes);

// A size in the binary unit in which it is a round number: "8 MiB", "2 GiB", "64 KiB"; else as bytes_text().
std::string budget_text(std::uint64_t bytes);
// The same, followed by the decimal unit used for all other sizes: "8 MiB (8.4 MB)".
std::string budget_in_both_units(std::uint64_t bytes);

// "1,204".
std::string count_text(std::uint64_t n);

// "1,204", "128k", "3.5M": at most six characters.
std::string compact_count_text(std::uint64_t n);

// "0.4 %", "14 %", "93 %": one decimal below ten, unless it is zero.
std::string percent_text(double share);

// "13.4×", "1.2×", "140×".
std::string times_text(double factor);

// Which of two values is the larger one, and by how much: "A 46.0×", "B by 2.0 %", "equal"; "" if a value is negative
// (not known) or zero.
std::string larger_text(double a, double b);

// The ticks of a time axis: multiples of `step_ns`, and one unit for all their labels.
struct Ticks {
    double step_ns = 1;
    double unit_ns = 1;       // length of one `unit`
    const char* unit = "ns";  // "µs"
    const char* unit_in_words = "nanoseconds";
    int decimals = 0;
};
// Chooses the smallest step that is 1, 2, 2.5 or 5 times a power of ten and at least `least_step_ns`.
Ticks ticks_for(double span_ns, double least_step_ns);
// "0.35" or, with_unit, "0.35 ms"; zero is "0".
std::string tick_text(const Ticks& ticks, double ns, bool with_unit);

}  // namespace headway::model
