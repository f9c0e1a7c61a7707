// The many shapes of a picture, as the shaders draw them: plain boxes, spans (round corners, border, stripes), bars too
// narrow for a box of their own, and curves. They are drawn in the order in which they were added.
//
// Bars and curves cost by the columns of pixels that they cover: each column is filled from one height to another,
// which are looked up in a texture.
//
// All lengths are in pixels of the framebuffer, the origin at its top left.
//
// Threads: one.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace headway::gfx {

struct PixelBox {
    float x0 = 0, y0 = 0, x1 = 0, y1 = 0;  // x1 and y1 are outside
    [[nodiscard]] bool empty() const { return !(x1 > x0 && y1 > y0); }
};
PixelBox common_part(const PixelBox& a, const PixelBox& b);

struct PixelPoint {
    float x = 0, y = 0;
};

using Colour = std::uint32_t;  // one byte each, from the lowest: red, green, blue, opacity

struct SpanLook {
    Colour fill = 0, border = 0, stripe = 0;
    float radius_px = 0, border_px = 0;  // the border is drawn inside
    // Stripes rise to the right. Along x + y, where one of them begins, from one to the next, how wide; 0: none.
    float stripe_from = 0, stripe_step = 0, stripe_width = 0;
};

struct Bar {
    PixelBox box;
    Colour colour = 0;
};

// A colour by height: `top` at y0, `bottom` at y1, and straight on. Both ends of what is filled lie between them.
struct Gradient {
    Colour top = 0, bottom = 0;
    float y0 = 0, y1 = 0;
};

class Shapes {
public:
    static constexpr int kTexelRow = 2048;  // the shaders know it, too

    void clear();
    // What follows is cut at this box.
    void clip(const PixelBox& box) { clip_ = box; }
    // What follows is a part of its own, even if it could be drawn with what came before.
    void cut() { joins_ = false; }

    void box(const PixelBox& box, Colour colour);
    void span(const PixelBox& box, const SpanLook& look);
    // From the left to the right, none of them on another. Each gets the columns whose middle it covers, at least one.
    void bars(std::span<const Bar> bars);
    // Along these points, whose x ascend: in each column from its highest point to its lowest.
    void curve(std::span<const PixelPoint> points, Colour colour, float width_px);
    // Between these points, whose x ascend, and the level base_y below them: in each column from its highest point.
    void area(std::span<const PixelPoint> points, float base_y, const Gradient& gradient);

    // As they go to the graphics card.
    struct Plain {
        PixelBox box;
        Colour top, bottom;
    };
    struct Span {
        PixelBox box, shape;
        Colour fill, border, stripe;
        std::array<float, 2> round;
        std::array<float, 3> level;
    };
    struct Bars {
        PixelBox box;
        std::int32_t first;  // texel
    };
    struct Curve {
        PixelBox box;
        Colour top, bottom;
        std::array<float, 2> gradient;
        std::int32_t first;
    };
    struct Texel {
        std::uint16_t from, to;  // below the box's top edge, in 1/16 px; from == to: nothing
        Colour colour;
    };
    enum class Kind : std::uint8_t { opaque, plain, span, bars, curve };  // opaque: plain, and covers what it is on
    struct Part {  // of the shapes of one kind
        Kind kind = Kind::plain;
        std::uint32_t first = 0, count = 0;
    };
    [[nodiscard]] const std::vector<Part>& parts() const { return parts_; }
    [[nodiscard]] const std::vector<Plain>& plains() const { return plains_; }
    [[nodiscard]] const std::vector<Span>& spans() const { return spans_; }
    [[nodiscard]] const std::vector<Bars>& bars() const { return bars_; }
    [[nodiscard]] const std::vector<Curve>& curves() const { return curves_; }
    [[nodiscard]] const std::vector<Texel>& texels() const { return texels_; }

private:
    struct Reach {  // of one column
        float high, low;
    };
    void add(Kind kind, std::size_t index);
    void fade(const PixelBox& box, Colour top, Colour bottom);
    void trace(std::span<const PixelPoint> points, float half_width_px);
    void add_reaches(float grow_px, float base_y, const Gradient& gradient);

    PixelBox clip_{0, 0, 0, 0};
    bool joins_ = false;
    std::vector<Part> parts_;
    std::vector<Plain> plains_;
    std::vector<Span> spans_;
    std::vector<Bars> bars_;
    std::vector<Curve> curves_;
    std::vector<Texel> texels_;
    std::vector<Reach> reaches_;  // of the curve at hand, from column first_column_ on
    int first_column_ = 0;
};

}  // namespace headway::gfx
