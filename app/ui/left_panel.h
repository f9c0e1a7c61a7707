// The panel at the left: text and parameters (which scroll), source, output, the three stages.
#pragma once

#include "app/ui/lesson_panel.h"
#include "app/ui/output_panel.h"
#include "app/ui/parameters_panel.h"
#include "app/ui/source_panel.h"
#include "app/ui/stages_panel.h"

namespace headway::ui {

class LeftPanel {
public:
    LeftPanel(AppState& state, Ui& ui)
        : ui_(ui), lesson_(state, ui), parameters_(state, ui), source_(state, ui), output_(state, ui), stages_(state, ui) {}
    void draw(ImVec2 min, ImVec2 max);

private:
    Ui& ui_;
    LessonPanel lesson_;
    ParametersPanel parameters_;
    SourcePanel source_;
    OutputPanel output_;
    StagesPanel stages_;
};

}  // namespace headway::ui
