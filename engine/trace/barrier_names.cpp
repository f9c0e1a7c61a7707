#include "engine/trace/barrier_names.h"

#include <algorithm>
#include <charconv>
#include <cstdint>

namespace headway::trace {

std::string name_of(BarrierPolicy policy, const char* BarrierNames::*name) {
    const auto* const names = std::find_if(kBarrierNames.begin(), kBarrierNames.end(),
                                           [policy](const BarrierNames& n) { return n.kind == policy.kind; });
    std::string text = (names == kBarrierNames.end() ? kBarrierNames.front() : *names).*name;
    if (const std::size_t at = text.find('#'); at != std::string::npos) {
        text.replace(at, 1, std::to_string(policy.behind));
    }
    return text;
}

core::Result<BarrierPolicy> barrier_called(std::string_view word) {
    constexpr std::uint32_t kMostBehind = 99'999;
    constexpr std::size_t kMostShown = 60;  // characters
    for (const BarrierNames& names : kBarrierNames) {
        const std::string_view pattern = names.word;
        const std::size_t number = pattern.find('#');
        if (number == std::string_view::npos) {
            if (word == pattern) {
                return BarrierPolicy{names.kind, 0};
            }
        } else if (word.starts_with(pattern.substr(0, number))) {
            std::uint32_t k = 0;
            const char* const end = word.data() + word.size();
            const auto [rest, problem] = std::from_chars(word.data() + number, end, k);
            if (problem == std::errc{} && rest == end && k >= 1 && k <= kMostBehind) {
                return BarrierPolicy{names.kind, k};
            }
        }
    }
    return core::Error{core::ErrorKind::usage,
                       "a barrier is none, op, minibatch, as-written or behind:K with a K from 1 to 99999, not '" +
                           std::string(word.substr(0, kMostShown)) + "'"};
}

}  // namespace headway::trace
