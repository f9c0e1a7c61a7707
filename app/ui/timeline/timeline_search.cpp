// TimelinePanel: search results.
#include "app/ui/timeline/timeline_panel.h"

#include <vector>

#include "app/ui/widgets/draw_list_painter.h"
#include "app/ui/widgets/widgets.h"

namespace headway::ui {

// A tick on the ruler for each result, at most one per pixel.
void TimelinePanel::draw_found(ImDrawList* list, float scroll) const {
    if (!search_.is_open()) {
        return;
    }
    const float top = layout_.axis.y0 - scroll, width = std::max(2.0f, ui_.exact_px(2));
    float last = -1e9f;
    for (const auto& place : search_.places()) {
        const model::Run* run = run_at(place.run);
        if (run == nullptr) {
            continue;
        }
        const float x = layout_.map.x_px_from_ns(run->program_time().program_ns(place.found.ns));
        if (x < layout_.axis.x0 || x > layout_.axis.x1 || (x >= last && x - last < 1)) {
            continue;
        }
        last = x;
        list->AddRectFilled({x - width / 2, top}, {x + width / 2, top + ui_.px(7)}, colour(ui_.theme->wait));
    }
}

void TimelinePanel::draw_search(float right, float top) {
    if (!search_.is_open()) {
        return;
    }
    SearchBar::Runs runs;
    bool grows = false;
    for (const auto* execution : shown()) {
        runs.push_back(execution->shared_run());
        grows = grows || execution->grows();
    }
    search_.find_in(runs, key_.runs, grows);
    ImGui::SetCursorScreenPos({right - search_.width() - ui_.px(2), top});
    ImGui::BeginChild(
        "search", {search_.width() + ui_.px(4), ui_.px(44)}, false,
        ImGuiWindowFlags_NoScrollbar | ImGuiWindowFlags_NoScrollWithMouse | ImGuiWindowFlags_NoBackground);
    if (const int asked = search_.draw(right, top); asked != 0) {
        search_step(asked);
    }
    ImGui::EndChild();
}

void TimelinePanel::search_step(int direction) {
    const SearchBar::Place* place = search_.step(direction);
    const model::Run* run = place != nullptr ? run_at(place->run) : nullptr;
    if (run == nullptr) {
        return;
    }
    if (place->found.op > run->op_count()) {
        return;  // results of a run that is being searched again
    }
    if (place->found.op != 0) {
        select(place->run, place->found.op, false);
        bring_into_view();
    } else if (const auto i = static_cast<std::size_t>(place->found.wait); i < run->waits().size()) {
        state_.timeline.selection = {place->run, 0, place->found.wait};
        show_wait(*run, run->waits()[i]);
    }
}

}  // namespace headway::ui
