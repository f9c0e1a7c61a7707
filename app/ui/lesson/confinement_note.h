// What the learner's program may do to the machine here, said in a quiet place; a click tells more and can allow more.
#pragma once

#include <string>

#include "app/ui/state/app_state.h"
#include "app/ui/widgets/ui_context.h"

namespace headway::ui {

// Right-aligned, its baseline at `baseline`, in at most `room` pixels.
void draw_confinement_note(AppState& state, Ui& ui, float right, float baseline, float room);

// A few words: "writes in its folder only", "may write anywhere", "not confined".
std::string confinement_words(bool confined, int landlock_version);
// All of it, in sentences. `folder`: where the program works; `writable`: whether it may write there.
std::string confinement_sentences(bool confined, int landlock_version, const std::string& folder, bool writable);

}  // namespace headway::ui
