// The lesson's text. Its links point at what they speak of: under the pointer they highlight it in the timeline, and a
// click zooms to it.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/questions/look.h"
#include "app/ui/state/app_state.h"
#include "app/ui/widgets/markdown.h"
#include "app/ui/widgets/paragraph.h"
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
    void parse_links(const std::vector<MarkdownBlock>& blocks);
    // A line's links as controls.
    void draw_links(const std::vector<LinkBox>& boxes);
    // What the link points at in the last run, if that has ended; else why there is nothing.
    core::Result<std::vector<model::Place>> places_of(int link);
    void follow(int link);
    void draw_blocks(const std::vector<MarkdownBlock>& blocks, float width);
    float draw_block(const MarkdownBlock& block, ImVec2 at, float width);

    AppState& state_;
    Ui& ui_;
    int parsed_ = -2;
    std::uint64_t parsed_revision_ = 0;
    std::vector<MarkdownBlock> blocks_, try_blocks_;
    std::vector<std::optional<questions::Look>> links_;  // in the order of the text; empty: it could not be read
    int drawn_links_ = 0;                                // in this frame
    // The facts of the last run that a link was about.
    std::shared_ptr<const model::Run> facts_run_;
    std::shared_ptr<const expression::Record> facts_;
    // What the link last asked about points at in that run.
    struct Found {
        int link = 0;
        core::Result<std::vector<model::Place>> places;
    };
    std::optional<Found> found_;
};

}  // namespace headway::ui
