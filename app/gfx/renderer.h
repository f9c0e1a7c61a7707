// Dear ImGui's context, and its picture and our layers drawn by OpenGL.
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

// Exists before the platform's first frame and outlives the platform.
class ImGuiContextOwner {
public:
    ImGuiContextOwner();
    ~ImGuiContextOwner();
    ImGuiContextOwner(const ImGuiContextOwner&) = delete;
    ImGuiContextOwner& operator=(const ImGuiContextOwner&) = delete;

private:
    std::unique_ptr<ImFontAtlas> no_fonts_;  // until Fonts bring theirs
};

struct ClearColour {
    float r = 0, g = 0, b = 0;
};

class Layer;

class Renderer {
public:
    // Needs a current GL context, and ImGui's at the first begin_frame(). Fails in one sentence where the shaders do
    // not compile.
    static core::Result<std::unique_ptr<Renderer>> open();
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

    // For lists of ImGui's: where a layer lies in a window, and where a stretch of shapes lies in a layer. They draw
    // while draw() does.
    static void draw_layer(const ImDrawList* list, const ImDrawCmd* command);
    static void draw_stretch(const ImDrawList* list, const ImDrawCmd* command);

private:
    struct Pixels {  // the origin at the bottom left, x1 and y1 outside
        int x0 = 0, y0 = 0, x1 = 0, y1 = 0;
        friend bool operator==(const Pixels&, const Pixels&) = default;
    };
    // The pixels of the layer that was shown twice.
    struct Kept {
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
    bool make_kept();                                  // of the present size; false: the driver has no such buffer
    void copy_kept(unsigned from, unsigned to) const;  // between the framebuffer and what is kept

    std::unique_ptr<ShapeRenderer> shapes_;
    bool backend_ = false;  // ImGui's, started
    int frames_ = 0;        // until all programs are warm
    unsigned font_texture_ = 0;
    Kept kept_;
    unsigned framebuffer_ = 0;
    int width_ = 0, height_ = 0;
};

}  // namespace headway::gfx
