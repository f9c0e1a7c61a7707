#include "app/gfx/renderer.h"

#include <epoxy/gl.h>
#include <imgui.h>
#include <imgui_impl_opengl3.h>

#include <cstdint>
#include <cstring>

namespace headway::gfx {

ImGuiContextOwner::ImGuiContextOwner() {
    IMGUI_CHECKVERSION();
    ImGui::CreateContext();
    ImGuiIO& io = ImGui::GetIO();
    io.IniFilename = nullptr;  // the layout is fixed
    io.LogFilename = nullptr;
    io.ConfigWindowsMoveFromTitleBarOnly = true;
    io.ConfigInputTextCursorBlink = true;
}

ImGuiContextOwner::~ImGuiContextOwner() {
    ImGui::DestroyContext();
}

Renderer::Renderer() {
    ImGui_ImplOpenGL3_Init("#version 330 core");
#if IMGUI_VERSION_NUM < 19200
    // With ImGui's own small font: the atlas to come gets a texture of ours.
    ImGui::GetIO().Fonts->AddFontDefault();
    ImGui_ImplOpenGL3_CreateDeviceObjects();
#endif
}

Renderer::~Renderer() {
    glDeleteTextures(1, &font_texture_);
    ImGui_ImplOpenGL3_Shutdown();
}

void Renderer::begin_frame() {
    ImGui_ImplOpenGL3_NewFrame();
}

void Renderer::draw(unsigned framebuffer, int width, int height, ClearColour clear) {
    glBindFramebuffer(GL_FRAMEBUFFER, framebuffer);
    glViewport(0, 0, width, height);
    glDisable(GL_SCISSOR_TEST);
    glClearColor(clear.r, clear.g, clear.b, 1);
    glClear(GL_COLOR_BUFFER_BIT);
    ImGui_ImplOpenGL3_RenderDrawData(ImGui::GetDrawData());
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
