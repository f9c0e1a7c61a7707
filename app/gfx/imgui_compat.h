// Hides the differences between the versions of Dear ImGui that distributions ship (1.86, 1.90, 1.92).
#pragma once

#include <imgui.h>

#include <cstdint>

#if IMGUI_VERSION_NUM < 18700
#define GLFW_INCLUDE_NONE
#include <GLFW/glfw3.h>
#endif

namespace headway::gfx {

enum class Key : std::uint8_t {
    space,
    tab,
    enter,
    escape,
    backspace,
    del,
    left,
    right,
    up,
    down,
    page_up,
    page_down,
    home,
    end,
    a,
    b,
    c,
    d,
    e,
    f,
    g,
    l,
    m,
    n,
    p,
    s,
    t,
    w,
    y,
    z,
    o,
    v,
    x,
    zero,
    minus,
    equal,
    slash,
    period,
    comma,
    bracket_left,
    bracket_right,
    f5,
    f10,
    f11,
    f12,
    f3,
    f9,
    h,
    i,
    j,
    k,
    r,
    u,
    f2,
    keypad_enter,
    keypad_add,
    keypad_subtract,
    left_ctrl,
    left_shift,
    left_alt,
};

namespace detail {
#if IMGUI_VERSION_NUM < 18700
// Native key codes, which 1.86 accepts for keys that it has no name for.
constexpr int native(Key key) {
    constexpr int codes[] = {
        GLFW_KEY_SPACE,
        GLFW_KEY_TAB,
        GLFW_KEY_ENTER,
        GLFW_KEY_ESCAPE,
        GLFW_KEY_BACKSPACE,
        GLFW_KEY_DELETE,
        GLFW_KEY_LEFT,
        GLFW_KEY_RIGHT,
        GLFW_KEY_UP,
        GLFW_KEY_DOWN,
        GLFW_KEY_PAGE_UP,
        GLFW_KEY_PAGE_DOWN,
        GLFW_KEY_HOME,
        GLFW_KEY_END,
        GLFW_KEY_A,
        GLFW_KEY_B,
        GLFW_KEY_C,
        GLFW_KEY_D,
        GLFW_KEY_E,
        GLFW_KEY_F,
        GLFW_KEY_G,
        GLFW_KEY_L,
        GLFW_KEY_M,
        GLFW_KEY_N,
        GLFW_KEY_P,
        GLFW_KEY_S,
        GLFW_KEY_T,
        GLFW_KEY_W,
        GLFW_KEY_Y,
        GLFW_KEY_Z,
        GLFW_KEY_O,
        GLFW_KEY_V,
        GLFW_KEY_X,
        GLFW_KEY_0,
        GLFW_KEY_MINUS,
        GLFW_KEY_EQUAL,
        GLFW_KEY_SLASH,
        GLFW_KEY_PERIOD,
        GLFW_KEY_COMMA,
        GLFW_KEY_LEFT_BRACKET,
        GLFW_KEY_RIGHT_BRACKET,
        GLFW_KEY_F5,
        GLFW_KEY_F10,
        GLFW_KEY_F11,
        GLFW_KEY_F12,
        GLFW_KEY_F3,
        GLFW_KEY_F9,
        GLFW_KEY_H,
        GLFW_KEY_I,
        GLFW_KEY_J,
        GLFW_KEY_K,
        GLFW_KEY_R,
        GLFW_KEY_U,
        GLFW_KEY_F2,
        GLFW_KEY_KP_ENTER,
        GLFW_KEY_KP_ADD,
        GLFW_KEY_KP_SUBTRACT,
        GLFW_KEY_LEFT_CONTROL,
        GLFW_KEY_LEFT_SHIFT,
        GLFW_KEY_LEFT_ALT,
    };
    static_assert(sizeof codes / sizeof codes[0] == static_cast<std::size_t>(Key::left_alt) + 1);
    return codes[static_cast<std::size_t>(key)];
}
#else
constexpr ImGuiKey native(Key key) {
    constexpr ImGuiKey codes[] = {
        ImGuiKey_Space,
        ImGuiKey_Tab,
        ImGuiKey_Enter,
        ImGuiKey_Escape,
        ImGuiKey_Backspace,
        ImGuiKey_Delete,
        ImGuiKey_LeftArrow,
        ImGuiKey_RightArrow,
        ImGuiKey_UpArrow,
        ImGuiKey_DownArrow,
        ImGuiKey_PageUp,
        ImGuiKey_PageDown,
        ImGuiKey_Home,
        ImGuiKey_End,
        ImGuiKey_A,
        ImGuiKey_B,
        ImGuiKey_C,
        ImGuiKey_D,
        ImGuiKey_E,
        ImGuiKey_F,
        ImGuiKey_G,
        ImGuiKey_L,
        ImGuiKey_M,
        ImGuiKey_N,
        ImGuiKey_P,
        ImGuiKey_S,
        ImGuiKey_T,
        ImGuiKey_W,
        ImGuiKey_Y,
        ImGuiKey_Z,
        ImGuiKey_O,
        ImGuiKey_V,
        ImGuiKey_X,
        ImGuiKey_0,
        ImGuiKey_Minus,
        ImGuiKey_Equal,
        ImGuiKey_Slash,
        ImGuiKey_Period,
        ImGuiKey_Comma,
        ImGuiKey_LeftBracket,
        ImGuiKey_RightBracket,
        ImGuiKey_F5,
        ImGuiKey_F10,
        ImGuiKey_F11,
        ImGuiKey_F12,
        ImGuiKey_F3,
        ImGuiKey_F9,
        ImGuiKey_H,
        ImGuiKey_I,
        ImGuiKey_J,
        ImGuiKey_K,
        ImGuiKey_R,
        ImGuiKey_U,
        ImGuiKey_F2,
        ImGuiKey_KeypadEnter,
        ImGuiKey_KeypadAdd,
        ImGuiKey_KeypadSubtract,
        ImGuiKey_LeftCtrl,
        ImGuiKey_LeftShift,
        ImGuiKey_LeftAlt,
    };
    static_assert(sizeof codes / sizeof codes[0] == static_cast<std::size_t>(Key::left_alt) + 1);
    return codes[static_cast<std::size_t>(key)];
}
#endif
}  // namespace detail

inline bool key_pressed(Key key, bool repeat = false) {
    return ImGui::IsKeyPressed(detail::native(key), repeat);
}
inline bool key_down(Key key) {
    return ImGui::IsKeyDown(detail::native(key));
}

// Sets the font, at the size it was baked at, until PopFont().
inline void push_font(ImFont* font) {
#if IMGUI_VERSION_NUM >= 19200
    ImGui::PushFont(font, font->LegacySize);
#else
    ImGui::PushFont(font);
#endif
}
inline float size_of(const ImFont* font) {
#if IMGUI_VERSION_NUM >= 19200
    return font->LegacySize;
#else
    return font->FontSize;
#endif
}
// The distance from the top of a line to its baseline.
inline float ascent_of(ImFont* font) {
#if IMGUI_VERSION_NUM >= 19200
    return font->GetFontBaked(font->LegacySize)->Ascent;
#else
    return font->Ascent;
#endif
}

// For a draw list without a window: sets the texture for text and plain shapes until it is popped.
inline void push_font_texture(ImDrawList& list) {
#if IMGUI_VERSION_NUM >= 19200
    list.PushTexture(ImGui::GetIO().Fonts->TexRef);
#else
    list.PushTextureID(ImGui::GetIO().Fonts->TexID);
#endif
}
inline void pop_font_texture(ImDrawList& list) {
#if IMGUI_VERSION_NUM >= 19200
    list.PopTexture();
#else
    list.PopTextureID();
#endif
}
// Makes this one list the only thing to draw.
inline void set_only_list(ImDrawData& data, ImDrawList** list) {
    data.CmdListsCount = 1;
#if IMGUI_VERSION_NUM >= 18980
    data.CmdLists.resize(1);
    data.CmdLists[0] = *list;
#else
    data.CmdLists = list;
#endif
}

// Injects input as the platform would; for tests. Takes effect in the next frame.
namespace inject {

inline void mouse_position(float x, float y) {
    ImGuiIO& io = ImGui::GetIO();
#if IMGUI_VERSION_NUM >= 18700
    io.AddMousePosEvent(x, y);
#else
    io.MousePos = ImVec2(x, y);
#endif
}
inline void mouse_button(int button, bool down) {
    ImGuiIO& io = ImGui::GetIO();
#if IMGUI_VERSION_NUM >= 18700
    io.AddMouseButtonEvent(button, down);
#else
    io.MouseDown[button] = down;
#endif
}
inline void mouse_wheel(float notches) {
    ImGuiIO& io = ImGui::GetIO();
#if IMGUI_VERSION_NUM >= 18700
    io.AddMouseWheelEvent(0, notches);
#else
    io.MouseWheel += notches;
#endif
}
inline void key(Key which, bool down) {
    ImGuiIO& io = ImGui::GetIO();
#if IMGUI_VERSION_NUM >= 18700
    io.AddKeyEvent(detail::native(which), down);
    if (which == Key::left_ctrl)
        io.AddKeyEvent(ImGuiMod_Ctrl, down);
    if (which == Key::left_shift)
        io.AddKeyEvent(ImGuiMod_Shift, down);
    if (which == Key::left_alt)
        io.AddKeyEvent(ImGuiMod_Alt, down);
#else
    io.KeysDown[detail::native(which)] = down;
    if (which == Key::left_ctrl)
        io.KeyCtrl = down;
    if (which == Key::left_shift)
        io.KeyShift = down;
    if (which == Key::left_alt)
        io.KeyAlt = down;
#endif
}
inline void text(const char* utf8) {
    ImGui::GetIO().AddInputCharactersUTF8(utf8);
}

}  // namespace inject

}  // namespace headway::gfx
