// The card at the pointer: an op and what it waited for, a wait and its causes, or a curve's value.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "app/model/analysis/memory/retained_buffers.h"
#include "app/model/analysis/wait_details.h"
#include "app/timeline/timeline.h"
#include "app/ui/widgets/ui_context.h"

namespace headway::ui {

struct CardLine {
    enum class Tone { plain, issue, execute, wait, memory, dim, warning } tone = Tone::plain;
    std::string text;
};
struct Card {
    std::string title, detail;  // "matmul #1,042", "(1024×2048)·(2048×512)"
    std::vector<CardLine> lines;
    [[nodiscard]] bool empty() const { return title.empty() && lines.empty(); }
};

// Details of an op or a wait that take time to look up; everything else is read from the run.
struct CardDetails {
    const std::vector<model::RetainedBuffer>* retained = nullptr;  // null: not known
    const model::Run* other = nullptr;                             // the other run shown; null: none
    char other_letter = 0;
    core::OpId match = 0;                      // in `other`; 0: no matching op
    bool match_by_order = false;               // matched as the next op of the same name and shapes, not by source line
    const model::WaitDetails* wait = nullptr;  // null: not known, or not yet
};

// The card's text. No ImGui.
Card describe(const model::Run& run, const figure::Hit& hit, const CardDetails& details = {});
Card describe(const model::Bookmark& bookmark, double ns_per_px);

// Where to place a card of this size: next to `at` and inside `room`, at a distance of `gap` px. Right below `at`,
// unless another side covers less of the boxes in `spare`.
figure::Box place_of_card(figure::Point at, float width, float height, const figure::Box& room, float gap,
                          std::span<const figure::Box> spare);

// Draws the card next to `at`, inside the box from `min` to `max`; see place_of_card().
void draw_hover_card(Ui& ui, ImDrawList* list, const Card& card, ImVec2 at, ImVec2 min, ImVec2 max,
                     std::span<const figure::Box> spare = {});
// Only its text, from `at` down; `room` is its width.
void draw_hover_card_text(Ui& ui, ImDrawList* list, const Card& card, ImVec2 at, float room);

}  // namespace headway::ui
