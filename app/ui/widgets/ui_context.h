// Everything panels need to draw: fonts, colours, the scale, and the widgets' places, which tests look up.
//
// Lengths in panels are in design pixels (as in the design of the main window at 1920 by 1080); px() converts them to
// pixels.
#pragma once

#include <imgui.h>

#include <cmath>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "app/gfx/fonts.h"
#include "app/gfx/layer.h"
#include "app/render/theme.h"
#include "app/ui/widgets/widget_rect.h"

namespace headway::ui {

using gfx::Face;

inline ImU32 colour(figure::Rgba c) {
    return IM_COL32(c.r, c.g, c.b, c.a);
}
inline ImVec4 colour4(figure::Rgba c) {
    return {static_cast<float>(c.r) / 255, static_cast<float>(c.g) / 255, static_cast<float>(c.b) / 255,
            static_cast<float>(c.a) / 255};
}

// An arrow key that was pressed on a focused control that uses it.
struct ArrowKey {
    std::string control;  // its id; empty: none was pressed
    int step = 0;         // -1: left or up, 1: right or down
    bool shift = false;
};

struct Ui {
    gfx::Fonts& fonts;
    WidgetRects& rects;
    const figure::Theme* theme = nullptr;
    // The label of the key that has this character on an American keyboard; empty: the same character.
    std::function<std::string(char)> key_label{};
    // The commands, by their ids in app/ui/shell/app_commands.cpp: the keys on this keyboard ("F5"; "" if it has none),
    // and running it, if it can run now.
    std::function<std::string(std::string_view id)> keys_of{};
    std::function<void(std::string_view id)> run_command{};
    // Puts the keyboard's focus on the first of these controls that is there, so that it stands out.
    std::function<void(const std::vector<std::string>& ids)> point_at{};
    // Drawn below everything else in the window: large fills, for which ImGui's shader is slow without a GPU. Null
    // outside a frame.
    gfx::Layer* ground = nullptr;
    // What was pressed in the frame before.
    ArrowKey arrow{};
    // Collects the panels' visible texts, one per line: x, y and the text, separated by tabs. Null: not needed (scripts
    // set it).
    std::string* words = nullptr;

    [[nodiscard]] float px(float design_px) const { return std::round(design_px * fonts.scale()); }
    [[nodiscard]] float exact_px(float design_px) const { return design_px * fonts.scale(); }
    // Text colour on a filled button, in any theme.
    [[nodiscard]] figure::Rgba on_accent() const { return theme->dark ? figure::rgb(0x0D1117) : figure::rgb(0xFFFFFF); }
};

// Sets the font of ImGui's own widgets until the end of the scope.
class FontScope {
public:
    FontScope(Ui& ui, Face face, float size_px);
    ~FontScope();
    FontScope(const FontScope&) = delete;
    FontScope& operator=(const FontScope&) = delete;
};

// Sets colours, sizes and roundings of ImGui's own widgets, starting from the default style.
void apply_style(const figure::Theme& theme, float scale);

}  // namespace headway::ui
