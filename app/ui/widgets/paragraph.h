// Text in several fonts and colours, wrapped into lines.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "app/ui/widgets/ui_context.h"

namespace headway::ui {

struct TextPiece {
    std::string_view text;
    Face face = Face::regular;
    float size_px = 15;
    figure::Rgba colour;
    bool whole = false;  // is not broken at its spaces: "3.10 ms"
    int link = -1;       // at least 0: underlined, and reported as a LinkBox with this number
};

// Where a piece with a link is; one for each line that it is on.
struct LinkBox {
    int link = 0;
    ImVec2 min, max;
};

// Returns the height. Pieces without a space between them, as in "(**so**)", stay together. Draws nothing when `list`
// is null. The baseline fits the largest size. Adds the boxes of links to `links`, if given.
float draw_paragraph(Ui& ui, ImDrawList* list, ImVec2 at, float width, float line_px, std::span<const TextPiece> pieces,
                     std::vector<LinkBox>* links = nullptr);

// Whether no line ends between these two words: a number and its unit, "3.1" and "ms,", or "Stream" and "0".
bool stay_together(std::string_view word, std::string_view next);

// Text with `code` between back-ticks, which is drawn in another font.
std::vector<TextPiece> text_with_code(std::string_view text, float size_px, figure::Rgba ink, figure::Rgba code);

}  // namespace headway::ui
