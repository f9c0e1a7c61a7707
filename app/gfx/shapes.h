// A picture's shapes in the form that the shaders draw: plain boxes, spans (round corners, border, stripes), bars too
// narrow for a box of their own, and curves. The result looks as if they were drawn in the order in which they were
// added: a shape is drawn together with earlier ones of its kind only if nothing between them overlaps it.
//
// Bars and curves cost by the pixel columns that they cover. Each column is filled from one height to another; the
// heights are read from a texture.
//
// All lengths are in pixels of the framebuffer, with the origin at its top left.
//
// Threads: one.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace headway::gfx {

struct PixelBox {
    float x0 = 0, y0 = 0, x1 = 0, y1 = 0;  // x1 and y1 are exclusive
    [[nodiscard]] bool empty() const { return !(x1 > x0 && y1 > y0); }
    friend bool operator==(const PixelBox&, const PixelBox&) = default;
};
PixelBox common_part(const PixelBox& a, const PixelBox& b);

struct PixelPoint {
    float x = 0, y = 0;
};

using Colour = std::uint32_t;  // one byte each, from the lowest: red, green, blue, opacity

struct SpanLook {
    Colour fill = 0, border = 0, stripe = 0;
    float radius_px = 0, border_px = 0;  // the border is drawn inside the box
    // Stripes rise to the right. Measured along x + y: the first stripe's begin, the distance between stripes, their
    // width. 0: no stripes.
    float stripe_from = 0, stripe_step = 0, stripe_width = 0;
};

struct Bar {
    PixelBox box;
    Colour colour = 0;
};

// A vertical colour gradient: `top` at y0, `bottom` at y1, linear between. The filled area lies between the two.
struct Gradient {
    Colour top = 0, bottom = 0;
    float y0 = 0, y1 = 0;
};

class Shapes {
public:
    static constexpr int kTexelRow = 2048;  // texels (pixel columns) per row of the textures

    void clear();
    // Clips the shapes added from here on to this box.
    void clip(const PixelBox& box) { clip_ = box; }
    // The shapes added from here on are not drawn together with earlier ones.
    void cut() { joinable_ = parts_.size(); }
    // Call after the last shape, before drawing: makes shapes that are drawn together contiguous.
    void sort();

    void box(const PixelBox& box, Colour colour);
    void span(const PixelBox& box, const SpanLook& look);
    // The bars go from left to right, do not overlap, and are each narrower than kTexelRow. A bar fills the columns
    // whose centre it covers, at least one.
    void bars(std::span<const Bar> bars);
    // A line through these points, sorted by x. Each column is filled from the line's highest point in it to its
    // lowest.
    void curve(std::span<const PixelPoint> points, Colour colour, float width_px);
    // The area between the line through these points, sorted by x, and the level base_y below it. Each column is filled
    // from the line's highest point in it.
    void area(std::span<const PixelPoint> points, float base_y, const Gradient& gradient);

    // Vertex data, as uploaded to the GPU.
    struct Plain {
        PixelBox box;
        Colour top, bottom;
    };
    struct Round {
        PixelBox box, shape;
        Colour fill;
        float radius;
    };
    struct Span {
        PixelBox box, shape;
        Colour fill, border, stripe;
        std::array<float, 2> round;
        std::array<float, 3> level;
    };
    struct Bars {
        PixelBox box;
        std::array<float, 2> texel;  // texture position of the box's left column: column and row
    };
    using Standing = Bars;  // bars that all stand on the box's bottom edge
    struct Curve {
        PixelBox box;
        std::array<float, 2> texel;
        Colour top, bottom;
        std::array<float, 2> gradient;
    };
    struct Reach {  // the filled part of a column, below the box's top edge, in 1/16 px; from == to: nothing
        std::uint16_t from, to;
    };
    enum class Kind : std::uint8_t {
        opaque,
        plain,
        round,
        span,
        bars,
        standing,
        curve
    };  // opaque: plain, and hides what is below it
    // One array per kind, except that opaque and plain boxes share one.
    static constexpr std::size_t kArrays = 6;
    static constexpr std::size_t array_of(Kind kind) {
        return kind == Kind::opaque ? 0 : static_cast<std::size_t>(kind) - 1;
    }
    // The area that a part covers, as a few boxes: a box that continues a row extends that row's box.
    struct Covered {
        PixelBox all;
        std::array<PixelBox, 48> rows;
        std::uint32_t count = 0;
        void add(const PixelBox& box);
        [[nodiscard]] bool overlaps(const PixelBox& box) const;
    };
    // Shapes of one kind that are drawn together. `first` and `count` are final after sort().
    struct Part {
        Kind kind = Kind::plain;
        std::uint32_t first = 0, count = 0;
        Covered covered;
    };
    [[nodiscard]] const std::vector<Part>& parts() const { return parts_; }
    [[nodiscard]] const std::vector<Plain>& plains() const { return plains_.shapes; }
    [[nodiscard]] const std::vector<Round>& rounds() const { return rounds_.shapes; }
    [[nodiscard]] const std::vector<Span>& spans() const { return spans_.shapes; }
    [[nodiscard]] const std::vector<Bars>& bars() const { return bars_.shapes; }
    [[nodiscard]] const std::vector<Standing>& standing() const { return standing_.shapes; }
    [[nodiscard]] const std::vector<Curve>& curves() const { return curves_.shapes; }
    // Rows of kTexelRow texels; the last row may be shorter. No box's texels cross the end of a row.
    [[nodiscard]] const std::vector<Reach>& reaches() const { return reaches_; }
    // The bars' colours. For standing bars the opacity is replaced by where they begin: 0 at the box's top edge, 255 at
    // its bottom edge.
    [[nodiscard]] const std::vector<Colour>& colours() const { return colours_; }

private:
    struct Extent {  // of a curve in one column
        float high, low;
        [[nodiscard]] bool empty() const { return low < high; }
    };
    template <class Shape>
    struct Sorted {
        std::vector<Shape> shapes, sorted;
        std::vector<std::uint32_t> parts;  // the part of each shape
        void clear() {
            shapes.clear();
            parts.clear();
        }
    };
    [[nodiscard]] std::uint32_t part_for(Kind kind, const PixelBox& box);
    template <class Shape>
    void add(Kind kind, Sorted<Shape>& to, const Shape& shape);
    template <class Shape>
    void sort(Sorted<Shape>& all);
    void add_bars(std::span<const Bar> bars);
    void fade(const PixelBox& box, Colour top, Colour bottom);
    void trace(std::span<const PixelPoint> points, float half_width_px);
    void add_extents(float grow_px, float base_y, const Gradient& gradient);
    void add_extents(std::size_t first, std::size_t last, float grow_px, float base_y, const Gradient& gradient);
    // Allocates texels for `count` columns, at most kTexelRow; returns the first one's index.
    std::size_t add_texels(std::size_t count);
    static std::array<float, 2> place_of(std::size_t texel);

    PixelBox clip_{0, 0, 0, 0};
    std::size_t joinable_ = 0;  // the first part that shapes may still be added to
    std::vector<Part> parts_;
    Sorted<Plain> plains_;
    Sorted<Round> rounds_;
    Sorted<Span> spans_;
    Sorted<Bars> bars_;
    Sorted<Standing> standing_;
    Sorted<Curve> curves_;
    std::vector<Reach> reaches_;
    std::vector<Colour> colours_;
    std::vector<Extent> extents_;  // of the current curve, from column first_column_ on
    int first_column_ = 0;
};

}  // namespace headway::gfx
