// The legend and the table of a figure; for figure.cpp.
//
// Threads: as draw_figure().
#pragma once

#include <array>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "app/figure/figure_look.h"
#include "app/figure/figure_numbers.h"
#include "app/render/display_list.h"
#include "app/render/theme.h"
#include "app/timeline/timeline.h"

namespace headway::figure {

// Draws into a figure, between its left and right margins.
struct FigurePen {
    DisplayList& list;
    const Theme& theme;
    const FigureLook& look;
    const TextMeasure& measure;
    float left = 0, right = 0;

    [[nodiscard]] float width(FontRole role, float size, std::string_view words) const {
        return measure.width(role, size, words);
    }
    void text(float x, float y, std::string words, Rgba colour, float size, FontRole role,
              Anchor anchor = Anchor::start) const {
        if (!words.empty()) {
            list.add(Text{{x, y}, std::move(words), colour, size, role, anchor});
        }
    }
};

// What occurs in the visible part of the runs, and so is in the legend.
struct Occurring {
    std::array<bool, kFamilies> families{};
    bool issues = false, waits = false, works = false, failed = false, pending = false, races = false;
};
Occurring occurring_in(std::span<const TimelineRun> runs, TimelineView view);

// What the layout had to abbreviate for lack of pixels.
struct InShort {
    bool slivers = false, curves = false;
};

// Draws the legend; returns the y at which the timeline may begin. `one_line`: leaves out what does not fit into it.
float draw_legend(const FigurePen& pen, float y, const Occurring& o, const InShort& in_short, bool one_line = false);

// Draws the numbers of the runs on a panel; returns its lower edge. Columns that do not fit side by side continue
// in further bands below.
float draw_table(const FigurePen& pen, float y, std::span<const TimelineRun> runs, std::vector<FigureColumn> all);

}  // namespace headway::figure
