#include "app/session/settings.h"

#include <cctype>
#include <charconv>
#include <cmath>

#include "app/confinement/confinement.h"
#include "engine/trace/barrier_word.h"

namespace headway::session {

using trace::BarrierKind;

std::string barrier_word(trace::BarrierPolicy policy) {
    return policy.kind == BarrierKind::as_written ? std::string() : trace::word_of(policy);
}

core::Result<trace::BarrierPolicy> barrier_from_word(const std::string& word) {
    if (word.empty() || word == "as-written") {
        return trace::BarrierPolicy{};
    }
    if (word == "none") {
        return trace::BarrierPolicy{BarrierKind::none, 0};
    }
    if (word == "op") {
        return trace::BarrierPolicy{BarrierKind::op, 0};
    }
    if (word == "minibatch") {
        return trace::BarrierPolicy{BarrierKind::minibatch, 0};
    }
    constexpr std::string_view kBehind = "behind:";
    if (word.starts_with(kBehind)) {
        std::uint32_t k = 0;
        const char* end = word.data() + word.size();
        const auto [rest, problem] = std::from_chars(word.data() + kBehind.size(), end, k);
        if (problem == std::errc{} && rest == end && k > 0) {
            return trace::BarrierPolicy{BarrierKind::behind, k};
        }
    }
    return core::Error{core::ErrorKind::usage,
                       "a barrier is none, op, minibatch or behind:K with K at least 1, not '" + word + "'"};
}

std::vector<std::string> runner_arguments(const Settings& settings, int trace_fd, std::uint64_t trace_limit,
                                          const std::string& temporary) {
    std::vector<std::string> words{"run", settings.program, "--device", settings.device};
    const auto option = [&words](const char* name, std::string value) {
        words.emplace_back(name);
        words.push_back(std::move(value));
    };
    // As written, too, is a choice: without it a lesson's own barrier would stand.
    option("--barrier", trace::word_of(settings.barrier));
    for (const auto& [name, value] : settings.parameters) {
        option("--set", name + "=" + value);
    }
    option("--free-policy", settings.free_policy);
    if (settings.budget_bytes != 0) {
        option("--budget", std::to_string(settings.budget_bytes));
    }
    if (settings.queue_limit != 0) {
        option("--queue-limit", std::to_string(settings.queue_limit));
    }
    if (settings.workers != 0) {
        option("--workers", std::to_string(settings.workers));
    }
    if (settings.streams != 0) {
        option("--streams", std::to_string(settings.streams));
    }
    if (!settings.tab.empty()) {
        option("--tab", settings.tab);
    }
    if (!settings.source.empty()) {
        option("--source", settings.source);
    }
    if (!settings.folder.empty()) {
        option("--folder", settings.folder);
    }
    if (!temporary.empty()) {
        option("--temporary", temporary);
    }
    if (settings.confined && confinement::support().writes()) {
        for (const auto& folder : {settings.folder_writable ? settings.folder : std::string(), temporary}) {
            if (!folder.empty()) {
                option("--confine", folder);
            }
        }
    }
    if (settings.issue != "op") {
        option("--issue", settings.issue);
    }
    if (settings.device == "cuda") {
        option("--launch", settings.launch);
        option("--copies", settings.copies);
        option("--products", settings.products);
    }
    option("--seed", std::to_string(settings.seed));
    option("--trace-fd", std::to_string(trace_fd));
    option("--trace-limit", std::to_string(trace_limit));
    return words;
}

core::Result<std::uint64_t> bytes_from_text(const std::string& text) {
    std::string t;
    for (const char c : text) {
        if (std::isspace(static_cast<unsigned char>(c)) == 0) {
            t += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
        }
    }
    if (t.empty() || t == "none" || t == "0") {
        return std::uint64_t{0};
    }
    const auto error = [&text] {
        return core::Error{core::ErrorKind::usage, "'" + text + "' is no size; write 512M, 2G or a number of bytes"};
    };
    double value = 0;
    const char* end = t.data() + t.size();
    const auto [rest, problem] = std::from_chars(t.data(), end, value);
    if (problem != std::errc{} || !std::isfinite(value) || value < 0) {
        return error();
    }
    std::string_view unit(rest, static_cast<std::size_t>(end - rest));
    // As on the command line: "M" and "MiB" in powers of 1024, "MB" of 1000.
    double thousand = 1024;
    if (unit.ends_with("ib")) {
        unit.remove_suffix(2);
    } else if (unit.ends_with('b')) {
        unit.remove_suffix(1);
        thousand = 1000;
    }
    const double factor = unit.empty()  ? 1
                          : unit == "k" ? thousand
                          : unit == "m" ? std::pow(thousand, 2)
                          : unit == "g" ? std::pow(thousand, 3)
                          : unit == "t" ? std::pow(thousand, 4)
                                        : 0;
    if (factor == 0 || value * factor >= 9e18) {
        return error();
    }
    return static_cast<std::uint64_t>(std::llround(value * factor));
}

}  // namespace headway::session
