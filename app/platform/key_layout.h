// Keys by what is printed on them. GLFW counts keys by where they are on an American keyboard; on another one, "Z" may
// lie where that has "Y". Letters, digits and signs that the keyboard has act as what they are; the others act from
// their American place, under the name that they have there.
//
// Threads: any; no GLFW is called but through the function given.
#pragma once

#include <functional>
#include <string>

namespace headway::platform {

// What is printed on GLFW's key, "" where nothing is known: glfwGetKeyName.
using KeyName = std::function<std::string(int)>;

// The key that this one acts as.
int acting_key(int key, const KeyName& name);
// What is printed on the key that acts as this sign ('W', '[', '/') on an American keyboard, in capitals.
std::string label_of(char sign, const KeyName& name);

}  // namespace headway::platform
