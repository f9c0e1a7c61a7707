// Hides the differences between the versions of Dear ImGui that distributions ship (1.86, 1.90, 1.92).
//
// Threads: the UI's.
#pragma once

#include <imgui.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#if IMGUI_VERSION_NUM < 18700
#define GLFW_INCLUDE_NONE
#include <GLFW/glfw3.h>
#endif

namespace headway::gfx {

// All keys that Headway uses: its name here, in scripts, in GLFW and in Dear ImGui. Those that type text are space and
// `a` to `bracket_right` (Chord::types_text).
#define HEADWAY_KEYS(ROW)                                                \
    ROW(space, "space", SPACE, Space)                                    \
    ROW(tab, "tab", TAB, Tab)                                            \
    ROW(enter, "enter", ENTER, Enter)                                    \
    ROW(escape, "escape", ESCAPE, Escape)                                \
    ROW(backspace, "backspace", BACKSPACE, Backspace)                    \
    ROW(del, "delete", DELETE, Delete)                                   \
    ROW(left, "left", LEFT, LeftArrow)                                   \
    ROW(right, "right", RIGHT, RightArrow)                               \
    ROW(up, "up", UP, UpArrow)                                           \
    ROW(down, "down", DOWN, DownArrow)                                   \
    ROW(page_up, "page-up", PAGE_UP, PageUp)                             \
    ROW(page_down, "page-down", PAGE_DOWN, PageDown)                     \
    ROW(home, "home", HOME, Home)                                        \
    ROW(end, "end", END, End)                                            \
    ROW(a, "a", A, A)                                                    \
    ROW(b, "b", B, B)                                                    \
    ROW(c, "c", C, C)                                                    \
    ROW(d, "d", D, D)                                                    \
    ROW(e, "e", E, E)                                                    \
    ROW(f, "f", F, F)                                                    \
    ROW(g, "g", G, G)                                                    \
    ROW(h, "h", H, H)                                                    \
    ROW(i, "i", I, I)                                                    \
    ROW(j, "j", J, J)                                                    \
    ROW(k, "k", K, K)                                                    \
    ROW(l, "l", L, L)                                                    \
    ROW(m, "m", M, M)                                                    \
    ROW(n, "n", N, N)                                                    \
    ROW(o, "o", O, O)                                                    \
    ROW(p, "p", P, P)                                                    \
    ROW(r, "r", R, R)                                                    \
    ROW(s, "s", S, S)                                                    \
    ROW(t, "t", T, T)                                                    \
    ROW(u, "u", U, U)                                                    \
    ROW(v, "v", V, V)                                                    \
    ROW(w, "w", W, W)                                                    \
    ROW(x, "x", X, X)                                                    \
    ROW(y, "y", Y, Y)                                                    \
    ROW(z, "z", Z, Z)                                                    \
    ROW(zero, "0", 0, 0)                                                 \
    ROW(minus, "-", MINUS, Minus)                                        \
    ROW(equal, "=", EQUAL, Equal)                                        \
    ROW(slash, "/", SLASH, Slash)                                        \
    ROW(period, ".", PERIOD, Period)                                     \
    ROW(comma, ",", COMMA, Comma)                                        \
    ROW(bracket_left, "[", LEFT_BRACKET, LeftBracket)                    \
    ROW(bracket_right, "]", RIGHT_BRACKET, RightBracket)                 \
    ROW(f2, "f2", F2, F2)                                                \
    ROW(f3, "f3", F3, F3)                                                \
    ROW(f5, "f5", F5, F5)                                                \
    ROW(f9, "f9", F9, F9)                                                \
    ROW(f10, "f10", F10, F10)                                            \
    ROW(f11, "f11", F11, F11)                                            \
    ROW(f12, "f12", F12, F12)                                            \
    ROW(keypad_enter, "keypad-enter", KP_ENTER, KeypadEnter)             \
    ROW(keypad_add, "keypad-add", KP_ADD, KeypadAdd)                     \
    ROW(keypad_subtract, "keypad-subtract", KP_SUBTRACT, KeypadSubtract) \
    ROW(left_ctrl, "ctrl", LEFT_CONTROL, LeftCtrl)                       \
    ROW(left_shift, "shift", LEFT_SHIFT, LeftShift)                      \
    ROW(left_alt, "alt", LEFT_ALT, LeftAlt)

enum class Key : std::uint8_t {
#define HEADWAY_KEY(name, text, glfw, imgui) name,
    HEADWAY_KEYS(HEADWAY_KEY)
#undef HEADWAY_KEY
};

// The key with this name in scripts ("f5", "page-up", "["), if there is one.
inline std::optional<Key> key_named(std::string_view name) {
#define HEADWAY_KEY(key, text, glfw, imgui) \
    if (name == (text)) {                   \
        return Key::key;                    \
    }
    HEADWAY_KEYS(HEADWAY_KEY)
#undef HEADWAY_KEY
    return std::nullopt;
}

namespace detail {
#if IMGUI_VERSION_NUM < 18700
// 1.86 takes GLFW's key codes for keys that it has no name for.
constexpr int native(Key key) {
#define HEADWAY_KEY(name, text, glfw, imgui) GLFW_KEY_##glfw,
    constexpr int codes[] = {HEADWAY_KEYS(HEADWAY_KEY)};
#else
constexpr ImGuiKey native(Key key) {
#define HEADWAY_KEY(name, text, glfw, imgui) ImGuiKey_##imgui,
    constexpr ImGuiKey codes[] = {HEADWAY_KEYS(HEADWAY_KEY)};
#endif
#undef HEADWAY_KEY
    return codes[static_cast<std::size_t>(key)];
}
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
