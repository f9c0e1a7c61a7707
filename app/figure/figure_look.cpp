#include "app/figure/figure_look.h"

namespace headway::figure {
namespace {

constexpr float kPxPerMm = 96 / 25.4F;

FigureLook slide() {
    FigureLook look;
    look.width_px = 1280;
    look.height_px = 720;
    look.most_scale = 1.25F;
    look.least_scale = 0.3F;
    look.margin_px = 36;
    look.top_px = 46;
    look.legend_px = 14;
    look.head_px = 13;
    look.caption_least_px = 12;
    look.caption_px = 13;
    look.caption_lines = 2;
    look.below_px = 26;
    look.timeline.label_width_px = 176;
    look.short_table = true;
    TimelineStyle& t = look.timeline;
    t.inside_px = 12.8F;
    t.scale_px = 12.5F;
    t.scale_room_px = 64;
    t.ruler_overhang_px = 30;
    t.sublabel_px = 13;
    t.header_row_px = 30;
    t.frontend_row_px = 44;
    t.headway_row_px = 44;
    t.lane_row_px = 38;
    t.memory_row_px = 60;
    t.bars_grow = 2;
    t.curves_grow = 3.4F;
    return look;
}

FigureLook poster() {
    FigureLook look = slide();
    look.width_px = 600 * kPxPerMm;
    look.height_px = 337.5F * kPxPerMm;
    look.short_table = false;
    look.most_scale = 2.2F;
    look.least_scale = 0.5F;
    return look;
}

// 8 pt are 10.67 px.
FigureLook column() {
    constexpr float kLeast = 10.7F;
    FigureLook look;
    look.width_px = 85 * kPxPerMm;
    look.margin_px = 6;
    look.top_px = 16;
    look.title_px = look.title_least_px = 13;
    look.title_pitch_px = 16;
    look.title_lines = 4;
    look.subtitle_px = 11;
    look.subtitle_pitch_px = 14;
    look.subtitle_lines = 5;
    look.legend_px = kLeast;
    look.legend_pitch_px = 15;
    look.swatch_px = 15;
    look.swatch_height_px = 10;
    look.legend_gap_px = 10;
    look.head_px = look.cell_px = kLeast;
    look.table_row_px = 15;
    look.table_inset_px = 6;
    look.table_gap_px = 9;
    look.short_table = look.only_letters = true;
    look.caption_px = look.caption_least_px = kLeast;
    look.caption_lines = 6;
    look.below_px = 16;
    look.foot_px = 5;
    TimelineStyle& t = look.timeline;
    t.label_width_px = 104;
    t.label_px = 11.5F;
    t.sublabel_px = t.annotation_px = t.tick_px = t.inside_px = t.scale_px = kLeast;
    t.ruler_overhang_px = 4;
    t.header_px = 11.5F;
    t.header_row_px = 19;
    t.scopes_row_px = 14;
    t.frontend_row_px = 30;
    t.headway_row_px = 44;
    t.launch_row_px = 24;
    t.lane_row_px = 28;
    t.memory_row_px = 58;
    t.ruler_px = 33;
    t.run_gap_px = 5;
    t.curve_label_in_row = true;
    t.scale_room_px = 40;
    t.tick_room_px = 62;
    return look;
}

FigureLook two_columns() {
    FigureLook look = column();
    look.width_px = 178 * kPxPerMm;
    look.title_px = look.title_least_px = 15;
    look.title_pitch_px = 19;
    look.top_px = 18;
    look.subtitle_px = 11.5F;
    look.legend_gap_px = 16;
    look.short_table = look.only_letters = false;
    look.table_inset_px = 10;
    look.table_gap_px = 12;
    look.timeline.label_width_px = 122;
    look.timeline.label_px = 12;
    look.timeline.header_px = 12.5F;
    look.timeline.frontend_row_px = 34;
    look.timeline.lane_row_px = 32;
    look.timeline.tick_room_px = 80;
    return look;
}

FigureLook window() {
    FigureLook look = slide();
    look.width_px = look.height_px = 0;
    look.most_scale = 1;
    look.least_scale = 0.4F;
    return look;
}

}  // namespace

const char* word_of(FigureSize size) {
    switch (size) {
        case FigureSize::slide:
            return "slide";
        case FigureSize::column:
            return "column";
        case FigureSize::two_columns:
            return "two-columns";
        case FigureSize::poster:
            return "poster";
        case FigureSize::window:
            return "window";
        case FigureSize::page:
            break;
    }
    return "page";
}

std::optional<FigureSize> figure_size_called(std::string_view word) {
    for (const FigureSize size : kFigureSizes) {
        if (word == word_of(size)) {
            return size;
        }
    }
    return std::nullopt;
}

const FigureLook& look_of(FigureSize size) {
    static const FigureLook of_page, of_slide = slide(), of_column = column(), of_columns = two_columns(),
                                     of_poster = poster(), of_window = window();
    switch (size) {
        case FigureSize::slide:
            return of_slide;
        case FigureSize::column:
            return of_column;
        case FigureSize::two_columns:
            return of_columns;
        case FigureSize::poster:
            return of_poster;
        case FigureSize::window:
            return of_window;
        case FigureSize::page:
            break;
    }
    return of_page;
}

}  // namespace headway::figure
