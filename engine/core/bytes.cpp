#include "engine/core/bytes.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <string>

namespace headway::core {

namespace {

constexpr std::string_view kBlanks = " \t";

std::string_view trimmed(std::string_view text) {
    const std::size_t first = text.find_first_not_of(kBlanks);
    return first == std::string_view::npos ? std::string_view()
                                           : text.substr(first, text.find_last_not_of(kBlanks) + 1 - first);
}

// The digits that `text` begins with.
std::string_view digits_of(std::string_view text) {
    return text.substr(0, std::min(text.find_first_not_of("0123456789"), text.size()));
}

// "g" for 1024³, "gb" for 1000³.
std::optional<std::uint64_t> factor_of(std::string_view unit) {
    std::uint64_t base = 1024;
    if (unit == "b") {
        unit = {};
    } else if (unit.ends_with("ib")) {
        unit.remove_suffix(2);
        if (unit.empty()) {
            return std::nullopt;
        }
    } else if (unit.ends_with('b')) {
        unit.remove_suffix(1);
        base = 1000;
    }
    constexpr std::string_view kPrefixes = "kmgt";
    const std::size_t power = unit.empty() ? 0 : kPrefixes.find(unit) + 1;
    if (unit.size() > 1 || (!unit.empty() && power == 0)) {
        return std::nullopt;
    }
    std::uint64_t factor = 1;
    for (std::size_t i = 0; i < power; ++i) {
        factor *= base;
    }
    return factor;
}

}  // namespace

std::optional<std::uint64_t> bytes_from(std::string_view text) {
    text = trimmed(text);
    const std::string_view whole = digits_of(text);
    std::string_view rest = text.substr(whole.size());
    std::string_view fraction;
    if (rest.starts_with('.')) {
        fraction = digits_of(rest.substr(1));
        rest.remove_prefix(1 + fraction.size());
        if (fraction.empty()) {
            return std::nullopt;
        }
    }
    std::string unit;
    for (const char c : trimmed(rest)) {
        unit += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    }
    const auto factor = factor_of(unit);
    std::uint64_t number = 0;
    const auto [end, problem] = std::from_chars(whole.data(), whole.data() + whole.size(), number);
    if (!factor || problem != std::errc() || number > kMostBytes / *factor) {
        return std::nullopt;
    }
    long double part = 0;
    for (auto digit = fraction.rbegin(); digit != fraction.rend(); ++digit) {
        part = (part + static_cast<long double>(*digit - '0')) / 10;
    }
    const std::uint64_t bytes =
        number * *factor + static_cast<std::uint64_t>(std::llround(part * static_cast<long double>(*factor)));
    return bytes <= kMostBytes ? std::optional(bytes) : std::nullopt;
}

std::string bytes_text(std::uint64_t bytes) {
    struct Unit {
        double size;
        const char* name;
    };
    constexpr Unit kUnits[] = {{1, "B"}, {1e3, "kB"}, {1e6, "MB"}, {1e9, "GB"}, {1e12, "TB"}};
    constexpr double kRoundsUp = 0.9995;  // values from here on are displayed as 1.0 of the next unit
    const auto value = static_cast<double>(bytes);
    Unit unit = kUnits[0];
    for (const Unit& larger : kUnits) {
        if (value >= larger.size * kRoundsUp) {
            unit = larger;
        }
    }
    const double n = value / unit.size;
    char text[32];
    std::snprintf(text, sizeof text, unit.size == 1 || n >= 9.95 ? "%.0f %s" : "%.1f %s", n, unit.name);
    return text;
}

std::string budget_text(std::uint64_t bytes) {
    constexpr std::uint64_t kKiB = 1024, kMiB = kKiB * 1024, kGiB = kMiB * 1024;
    const auto in = [bytes](std::uint64_t unit, const char* name) { return std::to_string(bytes / unit) + name; };
    const auto given_in = [bytes](std::uint64_t unit) {  // at most four digits: nobody chose 12342042 KiB
        return bytes % unit == 0 && bytes / unit < 10'000;
    };
    if (bytes == 0 || bytes % kKiB != 0 || bytes % 1'000'000 == 0) {
        return bytes_text(bytes);
    }
    if (given_in(kGiB)) {
        return in(kGiB, " GiB");
    }
    if (given_in(kMiB)) {
        return in(kMiB, " MiB");
    }
    return bytes % 1000 != 0 && given_in(kKiB) ? in(kKiB, " KiB") : bytes_text(bytes);
}

std::string budget_in_both_units(std::uint64_t bytes) {
    const std::string given = budget_text(bytes), usual = bytes_text(bytes);
    return given == usual ? given : given + " (" + usual + ")";
}

}  // namespace headway::core
