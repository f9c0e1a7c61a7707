// The columns of the table under a figure: one number of each run.
//
// Threads: any that may read the runs.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "app/model/description/numbers.h"
#include "app/model/run/run.h"
#include "app/timeline/timeline.h"

namespace headway::figure {

struct FigureColumn {
    std::string head;
    std::vector<std::string> cells;  // one per run
    bool words = false;              // text rather than numbers
    float width_px = 0;              // set by the layout
};

// The numbers of whole runs; `numbers` has one entry per run. `few`: only the most important columns.
std::vector<FigureColumn> total_columns(std::span<const TimelineRun> runs, const std::vector<model::Numbers>& numbers,
                                        bool few);
// The numbers at `ns` after measuring began.
std::vector<FigureColumn> columns_at(std::span<const TimelineRun> runs, double ns);

}  // namespace headway::figure
