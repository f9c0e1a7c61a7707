// The three stages as numbers, and the prediction that they make beside what was measured.
#pragma once

#include <string>

#include "app/ui/state/app_state.h"
#include "app/ui/widgets/ui_context.h"

namespace headway::ui {

class StagesPanel {
public:
    StagesPanel(AppState& state, Ui& ui) : state_(state), ui_(ui) {}
    static constexpr float kHeight = 172;
    void draw(ImVec2 min, ImVec2 max);

private:
    void draw_prediction_bar(const model::Numbers& numbers, ImVec2 at, float width);

    AppState& state_;
    Ui& ui_;
};

// "1.6 % apart"; empty where there is nothing to compare.
std::string prediction_verdict(const model::Numbers& numbers);
// The same of a run that came to its end; of others how far it got: "so far", "until it failed".
std::string prediction_verdict(const session::Execution& run);

// Predicted + named parts = measured, a line each, with the chapter's formula where it holds.
std::string prediction_parts_text(const model::Numbers& numbers);

// "Three stages, measured"; while the run goes on "…, so far", for the run that is drawn.
std::string stages_heading(const session::Execution* run);

}  // namespace headway::ui
