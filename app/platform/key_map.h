// Without a window nobody tells ImGui 1.86 which key is which: the same numbers as GLFW's are used then, so that one
// program asks for keys in one way.
#pragma once

namespace headway::platform {

void map_keys();  // needs a current ImGui context

}  // namespace headway::platform
