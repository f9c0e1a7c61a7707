// What is marked in a timeline because a hand points at it or has chosen it: an op with its arrows and the memory that
// it holds, its match in the other run, a wait with the ops that it was for. They cost by what is marked, a few hundred
// primitives at the most, and lie over a layout that stays as it is.
//
// Threads: as for the layout.
#pragma once

#include <span>

#include "app/model/analysis/retained_buffers.h"
#include "app/timeline/timeline.h"

namespace headway::figure {

// An outline around the op and its issue, the arrow between them, thick dashed arrows from the ops that it followed and
// thin ones from those that they followed.
void add_op_marks(const TimelineLayout& layout, int run, core::OpId op, const Theme& theme, float scale,
                  DisplayList& to);

// Bars in the memory row: from when to when each buffer lived, thicker while the op held it.
void add_retained_highlights(const TimelineLayout& layout, int run, core::OpId op,
                             std::span<const model::RetainedBuffer> retained, const Theme& theme, float scale,
                             DisplayList& to);

// A dashed outline around the same op of the other run.
void add_match_highlight(const TimelineLayout& layout, int run, core::OpId op, const Theme& theme, float scale,
                         DisplayList& to);

// An outline around a wait, a line under each op that it was for (`causes`), a thicker one under those that it was
// spent on, and an arrow from the end of the last.
void add_wait_marks(const TimelineLayout& layout, int run, int wait, std::span<const core::OpId> causes,
                    const Theme& theme, float scale, DisplayList& to);

}  // namespace headway::figure
