// Overlays that explain a run's duration: its critical path, and its what-if run, the run without barriers as
// app/model/replay/what_if.h computes it. Both cost per pixel column and not per op.
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

// Computed once per finished run; may take tenths of a second for millions of ops.
struct WhyOfRun {
    std::vector<model::PathPiece> path;  // in the order of time
    model::PathTotals totals;
    model::WhatIfRun what_if;  // without barriers
};
std::shared_ptr<const WhyOfRun> why_of(const model::Run& run);

// The path: a line along the row that it passes through at each moment, and its shares as text. The what-if run: pale
// bars where each lane would have been busy, and a line where the run would have ended, labelled as computed. The text
// is in the run's header, where it covers no data.
void add_why(const TimelineLayout& layout, int run, const WhyOfRun& why, bool path, bool what_if,
             const TimelineOptions& options, DisplayList& to);
// Shows `words` in the header instead, while there is nothing to overlay.
void add_why_note(const TimelineLayout& layout, int run, const std::string& words, const TimelineOptions& options,
                  DisplayList& to);

}  // namespace headway::figure
