// The buffers that one op reads and writes: which op made each, when the program dropped it, when its bytes were
// freed, and how long this op alone kept it alive. Computed from the trace, by the same rules as the memory curves.
//
// Visits all ops and drops, in steps, so that a window can draw frames in between.
//
// Threads: one, the thread that updates the run.
#pragma once

#include <cstdint>
#include <vector>

#include "app/model/description/memory.h"
#include "app/model/run/run.h"

namespace headway::model {

struct RetainedBuffer {
    enum class Role : std::uint8_t { made, changed, read };
    BufferId buffer = 0;
    Role role = Role::read;
    std::uint64_t bytes = 0;  // 0: unknown
    OpId maker = 0;           // 0: unknown
    OpId last = 0;            // of the ops that touch it and have ended, the one that ended last; 0: none
    bool open = false;        // further ops that touch it have not ended
    // Times of the run; kPending: not yet. The bytes count from `taken_ns` to `freed_ns`.
    std::int64_t taken_ns = kPending, dropped_ns = kPending, freed_ns = kPending;
    // How long, between the op's issue and its end and without pauses, only this op kept the bytes alive: the program
    // had dropped them, and all other ops that use them had ended. 0 if memory is freed in the order of issue.
    std::int64_t alone_ns = 0;
};

class RetainedBuffersWalk {
public:
    RetainedBuffersWalk(const Run& run, OpId op);

    // False if the trace contains no buffers.
    [[nodiscard]] bool known() const { return known_; }
    // Works for about `budget_ms` (0: until done); true if more is left to do.
    bool step(double budget_ms);
    // After step() has returned false: first buffers made by the op, then changed ones, then read ones.
    [[nodiscard]] const std::vector<RetainedBuffer>& retained() const { return buffers_; }
    [[nodiscard]] OpId op() const { return op_; }

private:
    void take_op(OpId id);
    void finish();
    [[nodiscard]] RetainedBuffer* find(BufferId buffer);

    const Run& run_;
    OpId op_ = 0;
    FreePolicy policy_ = FreePolicy::finish;
    bool known_ = true;
    enum class Phase : std::uint8_t { ops, drops, done } phase_ = Phase::ops;
    OpId next_ = 1;
    std::uint64_t drop_ = 0;
    std::vector<RetainedBuffer> buffers_;
    // By index in buffers_: the last end of all ops that touch it, and of all but op_.
    std::vector<std::int64_t> last_end_ns_, others_end_ns_;
    std::vector<bool> others_open_;
};

}  // namespace headway::model
