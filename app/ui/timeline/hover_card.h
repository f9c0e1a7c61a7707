// What lies under the pointer, in a few lines: an op and what it waited for, a wait and what caused it, a curve's
// value.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "app/model/analysis/retained_buffers.h"
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

// What has been looked up about an op beside what the run itself has at hand.
struct CardFindings {
    const std::vector<model::RetainedBuffer>* retained = nullptr;  // null: not known
    const model::Run* other = nullptr;                             // the run shown beside this one; null: none
    char other_letter = 0;
    core::OpId match = 0;         // in `other`; 0: it has no such op
    bool match_by_order = false;  // lines did not say which it is: it is the next of its name and shapes there
    const model::WaitDetails* wait = nullptr;  // about a wait; null: not known, or not yet
};

// No ImGui: what the card says.
Card describe(const model::Run& run, const figure::Hit& hit, const CardFindings& details = {});
Card describe(const model::Bookmark& mark, double ns_per_px);

// Where a card of this size stands: beside `at` and inside of `room`, right below it unless another side covers less
// of what it is to spare. `gap` px apart from `at`.
figure::Box place_of_card(figure::Point at, float width, float height, const figure::Box& room, float gap,
                          std::span<const figure::Box> spare);

// Beside `at`, inside of the box; see place_of_card().
void draw_card(Ui& ui, ImDrawList* list, const Card& card, ImVec2 at, ImVec2 min, ImVec2 max,
               std::span<const figure::Box> spare = {});

}  // namespace headway::ui
