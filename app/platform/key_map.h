// Without a window there is no backend that sets up the key map of ImGui 1.86. Uses GLFW's key codes, so that code
// checks keys in the same way with and without a window.
//
// Threads: the UI's.
#pragma once

namespace headway::platform {

void map_keys();  // needs a current ImGui context

}  // namespace headway::platform
