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
    // Each draws from ImGui's cursor down, and moves the cursor below the text: the lesson; what to try and to make
    // after the run, which may be nothing.
    void draw(float width);
    void draw_try(float width);

private:
    void parse();
    void draw_blocks(const std::vector<MarkdownBlock>& blocks, float width);
    float draw_block(const MarkdownBlock& block, ImVec2 at, float width);

    AppState& state_;
    Ui& ui_;
    int parsed_ = -2;
    std::uint64_t parsed_revision_ = 0;
    std::vector<MarkdownBlock> blocks_, try_blocks_;
};

}  // namespace headway::ui
