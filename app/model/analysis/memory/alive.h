// The tensors that were alive at one time of a run, by the line that made them: the composition of a memory curve's
// value. Computed from the trace, by the same rules as the curve.
//
// Visits all ops issued before that time, in steps, so that a window can draw frames in between.
//
// Threads: one; the run must not be updated at the same time.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "app/model/containers/blocks.h"
#include "app/model/description/memory.h"
#include "app/model/run/run.h"

namespace headway::model {

// Tensors made by the same kind of op at the same line.
struct AliveGroup {
    core::Line line = 0;  // 0: unknown
    std::string name;     // of the op
    std::uint64_t count = 0, bytes = 0;
    std::uint64_t pending_count = 0, pending_bytes = 0;  // dropped, but still needed by ops that have not run
    std::vector<OpId> makers;                            // the first kMostMakers of the ops that made them, ascending
    static constexpr std::size_t kMostMakers = 1000;
};

class AliveWalk {
public:
    // `ns`: a time of the run, not later than the recording. `device`: count only this device's memory; -1: all.
    AliveWalk(const Run& run, std::int64_t ns, int device = -1);

    // False if the trace contains no tensors, only memory samples.
    [[nodiscard]] bool known() const { return known_; }
    // Works for about `budget_ms` (0: until done); true if more is left to do.
    bool step(double budget_ms);
    [[nodiscard]] double share_done() const;
    [[nodiscard]] std::int64_t ns() const { return ns_; }
    [[nodiscard]] int device() const { return device_; }

    // After step() has returned false: groups, most bytes first.
    [[nodiscard]] const std::vector<AliveGroup>& groups() const { return groups_; }
    [[nodiscard]] AliveGroup all() const;

private:
    void take_op(OpId id);
    void hold_unfinished();
    bool count(std::size_t most);  // at most `most` buffers; true if more are left
    void finish();

    const Run& run_;
    std::int64_t ns_ = 0;
    int device_ = -1;
    FreePolicy policy_ = FreePolicy::finish;
    bool known_ = true;
    enum class Phase { ops, drops, count, done } phase_ = Phase::ops;
    OpId next_ = 1, last_ = 0;  // ops issued up to that time
    std::uint64_t drop_ = 0;
    struct Tensor {
        OpId maker = 0;  // 0: the buffer does not exist
        std::uint16_t signature = 0;
        bool dropped = false;
    };
    Blocks<Tensor> tensors_;             // by buffer
    std::unordered_set<BufferId> held_;  // buffers of ops that are unfinished at that time
    BufferId counted_ = 1;
    std::map<std::pair<core::Line, std::string>, AliveGroup> by_line_;
    // Cache: the same line and signature recur many times.
    std::map<std::pair<core::Line, std::uint16_t>, AliveGroup*> known_groups_;
    std::vector<AliveGroup> groups_;
};

}  // namespace headway::model
