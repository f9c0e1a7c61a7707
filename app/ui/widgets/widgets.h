// The few kinds of controls that the window is made of. Each marks where it is under its id.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "app/ui/widgets/ui_context.h"

namespace headway::ui {

// Text with its baseline at `y`; returns its width. `room_px` > 0 cuts it with "…".
float draw_text(Ui& ui, ImDrawList* list, float x, float baseline_y, Face face, float size_px, figure::Rgba c,
                std::string_view text, float room_px = 0);
float draw_text_right(Ui& ui, ImDrawList* list, float right_x, float baseline_y, Face face, float size_px,
                      figure::Rgba c, std::string_view text);
float text_width(Ui& ui, Face face, float size_px, std::string_view text);
// As much of the text as fits, ended by "…" when it is cut; after a whole word where there are several.
std::string elided(Ui& ui, Face face, float size_px, std::string_view text, float room_px);
// As many of the text's parts, from its begin, as fit whole; empty when not even the first one does.
std::string fitting(Ui& ui, Face face, float size_px, std::string_view text, std::string_view separator, float room_px);

// A card's ground: filled, bordered, rounded.
void draw_card(Ui& ui, ImDrawList* list, ImVec2 min, ImVec2 max, figure::Rgba fill, float radius = 6);
// The colour of what text is written and read in: lower than the panel around it.
figure::Rgba sunken(const figure::Theme& theme);
// What lies at the bottom of the window, with nothing but the ground of a panel under it: cheaper than in `list`, which
// gets the border.
void draw_ground(Ui& ui, ImDrawList* list, ImVec2 min, ImVec2 max, figure::Rgba fill, float radius = 0);
void draw_ground_card(Ui& ui, ImDrawList* list, ImVec2 min, ImVec2 max, figure::Rgba fill, float radius = 6);

enum class ButtonKind { plain, primary, selected, quiet };
struct ButtonLook {
    ButtonKind kind = ButtonKind::plain;
    bool enabled = true;
    float width = 0;   // 0: as wide as the text needs; in pixels
    float height = 0;  // 0: the design's 30; in pixels
    float text_px = 14;
    figure::Rgba accent{0, 0, 0, 0};  // of a primary or selected one; a = 0: the theme's
    char icon = 0;                    // before the text: '>' run, '=' pause, '#' stop, 'v' a menu opens, after it
};
float button_width(Ui& ui, std::string_view label, const ButtonLook& look);
bool button(Ui& ui, const char* id, std::string_view label, ImVec2 at, const ButtonLook& look = {});

// A help text at the pointer while the last item is under it (and has been for a moment): under the item, or above it
// where the window ends; with `spare_above`, above and so many px further up, off what it is to be read with.
void tooltip(Ui& ui, std::string_view text, float spare_above = 0);
// The same for words that are drawn here and no control; `id` is also its mark.
void tooltip_over(Ui& ui, const std::string& id, ImVec2 min, ImVec2 max, std::string_view text, float spare_above = 0);

// A button that chooses one of several things, each beside the others. Returns the index clicked, or -1.
int segments(Ui& ui, const char* id, std::span<const std::string> labels, int selected, ImVec2 at, figure::Rgba accent,
             float text_px = 14, float height = 0, float padding = 14);
float segments_width(Ui& ui, std::span<const std::string> labels, float text_px = 14, float padding = 14);

// Lines of text, wrapped at `width`; returns the height. Draws nothing when `list` is null.
float draw_wrapped(Ui& ui, ImDrawList* list, ImVec2 at, float width, Face face, float size_px, float line_px,
                   figure::Rgba c, std::string_view text);

// Closes the popups that a click beside them would close; false: there is none.
bool close_popups();
// The names of keys ("Ctrl Shift P", "[  ]", "/,  N") as they are printed on this keyboard.
std::string keys_here(const Ui& ui, std::string_view keys);

// Notes where the last ImGui item was: a control, which the keyboard can reach.
void mark_item(Ui& ui, std::string_view id, bool enabled = true);

}  // namespace headway::ui
