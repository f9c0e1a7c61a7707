// The panel at the left: text and parameters (which scroll), source, output, the three stages.
#pragma once

#include "app/ui/lesson/lesson_panel.h"
#include "app/ui/lesson/output_panel.h"
#include "app/ui/lesson/parameters_panel.h"
#include "app/ui/lesson/stages_panel.h"
#include "app/ui/source/source_panel.h"

namespace headway::ui {

class LeftPanel {
public:
    LeftPanel(AppState& state, Ui& ui)
        : state_(state),
          ui_(ui),
          lesson_(state, ui),
          parameters_(state, ui),
          source_(state, ui),
          output_(state, ui),
          stages_(state, ui) {}
    void draw(ImVec2 min, ImVec2 max);
    // The preferred width in a window of this width.
    [[nodiscard]] float width(float window_px) const;
    [[nodiscard]] SourcePanel& source() { return source_; }
    [[nodiscard]] const ParametersPanel& parameters() const { return parameters_; }

private:
    void draw_text(ImVec2 min, ImVec2 max);
    // The draggable divider between text and source; `room` is the height of both.
    void draw_divider(ImVec2 at, float width, float room);

    AppState& state_;
    Ui& ui_;
    LessonPanel lesson_;
    ParametersPanel parameters_;
    SourcePanel source_;
    OutputPanel output_;
    StagesPanel stages_;
    float source_share_ = 0.5f;  // of the height for text and source
};

}  // namespace headway::ui
