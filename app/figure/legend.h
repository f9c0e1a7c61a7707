// The legend of everything that a timeline may contain.
//
// Threads: any.
#pragma once

#include "app/render/display_list.h"
#include "app/render/theme.h"

namespace headway::figure {

// One column, with its origin at the top left; the list's width and height are what it needs.
DisplayList whole_legend(const Theme& theme, const TextMeasure& measure, float scale);

}  // namespace headway::figure
