#include "app/ui/state/view/look.h"

#include <algorithm>
#include <array>

namespace headway::ui {
namespace {

constexpr std::array kScales{0.7f, 0.8f, 0.9f, 1.0f, 1.1f, 1.25f, 1.5f, 1.75f, 2.0f, 2.5f};

}  // namespace

void Look::next_theme() {
    using figure::ThemeName;
    theme = theme == ThemeName::dark    ? ThemeName::light
            : theme == ThemeName::light ? ThemeName::projector
                                        : ThemeName::dark;
}

void Look::scale_up() {
    const auto next = std::find_if(kScales.begin(), kScales.end(), [this](float s) { return s > user_scale + 0.01f; });
    user_scale = next == kScales.end() ? kScales.back() : *next;
}

void Look::scale_down() {
    const auto next =
        std::find_if(kScales.rbegin(), kScales.rend(), [this](float s) { return s < user_scale - 0.01f; });
    user_scale = next == kScales.rend() ? kScales.front() : *next;
}

}  // namespace headway::ui
