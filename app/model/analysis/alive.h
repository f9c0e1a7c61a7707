// Which tensors were alive at one moment of a run, by the line that made them: what a memory curve's height is made of.
// From the trace, by the rules that the curve is drawn by.
//
// It takes a walk over the ops issued before the moment, done in pieces so that a window can go on meanwhile.
//
// Threads: one, that which updates the run.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "app/model/run/blocks.h"
#include "app/model/run/memory.h"
#include "app/model/run/run.h"

namespace headway::model {

// Tensors made by the same kind of op at the same line.
struct AliveGroup {
    core::Line line = 0;  // 0: no line is known
    std::string name;     // of the op
    std::uint64_t count = 0, bytes = 0;
    std::uint64_t pending_count = 0, pending_bytes = 0;  // let go of, and held for ops that have not run
    std::vector<OpId> makers;                            // the first kMostMakers of the ops that made them, ascending
    static constexpr std::size_t kMostMakers = 1000;
};

class AliveWalk {
public:
    // `ns`: the run's time, none that lies ahead of what has been recorded. `device`: in whose memory; -1: in any.
    AliveWalk(const Run& run, std::int64_t ns, int device = -1);

    // Whether the run tells of tensors at all; else there is nothing to walk over, only a curve of samples.
    [[nodiscard]] bool known() const { return known_; }
    // Goes on for about this long (0: to the end); true while there is more to do.
    bool step(double budget_ms);
    [[nodiscard]] double share_done() const;
    [[nodiscard]] std::int64_t ns() const { return ns_; }
    [[nodiscard]] int device() const { return device_; }

    // Once step() has returned false: the most bytes first.
    [[nodiscard]] const std::vector<AliveGroup>& groups() const { return groups_; }
    [[nodiscard]] AliveGroup all() const;

private:
    void take_op(OpId id);
    void hold_unfinished();
    bool count(std::size_t most);  // so many more buffers; true while there are others
    void finish();

    const Run& run_;
    std::int64_t ns_ = 0;
    int device_ = -1;
    FreePolicy policy_ = FreePolicy::finish;
    bool known_ = true;
    enum class Phase { ops, drops, count, done } phase_ = Phase::ops;
    OpId next_ = 1, last_ = 0;  // ops issued by then
    std::uint64_t drop_ = 0;
    struct Tensor {
        OpId maker = 0;  // 0: none was made
        std::uint16_t signature = 0;
        bool dropped = false;
    };
    Blocks<Tensor> tensors_;             // by buffer
    std::unordered_set<BufferId> held_;  // that ops which have not finished by then touch
    BufferId counted_ = 1;
    std::map<std::pair<core::Line, std::string>, AliveGroup> by_line_;
    // The same line and signature come again and again.
    std::map<std::pair<core::Line, std::uint16_t>, AliveGroup*> known_groups_;
    std::vector<AliveGroup> groups_;
};

}  // namespace headway::model
