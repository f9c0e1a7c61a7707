// The row of bookmarks, and their lines through the run's other rows.
#include <algorithm>
#include <cmath>

#include "app/render/format.h"
#include "app/timeline/timeline_rows.h"

namespace headway::figure {

std::pair<float, float> bookmark_px(const RowPen& pen, const model::Bookmark& bookmark) {
    return {pen.map().x_px_from_ns(static_cast<double>(bookmark.begin_ns)),
            pen.map().x_px_from_ns(static_cast<double>(bookmark.end_ns))};
}

void draw_bookmarks(const RowPen& pen, const RowBox& row) {
    const Theme& theme = pen.theme();
    const auto& bookmarks = pen.shown.bookmarks;
    float y1 = row.box.y1;
    for (const RowBox& other : pen.layout.rows) {
        y1 = other.run == row.run ? std::max(y1, other.box.y1) : y1;
    }
    const float x0 = pen.map().x0();
    const float x1 = pen.map().x1();
    const float size = std::min(pen.px(pen.style().sublabel_px), row.box.height() * 0.8F);
    const float baseline = (row.box.y0 + row.box.y1) / 2 + size * kCapHeightEm / 2;
    const float flag = pen.px(7);
    pen.list().add(ClipPush{{x0 - flag, row.box.y0, x1, y1}});
    for (std::size_t i = 0; i < bookmarks.size(); ++i) {
        if (static_cast<double>(bookmarks[i].begin_ns) > pen.options.until_ns) {
            continue;
        }
        const auto [from, whole_to] = bookmark_px(pen, bookmarks[i]);
        const float to = std::min(whole_to, std::max(from, pen.right() < x1 ? pen.right() : whole_to));
        if (to < x0 || from > x1) {
            continue;
        }
        const float left = std::round(std::max(from, x0 - flag));
        const float right = std::round(std::min(to, x1 + flag));
        if (right > left + 1) {
            pen.list().add(Rect{
                {left, row.box.y0 + pen.px(2), right, row.box.y1 - pen.px(2)}, faded(theme.text, 0.13), pen.px(2)});
            pen.list().add(
                Line{{right, row.box.y0}, {right, y1}, faded(theme.text, 0.7), pen.line_px(1), pen.px(4), pen.px(3)});
        }
        pen.list().add(
            Line{{left, row.box.y0}, {left, y1}, faded(theme.text, 0.7), pen.line_px(1), pen.px(4), pen.px(3)});
        pen.list().add(Rect{{left, row.box.y0 + pen.px(3), left + flag, row.box.y1 - pen.px(5)}, theme.text});
        // The text ends before the next bookmark, which is drawn on top.
        float room_end = x1;
        for (std::size_t k = i + 1; k < bookmarks.size() && room_end == x1; ++k) {
            if (const float next = bookmark_px(pen, bookmarks[k]).first; next > from + 1) {
                room_end = std::min(x1, next - pen.px(4));
            }
        }
        std::string words = bookmarks[i].text;
        if (bookmarks[i].end_ns > bookmarks[i].begin_ns) {
            words += (words.empty() ? "" : "  ") +
                     duration_text(static_cast<double>(bookmarks[i].end_ns - bookmarks[i].begin_ns));
        }
        const float at = left + flag + pen.px(4);
        pen.text(at, baseline, shortened(words, room_end - at, FontRole::ui_semibold, size, *pen.options.measure),
                 theme.text, size, FontRole::ui_semibold, Anchor::start);
    }
    pen.list().add(ClipPop{});
}

}  // namespace headway::figure
