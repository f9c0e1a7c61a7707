// One picture of many shapes and much text, made once and shown in as many frames as it stays the same: shapes by our
// shaders (shapes.h), and ink, which is whatever ImGui draws (text, arrows, slanted lines). In a frame in which it is
// the same as in the one before, its pixels are copied.
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
    // The context of ImGui must exist, and outlive it.
    Layer();
    Layer(const Layer&) = delete;
    Layer& operator=(const Layer&) = delete;

    // Empties it. What is drawn from here on is cut at `bounds`. `ground` is the colour of the window there; where that
    // is not one colour (opacity 0) the pixels are not kept.
    void begin(const PixelBox& bounds, Colour ground);
    // Shapes lie on the ink that was there when they were added, and under what comes after.
    [[nodiscard]] Shapes& shapes();
    [[nodiscard]] ImDrawList& ink() { return ink_; }
    // Shapes that follow are cut at this box; ink has clips of its own.
    void clip(const PixelBox& box) { shapes_.clip(box); }
    void end();

    // Into this place of a window's list. The layer must stay as it is until the frame has been drawn.
    void show(ImDrawList* to);

    [[nodiscard]] const PixelBox& bounds() const { return bounds_; }
    // Differs whenever what it shows may differ; never 0.
    [[nodiscard]] std::uint64_t revision() const { return revision_; }
    [[nodiscard]] Colour ground() const { return ground_; }
    [[nodiscard]] const Shapes& all_shapes() const { return shapes_; }

    // The parts [first, last) of all shapes, between two stretches of ink.
    struct Stretch {
        const Layer* layer = nullptr;
        std::size_t first = 0, last = 0;
    };

private:
    friend class Renderer;

    ImDrawList ink_;
    Shapes shapes_;
    std::deque<Stretch> stretches_;  // where they lie is in ink_
    int ink_before_ = -1;            // vertices, when the last stretch began; -1: none has
    PixelBox bounds_;
    Colour ground_ = 0;
    std::uint64_t revision_ = 0;
    std::uint64_t drawn_ = 0;  // the revision that was on the screen last
};

}  // namespace headway::gfx
