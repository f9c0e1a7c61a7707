// The legend of everything that a timeline may contain.
//
// Threads: any.
#pragma once

#include <span>

#include "app/render/display_list.h"
#include "app/render/theme.h"
#include "app/timeline/timeline.h"

namespace headway::figure {

// One column, with its origin at the top left; the list's width and height are what it needs.
DisplayList whole_legend(const Theme& theme, const TextMeasure& measure, float scale);

// What occurs in the visible part of the runs, except failures, in one line of this width, with its origin at the top
// left. "…" stands for entries that do not fit. Takes no longer for long runs.
DisplayList legend_line(std::span<const TimelineRun> runs, TimelineView view, const Theme& theme,
                        const TextMeasure& measure, float scale, float width_px);

}  // namespace headway::figure
