// Ctrl-C, SIGTERM and SIGHUP, in the two processes of a run. The supervisor counts them: the first asks the program to
// stop, the second (or a second after SIGTERM or SIGHUP, as they come once) kills it, and what was recorded is saved;
// the third ends the supervisor, and leaves no half-written file. The program's process takes them as a request to
// stop, since a terminal sends Ctrl-C to both.
//
// Threads: one object at a time, created before other threads start.
#pragma once

#include <sys/types.h>

#include "engine/trace/format.h"

namespace headway::runner {

// Of the supervisor.
class Interrupts {
public:
    Interrupts();
    Interrupts(const Interrupts&) = delete;
    Interrupts& operator=(const Interrupts&) = delete;

    // Sets the program's process (0: none). It is killed at the third interrupt, and signals that it sends are ignored.
    static void watch_child(pid_t process);
    // From now on outputs are written: a second interrupt in this time ends the supervisor as well.
    static void begin_saving();
    [[nodiscard]] static int count();
    // Whether it is time to kill the program: after a second interrupt, or a second after SIGTERM or SIGHUP.
    [[nodiscard]] static bool is_to_be_killed();
    [[nodiscard]] bool asked() const { return count() != 0; }
};

// Of the program's process.
class StopSignals {
public:
    StopSignals();
    ~StopSignals() { watch(nullptr); }
    StopSignals(const StopSignals&) = delete;
    StopSignals& operator=(const StopSignals&) = delete;

    // The run to stop; null: none, and signals are only remembered.
    void watch(trace::Control* control);
};

}  // namespace headway::runner
