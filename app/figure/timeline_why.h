// What may be laid over a timeline to say why a run took as long as it did: its critical path, and its ghost, the run
// without barriers as model/why.h computes it. Both cost by pixel columns and not by ops.
//
// Threads: as for the layout.
#pragma once

#include <memory>
#include <vector>

#include "app/figure/timeline.h"
#include "app/model/why.h"

namespace headway::figure {

// Worked out once per run that has ended; may take tenths of a second for millions of ops.
struct WhyOfRun {
    std::vector<model::PathPiece> path;  // in the order of time
    model::PathTotals totals;
    model::Ghost ghost;  // without barriers
    std::int64_t total_ns = 0;
};
std::shared_ptr<const WhyOfRun> why_of(const model::Run& run);

// A line along the row that the path goes through at each moment, and its parts in words.
void add_critical_path(const TimelineLayout& layout, int run, const WhyOfRun& why, const TimelineOptions& options,
                       DisplayList& to);
// Pale bars where each lane would have been busy, and where the run would have ended, labelled as computed.
void add_ghost(const TimelineLayout& layout, int run, const WhyOfRun& why, const TimelineOptions& options,
               DisplayList& to);

}  // namespace headway::figure
