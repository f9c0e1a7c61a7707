// What every panel draws with: fonts, colours, the scale, and the marks that tests look for.
//
// Lengths in panels are written in design pixels (as in the picture of the main window at 1920 by 1080); px() turns
// them into pixels.
#pragma once

#include <imgui.h>

#include <cmath>
#include <functional>
#include <string>
#include <string_view>

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

struct Ui {
    gfx::Fonts& fonts;
    WidgetRects& rects;
    const figure::Theme* theme = nullptr;
    // What is printed on the key that has this sign on an American keyboard; empty: the same.
    std::function<std::string(char)> key_label{};
    // Under all else in the window: large fills, for which ImGui's shader is slow without a GPU. Null outside a frame.
    gfx::Layer* ground = nullptr;
    // Gets each text of the panels, a line each: x, y and the text, between tabs. Null: nobody asks (scripts do).
    std::string* words = nullptr;

    [[nodiscard]] float px(float design_px) const { return std::round(design_px * fonts.scale()); }
    [[nodiscard]] float exact_px(float design_px) const { return design_px * fonts.scale(); }
    // Text on a filled button, whatever the theme.
    [[nodiscard]] figure::Rgba on_accent() const { return theme->dark ? figure::rgb(0x0D1117) : figure::rgb(0xFFFFFF); }
};

// The font of what ImGui draws by itself, until the end of the block.
class FontScope {
public:
    FontScope(Ui& ui, Face face, float size_px);
    ~FontScope();
    FontScope(const FontScope&) = delete;
    FontScope& operator=(const FontScope&) = delete;
};

// Colours, sizes and roundings of ImGui's own widgets, from the pristine style.
void apply_style(const figure::Theme& theme, float scale);

}  // namespace headway::ui
