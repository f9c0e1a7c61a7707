// What stands under the timeline, behind tabs: the numbers of both runs, the dependency graph, the two threads.
#pragma once

#include "app/ui/comparison_panel.h"
#include "app/ui/graph_panel.h"

namespace headway::ui {

class DetailPanel {
public:
    DetailPanel(AppState& state, Ui& ui, TimelinePanel& timeline)
        : state_(state), ui_(ui), comparison_(state, ui), graph_(state, ui, timeline) {}

    // How tall it wants to be under a centre of this height; 0: there is nothing to show.
    [[nodiscard]] float height(float centre_height) const;
    void draw(ImVec2 min, ImVec2 max);
    [[nodiscard]] bool moving() const { return graph_.moving(); }
    [[nodiscard]] GraphPanel& graph() { return graph_; }

private:
    AppState& state_;
    Ui& ui_;
    ComparisonPanel comparison_;
    GraphPanel graph_;
};

}  // namespace headway::ui
