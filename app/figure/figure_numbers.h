// The columns of the table under a figure: one number of each run.
//
// Threads: any that may read the runs.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "app/model/run/run.h"
#include "app/timeline/timeline.h"

namespace headway::figure {

struct FigureColumn {
    std::string head;
    std::vector<std::string> cells;  // of each run
    bool words = false;              // not numbers
    float width_px = 0;              // for who lays them out
};

// What the runs came to; `numbers` are theirs. `few`: without what only a close reader asks for.
std::vector<FigureColumn> total_columns(std::span<const TimelineRun> runs, const std::vector<model::Numbers>& numbers,
                                        bool few);
// How they stood `ns` after measuring began.
std::vector<FigureColumn> columns_at(std::span<const TimelineRun> runs, double ns);

}  // namespace headway::figure
