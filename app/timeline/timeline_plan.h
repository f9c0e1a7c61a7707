// Which rows a timeline has, in which order, and how tall they are; for timeline.cpp.
//
// Threads: as layout_timeline().
#pragma once

#include <span>
#include <vector>

#include "app/timeline/timeline.h"

namespace headway::figure {

// A row with its preferred, least and greatest height, in px.
struct RowPlan {
    RowKind kind;
    int run = -1, lane = -1;
    float natural = 0, least = 0, most = 0;
    float height = 0;
};

// The rows of these runs from top to bottom, in the order of the options' arrangement. Heights are not assigned yet.
std::vector<RowPlan> plan_rows(std::span<const TimelineRun> runs, const TimelineOptions& options);

// The sum of one kind of height over all rows.
float sum(const std::vector<RowPlan>& plan, float RowPlan::*height);

// Assigns the heights: all rows shrink, or all grow, by the same fraction of their range.
void share_height(std::vector<RowPlan>& plan, float height);

}  // namespace headway::figure
