// The panel under the timeline, with tabs: the numbers of both runs, the dependency graph, the two threads, and lists.
#pragma once

#include "app/ui/details/alive_panel.h"
#include "app/ui/details/bookmark_panel.h"
#include "app/ui/details/comparison_panel.h"
#include "app/ui/details/graph_panel.h"
#include "app/ui/details/measure_panel.h"

namespace headway::ui {

class DetailPanel {
public:
    DetailPanel(AppState& state, Ui& ui, TimelinePanel& timeline)
        : state_(state),
          ui_(ui),
          timeline_(timeline),
          comparison_(state, ui),
          graph_(state, ui, timeline),
          measure_(ui, timeline),
          bookmarks_(state, ui, timeline),
          alive_(ui, timeline) {}

    // The preferred height in a window centre of this size; 0: nothing to show.
    [[nodiscard]] float height(float centre_width, float centre_height);
    void draw(ImVec2 min, ImVec2 max);
    [[nodiscard]] bool moving() const { return graph_.moving() || alive_.moving() || comparison_.moving(); }
    [[nodiscard]] GraphPanel& graph() { return graph_; }
    [[nodiscard]] const AlivePanel& alive() const { return alive_; }
    [[nodiscard]] const MeasurePanel& measure() const { return measure_; }

private:
    AppState& state_;
    [[nodiscard]] float height_of(AppState::Detail detail, float centre_width, float centre_height);

    Ui& ui_;
    TimelinePanel& timeline_;
    ComparisonPanel comparison_;
    GraphPanel graph_;
    MeasurePanel measure_;
    BookmarkPanel bookmarks_;
    AlivePanel alive_;
};

}  // namespace headway::ui
