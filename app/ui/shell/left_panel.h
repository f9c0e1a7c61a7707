// The panel at the left: text, parameters and what happened (which scroll), source, output, the three stages.
#pragma once

#include "app/ui/lesson/check_panel.h"
#include "app/ui/lesson/explain_panel.h"
#include "app/ui/lesson/lesson_panel.h"
#include "app/ui/lesson/output_panel.h"
#include "app/ui/lesson/parameters_panel.h"
#include "app/ui/lesson/predict_panel.h"
#include "app/ui/lesson/stages_panel.h"
#include "app/ui/source/source_panel.h"

namespace headway::ui {

class LeftPanel {
public:
    LeftPanel(AppState& state, Ui& ui)
        : state_(state),
          ui_(ui),
          lesson_(state, ui),
          predict_(state, ui),
          check_(state, ui),
          parameters_(state, ui),
          explain_(state, ui),
          source_(state, ui),
          output_(state, ui),
          stages_(state, ui) {}
    void draw(ImVec2 min, ImVec2 max);
    // The preferred width in a window of this width.
    [[nodiscard]] float width(float window_px) const;
    [[nodiscard]] SourcePanel& source() { return source_; }
    [[nodiscard]] ExplainPanel& explain() { return explain_; }
    [[nodiscard]] const ParametersPanel& parameters() const { return parameters_; }

private:
    void draw_text(ImVec2 min, ImVec2 max);
    // The steps of the lesson above the text: which are done, and a click shows one. Returns the height.
    float draw_steps(ImVec2 at, float width);
    // The draggable divider between text and source; `room` is the height of both.
    void draw_divider(ImVec2 at, float width, float room);

    AppState& state_;
    Ui& ui_;
    LessonPanel lesson_;
    PredictPanel predict_;
    CheckPanel check_;
    ParametersPanel parameters_;
    ExplainPanel explain_;
    SourcePanel source_;
    OutputPanel output_;
    StagesPanel stages_;
    enum class Part { text, predict, check, explain };
    Part scroll_to_ = Part::text;  // in the next frame, if scroll_
    bool scroll_ = false;
    bool checking_ = false;  // in the last frame
    int shown_lesson_ = -2;
    int edited_lesson_ = -2;     // whose parameters were clicked: they are not scrolled away
    float source_share_ = 0.5f;  // of the height for text and source
};

}  // namespace headway::ui
