#include "engine/core/bytes.h"

#include <algorithm>
#include <charconv>
#include <cmath>
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

}  // namespace headway::core
