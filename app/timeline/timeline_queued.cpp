// What the lanes have not begun while the learner has stopped the run.
#include <algorithm>

#include "app/model/moment/moment.h"
#include "app/render/format.h"
#include "app/timeline/timeline_rows.h"

namespace headway::figure {

void draw_queued(const RowPen& pen) {
    if (!pen.run.stopped_by_learner()) {
        return;
    }
    const Theme& theme = pen.theme();
    const model::Moment now = model::moment_at(pen.run, pen.run.now_ns());
    const float size = pen.px(pen.style().inside_px), gap = pen.px(6), inset = pen.px(8);
    for (const RowBox& row : pen.layout.rows) {
        if (row.run != pen.index || row.kind != RowKind::lane) {
            continue;
        }
        const Box& c = row.content;
        const model::LaneMoment& lane = now.lanes[static_cast<std::size_t>(row.lane)];
        const float baseline = (c.y0 + c.y1) / 2 + size * kCapHeightEm / 2;
        float x = pen.x(pen.run.now_ns()) + gap;
        std::uint64_t left = lane.queued;
        for (const core::OpId op : lane.waiting) {
            const std::string label = "#" + count_text(op) + " " + pen.run.signature(pen.run.op(op).signature).name;
            const float width = pen.width(FontRole::ui_semibold, size, label) + 2 * inset;
            const std::string more = left > 1 ? "+" + count_text(left - 1) : "";
            const float reserved = left > 1 ? gap + pen.width(FontRole::ui_semibold, size, more) : 0;
            if (x + width + reserved > c.x1 || c.height() < size) {
                break;
            }
            const Box box{x, c.y0, x + width, c.y1};
            pen.list().add(Rect{box, theme.background, pen.px(3), theme.dim, pen.line_px(1)});
            pen.text((box.x0 + box.x1) / 2, baseline, label, theme.dim, size, FontRole::ui_semibold, Anchor::middle);
            pen.layout.queued.push_back({pen.index, op, box});
            x += width + gap;
            --left;
        }
        if (const std::string more = "+" + count_text(left) + (left == lane.queued ? " queued" : "");
            left > 0 && x + pen.width(FontRole::ui_semibold, size, more) <= c.x1) {
            pen.text(x, baseline, more, theme.dim, size, FontRole::ui_semibold);
        }
    }
}

}  // namespace headway::figure
