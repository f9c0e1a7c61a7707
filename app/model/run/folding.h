// Folding: what is left of a long run's middle, so that a run of any length needs a limited amount of memory.
//
// When more ops are in memory than Run::fold_beyond() allows, the oldest blocks of kFoldedItems ops are folded, except
// for the first ones and up to 16 with failed ops or a bound of the measured part. Their times, dependencies and parts
// are given back. Sums, medians and peaks stay exact: the ops, waits and work of a block are added to a Tally, and the
// frontend's time is divided, before the block is given back. What is left to draw: counts, busy times by family and
// extremes for each block (span_index.h, curve.h).
//
// A block is folded only after all its ops have ended. Waits, work, scopes and minibatches are given back in blocks of
// their own, once they end before the last folded op's period.
//
// Threads: the thread that updates the run.
#pragma once

#include <cstdint>
#include <vector>

#include "app/model/containers/curve.h"
#include "app/model/description/frontend_time.h"
#include "app/model/run/run.h"
#include "app/model/run/tally.h"

namespace headway::model {

class Folding {
public:
    explicit Folding(Run& run) : run_(run) {}

    // Folds as much as the limit demands. Call after all streams have been taken up to the same time.
    void fold();
    // Call when the event that begins the measured part was read: the ops folded so far are not part of it. And for
    // each event that ends it: the ops folded since the previous one are part of it after all.
    void begin_measuring() { measured_ = beyond_ = {}; }
    void end_measuring();

    // Of the folded ops in the measured part.
    [[nodiscard]] const Tally& tally() const { return measured_.tally; }
    [[nodiscard]] const FrontendTime& frontend() const { return measured_.frontend; }
    [[nodiscard]] std::int64_t covered_ns() const { return measured_.covered_ns; }    // their periods
    [[nodiscard]] std::int64_t language_ns() const { return measured_.language_ns; }  // see Cost
    // Tensors dropped in the measured part outside folded periods, up to drops_end(): an index into the drops' stream.
    [[nodiscard]] std::uint64_t kept_drops() const { return measured_.kept_drops; }
    [[nodiscard]] std::uint64_t drops_end() const { return next_drop_; }
    [[nodiscard]] std::uint64_t ops() const { return ops_; }

private:
    struct Sums {
        Tally tally;
        FrontendTime frontend;
        std::int64_t covered_ns = 0, language_ns = 0;
        std::uint64_t kept_drops = 0;
        void merge(const Sums& other);
    };
    struct Block {
        std::int64_t begin_ns = 0, end_ns = 0;
        bool ended = true, failed = false;
    };

    [[nodiscard]] Block look_at(std::size_t block) const;
    [[nodiscard]] bool bounds_measured_part(std::size_t block) const;
    // Passes the drops before `end_ns`; returns how many there were.
    std::uint64_t take_drops(std::int64_t end_ns);
    [[nodiscard]] bool is_kept(std::int64_t begin_ns, std::int64_t end_ns) const;
    // Adds blocks [first, end) to the sums and notes them as folded.
    void add(std::size_t first, std::size_t end);
    void keep(const Block& block);
    void release(std::size_t first, std::size_t end);
    void release_events();
    void add_launches(std::size_t block);
    [[nodiscard]] Sums& sums_at(std::int64_t ns);

    Run& run_;
    Sums measured_;
    Sums warm_up_;  // before the measured part; not part of any number
    Sums beyond_;   // after the last end of the measured part so far
    std::uint64_t ops_ = 0;
    std::uint64_t next_drop_ = 0;
    std::size_t next_block_ = 0;  // blocks before it are folded or kept for good
    std::size_t next_wait_ = 0, next_work_ = 0;
    std::int64_t until_ns_ = 0;           // where the last of these blocks' periods ends
    std::int64_t language_until_ns_ = 0;  // the language's share of all issues until then
    std::vector<Curve::Kept> kept_;
    std::size_t kept_blocks_ = 0;
    // The first block that has not been looked at, of each kind of event.
    std::size_t wait_block_ = 0, work_block_ = 0, scope_block_ = 0, minibatch_block_ = 0, launch_block_ = 0;
    std::vector<std::size_t> lane_block_;
};

}  // namespace headway::model
