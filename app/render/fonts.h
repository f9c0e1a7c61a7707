// The fonts of figures: found by fontconfig, measured and drawn by cairo. A character missing from the role's own font
// is taken from the first fallback font that has it (Noto Sans CJK, DejaVu Sans).
//
// Threads: one per FontSet.
#pragma once

#include <array>
#include <memory>
#include <string_view>
#include <vector>

#include "app/render/display_list.h"

typedef struct _cairo_font_face cairo_font_face_t;

namespace headway::figure {

class FontSet : public TextMeasure {
public:
    FontSet();
    ~FontSet() override;
    FontSet(const FontSet&) = delete;
    FontSet& operator=(const FontSet&) = delete;

    [[nodiscard]] float width(FontRole role, float size_px, std::string_view text) const override;

    // A run of characters drawn with one font face.
    struct Run {
        cairo_font_face_t* face = nullptr;
        std::string_view text;
        float width_em = 0;
    };
    [[nodiscard]] std::vector<Run> runs(FontRole role, std::string_view text) const;

private:
    struct Face;
    [[nodiscard]] const Face& face_for(FontRole role, char32_t code) const;

    std::vector<std::unique_ptr<Face>> faces_;
    std::array<std::vector<const Face*>, kFontRoles> by_role_;  // first choice first
};

}  // namespace headway::figure
