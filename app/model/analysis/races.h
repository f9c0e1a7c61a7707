// Races of a program that orders its streams itself: pairs of ops of two streams that use the same memory, one of them
// writing, where nothing that the program does orders them. The engine finds them at the issue of the later op
// (engine/runtime/program_streams.h); which op ran first in this run does not matter.
//
// Threads: any that may read the run.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "app/model/run/run.h"

namespace headway::model {

// All pairs of the same two lines, in the same way, with the first of them.
struct Race {
    trace::OrderKind kind = trace::OrderKind::read_write;
    OpId op = 0, other = 0;                 // issued later, and earlier
    BufferId buffer = 0, other_buffer = 0;  // other_buffer: of a reused block, the buffer that was dropped
    core::Line line = 0, other_line = 0;    // 0: unknown, or folded
    std::uint8_t lane = 0, other_lane = 0;
    std::uint64_t pairs = 0;
};

// In the order of their first ops.
[[nodiscard]] std::vector<Race> races(const Run& run);

// Those of this op with earlier ops, and the first ones of it with later ops: at most 16.
[[nodiscard]] std::vector<Race> races_of(const Run& run, OpId op);

// The words of "OP reads what OTHER writes": does and done are "reads what" and "writes".
struct RaceWords {
    const char* does;
    const char* done;
};
[[nodiscard]] RaceWords words_of(trace::OrderKind kind);
// "read_write"
[[nodiscard]] const char* word_of(trace::OrderKind kind);
// What would order them: "Stream 1 waits for Stream 0 (wait_stream, or an event)".
[[nodiscard]] std::string missing(const Run& run, const Race& race);

}  // namespace headway::model
