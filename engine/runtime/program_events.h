// The program's own events: scopes, minibatches, the measured part, and work of a given length.
//
// Threads: the frontend only.
#pragma once

#include <cstdint>
#include <optional>
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
    void minibatch_begin();
    void minibatch_end();  // the barrier policy acts here
    // " in minibatch 3", of an op; empty if it was issued before the first one.
    [[nodiscard]] std::string minibatch_text(core::OpId op) const;
    void measure_begin();  // everything before it is warm-up
    void measure_end();
    // Virtual time only: advances the frontend by `ns` of its own work, recorded under this name, or that of the
    // current line if it is empty. Does nothing in real time, and in a child process.
    void spend(double ns, std::string_view name = {});

private:
    OpQueue& queue_;
    std::optional<core::OpId> issued_before_;  // the first minibatch
    std::vector<IssuedSoFar> minibatches_;     // at the ends of those that have ended
};

}  // namespace headway::runtime
