// Maps keys by their label. GLFW identifies keys by their position on an American keyboard; on another keyboard,
// "Z" may be in the position of "Y". Letters, digits and signs that exist on the keyboard act according to their
// label; other keys according to their American position.
//
// Threads: any; calls no GLFW functions other than the one given.
#pragma once

#include <functional>
#include <string>

namespace headway::platform {

// The label of GLFW's key, "" if unknown: glfwGetKeyName.
using KeyName = std::function<std::string(int)>;

// The key whose function this key has.
int acting_key(int key, const KeyName& name);
// The label, in capitals, of the key that has the function of this sign ('W', '[', '/') on an American keyboard.
std::string label_of(char sign, const KeyName& name);

}  // namespace headway::platform
