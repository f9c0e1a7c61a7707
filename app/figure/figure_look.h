// Sizes of a figure and of its text, per kind of page, so that the smallest text is readable where the figure is used.
//
// Threads: any.
#pragma once

#include <array>
#include <optional>
#include <string_view>

#include "app/timeline/timeline.h"

namespace headway::figure {

enum class FigureSize : std::uint8_t {
    page,         // requested width and height; small ones are laid out larger and scaled down
    slide,        // 16:9, 13.3 × 7.5 inches; text as large as the space allows, 12 pt where it does
    column,       // a paper's column, 85 mm wide; no text below 8 pt; as high as needed
    two_columns,  // both columns, 178 mm wide; otherwise the same
    poster,       // 600 × 338 mm; text as on a slide, so at least 21 pt
    window,       // a picture of the window: requested width and height, text sizes of the window
};
inline constexpr std::array kFigureSizes{FigureSize::slide,  FigureSize::column, FigureSize::two_columns,
                                         FigureSize::poster, FigureSize::window, FigureSize::page};
// "slide", "column", "two-columns", "poster", "window", "page".
const char* word_of(FigureSize size);
std::optional<FigureSize> figure_size_called(std::string_view word);

// Sizes in px of the layout, a member for each.
struct FigureLook {
    float width_px = 0, height_px = 0;  // of the figure; 0: from the options, or (height) as high as needed
    // Range of the scale from layout to figure; the largest scale at which everything fits is used.
    float most_scale = 1, least_scale = 1;
    float margin_px = 60, top_px = 66;  // top: the first baseline
    float title_px = 27, title_least_px = 20, title_pitch_px = 32;
    int title_lines = 2;
    float subtitle_px = 17, subtitle_pitch_px = 24;
    int subtitle_lines = 2;
    float legend_px = 15, legend_pitch_px = 24, swatch_px = 22, swatch_height_px = 14, legend_gap_px = 26;
    float head_px = 13, cell_px = 15, table_row_px = 25, table_inset_px = 18, table_gap_px = 22;
    bool short_table = false;   // only the columns that a paper's caption would discuss
    bool only_letters = false;  // only "A" in the table, because the run's name would not fit
    float caption_px = 13.5F, caption_least_px = 10;
    int caption_lines = 2;
    float below_px = 32;  // between the table and the caption's baseline
    float foot_px = 18;   // under the caption's baseline
    TimelineStyle timeline = figure_style();
};
const FigureLook& look_of(FigureSize size);

}  // namespace headway::figure
