// Which rows a timeline has, in which order, and how tall they are; for timeline.cpp.
#pragma once

#include <span>
#include <vector>

#include "app/timeline/timeline.h"

namespace headway::figure {

// How tall a row wants to be, how little it can do with, and how far it may grow; px.
struct RowPlan {
    RowKind kind;
    int run = -1, lane = -1;
    float natural = 0, least = 0, most = 0;
    float height = 0;
};

// The rows of these runs from the top to the bottom, arranged as the options say; of no height yet.
std::vector<RowPlan> plan_rows(std::span<const TimelineRun> runs, const TimelineOptions& options);

// Of all rows.
float sum(const std::vector<RowPlan>& plan, float RowPlan::*height);

// Gives every row its share of the height: all shrink, or all grow, by the same part of what they can.
void share_height(std::vector<RowPlan>& plan, float height);

}  // namespace headway::figure
