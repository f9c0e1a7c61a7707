// One picture as a list of primitives, in drawing order, in pixels with the origin at the top left. Every colour is
// resolved, every text measured and placed: the window (ImGui), PNG and PDF (cairo) and SVG draw the same list.
//
// Threads: a list belongs to one thread.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace headway::figure {

struct Rgba {
    std::uint8_t r = 0, g = 0, b = 0, a = 255;
    friend bool operator==(Rgba, Rgba) = default;
};
constexpr Rgba rgb(std::uint32_t hex) {
    return {static_cast<std::uint8_t>(hex >> 16), static_cast<std::uint8_t>(hex >> 8), static_cast<std::uint8_t>(hex)};
}
// The same colour with its alpha multiplied by `opacity`.
constexpr Rgba faded(Rgba c, double opacity) {
    c.a = static_cast<std::uint8_t>(static_cast<double>(c.a) * opacity + 0.5);
    return c;
}
// Linear interpolation: `from` at share 0, `to` at share 1.
constexpr Rgba mixed(Rgba from, Rgba to, double share) {
    auto mix = [share](std::uint8_t x, std::uint8_t y) {
        return static_cast<std::uint8_t>(static_cast<double>(x) * (1 - share) + static_cast<double>(y) * share + 0.5);
    };
    return {mix(from.r, to.r), mix(from.g, to.g), mix(from.b, to.b), mix(from.a, to.a)};
}

struct Point {
    float x = 0, y = 0;
    friend bool operator==(Point, Point) = default;
};

// A box; x1 and y1 are exclusive.
struct Box {
    float x0 = 0, y0 = 0, x1 = 0, y1 = 0;
    [[nodiscard]] float width() const { return x1 - x0; }
    [[nodiscard]] float height() const { return y1 - y0; }
    [[nodiscard]] bool contains(float x, float y) const { return x >= x0 && x < x1 && y >= y0 && y < y1; }
    [[nodiscard]] bool overlaps(const Box& o) const { return x0 < o.x1 && o.x0 < x1 && y0 < o.y1 && o.y0 < y1; }
    friend bool operator==(const Box&, const Box&) = default;
};

// Families and weights; each writer chooses the font files (fonts.h does for cairo). Sizes in em are relative to
// size_px.
enum class FontRole : std::uint8_t { ui, ui_semibold, ui_bold, mono, mono_bold };
inline constexpr std::size_t kFontRoles = 5;
enum class Anchor : std::uint8_t { start, middle, end };

// A filled box with an optional border (drawn inside), `stroke_px` 0 for none.
struct Rect {
    Box box;
    Rgba fill;
    float radius_px = 0;
    Rgba stroke{0, 0, 0, 0};
    float stroke_px = 0;
};

// A box of diagonal stripes ("/", 45 degrees) over a background, with a border. Stripes are `stripe_px` wide and repeat
// every `period_px`, both measured perpendicular to them; their phase is relative to the picture's origin, so
// neighbouring boxes match.
struct Hatch {
    Box box;
    Rgba ground, stripe, border;
    float period_px = 9, stripe_px = 3, radius_px = 0, border_px = 1;
};

// Points lie in DisplayList::points, [first, first + count).
struct Polyline {
    std::uint32_t first = 0, count = 0;
    Rgba colour;
    float width_px = 1;
};

// The area between a curve (x ascending) and the level base_y. The colour runs from `top` at y = gradient_y0 to
// `bottom` at base_y; equal colours mean a flat fill.
struct Area {
    std::uint32_t first = 0, count = 0;
    float base_y = 0, gradient_y0 = 0;
    Rgba top, bottom;
};

struct Line {
    Point from, to;
    Rgba colour;
    float width_px = 1;
    float dash_px = 0, gap_px = 0;  // 0: solid
};

// A cubic Bezier curve with an arrow head at its end (`head_px` long, 0 for none).
struct Arrow {
    std::array<Point, 4> points;
    Rgba colour;
    float width_px = 1.6F;
    float dash_px = 0, gap_px = 0;
    float head_px = 7;
};

// The triangle at an arrow's end: the tip first.
std::array<Point, 3> arrow_head(const Arrow& arrow);

struct Text {
    Point baseline;  // of the anchor
    std::string text;
    Rgba colour;
    float size_px = 14;
    FontRole role = FontRole::ui;
    Anchor anchor = Anchor::start;
};

// Clips the following items to this box (and to the enclosing clips) until the matching ClipPop.
struct ClipPush {
    Box box;
};
struct ClipPop {};

using Item = std::variant<Rect, Hatch, Polyline, Area, Line, Arrow, Text, ClipPush, ClipPop>;

class DisplayList {
public:
    float width_px = 0, height_px = 0;  // of the whole picture
    std::vector<Item> items;
    std::vector<Point> points;  // of polylines and areas

    void clear() {
        items.clear();
        points.clear();
    }
    template <class Primitive>
    void add(Primitive primitive) {
        items.emplace_back(std::move(primitive));
    }
    // Appends points for a Polyline or an Area; the caller takes first_point() before the first one.
    [[nodiscard]] std::uint32_t first_point() const { return static_cast<std::uint32_t>(points.size()); }
    void point(float x, float y) { points.push_back({x, y}); }
};

// Measures text with the fonts that will draw it, so that the layout code is the same for all writers.
class TextMeasure {
public:
    virtual ~TextMeasure() = default;
    [[nodiscard]] virtual float width(FontRole role, float size_px, std::string_view text) const = 0;
};

// Scales the picture in place.
void scale(DisplayList& list, float factor);

// Text reaches at most this far above and below its baseline, in ems (Inter, JetBrains Mono, Noto Sans CJK).
inline constexpr float kAscentEm = 0.95F, kDescentEm = 0.25F, kCapHeightEm = 0.73F;

// The bounding box of a text.
Box box_of(const Text& text, const TextMeasure& measure);

// The byte length at which to cut a text of which `kept` bytes fit: after a whole word, unless that keeps too little.
std::size_t word_end(std::string_view text, std::size_t kept);

// The text, cut after a word (or else at a character) and ended by "…" so that it is at most `room_px` wide; empty when
// not even one character fits.
std::string shortened(std::string_view text, float room_px, FontRole role, float size_px, const TextMeasure& measure);

}  // namespace headway::figure
