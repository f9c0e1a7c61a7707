// Ctrl-C: the first press asks the run to stop, and outputs are still written; the second ends the process at once.
//
// Threads: one Interrupts at a time, created before other threads start.
#pragma once

#include "engine/trace/format.h"

namespace headway::runner {

class Interrupts {
public:
    Interrupts();
    ~Interrupts();
    Interrupts(const Interrupts&) = delete;
    Interrupts& operator=(const Interrupts&) = delete;

    // The child process of a run; 0: none. Signals sent to this process alone are forwarded to it; the terminal's
    // Ctrl-C reaches both anyway.
    static void watch_child(int process);
    // The run to stop; null: none, and interrupts are only remembered.
    void watch(trace::Control* control);
    [[nodiscard]] bool asked() const;
};

}  // namespace headway::runner
