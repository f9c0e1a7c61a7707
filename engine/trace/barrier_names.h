// The names of the barrier policies: on the command line and in files, on buttons, in tables and in sentences.
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>

#include "engine/core/result.h"
#include "engine/trace/format.h"

namespace headway::trace {

// '#' stands for the K of a policy K behind.
struct BarrierNames {
    BarrierKind kind;
    const char* word;    // on the command line, in lessons, recordings and reports
    const char* button;  // in the bar and the palette
    const char* cell;    // in a table
    const char* phrase;  // in a sentence
    const char* tip;     // what it does
};
inline constexpr std::array<BarrierNames, 5> kBarrierNames{
    {{BarrierKind::as_written, "as-written", "As written", "as written", "barriers as written",
      "The barriers that the program is written with"},
     {BarrierKind::none, "none", "None", "none added", "no minibatch barrier",
      "No barrier after a minibatch; the waits in the program's own lines remain"},
     {BarrierKind::minibatch, "minibatch", "Minibatch", "minibatch", "barrier every minibatch",
      "After each minibatch, wait until it has finished"},
     {BarrierKind::behind, "behind:#", "# behind", "# behind", "barrier # behind",
      "After each minibatch, wait for the one # before it"},
     {BarrierKind::op, "op", "Every op", "every op", "barrier after every op",
      "After each op, wait until it has finished"}}};

// The policies that the window offers: all, with a K of 1.
inline constexpr std::array<BarrierPolicy, kBarrierNames.size()> kOfferedBarriers = [] {
    std::array<BarrierPolicy, kBarrierNames.size()> offered{};
    for (std::size_t i = 0; i < offered.size(); ++i) {
        offered[i] = {kBarrierNames[i].kind, kBarrierNames[i].kind == BarrierKind::behind ? 1u : 0u};
    }
    return offered;
}();

// One of its names: name_of(policy, &BarrierNames::phrase) is "barrier 2 behind".
std::string name_of(BarrierPolicy policy, const char* BarrierNames::*name);
// "none", "op", "minibatch", "behind:K", "as-written".
inline std::string word_of(BarrierPolicy policy) {
    return name_of(policy, &BarrierNames::word);
}
// The inverse of word_of(). Usage error for other words, and for a K that is not from 1 to 99,999.
core::Result<BarrierPolicy> barrier_called(std::string_view word);

}  // namespace headway::trace
