#include "app/runner/words.h"

#include <charconv>
#include <cstdio>
#include <utility>

#include "engine/trace/barrier_word.h"

namespace headway::runner {

namespace {

core::Error usage(std::string message) {
    return {core::ErrorKind::usage, std::move(message)};
}

std::string quoted(std::string_view text) {
    return "\"" + std::string(text.substr(0, 60)) + "\"";
}

}  // namespace

core::Result<std::uint64_t> parse_bytes(std::string_view text, const std::string& option) {
    const auto refuse = [&] {
        return usage(option + " must be a number of bytes such as 64K, 512M or 2G, not " + quoted(text));
    };
    std::uint64_t number = 0;
    const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (problem != std::errc() || number == 0) {
        return refuse();
    }
    std::string_view unit(end, static_cast<std::size_t>(text.data() + text.size() - end));
    std::uint64_t base = 1024;
    if (unit.size() == 3 && unit.substr(1) == "iB") {
        unit.remove_suffix(2);
    } else if (unit.size() == 2 && unit[1] == 'B') {
        unit.remove_suffix(1);
        base = 1000;
    }
    int power = 0;
    if (!unit.empty() && unit != "B") {
        constexpr std::string_view kUnits = "KMGT";
        const char letter = unit[0] == 'k' || unit[0] == 'm' || unit[0] == 'g' || unit[0] == 't'
                                ? static_cast<char>(unit[0] - 'a' + 'A')
                                : unit[0];
        const auto at = kUnits.find(letter);
        if (unit.size() != 1 || at == std::string_view::npos) {
            return refuse();
        }
        power = static_cast<int>(at) + 1;
    }
    for (; power > 0; --power) {
        if (number > (std::uint64_t{1} << 62) / base) {
            return refuse();
        }
        number *= base;
    }
    if (number > std::uint64_t{1} << 62) {
        return refuse();
    }
    return number;
}

core::Result<std::uint64_t> parse_count(std::string_view text, const std::string& option, std::uint64_t least,
                                        std::uint64_t most) {
    std::uint64_t number = 0;
    const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (problem != std::errc() || end != text.data() + text.size() || number < least || number > most) {
        return usage(option + " must be a whole number from " + std::to_string(least) + " to " + std::to_string(most) +
                     ", not " + quoted(text));
    }
    return number;
}

core::Result<double> parse_number(std::string_view text, const std::string& option, double least, double most) {
    double number = 0;
    const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (problem != std::errc() || end != text.data() + text.size() || !(number >= least && number <= most)) {
        char limits[80];
        std::snprintf(limits, sizeof limits, "%g to %g", least, most);
        return usage(option + " must be a number from " + limits + ", not " + quoted(text));
    }
    return number;
}

core::Result<double> parse_time(std::string_view text, const std::string& option) {
    double number = 0;
    const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
    const std::string_view unit = text.substr(static_cast<std::size_t>(end - text.data()));
    for (const auto& [name, ns] : {std::pair{"ns", 1.0}, {"us", 1e3}, {"µs", 1e3}, {"ms", 1e6}, {"s", 1e9}}) {
        constexpr double kMost = 9e18;  // what a trace can count
        if (problem == std::errc() && unit == name && number * ns > -kMost && number * ns < kMost) {
            return number * ns;
        }
    }
    return usage(option + " must be a time such as 12ms, 800us or 1.5s, not " + quoted(text));
}

core::Result<trace::BarrierPolicy> parse_barrier(std::string_view text) {
    using trace::BarrierKind;
    if (text == "none") {
        return trace::BarrierPolicy{BarrierKind::none, 0};
    }
    if (text == "op") {
        return trace::BarrierPolicy{BarrierKind::op, 0};
    }
    if (text == "minibatch") {
        return trace::BarrierPolicy{BarrierKind::minibatch, 0};
    }
    if (text == "as-written") {
        return trace::BarrierPolicy{};
    }
    constexpr std::string_view kBehind = "behind:";
    if (text.substr(0, kBehind.size()) == kBehind) {
        auto behind = parse_count(text.substr(kBehind.size()), "the K of --barrier behind:K", 1, 99'999);
        if (!behind) {
            return behind.error();
        }
        return trace::BarrierPolicy{BarrierKind::behind, static_cast<std::uint32_t>(*behind)};
    }
    return usage("--barrier must be none, op, minibatch or behind:K, not " + quoted(text));
}

std::string to_text(trace::BarrierPolicy policy) {
    return trace::word_of(policy);
}

core::Result<memory::FreePolicy> parse_free_policy(std::string_view text) {
    for (const auto policy : {memory::FreePolicy::finish, memory::FreePolicy::stream, memory::FreePolicy::lazy}) {
        if (text == memory::name_of(policy)) {
            return policy;
        }
    }
    return usage("--free-policy must be finish, stream or lazy, not " + quoted(text));
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
                return usage("the options " + quoted(text) + " end in a backslash");
            }
            c = text[i];
        }
        words.back() += c;
    }
    if (quote != '\0') {
        return usage("the options " + quoted(text) + " have a quote that is not closed");
    }
    return words;
}

std::string right_aligned(std::string_view text, std::size_t width) {
    std::size_t characters = 0;
    for (const char c : text) {
        characters += (static_cast<unsigned char>(c) & 0xC0u) != 0x80 ? 1 : 0;  // UTF-8: the first byte of each
    }
    return std::string(characters < width ? width - characters : 0, ' ').append(text);
}

std::string list_of(const std::vector<std::string>& names) {
    std::string list;
    for (std::size_t i = 0; i < names.size(); ++i) {
        list += i == 0 ? "" : i + 1 == names.size() ? " and " : ", ";
        list += names[i];
    }
    return list.empty() ? "none" : list;
}

}  // namespace headway::runner
