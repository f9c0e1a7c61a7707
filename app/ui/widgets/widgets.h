// The window's basic controls. Each records its place under its id.
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
// The text, cut with "…" if it is too long; after a whole word if there are several.
std::string elided(Ui& ui, Face face, float size_px, std::string_view text, float room_px);

// A small round sign: a ring; a ring with a dot; a disc with a tick; a disc with a cross.
enum class RoundSign { empty, chosen, done, wrong };
void draw_round(Ui& ui, ImDrawList* list, ImVec2 middle, RoundSign sign, figure::Rgba ink);

// A card's background: filled, bordered, rounded.
void draw_card(Ui& ui, ImDrawList* list, ImVec2 min, ImVec2 max, figure::Rgba fill, float radius = 6);
// The background colour of text boxes: closer to the window's background than the panel around them.
figure::Rgba sunken(const figure::Theme& theme);
// Like draw_card(), but for backgrounds at the bottom of the window, with nothing but a panel's background below:
// cheaper than in `list`, which only gets the border.
void draw_ground(Ui& ui, ImDrawList* list, ImVec2 min, ImVec2 max, figure::Rgba fill, float radius = 0);
void draw_ground_card(Ui& ui, ImDrawList* list, ImVec2 min, ImVec2 max, figure::Rgba fill, float radius = 6);

enum class ButtonKind { plain, primary, selected, quiet };
struct ButtonLook {
    ButtonKind kind = ButtonKind::plain;
    bool enabled = true;
    float width = 0;   // 0: as wide as the text needs; in pixels
    float height = 0;  // 0: the design's 30; in pixels
    float text_px = 14;
    figure::Rgba accent{0, 0, 0, 0};  // of a primary or selected button; a = 0: the theme's
    char icon = 0;                    // before the text: '>' run, '=' pause, '#' stop; after it: 'v' opens a menu
};
float button_width(Ui& ui, std::string_view label, const ButtonLook& look);
bool button(Ui& ui, const char* id, std::string_view label, ImVec2 at, const ButtonLook& look = {});
// A button of a row; `x` moves on to where the next one begins.
bool row_button(Ui& ui, float& x, float y, const char* id, std::string_view label, ButtonKind kind);

// A tooltip for the last item, after a short delay: below the item, or above it if there is no room below. With
// `spare_above` it is above, this many px further up, so that it does not cover related text.
void tooltip(Ui& ui, std::string_view text, float spare_above = 0);
// The same, with the keys of the command in brackets, if it has any.
void tooltip_of_command(Ui& ui, std::string_view text, std::string_view command);
// The same for drawn text that is not a control; `id` also names its place.
void tooltip_over(Ui& ui, const std::string& id, ImVec2 min, ImVec2 max, std::string_view text, float spare_above = 0);

// Shows the text near the area between `min` and `max`, at the mouse, at once.
void show_tooltip(Ui& ui, ImVec2 min, ImVec2 max, std::string_view text, float spare_above = 0);

// A row of buttons of which one is selected, each with its tooltip where `tips` has one. Returns the index clicked, or
// -1.
int segments(Ui& ui, const char* id, std::span<const std::string> labels, int selected, ImVec2 at, figure::Rgba accent,
             float text_px = 14, float height = 0, float padding = 14, std::span<const std::string> tips = {});
float segments_width(Ui& ui, std::span<const std::string> labels, float text_px = 14, float padding = 14);

// Lines of text, wrapped at `width`; returns the height. Draws nothing when `list` is null.
float draw_wrapped(Ui& ui, ImDrawList* list, ImVec2 at, float width, Face face, float size_px, float line_px,
                   figure::Rgba c, std::string_view text);

// Whether a popup is open that a click outside of it would close.
bool menu_open();
// Closes these popups; false: there is none.
bool close_popups();
// Key names ("Ctrl Shift P", "[  ]", "/,  N") as printed on this keyboard.
std::string keys_here(const Ui& ui, std::string_view keys);

// Records the visible place of the last ImGui item as a control that the keyboard can reach. Empty if it is scrolled
// out of view.
void register_item(Ui& ui, std::string_view id, bool enabled = true);
// The same for a place that is part of another item.
void register_rect(Ui& ui, std::string_view id, ImVec2 min, ImVec2 max, bool enabled = true);
// Call after register_item() or register_rect(): the control uses these arrow keys while it has the focus. Returns -1
// or 1 if one was pressed, five times that with Shift, else 0.
int arrow_steps(Ui& ui, std::string_view id, ArrowKeys keys);

}  // namespace headway::ui
