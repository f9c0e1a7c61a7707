// The buffers that one op reads and writes: who made each, when the program let go of it, when its bytes were free
// again, and how long that op alone kept it. From the trace, by the rules that the memory curves are drawn by.
//
// It takes a walk over all ops and all that was let go of, done in pieces so that a window can go on meanwhile.
//
// Threads: one, that which updates the run.
#pragma once

#include <cstdint>
#include <vector>

#include "app/model/run/memory.h"
#include "app/model/run/run.h"

namespace headway::model {

struct RetainedBuffer {
    enum class Role : std::uint8_t { made, changed, read };
    BufferId buffer = 0;
    Role role = Role::read;
    std::uint64_t bytes = 0;  // 0: not known
    OpId maker = 0;           // 0: none is known
    OpId last = 0;            // of the ops that touch it and have ended, the one that ended last; 0: none has
    bool open = false;        // others have not ended yet
    // The run's times; kPending: not yet. The bytes count from `taken_ns` to `freed_ns`.
    std::int64_t taken_ns = kPending, dropped_ns = kPending, freed_ns = kPending;
    // How long, within the op's own time from issue to end, the bytes were there for it alone: the program had let go
    // of them, and every other op was done with them. 0 where memory is freed in the order of issue.
    std::int64_t alone_ns = 0;
};

class RetainedBuffersWalk {
public:
    RetainedBuffersWalk(const Run& run, OpId op);

    // Whether the run tells of buffers at all.
    [[nodiscard]] bool known() const { return known_; }
    // Goes on for about this long (0: to the end); true while there is more to do.
    bool step(double budget_ms);
    // Once step() has returned false: what it made first, then what it changed, then what it read.
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
    // Per retained_buffer: the last end of all ops that touch it, and of those beside op_.
    std::vector<std::int64_t> last_end_ns_, others_end_ns_;
    std::vector<bool> others_open_;
};

}  // namespace headway::model
