// Owns Dear ImGui's context and draws its output and our layers with OpenGL.
//
// Threads: the one that owns the GL context.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "app/gfx/shape_renderer.h"
#include "engine/core/result.h"

struct ImDrawCmd;
struct ImDrawList;
struct ImFontAtlas;

namespace headway::gfx {

// Must be created before the platform's first frame and destroyed after the platform.
class ImGuiContextOwner {
public:
    ImGuiContextOwner();
    ~ImGuiContextOwner();
    ImGuiContextOwner(const ImGuiContextOwner&) = delete;
    ImGuiContextOwner& operator=(const ImGuiContextOwner&) = delete;

private:
    std::unique_ptr<ImFontAtlas> no_fonts_;  // until Fonts installs its own atlas
};

struct ClearColour {
    float r = 0, g = 0, b = 0;
};

class Layer;

class Renderer {
public:
    // Needs a current GL context; ImGui's context is needed from the first begin_frame() on. Fails with one sentence if
    // the shaders do not compile.
    static core::Result<std::unique_ptr<Renderer>> open();
    ~Renderer();
    Renderer(const Renderer&) = delete;
    Renderer& operator=(const Renderer&) = delete;

    void begin_frame();
    // Draws ImGui's current frame into `framebuffer`.
    void draw(unsigned framebuffer, int width, int height, ClearColour clear);
    // Call after the font atlas was rebuilt.
    void fonts_changed();

    // RGBA, the top row first.
    [[nodiscard]] static std::vector<std::uint8_t> read_pixels(unsigned framebuffer, int width, int height);

    // Callbacks in ImGui's draw lists: at a layer's place in a window, and at the place of a range of shapes in a
    // layer. They draw only during draw().
    static void draw_layer(const ImDrawList* list, const ImDrawCmd* command);
    static void draw_shapes(const ImDrawList* list, const ImDrawCmd* command);

private:
    struct Pixels {  // the origin at the bottom left; x1 and y1 are exclusive
        int x0 = 0, y0 = 0, x1 = 0, y1 = 0;
        friend bool operator==(const Pixels&, const Pixels&) = default;
    };
    // The cached pixels of the last layer that was shown unchanged in two frames.
    struct CachedPixels {
        unsigned framebuffer = 0, colour = 0;
        int width = 0, height = 0;
        const Layer* layer = nullptr;
        std::uint64_t revision = 0;
        Pixels seen;
    };
    explicit Renderer(std::unique_ptr<ShapeRenderer> shapes) : shapes_(std::move(shapes)) {}
    void start_backend();
    void show(Layer& layer, const ImDrawList& around, const PixelBox& clip);
    void draw_ink(Layer& layer, const ImDrawList& around);
    // at the current size; false: the driver does not support such a buffer
    bool make_cache();
    void copy_cached(unsigned from, unsigned to) const;  // between the framebuffer and the cache

    std::unique_ptr<ShapeRenderer> shapes_;
    bool backend_ = false;  // ImGui's backend has been started
    int frames_ = 0;        // counts up to the frame that warms up the programs
    unsigned font_texture_ = 0;
    CachedPixels cached_;
    unsigned framebuffer_ = 0;
    int width_ = 0, height_ = 0;
};

}  // namespace headway::gfx
