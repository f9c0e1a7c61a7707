#include "app/model/numbers/format.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

#include "engine/core/bytes.h"
#include "engine/core/count_text.h"

namespace headway::model {
namespace {

constexpr const char* kMinus = "\u2212";

std::string fixed(double value, int decimals) {
    std::array<char, 64> text{};
    std::snprintf(text.data(), text.size(), "%.*f", decimals, value);
    return text.data();
}

// Formats a value from 0 to 1000 with three significant digits.
std::string three_digits(double value) {
    if (value >= 99.95) {
        return fixed(value, 0);
    }
    return fixed(value, value >= 9.995 ? 1 : 2);
}

struct Scale {
    double size;
    const char* name;
};

// The largest unit in which the value, rounded as displayed, is at least one.
template <std::size_t N>
Scale unit_for(double value, const std::array<Scale, N>& units) {
    for (std::size_t i = N; i-- > 1;) {
        if (value >= units[i].size * 0.9995) {
            return units[i];
        }
    }
    return units[0];
}

}  // namespace

std::string duration_text(double ns) {
    if (ns < 0) {
        return std::string(kMinus).append(duration_text(-ns));
    }
    if (ns < 999.5) {
        return ns < 10 && ns != std::floor(ns) ? fixed(ns, 1) + " ns" : fixed(ns, 0) + " ns";
    }
    constexpr std::array<Scale, 4> kUnits{{{1, "ns"}, {1e3, "µs"}, {1e6, "ms"}, {1e9, "s"}}};
    const Scale unit = unit_for(ns, kUnits);
    return three_digits(ns / unit.size) + " " + unit.name;
}

std::string place_text(double ns, double resolution_ns) {
    if (ns < 0) {
        return std::string(kMinus).append(place_text(-ns, resolution_ns));
    }
    constexpr std::array<Scale, 4> kUnits{{{1, "ns"}, {1e3, "µs"}, {1e6, "ms"}, {1e9, "s"}}};
    const Scale unit = unit_for(ns, kUnits);
    if (unit.size == 1) {
        return duration_text(ns);
    }
    // At most whole nanoseconds, at least three digits.
    const double power = std::floor(std::log10(std::max(resolution_ns, 1.0)) + 1e-9);
    const int decimals = static_cast<int>(std::lround(std::log10(unit.size) - power));
    const double units = ns / unit.size;
    const int least = units >= 99.95 ? 0 : units >= 9.995 ? 1 : 2;
    return fixed(units, std::max(decimals, least)) + " " + unit.name;
}

std::string bytes_text(std::uint64_t bytes) {
    return core::bytes_text(bytes);
}

std::string budget_text(std::uint64_t bytes) {
    return core::budget_text(bytes);
}

std::string budget_in_both_units(std::uint64_t bytes) {
    return core::budget_in_both_units(bytes);
}

std::string count_text(std::uint64_t n) {
    return core::count_text(n);
}

std::string compact_count_text(std::uint64_t n) {
    if (n < 100'000) {
        return count_text(n);
    }
    const auto value = static_cast<double>(n);
    constexpr std::array<Scale, 3> kUnits{{{1e3, "k"}, {1e6, "M"}, {1e9, "G"}}};
    const Scale unit = unit_for(value, kUnits);
    const double units = value / unit.size;
    return fixed(units, units < 9.95 ? 1 : 0) + unit.name;
}

std::string percent_text(double share) {
    const double percent = share * 100;
    if (percent == 0 || std::abs(percent) >= 9.95) {
        return fixed(percent, 0) + " %";
    }
    if (std::abs(percent) < 0.05) {
        return "< 0.1 %";
    }
    return fixed(percent, 1) + " %";
}

std::string times_text(double factor) {
    return fixed(factor, factor >= 99.5 ? 0 : 1) + "×";
}

std::string larger_text(double a, double b) {
    constexpr double kLeastFactor = 1.15;  // below it a factor with one decimal says too little
    if (std::min(a, b) <= 0) {
        return {};
    }
    if (a == b) {
        return "equal";
    }
    const double factor = std::max(a, b) / std::min(a, b);
    return std::string(a > b ? "A " : "B ") +
           (factor < kLeastFactor ? "by " + percent_text(factor - 1) : times_text(factor));
}

Ticks ticks_for(double span_ns, double least_step_ns) {
    Ticks ticks;
    const double power = std::pow(10.0, std::floor(std::log10(std::max(least_step_ns, 1e-3))));
    ticks.step_ns = 10 * power;
    for (double factor : {1.0, 2.0, 2.5, 5.0}) {
        if (factor * power >= least_step_ns * (1 - 1e-9)) {
            ticks.step_ns = factor * power;
            break;
        }
    }
    struct Named {
        double size;
        const char *name, *words;
    };
    ticks.unit_ns = 1;
    for (const Named& unit :
         {Named{1e3, "µs", "microseconds"}, Named{1e6, "ms", "milliseconds"}, Named{1e9, "s", "seconds"}}) {
        if (span_ns >= unit.size) {
            ticks.unit_ns = unit.size;
            ticks.unit = unit.name;
            ticks.unit_in_words = unit.words;
        }
    }
    // As many decimals as are needed to distinguish the ticks.
    double step = ticks.step_ns / ticks.unit_ns;
    while (ticks.decimals < 9 && std::abs(step - std::round(step)) > 1e-6 * step) {
        step *= 10;
        ++ticks.decimals;
    }
    return ticks;
}

std::string tick_text(const Ticks& ticks, double ns, bool with_unit) {
    if (std::abs(ns) < ticks.step_ns * 1e-6) {
        return "0";
    }
    std::string text = fixed(std::abs(ns) / ticks.unit_ns, ticks.decimals);
    // Groups of three from five digits on: times late in a long run have many digits.
    constexpr std::size_t kGroup = 3, kLeastDigits = 5;
    const std::size_t whole = std::min(text.find('.'), text.size());
    for (std::size_t at = whole; whole >= kLeastDigits && at > kGroup; at -= kGroup) {
        text.insert(at - kGroup, ",");
    }
    std::string signed_text = ns < 0 ? kMinus : "";
    signed_text.append(text);
    return with_unit ? signed_text.append(" ").append(ticks.unit) : signed_text;
}

}  // namespace headway::model
