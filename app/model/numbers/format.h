// Numbers as people read them: three significant digits, units that fit, thousands set apart.
//
// Threads: any.
#pragma once

#include <cstdint>
#include <string>

namespace headway::model {

// "412 ns", "3.10 µs", "2.91 ms", "12.3 s"; a minus where it is negative.
std::string duration_text(double ns);

// A moment on an axis, with as many digits as tell it from one that lies `resolution_ns` beside it, at least three and
// at most to the nanosecond: "31.4 ms", "31.412345 ms".
std::string place_text(double ns, double resolution_ns);

// Decimal units: "353 MB", "2.6 MB", "812 B".
std::string bytes_text(std::uint64_t bytes);

// A size as somebody gave it: "8 MiB", "2 GiB", "64 KiB", where it is a round number of those; else as above.
std::string budget_text(std::uint64_t bytes);
// The same, and the size beside it in the unit of all others: "8 MiB (8.4 MB)".
std::string budget_in_both_units(std::uint64_t bytes);

// "1,204".
std::string count_text(std::uint64_t n);

// "1,204", "128k", "3.5M", where there is little room: up to six characters.
std::string compact_count_text(std::uint64_t n);

// "0.4 %", "14 %", "93 %": one digit behind the point below ten, where it is not zero.
std::string percent_text(double share);

// "13.4×", "1.2×", "140×".
std::string times_text(double factor);

// Where ticks lie on a time axis: the first multiple of `step_ns` at or after `begin`, and a unit that suits them all.
struct Ticks {
    double step_ns = 1;
    double unit_ns = 1;       // what one unit of the text is
    const char* unit = "ns";  // "µs"
    const char* unit_in_words = "nanoseconds";
    int decimals = 0;
};
// The smallest step of 1, 2, 2.5 or 5 times a power of ten that is at least `least_step_ns`.
Ticks ticks_for(double span_ns, double least_step_ns);
// "0.35" or, with_unit, "0.35 ms"; zero is "0".
std::string tick_text(const Ticks& ticks, double ns, bool with_unit);

}  // namespace headway::model
