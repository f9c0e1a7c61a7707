#include "app/lesson/parameter.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstdio>

namespace headway::lesson {

std::string text_of(double value) {
    if (value == std::floor(value) && std::abs(value) < 1e15) {
        return std::to_string(static_cast<std::int64_t>(value));
    }
    char text[32];
    const auto end = std::to_chars(text, text + sizeof text, value).ptr;
    return std::string(text, end);
}

std::string range_of(const Parameter& parameter) {
    if (parameter.choices.empty()) {
        return "from " + text_of(parameter.least) + " to " + text_of(parameter.most);
    }
    std::string words;
    for (std::size_t i = 0; i < parameter.choices.size(); ++i) {
        words += i == 0 ? "" : i + 1 == parameter.choices.size() ? " or " : ", ";
        words += parameter.choices[i];
    }
    return words;
}

core::Result<std::string> accept_value(const Parameter& parameter, std::string_view text) {
    const auto refuse = [&](std::string_view what) {
        return core::Error{core::ErrorKind::usage, parameter.name + " " + std::string(what) + " " +
                                                       range_of(parameter) + ", not \"" +
                                                       std::string(text.substr(0, 60)) + "\""};
    };
    if (!parameter.choices.empty()) {
        if (std::find(parameter.choices.begin(), parameter.choices.end(), text) == parameter.choices.end()) {
            return refuse("must be");
        }
        return std::string(text);
    }
    double number = 0;
    const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (problem == std::errc::result_out_of_range && end == text.data() + text.size()) {
        return refuse("must be");
    }
    if (text.empty() || problem != std::errc() || end != text.data() + text.size() || !std::isfinite(number)) {
        return refuse(parameter.whole ? "must be a whole number" : "must be a number");
    }
    if (parameter.whole && number != std::floor(number)) {
        return refuse("must be a whole number");
    }
    if (number < parameter.least || number > parameter.most) {
        return refuse("must be");
    }
    return text_of(number);
}

}  // namespace headway::lesson
