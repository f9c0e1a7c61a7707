// Ctrl-C: the first asks the run to stop, and what was asked for is still written; the second ends at once.
//
// Threads: one Interrupts lives at a time, made before other threads start.
#pragma once

#include "engine/trace/format.h"

namespace headway::runner {

class Interrupts {
public:
    Interrupts();
    ~Interrupts();
    Interrupts(const Interrupts&) = delete;
    Interrupts& operator=(const Interrupts&) = delete;

    // The process that a run is in; 0: none. It is told what only this process was told: the terminal's Ctrl-C reaches
    // both.
    static void watch_child(int process);
    // The run to stop; null: none, and then the interrupt is only remembered.
    void watch(trace::Control* control);
    [[nodiscard]] bool asked() const;
};

}  // namespace headway::runner
