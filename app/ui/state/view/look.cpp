#include "app/ui/state/view/look.h"

#include <algorithm>
#include <array>

namespace headway::ui {
namespace {

constexpr std::array kScales{0.7f, 0.8f, 0.9f, 1.0f, 1.1f, 1.25f, 1.5f, 1.75f, 2.0f, 2.5f};

struct ModeName {
    const char *name, *word;
};
constexpr std::array<ModeName, kModes> kNames{{{"Learn", "learn"}, {"Step", "step"}, {"Compare", "compare"}}};

}  // namespace

const char* name_of(Mode mode) {
    return kNames[static_cast<std::size_t>(mode)].name;
}

const char* word_of(Mode mode) {
    return kNames[static_cast<std::size_t>(mode)].word;
}

Mode mode_called(std::string_view word, Mode otherwise) {
    const auto* const found =
        std::find_if(kNames.begin(), kNames.end(), [word](const ModeName& name) { return name.word == word; });
    return found == kNames.end() ? otherwise : static_cast<Mode>(found - kNames.begin());
}

PaneShares default_shares(Mode mode) {
    switch (mode) {
        case Mode::learn:
            return {0.26f, 0.42f, 0.68f};
        case Mode::step:
            return {0.26f, 0.58f, 0.68f};
        case Mode::compare:
            return {0.26f, 0.30f, 0.55f};
    }
    return {};
}

void Look::next_theme() {
    using figure::ThemeName;
    theme = theme == ThemeName::dark    ? ThemeName::light
            : theme == ThemeName::light ? ThemeName::projector
                                        : ThemeName::dark;
}

void Look::scale_up() {
    const auto next = std::find_if(kScales.begin(), kScales.end(), [this](float s) { return s > user_scale + 0.01f; });
    user_scale = next == kScales.end() ? user_scale : *next;  // it may be larger than all of them
}

void Look::scale_down() {
    const auto next =
        std::find_if(kScales.rbegin(), kScales.rend(), [this](float s) { return s < user_scale - 0.01f; });
    user_scale = next == kScales.rend() ? user_scale : *next;
}

}  // namespace headway::ui
