// What the window says about a run's predicted total.
//
// Threads: the UI's. No ImGui.
#pragma once

#include <string>

#include "app/model/description/numbers.h"
#include "app/session/session.h"

namespace headway::ui {

// "1.6 % apart"; empty if there is nothing to compare.
std::string prediction_verdict(const model::Numbers& numbers);
// The same for a run that finished. For others, how far it got: "so far", "until it failed".
std::string prediction_verdict(const session::Execution& run);

// Predicted + named parts = measured, one per line, with the chapter's formula where it applies.
std::string prediction_parts_text(const model::Numbers& numbers);

}  // namespace headway::ui
