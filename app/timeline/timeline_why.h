// What may be laid over a timeline to say why a run took as long as it did: its critical path, and its what_if, the run
// without barriers as model/what_if.h computes it. Both cost by pixel columns and not by ops.
//
// Threads: as for the layout.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "app/model/analysis/critical_path.h"
#include "app/model/replay/what_if.h"
#include "app/timeline/timeline.h"

namespace headway::figure {

// Worked out once per run that has ended; may take tenths of a second for millions of ops.
struct WhyOfRun {
    std::vector<model::PathPiece> path;  // in the order of time
    model::PathTotals totals;
    model::WhatIfRun what_if;  // without barriers
    std::int64_t total_ns = 0;
};
std::shared_ptr<const WhyOfRun> why_of(const model::Run& run);

// The path: a line along the row that it goes through at each moment, and its parts in words. The ghost: pale bars
// where each lane would have been busy, and where the run would have ended, labelled as computed. The words stand in
// the run's header, where no data is.
void add_why(const TimelineLayout& layout, int run, const WhyOfRun& why, bool path, bool what_if,
             const TimelineOptions& options, DisplayList& to);
// Words in their place, as long as there is nothing to lay over.
void add_why_note(const TimelineLayout& layout, int run, const std::string& words, const TimelineOptions& options,
                  DisplayList& to);

}  // namespace headway::figure
