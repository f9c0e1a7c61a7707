#include "app/render/display_list.h"

#include <cmath>
#include <initializer_list>

#include "app/render/utf8.h"

namespace headway::figure {

Box box_of(const Text& text, const TextMeasure& measure) {
    const float width = measure.width(text.role, text.size_px, text.text);
    float x0 = text.baseline.x;
    if (text.anchor != Anchor::start) {
        x0 -= text.anchor == Anchor::end ? width : width / 2;
    }
    return {x0, text.baseline.y - kAscentEm * text.size_px, x0 + width, text.baseline.y + kDescentEm * text.size_px};
}

std::size_t word_end(std::string_view text, std::size_t kept) {
    if (kept < text.size() && text[kept] != ' ') {
        const std::size_t space = text.substr(0, kept).rfind(' ');
        // Cut at the space unless that drops more than half: then a cut inside the word is more useful.
        if (space != std::string_view::npos && space * 2 >= kept) {
            kept = space;
        }
    }
    constexpr std::string_view kLoose = " ,;:(";
    while (kept > 0 && kLoose.find(text[kept - 1]) != std::string_view::npos) {
        --kept;
    }
    constexpr std::string_view kDot = "·";
    if (text.substr(0, kept).ends_with(kDot)) {
        return word_end(text, kept - kDot.size());
    }
    return kept;
}

std::string shortened(std::string_view text, float room_px, FontRole role, float size_px, const TextMeasure& measure) {
    if (measure.width(role, size_px, text) <= room_px) {
        return std::string(text);
    }
    // Find the longest prefix that leaves room for the dots; widths are summed character by character.
    const float room = room_px - measure.width(role, size_px, "…");
    std::size_t kept = 0;
    float width = 0;
    bool full = false;
    each_char(text, [&](char32_t, std::string_view bytes) {
        width += full ? 0 : measure.width(role, size_px, bytes);
        full = full || width > room;
        kept += full ? 0 : bytes.size();
    });
    kept = word_end(text, kept);
    return kept == 0 ? std::string() : std::string(text.substr(0, kept)) + "…";
}

std::array<Point, 3> arrow_head(const Arrow& arrow) {
    const Point tip = arrow.points[3];
    Point back{tip.x - arrow.points[2].x, tip.y - arrow.points[2].y};
    float length = std::hypot(back.x, back.y);
    if (length < 1e-3F) {
        back = {tip.x - arrow.points[0].x, tip.y - arrow.points[0].y};
        length = std::hypot(back.x, back.y);
    }
    if (length < 1e-3F) {
        return {tip, tip, tip};
    }
    const Point along{back.x / length, back.y / length};
    const Point base{tip.x - along.x * arrow.head_px, tip.y - along.y * arrow.head_px};
    const float half = arrow.head_px * 0.45F;
    return {
        tip, {base.x - along.y * half, base.y + along.x * half}, {base.x + along.y * half, base.y - along.x * half}};
}

namespace {

struct Scaler {
    float k;
    void operator()(Point& p) const { p = {p.x * k, p.y * k}; }
    void operator()(Box& b) const { b = {b.x0 * k, b.y0 * k, b.x1 * k, b.y1 * k}; }
    void lengths(std::initializer_list<float*> all) const {
        for (float* length : all) {
            *length *= k;
        }
    }
    void operator()(Rect& r) const {
        (*this)(r.box);
        lengths({&r.radius_px, &r.stroke_px});
    }
    void operator()(Hatch& h) const {
        (*this)(h.box);
        lengths({&h.period_px, &h.stripe_px, &h.radius_px, &h.border_px});
    }
    void operator()(Polyline& p) const { p.width_px *= k; }
    void operator()(Area& a) const { lengths({&a.base_y, &a.gradient_y0}); }
    void operator()(Line& l) const {
        (*this)(l.from);
        (*this)(l.to);
        lengths({&l.width_px, &l.dash_px, &l.gap_px});
    }
    void operator()(Arrow& a) const {
        for (Point& p : a.points) {
            (*this)(p);
        }
        lengths({&a.width_px, &a.dash_px, &a.gap_px, &a.head_px});
    }
    void operator()(Text& t) const {
        (*this)(t.baseline);
        t.size_px *= k;
    }
    void operator()(ClipPush& c) const { (*this)(c.box); }
    void operator()(ClipPop& /*pop*/) const {}
};

}  // namespace

void scale(DisplayList& list, float factor) {
    const Scaler scaler{factor};
    list.width_px *= factor;
    list.height_px *= factor;
    for (Point& p : list.points) {
        scaler(p);
    }
    for (Item& item : list.items) {
        std::visit(scaler, item);
    }
}

}  // namespace headway::figure
