// Dear ImGui's context, and its picture drawn by OpenGL.
//
// Threads: the one that owns the GL context.
#pragma once

#include <cstdint>
#include <vector>

#include "engine/core/result.h"

namespace headway::gfx {

// Exists before the platform and outlives it.
class ImGuiContextOwner {
public:
    ImGuiContextOwner();
    ~ImGuiContextOwner();
    ImGuiContextOwner(const ImGuiContextOwner&) = delete;
    ImGuiContextOwner& operator=(const ImGuiContextOwner&) = delete;
};

struct ClearColour {
    float r = 0, g = 0, b = 0;
};

class Renderer {
public:
    // Needs a current GL context.
    Renderer();
    ~Renderer();
    Renderer(const Renderer&) = delete;
    Renderer& operator=(const Renderer&) = delete;

    void begin_frame();
    // Draws what ImGui made of this frame into `framebuffer`.
    void draw(unsigned framebuffer, int width, int height, ClearColour clear);
    // After the font atlas was rebuilt.
    void fonts_changed();

    // RGBA, the top row first.
    [[nodiscard]] static std::vector<std::uint8_t> read_pixels(unsigned framebuffer, int width, int height);

private:
    unsigned font_texture_ = 0;
};

}  // namespace headway::gfx
