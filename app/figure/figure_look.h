// How large a figure is and how large its words are: each kind of page has its own, so that the smallest text can be
// read where the figure ends up.
//
// Threads: any.
#pragma once

#include <array>
#include <optional>
#include <string_view>

#include "app/timeline/timeline.h"

namespace headway::figure {

enum class FigureSize : std::uint8_t {
    page,         // as wide and high as asked for; small ones are drawn larger and scaled down
    slide,        // 16:9, 13.3 × 7.5 inches; words as large as the room allows, 12 pt where it does
    column,       // a paper's column, 85 mm wide; no word below 8 pt; as high as it needs
    two_columns,  // both columns, 178 mm; likewise
    poster,       // 600 × 338 mm; words as on a slide, and so 21 pt and more
    window,       // a view of the window: as wide and high as asked for, words as the window has them
};
inline constexpr std::array kFigureSizes{FigureSize::slide,  FigureSize::column, FigureSize::two_columns,
                                         FigureSize::poster, FigureSize::window, FigureSize::page};
// "slide", "column", "two-columns", "poster", "window", "page".
const char* word_of(FigureSize size);
std::optional<FigureSize> figure_size_called(std::string_view word);

// Sizes in px of the layout.
struct FigureLook {
    float width_px = 0, height_px = 0;  // of the figure; 0: as the options say, or (height) as high as it needs
    // The layout is this many times as large in the end: the largest at which everything fits.
    float most_scale = 1, least_scale = 1;
    float margin_px = 60, top_px = 66;  // top: the first baseline
    float title_px = 27, title_least_px = 20, title_pitch_px = 32;
    int title_lines = 2;
    float subtitle_px = 17, subtitle_pitch_px = 24;
    int subtitle_lines = 2;
    float legend_px = 15, legend_pitch_px = 24, swatch_px = 22, swatch_height_px = 14, legend_gap_px = 26;
    float head_px = 13, cell_px = 15, table_row_px = 25, table_inset_px = 18, table_gap_px = 22;
    bool short_table = false;   // only what a caption of a paper would speak of
    bool only_letters = false;  // "A" in the table, where its name would not fit
    float caption_px = 13.5F, caption_least_px = 10;
    int caption_lines = 2;
    float below_px = 32;  // between the table and the caption's baseline
    float foot_px = 18;   // under the caption's baseline
    TimelineStyle timeline = figure_style();
};
const FigureLook& look_of(FigureSize size);

}  // namespace headway::figure
