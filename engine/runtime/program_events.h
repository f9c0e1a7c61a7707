// The program's own events: scopes, minibatches, the measured part, and work of a given length.
//
// Threads: the frontend only.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "engine/runtime/waits.h"

namespace headway::runtime {

class OpQueue;

class ProgramEvents {
public:
    explicit ProgramEvents(OpQueue& queue) : queue_(queue) {}
    ProgramEvents(const ProgramEvents&) = delete;
    ProgramEvents& operator=(const ProgramEvents&) = delete;

    void scope_begin(std::string_view name);  // ProgramError if the recording can hold no more names
    void scope_end(std::string_view name);
    void minibatch_begin();    // an open one ends without a barrier, or goes on if it is empty
    void minibatch_end();      // the barrier policy acts here
    void minibatch_abandon();  // an error ends it: no barrier acts, and what is gathered for a graph stays so
    // " in minibatch 3", of an op; empty if it was issued outside of all.
    [[nodiscard]] std::string minibatch_text(core::OpId op) const;
    void measure_begin();  // everything before it is warm-up
    void measure_end();
    // Virtual time only: advances the frontend by `ns` of its own work, recorded under this name, or that of the
    // current line if it is empty. Does nothing in real time, and in a child process.
    void spend(double ns, std::string_view name = {});

private:
    struct Minibatch {
        core::OpId issued_before;
        core::OpId last = ~core::OpId{0};  // of its ops; the greatest number until it ends
        bool ended = false;
    };
    void end_open(core::OpId last);

    OpQueue& queue_;
    std::vector<Minibatch> begun_;
    std::vector<IssuedSoFar> ended_;  // at the end of each, for the barrier policy
};

}  // namespace headway::runtime
