#include <algorithm>
#include <numeric>

#include "app/figure/figure_parts.h"

namespace headway::figure {

namespace {

std::string row_name(const TimelineRun& shown, const FigureLook& look) {
    if (look.only_letters) {  // the run's header has its full name
        return shown.letter != 0 ? std::string(1, shown.letter) : std::string();
    }
    return shown.letter == 0 ? shown.label : std::string(1, shown.letter) + "  " + shown.label;
}

}  // namespace

float draw_table(const FigurePen& pen, float y, std::span<const TimelineRun> runs, std::vector<FigureColumn> all) {
    const float head_px = pen.look.head_px, cell_px = pen.look.cell_px, least_gap = pen.look.table_gap_px;
    const float row_px = pen.look.table_row_px, inset = pen.look.table_inset_px;
    const float room = pen.right - pen.left - 2 * inset;
    for (FigureColumn& column : all) {
        column.width_px = pen.width(FontRole::ui_semibold, head_px, column.head);
        for (const std::string& cell : column.cells) {
            column.width_px = std::max(column.width_px,
                                       pen.width(column.words ? FontRole::ui_semibold : FontRole::mono, cell_px, cell));
        }
    }
    float names = 0;
    for (const TimelineRun& shown : runs) {
        names = std::max(names, pen.width(FontRole::ui_bold, cell_px, row_name(shown, pen.look)));
    }
    names = std::min(names, room * 0.36F);
    // As few bands as fit, evenly filled, with the columns of all bands aligned.
    std::vector<std::pair<std::size_t, std::size_t>> bands;
    std::vector<float> widths;
    for (std::size_t count = 1; count <= all.size(); ++count) {
        bands.clear();
        const std::size_t each = (all.size() + count - 1) / count;
        widths.assign(each, 0);
        for (std::size_t at = 0; at < all.size(); at += each) {
            const std::size_t end = std::min(at + each, all.size());
            for (std::size_t i = at; i < end; ++i) {
                widths[i - at] = std::max(widths[i - at], all[i].width_px);
            }
            bands.emplace_back(at, end);
        }
        const float width = std::accumulate(widths.begin(), widths.end(), names);
        if (width + least_gap * static_cast<float>(each) <= room) {
            break;
        }
    }
    const float used = std::accumulate(widths.begin(), widths.end(), names);
    const std::size_t gaps = std::max<std::size_t>(widths.size(), 2) - (names > 0 ? 0 : 1);
    const float gap = std::min(pen.look.table_gap_px * (pen.look.short_table ? 6.0F : 2.7F),
                               (room - used) / static_cast<float>(gaps));
    const float between = head_px * 0.7F;  // gap between bands
    const float band_height = head_px * 2 + row_px * static_cast<float>(runs.size());
    const float height = 12 + (band_height + between) * static_cast<float>(bands.size()) - between + 4;
    pen.list.add(Rect{{pen.left, y, pen.right, y + height}, pen.theme.raised, 8, pen.theme.border, 1});
    float top = y + 10;
    for (const auto& [first, last] : bands) {
        for (std::size_t r = 0; r < runs.size(); ++r) {
            const Rgba colour = runs[r].letter == 'A'   ? pen.theme.run_a
                                : runs[r].letter == 'B' ? pen.theme.run_b
                                                        : pen.theme.text;
            pen.text(pen.left + inset, top + head_px * 2 + row_px * static_cast<float>(r) + cell_px * 0.85F,
                     shortened(row_name(runs[r], pen.look), names + 1, FontRole::ui_bold, cell_px, pen.measure), colour,
                     cell_px, FontRole::ui_bold);
        }
        float x = pen.left + inset + names + (names > 0 ? gap : 0);
        for (std::size_t i = first; i < last; ++i) {
            pen.text(x, top + head_px, all[i].head, pen.theme.faint, head_px, FontRole::ui_semibold);
            for (std::size_t r = 0; r < all[i].cells.size(); ++r) {
                pen.text(x, top + head_px * 2 + row_px * static_cast<float>(r) + cell_px * 0.85F, all[i].cells[r],
                         pen.theme.text, cell_px, all[i].words ? FontRole::ui_semibold : FontRole::mono);
            }
            x += widths[i - first] + gap;
        }
        top += band_height + between;
        if (last < all.size()) {
            const float line_y = top - between * 0.5F - 2;
            pen.list.add(Line{{pen.left + inset, line_y}, {pen.right - inset, line_y}, pen.theme.border, 1});
        }
    }
    return y + height;
}

}  // namespace headway::figure
