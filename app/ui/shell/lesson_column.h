// The lesson at the left: its steps, and below them what scrolls: text, predictions, check, parameters, what happened.
#pragma once

#include <string>

#include "app/ui/lesson/check_panel.h"
#include "app/ui/lesson/explain_panel.h"
#include "app/ui/lesson/lesson_panel.h"
#include "app/ui/lesson/parameters_panel.h"
#include "app/ui/lesson/predict/predict_panel.h"

namespace headway::ui {

class LessonColumn {
public:
    LessonColumn(AppState& state, Ui& ui)
        : state_(state),
          ui_(ui),
          lesson_(state, ui),
          predict_(state, ui),
          check_(state, ui),
          parameters_(state, ui),
          explain_(state, ui) {}
    void draw(ImVec2 min, ImVec2 max);
    // Once a frame, also where the column is not drawn: follows the run shown.
    void update() { explain_.update(); }
    [[nodiscard]] ExplainPanel& explain() { return explain_; }
    [[nodiscard]] const ParametersPanel& parameters() const { return parameters_; }
    void show_engine() { parameters_.show_engine(); }

private:
    void draw_text(ImVec2 min, ImVec2 max);
    // The steps of the lesson above the text: which are done, and a click shows one. Returns the height.
    float draw_steps(ImVec2 at, float width);
    void draw_formula_button(float width);
    [[nodiscard]] bool changed_something() const;

    AppState& state_;
    Ui& ui_;
    LessonPanel lesson_;
    PredictPanel predict_;
    CheckPanel check_;
    ParametersPanel parameters_;
    ExplainPanel explain_;
    enum class Part { text, predict, check, parameters, explain, tries };
    Part scroll_to_ = Part::text;  // in the next frame, if scroll_
    bool scroll_ = false;
    bool checking_ = false;     // in the last frame
    std::string tried_lesson_;  // id of the lesson whose *Try* was done last
    int shown_lesson_ = kNoLessonYet;
    int edited_lesson_ = kNoLessonYet;  // whose parameters were clicked: they are not scrolled away
};

}  // namespace headway::ui
