// The lesson's questions: the learner predicts, and after the run each question says what was right and why.
#pragma once

#include <cstddef>
#include <string>

#include "app/ui/lesson/predict/drawn_question.h"
#include "app/ui/lesson/predict/order_question.h"
#include "app/ui/state/app_state.h"
#include "app/ui/widgets/ui_context.h"

namespace headway::ui {

class PredictPanel {
public:
    PredictPanel(AppState& state, Ui& ui) : state_(state), ui_(ui), order_(state, ui), drawn_(state, ui) {}
    // Draws from ImGui's cursor down, and moves the cursor below. Nothing for a lesson without questions.
    void draw(float width);

private:
    float draw_question(std::size_t index, ImVec2 at, float width);
    float draw_choice(std::size_t question, std::size_t choice, ImVec2 at, float width);
    float draw_number(std::size_t question, ImVec2 at, float width);
    float draw_answer(std::size_t question, ImVec2 at, float width);

    AppState& state_;
    Ui& ui_;
    OrderQuestion order_;
    DrawnQuestion drawn_;
};

}  // namespace headway::ui
