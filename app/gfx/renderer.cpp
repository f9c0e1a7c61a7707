#include "app/gfx/renderer.h"

#include <epoxy/gl.h>
#include <imgui.h>
#include <imgui_impl_opengl3.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <utility>

#include "app/gfx/imgui_compat.h"
#include "app/gfx/layer.h"

namespace headway::gfx {
namespace {

// The renderer whose draw() is running. ImGui's callbacks have one user pointer, which is the layer's.
Renderer* drawing = nullptr;

template <typename Item>
void fill_again(GLenum target, const ImVector<Item>& items) {
    GLint room = 0;
    glGetBufferParameteriv(target, GL_BUFFER_SIZE, &room);
    if (room < items.size_in_bytes()) {
        glBufferData(target, items.size_in_bytes(), items.Data, GL_STREAM_DRAW);
    } else {
        glBufferSubData(target, 0, items.size_in_bytes(), items.Data);
    }
}

}  // namespace

ImGuiContextOwner::ImGuiContextOwner() : no_fonts_(std::make_unique<ImFontAtlas>()) {
    IMGUI_CHECKVERSION();
    ImGui::CreateContext(no_fonts_.get());
    ImGuiIO& io = ImGui::GetIO();
    io.IniFilename = nullptr;  // do not save the layout, which is fixed
    io.LogFilename = nullptr;
    io.ConfigWindowsMoveFromTitleBarOnly = true;
    io.ConfigInputTextCursorBlink = true;
}

ImGuiContextOwner::~ImGuiContextOwner() {
    ImGui::DestroyContext();
}

core::Result<std::unique_ptr<Renderer>> Renderer::open() {
    auto shapes = ShapeRenderer::open();
    if (!shapes) {
        return shapes.error();
    }
    return std::unique_ptr<Renderer>(new Renderer(std::move(*shapes)));
}

void Renderer::start_backend() {
    backend_ = true;
    ImGui_ImplOpenGL3_Init("#version 330 core");
#if IMGUI_VERSION_NUM < 19200
    // Start with ImGui's own small font: our atlas has a texture of its own.
    ImFontAtlas small;
    small.AddFontDefault();
    ImFontAtlas* const in_use = std::exchange(ImGui::GetIO().Fonts, &small);
    ImGui_ImplOpenGL3_CreateDeviceObjects();
    ImGui::GetIO().Fonts = in_use;
#endif
}

Renderer::~Renderer() {
    glDeleteTextures(1, &font_texture_);
    glDeleteTextures(1, &cached_.colour);
    glDeleteFramebuffers(1, &cached_.framebuffer);
    if (backend_) {
        ImGui_ImplOpenGL3_Shutdown();
    }
}

void Renderer::begin_frame() {
    if (!backend_) {
        start_backend();
    }
    ImGui_ImplOpenGL3_NewFrame();
}

void Renderer::draw(unsigned framebuffer, int width, int height, ClearColour clear) {
    glBindFramebuffer(GL_FRAMEBUFFER, framebuffer);
    glViewport(0, 0, width, height);
    glDisable(GL_SCISSOR_TEST);
    glClearColor(clear.r, clear.g, clear.b, 1);
    glClear(GL_COLOR_BUFFER_BIT);
    framebuffer_ = framebuffer;
    width_ = width;
    height_ = height;
    drawing = this;
    ImGui_ImplOpenGL3_RenderDrawData(ImGui::GetDrawData());
    drawing = nullptr;
    // Not in the first frame, which the user is waiting for.
    constexpr int kWarmUp = 2;
    if (frames_ < kWarmUp && ++frames_ == kWarmUp) {
        shapes_->warm_up(width, height);
    }
}

void Renderer::draw_layer(const ImDrawList* list, const ImDrawCmd* command) {
    if (drawing != nullptr) {
        const ImVec4& clip = command->ClipRect;
        drawing->show(*static_cast<Layer*>(command->UserCallbackData), *list, {clip.x, clip.y, clip.z, clip.w});
    }
}

void Renderer::draw_shapes(const ImDrawList*, const ImDrawCmd* command) {
    if (drawing != nullptr) {
        const auto& range = *static_cast<const Layer::ShapeRange*>(command->UserCallbackData);
        drawing->shapes_->draw(range.layer->all_shapes(), range.first, range.last, drawing->width_, drawing->height_);
    }
}

// Draws the first frame of a new picture. If the second frame shows the same picture, its pixels are cached.
void Renderer::show(Layer& layer, const ImDrawList& around, const PixelBox& clip) {
    const bool stays = layer.ground() >> 24 == 0xFF && layer.drawn_ == layer.revision();
    layer.drawn_ = layer.revision();
    const auto inside = [](float length, int most) {
        return std::clamp(static_cast<int>(std::lround(length)), 0, most);
    };
    const PixelBox box = common_part(layer.bounds(), clip);
    const Pixels seen{inside(box.x0, width_), height_ - inside(box.y1, height_), inside(box.x1, width_),
                      height_ - inside(box.y0, height_)};
    if (cached_.layer == &layer && cached_.revision == layer.revision() && cached_.seen == seen &&
        cached_.width == width_ && cached_.height == height_) {
        copy_cached(cached_.framebuffer, framebuffer_);
        return;
    }
    draw_ink(layer, around);
    if (stays && make_cache()) {
        cached_.layer = &layer;
        cached_.revision = layer.revision();
        cached_.seen = seen;
        copy_cached(framebuffer_, cached_.framebuffer);
    }
}

// ImGui's backend has only one pair of buffers, and the calling draw list has more commands that need its contents, so
// they are restored afterwards.
void Renderer::draw_ink(Layer& layer, const ImDrawList& around) {
    GLint vertices = 0, array = 0;
    glGetIntegerv(GL_ARRAY_BUFFER_BINDING, &vertices);
    glGetIntegerv(GL_VERTEX_ARRAY_BINDING, &array);  // its state includes the index buffer
    shapes_->upload(layer.all_shapes());
    ImDrawList* list = &layer.ink();
    ImDrawData data;
    data.Valid = true;
    data.TotalIdxCount = list->IdxBuffer.Size;
    data.TotalVtxCount = list->VtxBuffer.Size;
    data.DisplaySize = ImVec2(static_cast<float>(width_), static_cast<float>(height_));
    data.FramebufferScale = ImVec2(1, 1);
    set_only_list(data, &list);
    ImGui_ImplOpenGL3_RenderDrawData(&data);
    glBindVertexArray(static_cast<GLuint>(array));
    glBindBuffer(GL_ARRAY_BUFFER, static_cast<GLuint>(vertices));
    fill_again(GL_ARRAY_BUFFER, around.VtxBuffer);
    fill_again(GL_ELEMENT_ARRAY_BUFFER, around.IdxBuffer);
}

bool Renderer::make_cache() {
    if (cached_.framebuffer == 0) {
        glGenFramebuffers(1, &cached_.framebuffer);
        glGenTextures(1, &cached_.colour);
    }
    if (cached_.width == width_ && cached_.height == height_) {
        return true;
    }
    cached_.layer = nullptr;
    cached_.width = width_;
    cached_.height = height_;
    // A texture, because renderbuffers do not have the window's byte order (BGRA). Without it, software OpenGL converts
    // each pixel that it copies.
    glBindTexture(GL_TEXTURE_2D, cached_.colour);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAX_LEVEL, 0);
    glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA, width_, height_, 0, GL_BGRA, GL_UNSIGNED_BYTE, nullptr);
    glBindTexture(GL_TEXTURE_2D, 0);
    glBindFramebuffer(GL_FRAMEBUFFER, cached_.framebuffer);
    glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, cached_.colour, 0);
    const bool whole = glCheckFramebufferStatus(GL_FRAMEBUFFER) == GL_FRAMEBUFFER_COMPLETE;
    glBindFramebuffer(GL_FRAMEBUFFER, framebuffer_);
    if (!whole) {
        cached_.width = cached_.height = 0;
    }
    return whole;
}

// Windows store rows from the top, other framebuffers from the bottom. The cache uses the window's order, so that
// software OpenGL does not have to flip rows.
void Renderer::copy_cached(unsigned from, unsigned to) const {
    const Pixels& p = cached_.seen;
    const bool turned = framebuffer_ == 0;
    const auto y = [&](unsigned framebuffer, int line) {
        return turned && framebuffer == cached_.framebuffer ? height_ - line : line;
    };
    glDisable(GL_SCISSOR_TEST);
    glBindFramebuffer(GL_READ_FRAMEBUFFER, from);
    glBindFramebuffer(GL_DRAW_FRAMEBUFFER, to);
    if (p.x1 > p.x0 && p.y1 > p.y0) {
        glBlitFramebuffer(p.x0, y(from, p.y0), p.x1, y(from, p.y1), p.x0, y(to, p.y0), p.x1, y(to, p.y1),
                          GL_COLOR_BUFFER_BIT, GL_NEAREST);
    }
    glBindFramebuffer(GL_FRAMEBUFFER, framebuffer_);
}

void Renderer::fonts_changed() {
#if IMGUI_VERSION_NUM < 19200
    // One byte per pixel; ImGui's backend would create and upload four.
    ImFontAtlas* atlas = ImGui::GetIO().Fonts;
    unsigned char* coverage = nullptr;
    int width = 0, height = 0;
    atlas->GetTexDataAsAlpha8(&coverage, &width, &height);
    if (font_texture_ == 0) {
        glGenTextures(1, &font_texture_);
    }
    glBindTexture(GL_TEXTURE_2D, font_texture_);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_LINEAR);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_LINEAR);
    const GLint white[] = {GL_ONE, GL_ONE, GL_ONE, GL_RED};
    glTexParameteriv(GL_TEXTURE_2D, GL_TEXTURE_SWIZZLE_RGBA, white);
    glPixelStorei(GL_UNPACK_ALIGNMENT, 1);
    glPixelStorei(GL_UNPACK_ROW_LENGTH, 0);
    glTexImage2D(GL_TEXTURE_2D, 0, GL_R8, width, height, 0, GL_RED, GL_UNSIGNED_BYTE, coverage);
    glPixelStorei(GL_UNPACK_ALIGNMENT, 4);
    glBindTexture(GL_TEXTURE_2D, 0);
    atlas->SetTexID(reinterpret_cast<ImTextureID>(static_cast<std::uintptr_t>(font_texture_)));
#endif
}

std::vector<std::uint8_t> Renderer::read_pixels(unsigned framebuffer, int width, int height) {
    const auto row_bytes = static_cast<std::size_t>(width) * 4;
    const auto rows = static_cast<std::size_t>(height);
    std::vector<std::uint8_t> bottom_up(row_bytes * rows), top_down(row_bytes * rows);
    glBindFramebuffer(GL_READ_FRAMEBUFFER, framebuffer);
    glPixelStorei(GL_PACK_ALIGNMENT, 1);
    glReadPixels(0, 0, width, height, GL_RGBA, GL_UNSIGNED_BYTE, bottom_up.data());
    for (std::size_t y = 0; y < rows; ++y) {
        std::memcpy(&top_down[y * row_bytes], &bottom_up[(rows - 1 - y) * row_bytes], row_bytes);
    }
    for (std::size_t i = 3; i < top_down.size(); i += 4) {
        top_down[i] = 255;  // a screen has no alpha
    }
    return top_down;
}

}  // namespace headway::gfx
