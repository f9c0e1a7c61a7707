#include "app/gfx/shapes.h"

#include <algorithm>
#include <cmath>

namespace headway::gfx {
namespace {

constexpr float kSteps = 16;  // per pixel
// Bars and curves are drawn in pieces of this many columns, each only as high as needed; completely filled parts are
// drawn as boxes.
constexpr std::size_t kPiece = 48;

// The columns [first, last) whose centres are between two x; if there is none, the one that contains the middle.
struct ColumnRange {
    int first = 0, last = 0;
};
ColumnRange columns_of(float x0, float x1) {
    const ColumnRange covered{static_cast<int>(std::ceil(x0 - 0.5f)), static_cast<int>(std::ceil(x1 - 0.5f))};
    const int middle = static_cast<int>(std::floor((x0 + x1) / 2));
    return covered.first < covered.last ? covered : ColumnRange{middle, middle + 1};
}

PixelBox around(const PixelBox& a, const PixelBox& b) {
    return {std::min(a.x0, b.x0), std::min(a.y0, b.y0), std::max(a.x1, b.x1), std::max(a.y1, b.y1)};
}

std::uint16_t texel_height(float px) {
    return static_cast<std::uint16_t>(std::lround(std::clamp(px, 0.0f, 4095.0f) * kSteps));
}

}  // namespace

PixelBox common_part(const PixelBox& a, const PixelBox& b) {
    return {std::max(a.x0, b.x0), std::max(a.y0, b.y0), std::min(a.x1, b.x1), std::min(a.y1, b.y1)};
}

void Shapes::clear() {
    parts_.clear();
    plains_.clear();
    rounds_.clear();
    spans_.clear();
    bars_.clear();
    standing_.clear();
    curves_.clear();
    reaches_.clear();
    colours_.clear();
    joinable_ = 0;
}

void Shapes::Covered::add(const PixelBox& box) {
    all = count == 0 ? box : around(all, box);
    constexpr float kNear_px = 500;  // gaps up to this are added to a row's box; rows are filled from the left
    for (std::uint32_t i = count; i > 0 && i + 3 > count; --i) {
        PixelBox& row = rows[i - 1];
        if (row.y0 == box.y0 && row.y1 == box.y1 && box.x0 >= row.x0 && box.x0 <= row.x1 + kNear_px) {
            row.x1 = std::max(row.x1, box.x1);
            return;
        }
    }
    if (count == rows.size()) {
        rows[count - 1] = around(rows[count - 1], box);
    } else {
        rows[count++] = box;
    }
}

bool Shapes::Covered::overlaps(const PixelBox& box) const {
    if (common_part(all, box).empty()) {
        return false;
    }
    for (std::uint32_t i = count; i > 0; --i) {
        if (!common_part(rows[i - 1], box).empty()) {
            return true;
        }
    }
    return false;
}

std::uint32_t Shapes::part_for(Kind kind, const PixelBox& box) {
    constexpr std::size_t kFarthest = 12;  // parts to look back; a timeline's rows alternate between fewer
    const std::size_t least = std::max(joinable_, parts_.size() - std::min(parts_.size(), kFarthest));
    for (std::size_t i = parts_.size(); i > least; --i) {
        Part& part = parts_[i - 1];
        if (part.kind == kind) {
            part.covered.add(box);
            return static_cast<std::uint32_t>(i - 1);
        }
        if (part.covered.overlaps(box)) {
            break;
        }
    }
    parts_.push_back({kind, 0, 0, {}});
    parts_.back().covered.add(box);
    return static_cast<std::uint32_t>(parts_.size() - 1);
}

template <class Shape>
void Shapes::add(Kind kind, Sorted<Shape>& to, const Shape& shape) {
    const std::uint32_t part = part_for(kind, shape.box);
    to.parts.push_back(part);
    to.shapes.push_back(shape);
    ++parts_[part].count;
}

template <class Shape>
void Shapes::sort(Sorted<Shape>& all) {
    all.sorted.resize(all.shapes.size());
    for (std::size_t i = 0; i < all.shapes.size(); ++i) {
        all.sorted[parts_[all.parts[i]].first++] = all.shapes[i];
    }
    all.shapes.swap(all.sorted);
}

void Shapes::sort() {
    std::array<std::uint32_t, kArrays> next{};
    for (Part& part : parts_) {
        auto& at = next[array_of(part.kind)];
        part.first = at;
        at += part.count;
    }
    sort(plains_);
    sort(rounds_);
    sort(spans_);
    sort(bars_);
    sort(standing_);
    sort(curves_);
    for (Part& part : parts_) {
        part.first -= part.count;
    }
}

void Shapes::box(const PixelBox& box, Colour colour) {
    fade(common_part(box, clip_), colour, colour);
}

void Shapes::fade(const PixelBox& box, Colour top, Colour bottom) {
    if (!box.empty()) {
        add((top & bottom) >> 24 == 0xFF ? Kind::opaque : Kind::plain, plains_, {box, top, bottom});
    }
}

void Shapes::span(const PixelBox& box, const SpanLook& look) {
    if (box.empty()) {
        return;
    }
    const float radius = std::clamp(look.radius_px, 0.0f, std::min(box.x1 - box.x0, box.y1 - box.y0) / 2);
    const auto part = [&](const PixelBox& of) {
        const PixelBox drawn = common_part(of, clip_);
        if (drawn.empty()) {
            return;
        }
        if (radius >= 1 && look.border_px <= 0 && look.stripe_step <= 0) {
            add(Kind::round, rounds_, {drawn, box, look.fill, radius});
        } else {
            add(Kind::span, spans_,
                {drawn,
                 box,
                 look.fill,
                 look.border,
                 look.stripe,
                 {radius, look.border_px},
                 {look.stripe_from, look.stripe_step, look.stripe_width}});
        }
    };
    // The box in whole pixels: an edge inside a pixel shades it partly.
    const PixelBox all{std::floor(box.x0), std::floor(box.y0), std::ceil(box.x1), std::ceil(box.y1)};
    const float rim = std::ceil(std::max(radius, look.border_px) + 1);
    PixelBox inside{all.x0 + rim, all.y0 + rim, all.x1 - rim, all.y1 - rim};
    // top and bottom edges are on pixel boundaries
    const bool level = all.y0 == box.y0 && all.y1 == box.y1 && look.border_px <= 0;
    if (level) {
        inside.y0 = all.y0;
        inside.y1 = all.y1;
    }
    constexpr float kWorth_px = 12;  // least width and height of an inside that is worth a box of its own
    if (look.stripe_step > 0 || inside.x1 - inside.x0 < kWorth_px || inside.y1 - inside.y0 < kWorth_px) {
        part(all);
        return;
    }
    part({all.x0, inside.y0, inside.x0, inside.y1});
    part({inside.x1, inside.y0, all.x1, inside.y1});
    if (!level) {
        part({all.x0, all.y0, all.x1, inside.y0});
        part({all.x0, inside.y1, all.x1, all.y1});
    }
    this->box(inside, look.fill);
}

std::size_t Shapes::add_texels(std::size_t count) {
    constexpr std::size_t kRow = kTexelRow;
    std::size_t first = reaches_.size();
    if (first % kRow + count > kRow) {
        first = (first / kRow + 1) * kRow;
    }
    reaches_.resize(first + count);
    colours_.resize(first + count);
    return first;
}

std::array<float, 2> Shapes::place_of(std::size_t texel) {
    return {static_cast<float>(texel % kTexelRow), static_cast<float>(texel / kTexelRow)};
}

void Shapes::bars(std::span<const Bar> bars) {
    constexpr float kGap_px = 6;  // bars further apart go into separate pieces
    std::size_t first = 0;
    for (std::size_t i = 1; i <= bars.size(); ++i) {
        if (i == bars.size() || bars[i].box.x0 - bars[i - 1].box.x1 > kGap_px ||
            bars[i].box.x1 - bars[first].box.x0 > static_cast<float>(kPiece)) {
            add_bars(bars.subspan(first, i - first));
            first = i;
        }
    }
}

void Shapes::add_bars(std::span<const Bar> bars) {
    PixelBox all{std::floor(bars.front().box.x0), bars.front().box.y0, std::ceil(bars.back().box.x1),
                 bars.front().box.y1};
    for (const Bar& bar : bars) {
        all.y0 = std::min(all.y0, bar.box.y0);
        all.y1 = std::max(all.y1, bar.box.y1);
    }
    PixelBox drawn = common_part(all, clip_);
    drawn.x0 = std::floor(drawn.x0);
    drawn.x1 = std::min(std::ceil(drawn.x1), drawn.x0 + kTexelRow);
    if (drawn.empty()) {
        return;
    }
    const float bottom = bars.front().box.y1, height = drawn.y1 - drawn.y0;
    const bool standing = bottom <= drawn.y1 &&
                          std::all_of(bars.begin(), bars.end(), [&](const Bar& bar) { return bar.box.y1 == bottom; });
    const int left = static_cast<int>(drawn.x0), right = static_cast<int>(drawn.x1);
    const std::size_t texel = add_texels(static_cast<std::size_t>(right - left));
    constexpr Colour kOpacity = 0xFF000000;
    if (standing) {
        // columns without a bar
        std::fill(colours_.begin() + static_cast<std::ptrdiff_t>(texel), colours_.end(), kOpacity);
    }
    for (const Bar& bar : bars) {
        const auto [from, to] = columns_of(bar.box.x0, bar.box.x1);
        Reach reach{};
        Colour colour = bar.colour;
        if (!standing) {
            reach = {texel_height(bar.box.y0 - drawn.y0), texel_height(bar.box.y1 - drawn.y0)};
        } else {
            const float share = std::clamp((bar.box.y0 - drawn.y0) / height, 0.0f, 1.0f);
            colour = (colour & ~kOpacity) | static_cast<Colour>(std::lround(share * 255)) << 24;
        }
        for (int x = std::max(from, left); x < std::min(to, right); ++x) {
            const std::size_t i = texel + static_cast<std::size_t>(x - left);
            reaches_[i] = reach;
            colours_[i] = colour;
        }
    }
    add(standing ? Kind::standing : Kind::bars, standing ? standing_ : bars_, {drawn, place_of(texel)});
}

// Computes the highest and lowest point in each column. A segment of the curve covers the columns that it crosses, and
// those whose centre is within half the line's width of its ends.
void Shapes::trace(std::span<const PixelPoint> points, float half_width_px) {
    const float left = std::max(clip_.x0, points.front().x - half_width_px);
    const float right = std::min(clip_.x1, points.back().x + half_width_px);
    extents_.clear();
    first_column_ = static_cast<int>(std::floor(left));
    const int count = static_cast<int>(std::ceil(right)) - first_column_;
    if (count <= 0) {
        return;
    }
    extents_.assign(static_cast<std::size_t>(count), {1e9f, -1e9f});
    const auto reach = [&](int column, float y0, float y1) {
        const int i = column - first_column_;
        if (i >= 0 && i < count) {
            Extent& extent = extents_[static_cast<std::size_t>(i)];
            extent.high = std::min({extent.high, y0, y1});
            extent.low = std::max({extent.low, y0, y1});
        }
    };
    for (std::size_t i = 0; i + 1 < points.size(); ++i) {
        const PixelPoint &a = points[i], &b = points[i + 1];
        if (b.x < left || a.x > right) {
            continue;
        }
        if (b.x - a.x < 1 || a.y == b.y) {
            const auto [from, to] = columns_of(a.x - half_width_px, b.x + half_width_px);
            for (int x = from; x < to; ++x) {
                reach(x, a.y, b.y);
            }
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

// Fills each column from `grow_px` above its highest point to as much below its lowest, or to base_y if that is lower
// on the screen.
void Shapes::add_extents(float grow_px, float base_y, const Gradient& gradient) {
    for (std::size_t first = 0; first < extents_.size(); first += kPiece) {
        add_extents(first, std::min(first + kPiece, extents_.size()), grow_px, base_y, gradient);
    }
}

void Shapes::add_extents(std::size_t first, std::size_t last, float grow_px, float base_y, const Gradient& gradient) {
    float high = 1e9f, low = -1e9f, lowest_top = -1e9f;
    bool whole = true;  // every column has a point
    for (std::size_t i = first; i < last; ++i) {
        const Extent& extent = extents_[i];
        whole = whole && !extent.empty();
        high = std::min(high, extent.high);
        low = std::max(low, extent.low);
        lowest_top = std::max(lowest_top, extent.empty() ? -1e9f : extent.high);
    }
    const float x0 = static_cast<float>(first_column_) + static_cast<float>(first);
    const float x1 = static_cast<float>(first_column_) + static_cast<float>(last);
    const float bottom = std::max(low + grow_px, base_y);
    // Below the lowest of all tops everything is filled, so a box is enough.
    const float filled_from = std::ceil(lowest_top + 1);
    const bool boxed = whole && bottom == base_y && filled_from < base_y;
    const PixelBox clip{std::floor(clip_.x0), clip_.y0, std::ceil(clip_.x1), clip_.y1};
    if (boxed) {
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
        const PixelBox drawn = common_part({x0, filled_from, x1, base_y}, clip);
        fade(drawn, at(drawn.y0), at(drawn.y1));
    }
    const PixelBox drawn =
        common_part({x0, std::floor(high - grow_px), x1, boxed ? filled_from : std::ceil(bottom)}, clip);
    if (drawn.empty()) {
        return;
    }
    const auto skipped = first + static_cast<std::size_t>(drawn.x0 - x0);
    const auto count = static_cast<std::size_t>(drawn.x1 - drawn.x0);
    const std::size_t texel = add_texels(count);
    for (std::size_t i = 0; i < count; ++i) {
        if (const Extent& extent = extents_[skipped + i]; !extent.empty()) {
            reaches_[texel + i] = {texel_height(extent.high - grow_px - drawn.y0),
                                   texel_height(std::max(extent.low + grow_px, base_y) - drawn.y0)};
        }
    }
    add(Kind::curve, curves_, {drawn, place_of(texel), gradient.top, gradient.bottom, {gradient.y0, gradient.y1}});
}

void Shapes::curve(std::span<const PixelPoint> points, Colour colour, float width_px) {
    if (points.size() < 2) {
        return;
    }
    trace(points, width_px / 2);
    add_extents(width_px / 2, -1e9f, {colour, colour, 0, 1});
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
    add_extents(0, base_y, safe);
}

}  // namespace headway::gfx
