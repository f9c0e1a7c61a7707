#include "app/platform/key_layout.h"

#define GLFW_INCLUDE_NONE
#include <GLFW/glfw3.h>

#include <cctype>
#include <string_view>

namespace headway::platform {
namespace {

// GLFW's codes of printable keys are ASCII codes.
constexpr std::string_view kSigns = "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-=[]\\;'`,./";

// The key of this character on an American keyboard, -1 if there is none.
int key_for(const std::string& printed) {
    if (printed.size() != 1) {
        return -1;
    }
    const auto sign = static_cast<char>(std::toupper(static_cast<unsigned char>(printed[0])));
    return kSigns.find(sign) == std::string_view::npos ? -1 : static_cast<unsigned char>(sign);
}

}  // namespace

int acting_key(int key, const KeyName& name) {
    if (key <= 0 || key > 127 || kSigns.find(static_cast<char>(key)) == std::string_view::npos) {
        return key;  // not affected by the layout
    }
    const int meant = key_for(name(key));
    return meant < 0 ? key : meant;
}

std::string label_of(char sign, const KeyName& name) {
    const int wanted = std::toupper(static_cast<unsigned char>(sign));
    for (const char at : kSigns) {
        if (acting_key(at, name) == wanted && key_for(name(at)) == wanted) {
            return std::string(1, static_cast<char>(wanted));
        }
    }
    std::string printed = name(wanted);
    if (printed.empty() || acting_key(wanted, name) != wanted) {  // the keyboard has no key for it
        return std::string(1, static_cast<char>(wanted));
    }
    if (printed.size() == 1) {
        printed[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(printed[0])));
    }
    return printed;
}

}  // namespace headway::platform
