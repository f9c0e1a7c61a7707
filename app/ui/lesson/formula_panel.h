// The formula's view, over timeline and source: sliders for the stages, and their picture, which follows them at once.
#pragma once

#include "app/gfx/layer.h"
#include "app/model/description/numbers.h"
#include "app/ui/state/app_state.h"
#include "app/ui/widgets/text_measure.h"
#include "app/ui/widgets/ui_context.h"

namespace headway::ui {

class FormulaPanel {
public:
    FormulaPanel(AppState& state, Ui& ui) : state_(state), ui_(ui), measure_(ui.fonts) {}
    void draw(ImVec2 min, ImVec2 max);
    // Writes the picture to the folder for pictures, and says where.
    void save();
    // Takes over the run's medians, if the chapter's formula explains it.
    void take_run();

private:
    void draw_head(ImVec2 min, ImVec2 max);
    // A slider with its name and value; returns its height.
    float draw_value(figure::StageValue value, ImVec2 at, float width);
    [[nodiscard]] figure::FormulaOptions options() const;
    [[nodiscard]] const model::Numbers* run_numbers() const;  // null: no run that fits

    AppState& state_;
    Ui& ui_;
    TextMeasure measure_;
    gfx::Layer layer_;
};

}  // namespace headway::ui
