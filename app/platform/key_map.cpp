#include "app/platform/key_map.h"

#define GLFW_INCLUDE_NONE
#include <GLFW/glfw3.h>
#include <imgui.h>

namespace headway::platform {

void map_keys() {
#if IMGUI_VERSION_NUM < 18700
    auto& map = ImGui::GetIO().KeyMap;
    map[ImGuiKey_Tab] = GLFW_KEY_TAB;
    map[ImGuiKey_LeftArrow] = GLFW_KEY_LEFT;
    map[ImGuiKey_RightArrow] = GLFW_KEY_RIGHT;
    map[ImGuiKey_UpArrow] = GLFW_KEY_UP;
    map[ImGuiKey_DownArrow] = GLFW_KEY_DOWN;
    map[ImGuiKey_PageUp] = GLFW_KEY_PAGE_UP;
    map[ImGuiKey_PageDown] = GLFW_KEY_PAGE_DOWN;
    map[ImGuiKey_Home] = GLFW_KEY_HOME;
    map[ImGuiKey_End] = GLFW_KEY_END;
    map[ImGuiKey_Insert] = GLFW_KEY_INSERT;
    map[ImGuiKey_Delete] = GLFW_KEY_DELETE;
    map[ImGuiKey_Backspace] = GLFW_KEY_BACKSPACE;
    map[ImGuiKey_Space] = GLFW_KEY_SPACE;
    map[ImGuiKey_Enter] = GLFW_KEY_ENTER;
    map[ImGuiKey_Escape] = GLFW_KEY_ESCAPE;
    map[ImGuiKey_KeyPadEnter] = GLFW_KEY_KP_ENTER;
    map[ImGuiKey_A] = GLFW_KEY_A;
    map[ImGuiKey_C] = GLFW_KEY_C;
    map[ImGuiKey_V] = GLFW_KEY_V;
    map[ImGuiKey_X] = GLFW_KEY_X;
    map[ImGuiKey_Y] = GLFW_KEY_Y;
    map[ImGuiKey_Z] = GLFW_KEY_Z;
#endif
}

}  // namespace headway::platform
