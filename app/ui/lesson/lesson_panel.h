// The lesson's text.
#pragma once

#include <string>
#include <vector>

#include "app/ui/state/app_state.h"
#include "app/ui/widgets/markdown.h"
#include "app/ui/widgets/ui_context.h"

namespace headway::ui {

class LessonPanel {
public:
    LessonPanel(AppState& state, Ui& ui) : state_(state), ui_(ui) {}
    // Draws from ImGui's cursor down, and moves the cursor below the text.
    void draw(float width);

private:
    float draw_block(const MarkdownBlock& block, ImVec2 at, float width);

    AppState& state_;
    Ui& ui_;
    int parsed_ = -2;
    std::uint64_t parsed_revision_ = 0;
    std::vector<MarkdownBlock> blocks_;
};

}  // namespace headway::ui
