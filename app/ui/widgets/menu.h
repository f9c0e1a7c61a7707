// Popup menus: a list of rows, of which one can be clicked.
#pragma once

#include <string>
#include <string_view>

#include "app/ui/widgets/ui_context.h"

namespace headway::ui {

// Begins the popup opened by ImGui::OpenPopup(id), with its corner at `at` or as far to the left as rows of `row_width`
// need to stay in the window; true: it is open, and end_menu() must follow.
bool begin_menu(Ui& ui, const char* id, ImVec2 at, float row_width);
void end_menu();

// A row of a menu: a title, and below it a detail in a dimmer colour. `dot`: a disc of this colour before the title.
// True when it is clicked, which also closes the menu.
bool menu_row(Ui& ui, const std::string& id, std::string_view title, std::string_view detail, bool enabled, float width,
              const figure::Rgba* dot = nullptr);

}  // namespace headway::ui
