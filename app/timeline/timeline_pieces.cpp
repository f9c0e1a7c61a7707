#include "app/timeline/timeline_pieces.h"

#include <algorithm>

#include "app/render/format.h"

namespace headway::figure {

bool tag_group(const RowPen& pen, const Group& group, const char* what) {
    const float size = pen.px(pen.style().inside_px);
    if (!pen.tag_may_fit(group.box, size)) {
        return false;
    }
    const std::string count = count_text(group.count);
    return pen.tag(count + " " + what, group.box, pen.theme().text, pen.theme().background, size,
                   FontRole::ui_semibold) ||
           pen.tag(count, group.box, pen.theme().text, pen.theme().background, size, FontRole::ui_semibold);
}

void draw_rail(const RowPen& pen, const Group& group, float y, bool counted) {
    const float thick = std::max(1.0F, pen.px(1.5F));
    const float y0 = y + pen.px(2);
    pen.list().add(Rect{{group.box.x0, y0, group.box.x1, y0 + thick}, counted ? pen.theme().dim : pen.theme().faint});
    if (counted) {
        for (const float x : {group.box.x0, group.box.x1 - thick}) {
            pen.list().add(Rect{{x, y - pen.px(2.5F), x + thick, y0 + thick}, pen.theme().dim});
        }
    }
}

void draw_groups(const RowPen& pen, const std::vector<Group>& groups, const char* what) {
    for (const Group& group : groups) {
        draw_rail(pen, group, group.box.y1, tag_group(pen, group, what));
    }
}

void count_pieces(std::span<const Piece> pieces, std::uint64_t& drawn, std::uint64_t& folded) {
    for (const Piece& piece : pieces) {
        (piece.count == 1 ? drawn : folded) += piece.count;
    }
}

}  // namespace headway::figure
