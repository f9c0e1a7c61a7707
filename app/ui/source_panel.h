// The program's source: where it is, what each line cost, where it is to stop.
//
// A click in the gutter sets a breakpoint; a click on a line selects the ops that it issued (the next one each time).
#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "app/ui/app_state.h"
#include "app/ui/ui_context.h"

namespace headway::ui {

class SourcePanel {
public:
    SourcePanel(AppState& state, Ui& ui) : state_(state), ui_(ui) {}
    // Whether there is a source to show for the lesson that is chosen.
    [[nodiscard]] bool available();
    void draw(ImVec2 min, ImVec2 max);

private:
    struct Cost {
        double issue = 0, blocked = 0;  // shares of the line that cost most, 0 to 1
        model::LineCost of;
    };
    void load();
    void weigh();
    void draw_line(ImDrawList* list, std::uint32_t number, float y, float left, float right, float cell);
    void draw_code(ImDrawList* list, const std::string& text, float x, float y, float cell, float room);

    AppState& state_;
    Ui& ui_;
    std::string path_;  // of what is loaded
    std::vector<std::string> lines_;
    bool steps_ = false;  // Python: it can be stepped
    std::unordered_map<std::uint32_t, Cost> costs_;
    std::uint64_t weighed_ = 0, weighed_run_ = 0;
    // What is scrolled to by itself, once: the line of the op that is chosen, and after a run the first line that cost
    // something.
    void follow_selection(float row, float scroll, float height);
    std::uint32_t shown_line_ = 0, shown_selection_ = 0;
    std::uint64_t shown_costs_ = 0;
};

}  // namespace headway::ui
