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

// Whose draw() is at work: what ImGui calls back gets one pointer, and that is the layer's.
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
    io.IniFilename = nullptr;  // the layout is fixed
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
    // With ImGui's own small font: the atlas in use has a texture of ours.
    ImFontAtlas small;
    small.AddFontDefault();
    ImFontAtlas* const in_use = std::exchange(ImGui::GetIO().Fonts, &small);
    ImGui_ImplOpenGL3_CreateDeviceObjects();
    ImGui::GetIO().Fonts = in_use;
#endif
}

Renderer::~Renderer() {
    glDeleteTextures(1, &font_texture_);
    glDeleteTextures(1, &kept_.colour);
    glDeleteFramebuffers(1, &kept_.framebuffer);
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
    // Not in the first frame, which somebody waits for.
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

void Renderer::draw_stretch(const ImDrawList*, const ImDrawCmd* command) {
    if (drawing != nullptr) {
        const auto& stretch = *static_cast<const Layer::Stretch*>(command->UserCallbackData);
        drawing->shapes_->draw(stretch.layer->all_shapes(), stretch.first, stretch.last, drawing->width_,
                               drawing->height_);
    }
}

// The first frame with a picture is drawn; of the second, which shows that it stays, the pixels are kept.
void Renderer::show(Layer& layer, const ImDrawList& around, const PixelBox& clip) {
    const bool stays = layer.ground() >> 24 == 0xFF && layer.drawn_ == layer.revision();
    layer.drawn_ = layer.revision();
    const auto inside = [](float length, int most) {
        return std::clamp(static_cast<int>(std::lround(length)), 0, most);
    };
    const PixelBox box = common_part(layer.bounds(), clip);
    const Pixels seen{inside(box.x0, width_), height_ - inside(box.y1, height_), inside(box.x1, width_),
                      height_ - inside(box.y0, height_)};
    if (kept_.layer == &layer && kept_.revision == layer.revision() && kept_.seen == seen && kept_.width == width_ &&
        kept_.height == height_) {
        copy_kept(kept_.framebuffer, framebuffer_);
        return;
    }
    draw_ink(layer, around);
    if (stays && make_kept()) {
        kept_.layer = &layer;
        kept_.revision = layer.revision();
        kept_.seen = seen;
        copy_kept(framebuffer_, kept_.framebuffer);
    }
}

// ImGui's backend has one pair of buffers, and the list that called back has commands left to draw from them.
void Renderer::draw_ink(Layer& layer, const ImDrawList& around) {
    GLint vertices = 0, array = 0;
    glGetIntegerv(GL_ARRAY_BUFFER_BINDING, &vertices);
    glGetIntegerv(GL_VERTEX_ARRAY_BINDING, &array);  // it knows the buffer of the indices
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

bool Renderer::make_kept() {
    if (kept_.framebuffer == 0) {
        glGenFramebuffers(1, &kept_.framebuffer);
        glGenTextures(1, &kept_.colour);
    }
    if (kept_.width == width_ && kept_.height == height_) {
        return true;
    }
    kept_.layer = nullptr;
    kept_.width = width_;
    kept_.height = height_;
    // Bytes in the order that windows have them, of which there is no renderbuffer: else software OpenGL converts each
    // pixel that it copies.
    glBindTexture(GL_TEXTURE_2D, kept_.colour);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAX_LEVEL, 0);
    glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA, width_, height_, 0, GL_BGRA, GL_UNSIGNED_BYTE, nullptr);
    glBindTexture(GL_TEXTURE_2D, 0);
    glBindFramebuffer(GL_FRAMEBUFFER, kept_.framebuffer);
    glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, kept_.colour, 0);
    const bool whole = glCheckFramebufferStatus(GL_FRAMEBUFFER) == GL_FRAMEBUFFER_COMPLETE;
    glBindFramebuffer(GL_FRAMEBUFFER, framebuffer_);
    if (!whole) {
        kept_.width = kept_.height = 0;
    }
    return whole;
}

// A window has its first row of pixels at the top, another framebuffer at the bottom: what is kept is as the rows of
// the window are, so that software OpenGL has nothing to turn around.
void Renderer::copy_kept(unsigned from, unsigned to) const {
    const Pixels& p = kept_.seen;
    const bool turned = framebuffer_ == 0;
    const auto y = [&](unsigned framebuffer, int line) {
        return turned && framebuffer == kept_.framebuffer ? height_ - line : line;
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
    // One byte a pixel, where ImGui's backend would make and send four.
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
