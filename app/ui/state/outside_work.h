// Work outside the window, in a process or a thread, whose end shows without any input.
//
// Threads: the UI's. No ImGui.
#pragma once

#include "app/ui/state/app_state.h"

namespace headway::ui {

// AppState::poll() has to be called until this is false: a window that waits for input would not notice the end.
[[nodiscard]] inline bool outside_work(const AppState& state) {
    return state.session.waiting() || state.checking.busy() || state.exports.pictures.job().busy() ||
           state.comparing.rounds() != nullptr;
}

}  // namespace headway::ui
