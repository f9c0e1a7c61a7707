#include "app/gfx/shapes.h"

#include <algorithm>
#include <cmath>

namespace headway::gfx {
namespace {

constexpr float kTexelsPerPx = 16;

// The columns of which a stretch covers the middle: [first, last).
struct ColumnRange {
    int first = 0, last = 0;
};
ColumnRange columns_of(float x0, float x1) {
    return {static_cast<int>(std::ceil(x0 - 0.5f)), static_cast<int>(std::ceil(x1 - 0.5f))};
}

std::uint16_t texel_height(float px) {
    return static_cast<std::uint16_t>(std::lround(std::clamp(px, 0.0f, 4095.0f) * kTexelsPerPx));
}

}  // namespace

PixelBox common_part(const PixelBox& a, const PixelBox& b) {
    return {std::max(a.x0, b.x0), std::max(a.y0, b.y0), std::min(a.x1, b.x1), std::min(a.y1, b.y1)};
}

void Shapes::clear() {
    parts_.clear();
    plains_.clear();
    spans_.clear();
    bars_.clear();
    curves_.clear();
    texels_.clear();
    joins_ = false;
}

void Shapes::add(Kind kind, std::size_t index) {
    if (joins_ && !parts_.empty() && parts_.back().kind == kind) {
        ++parts_.back().count;
        return;
    }
    parts_.push_back({kind, static_cast<std::uint32_t>(index), 1});
    joins_ = true;
}

void Shapes::box(const PixelBox& box, Colour colour) {
    fade(common_part(box, clip_), colour, colour);
}

void Shapes::fade(const PixelBox& box, Colour top, Colour bottom) {
    if (!box.empty()) {
        add((top & bottom) >> 24 == 0xFF ? Kind::opaque : Kind::plain, plains_.size());
        plains_.push_back({box, top, bottom});
    }
}

void Shapes::span(const PixelBox& box, const SpanLook& look) {
    // Edges between two pixels shade both.
    const PixelBox drawn = common_part({box.x0 - 0.5f, box.y0 - 0.5f, box.x1 + 0.5f, box.y1 + 0.5f}, clip_);
    if (box.empty() || drawn.empty()) {
        return;
    }
    const float radius = std::clamp(look.radius_px, 0.0f, std::min(box.x1 - box.x0, box.y1 - box.y0) / 2);
    add(Kind::span, spans_.size());
    spans_.push_back({drawn,
                      box,
                      look.fill,
                      look.border,
                      look.stripe,
                      {radius, look.border_px},
                      {look.stripe_from, look.stripe_step, look.stripe_width}});
}

void Shapes::bars(std::span<const Bar> bars) {
    if (bars.empty()) {
        return;
    }
    PixelBox all{std::floor(bars.front().box.x0), bars.front().box.y0, std::ceil(bars.back().box.x1),
                 bars.front().box.y1};
    for (const Bar& bar : bars) {
        all.y0 = std::min(all.y0, bar.box.y0);
        all.y1 = std::max(all.y1, bar.box.y1);
    }
    PixelBox drawn = common_part(all, clip_);
    drawn.x0 = std::floor(drawn.x0);
    drawn.x1 = std::ceil(drawn.x1);
    if (drawn.empty()) {
        return;
    }
    const int left = static_cast<int>(drawn.x0), right = static_cast<int>(drawn.x1);
    const std::size_t first = texels_.size();
    texels_.resize(first + static_cast<std::size_t>(right - left));
    for (const Bar& bar : bars) {
        auto [from, to] = columns_of(bar.box.x0, bar.box.x1);
        if (from >= to) {
            from = static_cast<int>(std::floor((bar.box.x0 + bar.box.x1) / 2));
            to = from + 1;
        }
        const Texel texel{texel_height(bar.box.y0 - drawn.y0), texel_height(bar.box.y1 - drawn.y0), bar.colour};
        for (int x = std::max(from, left); x < std::min(to, right); ++x) {
            texels_[first + static_cast<std::size_t>(x - left)] = texel;
        }
    }
    add(Kind::bars, bars_.size());
    bars_.push_back({drawn, static_cast<std::int32_t>(first)});
}

// How far each column reaches up and down. A piece of the curve is seen in the columns that it runs through, and in
// those whose middle is within half its width of its ends.
void Shapes::trace(std::span<const PixelPoint> points, float half_width_px) {
    const float left = std::max(clip_.x0, points.front().x - half_width_px);
    const float right = std::min(clip_.x1, points.back().x + half_width_px);
    reaches_.clear();
    first_column_ = static_cast<int>(std::floor(left));
    const int count = static_cast<int>(std::ceil(right)) - first_column_;
    if (count <= 0) {
        return;
    }
    reaches_.assign(static_cast<std::size_t>(count), {1e9f, -1e9f});
    const auto reach = [&](int column, float y0, float y1) {
        const int i = column - first_column_;
        if (i >= 0 && i < count) {
            Reach& r = reaches_[static_cast<std::size_t>(i)];
            r.high = std::min({r.high, y0, y1});
            r.low = std::max({r.low, y0, y1});
        }
    };
    const auto around = [&](const PixelPoint& a, const PixelPoint& b) {  // a piece that is nearly upright
        auto [from, to] = columns_of(a.x - half_width_px, b.x + half_width_px);
        if (from >= to) {
            from = static_cast<int>(std::floor((a.x + b.x) / 2));
            to = from + 1;
        }
        for (int x = from; x < to; ++x) {
            reach(x, a.y, b.y);
        }
    };
    for (std::size_t i = 0; i + 1 < points.size(); ++i) {
        const PixelPoint &a = points[i], &b = points[i + 1];
        if (b.x < left || a.x > right) {
            continue;
        }
        if (b.x - a.x < 1) {
            around(a, b);
            continue;
        }
        if (a.y == b.y) {
            around(a, b);
            continue;
        }
        const float slope = (b.y - a.y) / (b.x - a.x);
        const int from = static_cast<int>(std::floor(std::max(a.x, left)));
        const int to = static_cast<int>(std::ceil(std::min(b.x, right)));
        for (int x = from; x < to; ++x) {
            const float x0 = std::max(a.x, static_cast<float>(x)), x1 = std::min(b.x, static_cast<float>(x + 1));
            reach(x, a.y + (x0 - a.x) * slope, a.y + (x1 - a.x) * slope);
        }
    }
}

// Each column from `grow_px` above its highest point to as much below its lowest, or to base_y where that is lower.
void Shapes::add_reaches(float grow_px, float base_y, const Gradient& gradient) {
    float high = 1e9f, low = -1e9f, lowest_top = -1e9f;
    bool whole = true;  // no column without a point
    for (const Reach& r : reaches_) {
        if (r.low < r.high) {
            whole = false;
            continue;
        }
        high = std::min(high, r.high);
        low = std::max(low, r.low);
        lowest_top = std::max(lowest_top, r.high);
    }
    const auto left = static_cast<float>(first_column_);
    const float bottom = std::max(low + grow_px, base_y);
    // Below the lowest of all tops everything is filled: a box does it.
    const float filled_from = std::ceil(lowest_top + 1);
    const bool boxed = whole && bottom == base_y && filled_from < base_y;
    const PixelBox all{left, std::floor(high - grow_px), left + static_cast<float>(reaches_.size()),
                       boxed ? filled_from : std::ceil(bottom)};
    const PixelBox clip{std::floor(clip_.x0), clip_.y0, std::ceil(clip_.x1), clip_.y1};
    const auto at = [&](float y) {
        const float share = std::clamp((y - gradient.y0) / (gradient.y1 - gradient.y0), 0.0f, 1.0f);
        Colour mixed = 0;
        for (int shift = 0; shift < 32; shift += 8) {
            const auto from = static_cast<float>(gradient.top >> shift & 0xFF);
            const auto to = static_cast<float>(gradient.bottom >> shift & 0xFF);
            mixed |= static_cast<Colour>(std::lround(from + (to - from) * share)) << shift;
        }
        return mixed;
    };
    if (boxed) {
        const PixelBox drawn = common_part({all.x0, filled_from, all.x1, base_y}, clip);
        fade(drawn, at(drawn.y0), at(drawn.y1));
    }
    const PixelBox drawn = common_part(all, clip);
    if (drawn.empty()) {
        return;
    }
    const std::size_t first = texels_.size();
    const auto skipped = static_cast<std::size_t>(static_cast<int>(drawn.x0) - first_column_);
    const auto count = static_cast<std::size_t>(drawn.x1 - drawn.x0);
    for (std::size_t i = 0; i < count; ++i) {
        const Reach& r = reaches_[skipped + i];
        Texel texel{0, 0, 0};
        if (r.low >= r.high) {
            texel.from = texel_height(r.high - grow_px - drawn.y0);
            texel.to = texel_height(std::max(r.low + grow_px, base_y) - drawn.y0);
        }
        texels_.push_back(texel);
    }
    add(Kind::curve, curves_.size());
    curves_.push_back(
        {drawn, gradient.top, gradient.bottom, {gradient.y0, gradient.y1}, static_cast<std::int32_t>(first)});
}

void Shapes::curve(std::span<const PixelPoint> points, Colour colour, float width_px) {
    if (points.size() < 2) {
        return;
    }
    trace(points, width_px / 2);
    add_reaches(width_px / 2, -1e9f, {colour, colour, 0, 1});
}

void Shapes::area(std::span<const PixelPoint> points, float base_y, const Gradient& gradient) {
    if (points.size() < 2) {
        return;
    }
    trace(points, 0);
    Gradient safe = gradient;
    if (safe.y0 == safe.y1) {
        safe.y1 = safe.y0 + 1;
    }
    add_reaches(0, base_y, safe);
}

}  // namespace headway::gfx
