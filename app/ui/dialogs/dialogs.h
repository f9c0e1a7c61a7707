// Modal dialogs: opening a file, and unsaved edits when the window closes.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "app/ui/state/app_state.h"
#include "app/ui/widgets/ui_context.h"

namespace headway::ui {

// Begins a card in the middle of the window, with everything behind it dimmed. False: it is not open. Otherwise the
// caller calls EndPopup().
bool begin_dialog(Ui& ui, const char* id, ImVec2 size);

class OpenDialog {
public:
    OpenDialog(AppState& state, Ui& ui) : state_(state), ui_(ui) {}
    void open() { wanted_ = true; }
    void draw();

private:
    void choose(const std::string& path);

    AppState& state_;
    Ui& ui_;
    std::string path_, listed_, problem_;
    std::vector<std::string> choices_;
    bool wanted_ = false, opened_ = false;
};

// Asks about unsaved edits before the window closes.
class CloseDialog {
public:
    CloseDialog(AppState& state, Ui& ui) : state_(state), ui_(ui) {}
    void open();
    // Once a frame. Also asks again when the window could close and there are edits that the learner has not decided
    // on: made while a file was written.
    void draw();
    // The learner wants to close the window, and no edits would be lost but those that were given up.
    [[nodiscard]] bool may_close() const;

private:
    // What is unsaved, as it is now.
    using Edits = std::vector<std::pair<const editor::Document*, std::uint64_t>>;
    [[nodiscard]] Edits edits() const;

    AppState& state_;
    Ui& ui_;
    bool open_ = false, wanted_ = false;
    Edits given_up_;
};

// Completions of the beginning of a path: folders (ending in a slash), then files that can be opened; at most 200. "~"
// is the home folder.
std::vector<std::string> path_choices(const std::string& begin);
std::string without_tilde(const std::string& path);

}  // namespace headway::ui
