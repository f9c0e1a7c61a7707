// The three stages as numbers, and their predicted total compared with the measured one.
#pragma once

#include <string>

#include "app/ui/state/app_state.h"
#include "app/ui/widgets/ui_context.h"

namespace headway::ui {

class StagesPanel {
public:
    StagesPanel(AppState& state, Ui& ui) : state_(state), ui_(ui) {}
    static constexpr float kHeight = 172, kCardsHeight = 98;
    // `with_total`: also predicted and measured total, which the explanation of an ended run shows in more detail.
    void draw(ImVec2 min, ImVec2 max, bool with_total);

private:
    AppState& state_;
    Ui& ui_;
};

// "1.6 % apart"; empty if there is nothing to compare.
std::string prediction_verdict(const model::Numbers& numbers);
// The same for a run that finished. For others, how far it got: "so far", "until it failed".
std::string prediction_verdict(const session::Execution& run);

// Predicted + named parts = measured, one per line, with the chapter's formula where it applies.
std::string prediction_parts_text(const model::Numbers& numbers);

// "Three stages, measured"; during a run "…, so far". `run` is the one drawn.
std::string stages_heading(const session::Execution* run);

}  // namespace headway::ui
