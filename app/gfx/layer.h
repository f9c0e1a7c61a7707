// A picture of many shapes and much text, built once and shown in every frame until it changes. Shapes are drawn by our
// shaders (shapes.h), everything else (text, arrows, slanted lines), called ink, by ImGui. If a layer is the same as in
// the frame before, its pixels are copied from a cache.
//
// Threads: the UI's.
#pragma once

#include <imgui.h>

#include <cstdint>
#include <deque>

#include "app/gfx/shapes.h"

namespace headway::gfx {

class Layer {
public:
    // ImGui's context must exist and outlive the layer.
    Layer();
    Layer(const Layer&) = delete;
    Layer& operator=(const Layer&) = delete;

    // Empties the layer. What is added from here on is clipped to `bounds`. `ground` is the colour behind it in the
    // window; if that is not a single colour (opacity 0), the pixels are not cached.
    void begin(const PixelBox& bounds, Colour ground);
    // Shapes are drawn above the ink that was added before them, and below ink that is added later.
    [[nodiscard]] Shapes& shapes();
    [[nodiscard]] ImDrawList& ink() { return ink_; }
    // Clips the shapes that follow to this box; ink has its own clip rectangles.
    void clip(const PixelBox& box) { shapes_.clip(box); }
    void end();

    // Adds the layer to a window's draw list. The layer must not change until the frame has been drawn.
    void show(ImDrawList* to);

    [[nodiscard]] const PixelBox& bounds() const { return bounds_; }
    // Changes whenever the contents may have changed; never 0.
    [[nodiscard]] std::uint64_t revision() const { return revision_; }
    [[nodiscard]] Colour ground() const { return ground_; }
    [[nodiscard]] const Shapes& all_shapes() const { return shapes_; }

    // The parts [first, last) of all shapes, between two runs of ink.
    struct ShapeRange {
        const Layer* layer = nullptr;
        std::size_t first = 0, last = 0;
    };

private:
    friend class Renderer;

    ImDrawList ink_;
    Shapes shapes_;
    std::deque<ShapeRange> shape_ranges_;  // referred to by callbacks in ink_
    int ink_before_ = -1;                  // number of vertices when the last range began; -1: none has
    PixelBox bounds_;
    Colour ground_ = 0;
    std::uint64_t revision_ = 0;
    std::uint64_t drawn_ = 0;  // the revision last drawn on the screen
};

}  // namespace headway::gfx
