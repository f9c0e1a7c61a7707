#include "app/ui/shell/window_layout.h"

#include <algorithm>
#include <cmath>

namespace headway::ui {
namespace {

// In design pixels.
constexpr float kWindowEdge = 14, kWindowGap = 8, kDivider = 8;
constexpr float kLeastLesson = 330, kMostLesson = 760, kLeastCentre = 420;
constexpr float kLeastTimeline = 130, kLeastSource = 150, kLeastDetails = 110, kLeastPart = 250;

float clamped(float value, float least, float most) {
    return std::max(least, std::min(value, most));
}

// What the shares are of, and what they may be.
struct Measures {
    float lesson = 0;         // width of the lesson
    Pane centre;              // the rest
    float row = 0;            // height of the row with the source or the details
    bool row_on_top = false;  // above the timeline
    float left = 0;           // width of the row's left pane; 0: the right one has all of it
    float row_width = 0;
};

Measures measure(const WindowRoom& r) {
    const auto px = [&r](float design_px) { return std::round(design_px * r.scale); };
    Measures m;
    m.centre = r.all;
    if (r.mode != Mode::compare && r.all.width() >= px(kLeastLesson + kLeastCentre)) {
        m.lesson = std::round(clamped(r.all.width() * r.shares.lesson, px(kLeastLesson),
                                      std::min(px(kMostLesson), r.all.width() - px(kLeastCentre))));
        m.centre.min.x += m.lesson;
    }
    m.row_on_top = r.mode == Mode::step;
    m.row_width = m.centre.width() - 2 * px(kWindowEdge);
    const float fixed = r.verdict + r.timeline_bar + px(kDivider);
    const float least = px(r.mode != Mode::compare && r.source ? kLeastSource : kLeastDetails);
    const float most = m.centre.height() - fixed - px(kLeastTimeline);
    if (most >= least) {
        m.row = std::round(clamped(m.centre.height() * r.shares.source, least, most));
    } else if (m.row_on_top) {
        m.row = m.centre.height();  // the source takes the room of the timeline
    }
    const bool two = r.mode == Mode::compare || r.source;
    if (two && m.row_width >= px(2 * kLeastPart + kWindowGap)) {
        m.left =
            std::round(clamped(m.row_width * r.shares.left, px(kLeastPart), m.row_width - px(kLeastPart + kWindowGap)));
    } else if (two && r.mode != Mode::compare) {
        m.left = m.row_width;
    }
    return m;
}

}  // namespace

WindowPanes lay_out_window(const WindowRoom& r) {
    const auto px = [&r](float design_px) { return std::round(design_px * r.scale); };
    const Measures m = measure(r);
    WindowPanes p;
    const Pane& c = m.centre;
    if (m.lesson > 0) {
        p.lesson = {r.all.min, {c.min.x, r.all.max.y}};
        p.lesson_divider = {{c.min.x - px(kDivider / 2), c.min.y}, {c.min.x + px(kDivider / 2), c.max.y}};
    }
    const float x0 = c.min.x + px(kWindowEdge), x1 = c.max.x - px(kWindowEdge);
    float top = c.min.y, bottom = c.max.y;  // of what is left for timeline and verdict
    if (m.row > 0) {
        const float row_top = m.row_on_top ? top : bottom - m.row, row_bottom = row_top + m.row;
        const float inner_top = row_top + (m.row_on_top ? px(kWindowGap) : 0);
        const float inner_bottom = row_bottom - (m.row_on_top ? 0 : px(kWindowGap));
        Pane left{{x0, inner_top}, {x0 + m.left, inner_bottom}};
        Pane right{{m.left > 0 ? x0 + m.left + px(kWindowGap) : x0, inner_top}, {x1, inner_bottom}};
        if (right.width() < px(kLeastPart) / 2) {
            right = {};
        }
        if (m.left <= 0) {
            left = {};
        }
        (r.mode == Mode::compare ? p.details : r.source ? p.source : p.card) = left;
        (r.mode == Mode::compare ? p.card : p.details) = right;
        if (r.mode == Mode::compare && m.left <= 0) {
            p.details = right;
            p.card = {};
        }
        if (left.shown() && right.shown()) {
            p.left_divider = {{left.max.x, inner_top}, {right.min.x, inner_bottom}};
        }
        if (m.row < c.height()) {
            const float y = m.row_on_top ? row_bottom : row_top - px(kDivider);
            p.row_divider = {{c.min.x, y}, {c.max.x, y + px(kDivider)}};
        }
        (m.row_on_top ? top : bottom) = m.row_on_top ? row_bottom + px(kDivider) : row_top - px(kDivider);
    }
    if (r.verdict > 0 && bottom - top > r.verdict + r.timeline_bar) {
        p.verdict = {{c.min.x, bottom - r.verdict}, {c.max.x, bottom}};
        bottom = p.verdict.min.y;
    }
    if (r.timeline_bar > 0 && bottom - top > r.timeline_bar) {
        p.timeline_bar = {{c.min.x, bottom - r.timeline_bar}, {c.max.x, bottom}};
        bottom = p.timeline_bar.min.y;
    }
    if (bottom - top > px(kLeastTimeline) / 2) {
        p.timeline = {{c.min.x, top + px(m.row_on_top ? 0 : kWindowGap)}, {c.max.x, bottom}};
    }
    return p;
}

PaneShares dragged(const WindowRoom& room, Divider divider, ImVec2 to) {
    const Measures m = measure(room);
    const float half = std::round(kDivider * room.scale) / 2;  // from the divider's middle to the row
    PaneShares shares = room.shares;
    const auto share = [](float part, float whole) { return whole < 1 ? 0.5f : clamped(part / whole, 0.05f, 0.95f); };
    switch (divider) {
        case Divider::lesson:
            shares.lesson = share(to.x - room.all.min.x, room.all.width());
            break;
        case Divider::row:
            shares.source =
                share(m.row_on_top ? to.y - half - m.centre.min.y : m.centre.max.y - to.y - half, m.centre.height());
            break;
        case Divider::left:
            shares.left = share(to.x - m.centre.min.x - std::round(kWindowEdge * room.scale), m.row_width);
            break;
    }
    return shares;
}

}  // namespace headway::ui
