// What two runs' numbers say beside each other, in words. Only what can be compared is compared.
#pragma once

#include <string>

#include "app/session/session.h"

namespace headway::ui {

struct Verdict {
    std::string time;    // "A is 14 % faster"
    std::string memory;  // "and needs 13.4× the memory"
    enum class Tone { good, bad, plain };
    Tone time_tone = Tone::plain, memory_tone = Tone::plain;
};

// Empty texts where there is nothing to say (a run goes on). Times within 2 % of each other count as equal, as do
// memory peaks within 5 %.
Verdict compare(const session::Execution& a, const session::Execution& b);

// "no barrier", "minibatch", "1 behind", "every op", "as written".
std::string short_barrier_label(trace::BarrierPolicy policy);

}  // namespace headway::ui
