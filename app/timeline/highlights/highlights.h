// What is drawn over a timeline: races, and for the hovered or selected item an op with its arrows and the memory that
// it holds, its match in the other run, a wait with the ops that it waited for. The layout itself does not change. The
// cost depends on what is highlighted: a few hundred primitives at most.
//
// Threads: as for the layout.
#pragma once

#include <span>

#include "app/model/analysis/memory/retained_buffers.h"
#include "app/model/explanation/explanation.h"
#include "app/timeline/timeline.h"

namespace headway::figure {

// Pairs of ops of the program's streams that nothing orders (app/model/analysis/races.h): an outline around each op,
// and an arrow from the op that was issued first to the other one, where the wait is missing. Of each run the first 24
// that are in view, among its first 100,000 orders.
void add_races(const TimelineLayout& layout, const Theme& theme, float scale, DisplayList& to);

// An outline around the op and its issue, the arrow between them, thick dashed arrows from its direct dependencies and
// thin ones from the dependencies of those.
void add_op_highlight(const TimelineLayout& layout, int run, core::OpId op, const Theme& theme, float scale,
                      DisplayList& to);

// Bars in the memory row: the lifetime of each buffer, thicker while the op held it.
void add_retained_highlights(const TimelineLayout& layout, int run, core::OpId op,
                             std::span<const model::RetainedBuffer> retained, const Theme& theme, float scale,
                             DisplayList& to);

// A dashed outline around the matching op of the other run.
void add_match_highlight(const TimelineLayout& layout, int run, core::OpId op, const Theme& theme, float scale,
                         DisplayList& to);

// An outline around a wait, a line under each op that it waited for (`causes`), a thicker one under the parts of ops
// that the wait's time was spent on, and an arrow from the end of the op that ended the wait.
void add_wait_highlight(const TimelineLayout& layout, int run, int wait, std::span<const core::OpId> causes,
                        const Theme& theme, float scale, DisplayList& to);

// What a sentence of the run's explanation is about: an outline around a range of time in its rows, or a line at a
// moment.
void add_place_highlight(const TimelineLayout& layout, int run, const model::Place& place, const Theme& theme,
                         float scale, DisplayList& to);

}  // namespace headway::figure
