// A and B as rows of numbers, with the verdict in words.
#pragma once

#include "app/ui/app_state.h"
#include "app/ui/ui_context.h"

namespace headway::ui {

class ComparisonPanel {
public:
    ComparisonPanel(AppState& state, Ui& ui) : state_(state), ui_(ui) {}
    [[nodiscard]] float height() const;  // 0 when there is nothing to show
    void draw(ImVec2 min, ImVec2 max);

private:
    [[nodiscard]] int rows() const;
    AppState& state_;
    Ui& ui_;
};

}  // namespace headway::ui
