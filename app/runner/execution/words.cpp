#include "app/runner/execution/words.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <utility>

#include "engine/core/bytes.h"
#include "engine/devices/simulated/cost_model.h"

namespace headway::runner {

core::Error usage_error(std::string message) {
    return {core::ErrorKind::usage, std::move(message)};
}

namespace {

std::string in_quotes(std::string_view text) {
    return "\"" + std::string(text.substr(0, 60)) + "\"";
}

}  // namespace

core::Result<std::uint64_t> parse_bytes(std::string_view text, const std::string& option) {
    const auto bytes = core::bytes_from(text);
    if (!bytes || *bytes == 0) {
        return usage_error(option + " must be a number of bytes such as 64K, 512M or 1.5G, not " + in_quotes(text));
    }
    return *bytes;
}

core::Result<std::uint64_t> parse_count(std::string_view text, const std::string& option, std::uint64_t least,
                                        std::uint64_t most) {
    std::uint64_t number = 0;
    const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (problem != std::errc() || end != text.data() + text.size() || number < least || number > most) {
        return usage_error(option + " must be a whole number from " + std::to_string(least) + " to " +
                           std::to_string(most) + ", not " + in_quotes(text));
    }
    return number;
}

core::Result<double> parse_number(std::string_view text, const std::string& option, double least, double most) {
    double number = 0;
    const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (problem != std::errc() || end != text.data() + text.size() || !(number >= least && number <= most)) {
        char limits[80];
        std::snprintf(limits, sizeof limits, "%g to %g", least, most);
        return usage_error(option + " must be a number from " + limits + ", not " + in_quotes(text));
    }
    return number;
}

core::Result<double> parse_time(std::string_view text, const std::string& option) {
    double number = 0;
    const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
    const std::string_view unit = text.substr(static_cast<std::size_t>(end - text.data()));
    for (const auto& [name, ns] : {std::pair{"ns", 1.0}, {"us", 1e3}, {"µs", 1e3}, {"ms", 1e6}, {"s", 1e9}}) {
        constexpr double kMost = 9e18;  // the largest value in a trace
        if (problem == std::errc() && unit == name && number * ns > -kMost && number * ns < kMost) {
            return number * ns;
        }
    }
    return usage_error(option + " must be a time such as 12ms, 800us or 1.5s, not " + in_quotes(text));
}

core::Result<CostChoice> parse_costs(std::string_view text, const std::string& option) {
    CostChoice costs;
    const std::array<std::pair<std::string_view, std::optional<double>*>, 5> known{{{"t1", &costs.t1_ns},
                                                                                    {"t2", &costs.t2_ns},
                                                                                    {"t3", &costs.t3_ns},
                                                                                    {"line", &costs.line_ns},
                                                                                    {"print", &costs.print_ns}}};
    while (!text.empty()) {
        const std::string_view part = text.substr(0, std::min(text.find(','), text.size()));
        text.remove_prefix(std::min(part.size() + 1, text.size()));
        const std::string_view name = part.substr(0, std::min(part.find('='), part.size()));
        const auto at = std::find_if(known.begin(), known.end(), [&](const auto& k) { return k.first == name; });
        if (at == known.end() || name.size() == part.size() || *at->second) {
            return usage_error(option + " must be like t1=1us,t2=0.95us,t3=1us (also line, print), each once, not " +
                               in_quotes(part));
        }
        const std::string_view value = part.substr(name.size() + 1);
        auto ns = value == "0" ? core::Result<double>(0.0) : parse_time(value, option + " " + std::string(name));
        if (!ns) {
            return ns.error();
        }
        constexpr double kMost = 1e12;
        const double whole = std::round(*ns);
        if (whole < 0 || whole > kMost || std::abs(*ns - whole) > 1e-6) {
            return usage_error(option + " " + std::string(name) +
                               " must be a whole number of nanoseconds up to 1000s, not " + in_quotes(value));
        }
        *at->second = whole;
    }
    return costs;
}

core::Result<std::vector<double>> parse_speeds(std::string_view text, const std::string& option) {
    std::vector<double> speeds;
    for (bool more = true; more;) {
        const std::string_view part = text.substr(0, std::min(text.find(','), text.size()));
        more = part.size() < text.size();
        text.remove_prefix(part.size() + (more ? 1 : 0));
        text.remove_prefix(text.starts_with(' ') ? 1 : 0);
        auto speed = parse_number(part, option, devices::kLeastSpeed, devices::kMostSpeed);
        if (!speed) {
            return speed.error();
        }
        speeds.push_back(*speed);
    }
    return speeds;
}

core::Result<memory::FreePolicy> parse_free_policy(std::string_view text) {
    for (const auto policy : {memory::FreePolicy::finish, memory::FreePolicy::stream, memory::FreePolicy::lazy}) {
        if (text == memory::name_of(policy)) {
            return policy;
        }
    }
    return usage_error("--free-policy must be finish, stream or lazy, not " + in_quotes(text));
}

core::Result<std::vector<std::string>> split_options(std::string_view text) {
    std::vector<std::string> words;
    bool in_word = false;
    char quote = '\0';
    for (std::size_t i = 0; i < text.size(); ++i) {
        char c = text[i];
        if (quote == '\0' && (c == ' ' || c == '\t' || c == '\n')) {
            in_word = false;
            continue;
        }
        if (!in_word) {
            words.emplace_back();
            in_word = true;
        }
        if (quote != '\0' ? c == quote : c == '\'' || c == '"') {
            quote = quote == '\0' ? c : '\0';
            continue;
        }
        if (c == '\\' && quote != '\'') {
            if (++i == text.size()) {
                return usage_error("the options " + in_quotes(text) + " end in a backslash");
            }
            c = text[i];
        }
        words.back() += c;
    }
    if (quote != '\0') {
        return usage_error("the options " + in_quotes(text) + " have a quote that is not closed");
    }
    return words;
}

namespace {

std::string padding(std::string_view text, std::size_t width) {
    std::size_t characters = 0;
    for (const char c : text) {
        // counts the first byte of each UTF-8 character
        characters += (static_cast<unsigned char>(c) & 0xC0u) != 0x80 ? 1 : 0;
    }
    return std::string(characters < width ? width - characters : 0, ' ');
}

}  // namespace

std::string right_aligned(std::string_view text, std::size_t width) {
    return padding(text, width).append(text);
}

std::string left_aligned(std::string_view text, std::size_t width) {
    return std::string(text) + padding(text, width);
}

namespace {

bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

// Where the number ends that begins at `at`: digits, also in groups behind points or commas.
std::size_t end_of_number(std::string_view text, std::size_t at) {
    while (at < text.size() && (is_digit(text[at]) || ((text[at] == '.' || text[at] == ',') && at + 1 < text.size() &&
                                                       is_digit(text[at + 1])))) {
        ++at;
    }
    return at;
}

// The length of the unit of time that the text begins with, after a blank or none; 0: there is none.
std::size_t unit_length(std::string_view text) {
    const std::size_t blank = !text.empty() && std::string_view(" \t\n\r\f\v").find(text[0]) < 6 ? 1 : 0;
    for (const std::string_view unit : {"ns", "µs", "us", "ms", "s"}) {
        const std::size_t end = blank + unit.size();
        const bool in_word = end < text.size() && (is_digit(text[end]) || text[end] == '_' ||
                                                   ((text[end] | 0x20) >= 'a' && (text[end] | 0x20) <= 'z'));
        if (text.substr(blank).starts_with(unit) && !in_word) {
            return end;
        }
    }
    return 0;
}

}  // namespace

std::string without_durations(std::string_view text) {
    std::string result;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t number_end = is_digit(text[at]) ? end_of_number(text, at) : at + 1;
        const std::size_t unit = is_digit(text[at]) ? unit_length(text.substr(number_end)) : 0;
        result += unit > 0 ? "…" : text.substr(at, number_end - at);
        at = number_end + unit;
    }
    return result;
}

std::string list_of(const std::vector<std::string>& names) {
    std::string list;
    for (std::size_t i = 0; i < names.size(); ++i) {
        list += i == 0 ? "" : i + 1 == names.size() ? " and " : ", ";
        list += names[i];
    }
    return list.empty() ? "none" : list;
}

core::Result<void> take_word(const std::string& text, const char* option, const char* first_word,
                             const char* second_word, bool& second) {
    if (text.empty() || text == first_word || text == second_word) {
        second = text.empty() ? second : text == second_word;
        return {};
    }
    return usage_error(std::string(option) + " must be " + first_word + " or " + second_word + ", not \"" +
                       text.substr(0, 60) + "\"");
}

std::vector<std::string> names_in(const std::string& text) {
    std::vector<std::string> names;
    for (std::size_t at = 0; text != "-" && at <= text.size();) {
        const std::size_t end = std::min(text.find(',', at), text.size());
        names.push_back(text.substr(at, end - at));
        at = end + 1;
    }
    return names;
}

}  // namespace headway::runner
