// A short note of what the learner's program may do to this machine. A click shows the details and lets the learner
// change it.
#pragma once

#include <string>

#include "app/confinement/confinement.h"
#include "app/ui/state/app_state.h"
#include "app/ui/widgets/ui_context.h"

namespace headway::ui {

// Draws right-aligned at `right`, with the text's baseline at `baseline`, at most `room` pixels wide. Returns the
// width.
float draw_confinement_note(AppState& state, Ui& ui, float right, float baseline, float room);

// In full sentences. `folder`: where the program runs; `writable`: whether it may write there.
std::string confinement_sentences(const session::Settings& settings, const confinement::Support& kernel,
                                  const std::string& folder, bool writable);

}  // namespace headway::ui
