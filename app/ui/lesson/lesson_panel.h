// The lesson's text. Its links point at what they refer to: under the pointer they highlight it in the timeline, and a
// click zooms to it.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
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
    // Once a frame, before the text is drawn.
    void update();
    // Each draws a part of the text from ImGui's cursor down, and moves the cursor below it: what the program does;
    // what a run shows; what to try and to make. A part may be nothing.
    void draw_intro(float width) { draw(intro_, width); }
    void draw_claim(float width) { draw(claim_, width); }
    void draw_try(float width);
    // In place of the claim before the first run: a button that shows it. True when it was clicked.
    bool draw_claim_button(float width);
    [[nodiscard]] bool claim_shown() const { return claim_asked_for_; }
    // A name of a control in the text was clicked, and the control is one of the lesson's parameters, or the engine's.
    [[nodiscard]] bool take_parameters_request() { return std::exchange(parameters_wanted_, false); }

private:
    struct Part {
        std::vector<MarkdownBlock> blocks;
        int first_link = 0, first_control = 0;
    };

    void parse();
    Part parse_part(const std::string& markdown);
    [[nodiscard]] std::vector<std::string> controls_of(const MarkdownSpan& span) const;
    void draw(const Part& part, float width);
    // A line's links as controls.
    void draw_links(const std::vector<LinkBox>& boxes);
    // One on a link of any kind; true when it is clicked.
    bool draw_link(const LinkBox& box, const std::string& id, bool enabled, bool chosen, bool& hovered);
    // What the link points at in the last run, if that has ended; else why there is nothing.
    core::Result<std::vector<model::Place>> places_of(int link);
    void follow(int link);
    float draw_block(const MarkdownBlock& block, ImVec2 at, float width);

    AppState& state_;
    Ui& ui_;
    int parsed_ = kNoLessonYet;
    std::uint64_t parsed_revision_ = 0;
    Part intro_, claim_, try_;
    bool claim_asked_for_ = false;
    std::vector<std::optional<questions::LookTarget>> links_;  // in the order of the text; empty: it could not be read
    int next_link_ = 0;                                        // of the part that is drawn
    // The facts of the last run that a link was about.
    std::shared_ptr<const model::Run> facts_run_;
    std::shared_ptr<const expression::Record> facts_;
    // What the link last asked about points at in that run.
    struct Found {
        int link = 0;
        core::Result<std::vector<model::Place>> places;
    };
    std::optional<Found> found_;
    // Names of controls in the text; a link to controls_[i] has the number kFirstControl + i.
    static constexpr int kFirstControl = 1 << 16;
    std::vector<std::vector<std::string>> controls_;
    int next_control_ = 0;  // of the part that is drawn
    bool parameters_wanted_ = false;
};

}  // namespace headway::ui
