// Measures text as the window draws it, for layouts that are shared with figures.
#pragma once

#include "app/gfx/fonts.h"
#include "app/render/display_list.h"

namespace headway::ui {

gfx::Face face_of(figure::FontRole role);

class TextMeasure : public figure::TextMeasure {
public:
    explicit TextMeasure(gfx::Fonts& fonts) : fonts_(fonts) {}
    [[nodiscard]] float width(figure::FontRole role, float size_px, std::string_view text) const override;

private:
    gfx::Fonts& fonts_;
};

}  // namespace headway::ui
