// What the window asks before everything else: which file to open, and what becomes of edits when it closes.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "app/ui/state/app_state.h"
#include "app/ui/widgets/ui_context.h"

namespace headway::ui {

// A card in the middle of the window, everything behind it dimmed. False: it is not open. Else EndPopup() ends it.
bool begin_dialog(Ui& ui, const char* id, ImVec2 size);

class OpenDialog {
public:
    OpenDialog(AppState& state, Ui& ui) : state_(state), ui_(ui) {}
    void draw();

private:
    void choose(const std::string& path);

    AppState& state_;
    Ui& ui_;
    std::string path_, listed_, problem_;
    std::vector<std::string> choices_;
    bool opened_ = false;
};

// Asks while the state wants to close and something is not saved.
void draw_close_dialog(AppState& state, Ui& ui);

// What may be meant by the begin of a path: folders (with a slash behind) and files that can be opened, at most 200,
// folders first. "~" is the home folder.
std::vector<std::string> path_choices(const std::string& begin);
std::string without_tilde(const std::string& path);

}  // namespace headway::ui
